"""The features task: classes by hand, and that it asks for nothing that continuation doesn't."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.corpus.lexicon import CLASSES, lexicon
from isogloss.errors import CorpusError
from isogloss.evaluation import Measured
from isogloss.evaluation.tasks.continuation import Continuation
from isogloss.evaluation.tasks.features import TASK, Features
from isogloss.models.chat import Fault
from isogloss.stats import Bootstrap
from isogloss.tests.evaluation.made import Answers, by_length

FEW = Bootstrap(resamples=20, seed=0)
AAE = "african-american-english"
ROWS = [
    # dialect, standard, words before the cut on either side
    ("He ain't finna leave before we eat", "He is not about to leave before we eat", 2, 3),
    ("She be working when we was late again", "She works when we are late again", 3, 2),
    ("They don't want nothing from the store", "They don't want anything from the store", 3, 3),
    ("My cousin came by the house today", "My cousin came by, and we ain't home", 3, 3),
]


def rows(*texts: tuple[str, str, int, int], **more: Any) -> pl.DataFrame:
    columns = ["dialect", "standard", "dialect_boundary", "standard_boundary"]
    frame = pl.DataFrame(texts or ROWS, schema=columns, orient="row")
    return frame.with_columns(
        pl.int_range(pl.len()).cast(pl.String).alias("id"), pl.lit(AAE).alias("variety")
    ).with_columns(pl.Series(name, values) for name, values in more.items())


def measured(frame: pl.DataFrame, answers: Any = None) -> Measured:
    return Features().measure(frame, answers or Answers(by_length), bootstrap=FEW)


def table(found: Measured) -> dict[tuple[str, str], tuple[int, Any]]:
    return {(one.name, one.of): (one.estimate.n, one.estimate.value) for one in found.metrics}


def test_classes_by_hand() -> None:
    found = measured(rows())
    lp = found.items["lp"].to_list()
    got = table(found)
    assert got["lp_by_class", "auxiliary"] == (2, pytest.approx((lp[0] + lp[1]) / 2))
    assert got["lp_by_class_exclusive", "auxiliary"] == (1, pytest.approx(lp[0]))
    assert got["lp_by_class", "aspectual"] == (1, pytest.approx(lp[1]))
    assert got["lp_by_class_exclusive", "aspectual"][0] == 0
    assert got["lp_by_class", "syntactic"] == (1, pytest.approx(lp[2]))
    assert got["lp_by_class", "no feature"] == (1, pytest.approx(lp[3]))
    assert got["class_rate", "auxiliary"] == (4, 0.5)
    assert got["class_rate_standard", "auxiliary"] == (4, 0.25)  # "we ain't home"
    assert got["class_rate_standard", "aspectual"] == (4, 0)
    # finna is preverbal in Green's chapters
    assert got["lp_by_class_green2002", "preverbal"][0] == 1
    assert got["lp_by_pattern", "finna"] == (1, pytest.approx(lp[0]))
    assert got["pattern_rate_standard", "aint"] == (4, 0.25)


def test_matches_have_places_in_the_whole_text() -> None:
    item = measured(rows()).items.row(0, named=True)
    places = zip(
        *(item[f"dialect_{name}"] for name in ("patterns", "starts", "ends", "parts")), strict=True
    )
    text = ROWS[0][0]
    found = {(name, text[start:end], part) for name, start, end, part in places}
    assert {("aint", "ain't", "context"), ("finna", "finna", "continuation")} <= found


def test_a_match_across_the_boundary_is_in_neither_part() -> None:
    frame = rows(("We had done told you about that", "We had told you about that", 3, 2))
    item = measured(frame).items.row(0, named=True)
    [name] = item["dialect_patterns"]
    assert (item["dialect_parts"], name) == (["across"], name)
    cut = len("We had done")
    assert item["dialect_starts"][0] < cut < item["dialect_ends"][0]


def test_it_asks_what_continuation_asks() -> None:
    answers = Answers(by_length)
    both = [list(made.plan(rows(), answers)) for made in (Features(), Continuation())]
    assert both[0] == both[1]


def test_varieties_that_are_no_text_are_refused_in_a_line() -> None:
    frame = rows().with_columns(variety=pl.lit(7))
    with pytest.raises(CorpusError, match="the column 'variety' has the type Int") as caught:
        list(Features().plan(frame, Answers(by_length)))
    assert "isogloss varieties" in caught.value.remedy
    named = rows().with_columns(pl.col("variety").cast(pl.Categorical))
    assert measured(named).items.equals(measured(rows()).items)


def test_rows_without_text_or_with_one_continuation_are_counted() -> None:
    frame = rows().with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(None).otherwise("standard").alias("standard")
    )
    assert dict(measured(frame).excluded)["no_text"] == 1
    same = rows().with_columns(standard="dialect", standard_boundary="dialect_boundary")
    found = measured(same)
    assert found.notes["same_continuation"] == found.items.height > 0


def test_what_is_left_out_is_counted() -> None:
    frame = rows(*ROWS, variety=[AAE, "bernese", None, AAE], dialect_boundary=[2, 3, 3, None])
    asked = {one.ask.item for one in Features().plan(frame, Answers(by_length))}
    assert asked == {"0"}
    found = measured(frame)
    assert dict(found.excluded) == {"no_lexicon": 2, "no_boundaries": 1}
    assert found.items["id"].to_list() == ["0"]

    class Failing:
        def get(self, request: Any) -> Fault:  # noqa: ARG002
            return Fault("timeout")

    found = measured(frame, Failing())
    assert found.excluded["failed_timeout"] == 1
    assert {one.estimate.n for one in found.metrics} == {0}


SOME = sorted({pattern.paper for pattern in lexicon().patterns})


@settings(max_examples=15)
@given(st.lists(st.sampled_from(ROWS), min_size=1, max_size=8))
def test_exclusive_is_part_of_inclusive_and_nobody_is_lost(some: list[Any]) -> None:
    got = table(measured(rows(*some)))
    assert set(CLASSES) < set(SOME)
    for suffix in ("", "_green2002"):
        for name in CLASSES:
            alone, among = (
                got[f"lp_by_class{kind}{suffix}", name][0] for kind in ("_exclusive", "")
            )
            assert alone <= among <= len(some)
            assert among == round(got[f"class_rate{suffix}", name][1] * len(some))
    alone = sum(got["lp_by_class_exclusive", name][0] for name in CLASSES)
    assert alone + got["lp_by_class", "no feature"][0] <= len(some)


def test_it_is_a_task() -> None:
    assert TASK.name == "features"
    assert "grammar" in TASK.summary
