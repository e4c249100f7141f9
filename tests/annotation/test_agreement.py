"""Agreement on a project's questions, through its table of labels."""

from __future__ import annotations

import pytest
from isogloss.annotation.agreement import agreement_figures, agreement_of
from isogloss.annotation.labels import labels_table
from isogloss.stats import Bootstrap
from isogloss.tests.annotation.made import answers, label, project, question

QUICK = Bootstrap(resamples=200)


def test_the_golden_values_of_the_specification() -> None:
    """1,000 items, three raters: 930 unanimous yes, 70 with one lone no."""
    votes = {f"{n:04d}": "yyy" if n < 930 else ("nyy", "yny", "yyn")[n % 3] for n in range(1000)}
    report = agreement_of(answers("natural", votes), project(), options=QUICK)
    assert report is not None
    found = report.questions[0].measures
    assert found["fleiss_kappa"].value == pytest.approx(-0.0239, abs=5e-5)
    assert found["gwet_ac1"].value == pytest.approx(0.951, abs=5e-4)
    assert found["randolph_kappa"].value == pytest.approx(0.907, abs=5e-4)
    assert found["exact"].value == pytest.approx(0.93)
    figures = agreement_figures(report)["natural"]
    assert (figures["items"], figures["raters"], figures["ratings"]) == (1000, 3, 3000)
    assert figures["measures"]["exact"]["n"] == 1000


def test_labels_that_nobody_gave_count_as_possible() -> None:
    report = agreement_of(answers("q", {"a": "kk", "b": "kd"}), project(question("q", "choice")))
    assert report is not None
    assert report.questions[0].labels == ("ask", "drop", "keep")
    # Randolph's κ of pairwise agreement 1/2 with three labels: (1/2 - 1/3) / (1 - 1/3).
    assert report.questions[0].measures["randolph_kappa"].value == pytest.approx(0.25)


def test_only_submitted_labels_of_closed_questions_are_measured() -> None:
    asked = project(question("natural"), question("remark", "text"))
    table = labels_table(
        [
            label("a", "u", "natural", "yes"),
            label("a", "v", "natural", "no", status="draft"),
            label("a", "u", "remark", "words " * 60),
        ]
    )
    report = agreement_of(table, asked, options=QUICK)
    assert report is not None
    assert [(one.question, one.ratings) for one in report.questions] == [("natural", 1)]
    assert agreement_of(table.filter(table["question"] == "remark"), asked) is None
    assert agreement_figures(None) == {}


def test_questions_stand_in_the_order_in_which_they_are_asked() -> None:
    asked = project(question("natural"), question("clear"), question("keep", "choice"))
    table = labels_table(
        label(item, rater, name, "yes" if name != "keep" else "keep")
        for item in ("a", "b")
        for rater in ("u", "v")
        for name in ("clear", "keep", "natural")
    )
    report = agreement_of(table, asked, options=QUICK)
    assert report is not None
    assert [one.question for one in report.questions] == ["natural", "clear", "keep"]
    assert list(agreement_figures(report)) == ["natural", "clear", "keep"]
