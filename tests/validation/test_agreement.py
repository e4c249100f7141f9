"""Agreement: golden values, other libraries, published formulas, and how it is reported."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.errors import RatingsError
from isogloss.stats import Bootstrap, agreement_columns, fleiss_kappa, wilson
from isogloss.tests.validation.agreement_tables import (
    FLEISS,
    TEXTBOOK,
    from_counts,
    random_matrix,
    tidy,
)
from isogloss.validation.agreement import Agreement, measure_agreement
from isogloss.validation.agreement_measures import measures
from isogloss.validation.ratings import read_ratings
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

QUICK = Bootstrap(resamples=20)
NO_INTERVALS = Bootstrap(resamples=1, few=0)
#: The quick part sees every tenth.
TABLES = [
    pytest.param(seed, marks=[] if seed % 10 == 0 else pytest.mark.slow) for seed in range(200)
]
Matrix = list[list[str | None]]


def measured(frame: pl.DataFrame, options: Bootstrap = QUICK) -> Agreement:
    [found] = measure_agreement(frame, options=options).questions
    return found


def values(matrix: Matrix) -> dict[str, float]:
    table = read_ratings(tidy(matrix)).table
    found = measures(table, sorted(table["label"].unique()), NO_INTERVALS)
    return {name: one.value for name, one in found.items()}


def counts(matrix: Matrix) -> list[Counter[str]]:
    return [Counter(label for label in row if label is not None) for row in matrix]


def test_golden_values() -> None:
    lone: Matrix = [["yes", "yes", "no"], ["yes", "no", "yes"], ["no", "yes", "yes"]]
    matrix = [lone[i % 3] for i in range(70)]
    matrix += [["yes"] * 3 for _ in range(930)]
    found = measured(tidy(matrix), Bootstrap())
    got = {name: one.value for name, one in found.measures.items()}
    assert got["exact"] == 0.93
    assert got["fleiss_kappa"] == pytest.approx(-0.0239, abs=5e-5)
    assert got["gwet_ac1"] == pytest.approx(0.951, abs=5e-4)
    assert got["randolph_kappa"] == pytest.approx(0.907, abs=5e-4)
    for one in found.measures.values():
        assert one.low < one.value < one.high
        assert (one.n, one.clusters, one.method) == (1000, 1000, "percentile")
    [warning] = found.warnings
    assert "97.7% of the ratings are 'yes'" in warning
    assert "depressed" in warning
    assert "AC1 (0.951)" in warning


def test_published_tables() -> None:
    assert values(from_counts(FLEISS))["fleiss_kappa"] == pytest.approx(0.430, abs=5e-4)
    assert values(from_counts(TEXTBOOK))["fleiss_kappa"] == pytest.approx(0.210, abs=5e-4)
    # Krippendorff 2011, "Computing Krippendorff's alpha-reliability", C: 0.743 for nominal data.
    observers = [
        "1 2 3 3 2 1 4 1 2 * * *",
        "1 2 3 3 2 2 4 1 2 5 * 3",
        "* 3 3 3 2 3 4 2 2 5 1 *",
        "1 2 3 3 2 4 4 1 2 5 1 *",
    ]
    labels = np.array([row.split() for row in observers]).T.tolist()
    matrix = [[None if label == "*" else label for label in unit] for unit in labels]
    assert values(matrix)["krippendorff_alpha"] == pytest.approx(0.743, abs=5e-4)


@pytest.mark.parametrize("seed", TABLES)
def test_complete_tables_against_other_libraries(seed: int) -> None:
    matrix = random_matrix(seed)
    labels = sorted({label for row in matrix for label in row if label})
    table = [[count[label] for label in labels] for count in counts(matrix)]
    got = values(matrix)
    assert got["fleiss_kappa"] == pytest.approx(statsmodels_fleiss(np.array(table)), abs=1e-9)
    theirs = statsmodels_fleiss(np.array(table), method="randolph")
    assert got["randolph_kappa"] == pytest.approx(theirs, abs=1e-9)
    one_by_one = fleiss_kappa(agreement_columns(table).sum(axis=0))
    assert got["fleiss_kappa"] == pytest.approx(float(one_by_one), abs=1e-12)


@pytest.mark.parametrize("seed", TABLES)
def test_two_raters_against_other_libraries(seed: int) -> None:
    matrix = random_matrix(seed, raters=2)
    first, second = ([row[r] for row in matrix] for r in (0, 1))
    labels = sorted({*first, *second}, key=str)
    square = [[sum(pair == cell for pair in zip(first, second, strict=True)) for cell in
               [(a, b) for b in labels]] for a in labels]  # fmt: skip
    found = measured(tidy(matrix))
    got = found.measures["cohen_kappa"].value
    assert got == pytest.approx(cohen_kappa_score(first, second), abs=1e-9)
    assert got == pytest.approx(cohens_kappa(np.array(square)).kappa, abs=1e-9)
    [pair] = found.pairs
    assert pair.kappa == pytest.approx(got, abs=1e-12)
    assert found.measures["pairwise"].value == pytest.approx(pair.agreement)


@pytest.mark.parametrize("seed", TABLES)
def test_alpha_with_gaps_against_nltk(seed: int) -> None:
    matrix = random_matrix(seed, gaps=True)
    task = AnnotationTask(
        data=[
            (f"rater {r}", f"item {i}", label)
            for i, row in enumerate(matrix)
            for r, label in enumerate(row)
            if label is not None and len([x for x in row if x is not None]) > 1
        ]
    )
    assert values(matrix)["krippendorff_alpha"] == pytest.approx(task.alpha(), abs=1e-9)


def by_formula(matrix: Matrix) -> dict[str, float]:
    """Gwet 2014 for missing ratings, written out item by item and pair by pair."""
    rated = [[label for label in row if label is not None] for row in matrix]
    rated = [row for row in rated if row]
    labels = sorted({label for row in rated for label in row})
    pairable = [list(combinations(row, 2)) for row in rated if len(row) > 1]
    agreement = math.fsum(sum(a == b for a, b in row) / len(row) for row in pairable) / len(
        pairable
    )
    shares = [math.fsum(row.count(k) / len(row) for row in rated) / len(rated) for k in labels]
    chances = {
        "fleiss_kappa": sum(p**2 for p in shares),
        "randolph_kappa": 1 / len(labels),
        "gwet_ac1": sum(p * (1 - p) for p in shares) / (len(labels) - 1),
    }
    whole = [row for row in rated if len(row) > 1]
    return {
        "exact": sum(len(set(row)) == 1 for row in whole) / len(whole),
        "pairwise": agreement,
        **{name: (agreement - chance) / (1 - chance) for name, chance in chances.items()},
    }


@pytest.mark.parametrize("seed", TABLES)
def test_published_formulas_with_gaps(seed: int) -> None:
    matrix = random_matrix(seed, gaps=True)
    got = values(matrix)
    for name, expected in by_formula(matrix).items():
        assert got[name] == pytest.approx(expected, abs=1e-9), name


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_permuting_changes_nothing(seed: int, gaps: bool) -> None:
    matrix = random_matrix(seed, gaps=gaps)
    rng = np.random.default_rng(seed)
    before = values(matrix)
    labels = sorted({label for row in matrix for label in row if label})
    renamed = dict(zip(labels, rng.permutation(labels).tolist(), strict=True))
    items, raters = rng.permutation(len(matrix)), rng.permutation(len(matrix[0]))
    after = values([[renamed.get(matrix[i][r] or "") for r in raters] for i in items])
    assert after == pytest.approx(before, abs=1e-12)
    shuffled = tidy(matrix).sample(fraction=1, shuffle=True, seed=seed)
    assert measured(shuffled).to_dict() == measured(tidy(matrix)).to_dict()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_values_keep_their_bounds(seed: int, gaps: bool) -> None:
    found = measured(tidy(random_matrix(seed, gaps=gaps)))
    assert found.measures["exact"].value <= found.measures["pairwise"].value
    for name, one in found.measures.items():
        share = name in {"exact", "pairwise"}
        assert (0 if share else -1) - 1e-12 <= one.value <= 1
        if one.method != "none":
            assert one.low <= one.high <= 1
            assert not share or one.low >= 0


def test_few_items_are_flagged() -> None:
    # Fifty items, but only forty have two ratings.
    matrix: Matrix = [["a", "a"] if i % 3 else ["a", "b"] for i in range(40)]
    matrix += [["b", None] for _ in range(20)]
    found = measured(tidy(matrix), Bootstrap())
    assert all(one.few_clusters for one in found.measures.values())
    assert (found.items, found.single) == (60, 20)
    assert found.measures["fleiss_kappa"].n == 40


def test_all_agree_on_two_labels() -> None:
    found = measured(tidy([["a"] * 3, ["b"] * 3] * 40), Bootstrap())
    assert {one.value for one in found.measures.values()} == {1.0}
    for name in ("exact", "pairwise"):
        one = found.measures[name]
        assert (one.low, one.high) == pytest.approx(wilson(1, 80))
    assert found.measures["gwet_ac1"].reason == "the same value in every resample"
    assert found.disputed == ()
    assert found.warnings == ()


COEFFICIENTS = ["fleiss_kappa", "randolph_kappa", "gwet_ac1", "krippendorff_alpha"]


@pytest.mark.parametrize("labels", [None, {"natural": ["yes", "no"]}])
def test_one_label_only_is_no_perfect_agreement(labels: dict[str, list[str]] | None) -> None:
    frame = tidy([["yes", "yes"]] * 60)
    [found] = measure_agreement(frame, labels=labels, options=QUICK).questions
    assert found.measures["exact"].value == 1
    for name in [*COEFFICIENTS, "cohen_kappa"]:
        assert math.isnan(found.measures[name].value)
        assert str(found.measures[name].reason).startswith("one label only")
        assert found.measures[name].n == 60
    [pair] = found.pairs
    assert pair.to_dict()["kappa"] is None
    assert pair.to_dict()["reason"] == "one label only"


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ([["a"], ["b"], ["a"]], "one rater only"),
        # Nearly one label only, but no κ that this could depress.
        ([["a"]] * 19 + [["b"]], "one rater only"),
        ([["a", None], [None, "b"]], "no item has two ratings"),
        ([["nan", "-1"], ["", None]], "no ratings"),
        ([], "no ratings"),
    ],
)
def test_no_pairs_no_agreement(matrix: Matrix, reason: str) -> None:
    frame = tidy(matrix).drop("question")
    [found] = measure_agreement(frame, question=None, options=QUICK).questions
    assert {"exact", "pairwise", *COEFFICIENTS} <= set(found.measures)
    assert {one.reason for one in found.measures.values()} == {reason}
    assert all(math.isnan(one.value) for one in found.measures.values())
    assert found.pairs == ()
    assert found.warnings == ()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()


def test_labels_never_chosen_count_for_chance() -> None:
    frame = tidy([["a", "a"], ["a", "b"], ["b", "b"], ["b", "a"]])
    two, three = (
        measure_agreement(frame, labels=labels, options=QUICK).questions[0]
        for labels in (None, {"natural": ["a", "b", "c"]})
    )
    assert two.measures["randolph_kappa"].value == pytest.approx(0)
    assert three.measures["randolph_kappa"].value == pytest.approx(0.25)
    assert three.measures["fleiss_kappa"] == two.measures["fleiss_kappa"]
    assert three.labels == ("a", "b", "c")
    with pytest.raises(RatingsError, match=r"the label 'b' is none of a, c"):
        measure_agreement(frame, labels={"natural": ["a", "c"]})


def test_who_disagrees_with_whom_and_about_what() -> None:
    matrix: Matrix = [["a", "a", "b"], ["b", "b", "a"], ["a", "a", "a"], ["b", "b", None]]
    found = measured(tidy(matrix))
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        (f"rater {a}", f"rater {b}") for a, b in combinations((1, 2, 3), 2)
    ]
    assert sorted((pair.n, round(pair.agreement, 2)) for pair in found.pairs) == [
        (3, 0.33), (3, 0.33), (4, 1.0),
    ]  # fmt: skip
    assert [(one.item, one.ratings, dict(one.labels)) for one in found.disputed] == [
        ("i0000", 3, {"a": 2, "b": 1}),
        ("i0001", 3, {"b": 2, "a": 1}),
    ]
    assert sorted(tuple(row.values()) for row in found.distribution.values()) == [
        (2, 1), (2, 2), (2, 2),
    ]  # fmt: skip
    [fewer] = measure_agreement(tidy(matrix), most_disputed=1, options=QUICK).questions
    assert fewer.disputed == found.disputed[:1]


def test_an_overview_over_questions() -> None:
    frame = pl.concat(
        [tidy(random_matrix(seed), question=name) for seed, name in enumerate(("b", "a", "c"))]
    )
    report = measure_agreement(frame, options=QUICK)
    table = report.overview()
    assert table["question"].to_list() == ["a", "b", "c"]
    for one, row in zip(report.questions, table.iter_rows(named=True), strict=True):
        assert row["gwet_ac1"] == one.measures["gwet_ac1"].value
        assert row["gwet_ac1_low"] == one.measures["gwet_ac1"].low
        assert one.table()["measure"].to_list() == list(one.measures)
        assert one.table()["reason"].dtype == pl.String
        alone = measured(frame.filter(pl.col("question") == one.question))
        assert alone.measures == one.measures
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False)) == report.to_dict()


def test_no_name_of_a_rater_comes_out() -> None:
    frame = tidy(random_matrix(3)).with_columns(
        pl.col("rater").replace_strict({f"name {r}": f"Ms Secret {r}" for r in range(7)})
    )
    report = measure_agreement(frame, options=QUICK)
    assert "Secret" not in json.dumps(report.to_dict()) + repr(report)


def test_questions_with_other_raters_share_numbers() -> None:
    both = tidy([["a", "b"], ["b", "b"]], question="q1")
    one = tidy([["a", "b"]], question="q2").filter(pl.col("rater") == "name 1")
    report = measure_agreement(pl.concat([both, one]), options=QUICK)
    [number] = report.questions[1].distribution
    assert report.questions[0].distribution[number] == {"a": 0, "b": 2}
    assert report.questions[1].raters == 1
    assert report.raters == 2


def test_every_pair_of_three_labels() -> None:
    # Each pair of labels once: agreement is chance exactly.
    matrix: Matrix = [list(pair) for pair in product("abc", repeat=2)]
    got = values(matrix)
    assert got["cohen_kappa"] == pytest.approx(0)
    assert got["fleiss_kappa"] == pytest.approx(0)
    assert got["exact"] == pytest.approx(1 / 3)
