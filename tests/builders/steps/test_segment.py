"""The segment step: boundaries, how they were come by, and the markers of the context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest
from isogloss.builders.engine.step import apply_step
from isogloss.builders.steps.segment import SEGMENT_COLUMNS, segment_step
from isogloss.corpus.lexicon import lexicon
from isogloss.models.segmenter import Projection, Segmenter, Split

AAE = "african-american-english"
TEXT = "they finna go and ain't nobody home"


class Stub(Segmenter):
    """Gives the splits it was made with."""

    def __init__(self, *splits: Split) -> None:
        self.splits = splits
        self.asked: list[tuple[Sequence[str], ...]] = []

    def describe(self) -> Mapping[str, Any]:
        return {"stub": 1}

    def segment(self, standards: Sequence[str], *counterparts: Sequence[str]) -> list[Split]:
        self.asked.append((standards, *counterparts))
        return list(self.splits)


def frame(rows: int, dialect: str = TEXT) -> pl.DataFrame:
    numbers = range(rows)
    return pl.DataFrame(
        {
            "position": pl.Series(numbers, dtype=pl.Int64),
            "dialect": pl.Series([dialect] * rows, dtype=pl.String),
            "standard": pl.Series([f"standard {n}" for n in numbers], dtype=pl.String),
            "back": pl.Series([f"back {n}" for n in numbers], dtype=pl.String),
        }
    )


def segmented(segmenter: Segmenter | None, rows: pl.DataFrame) -> pl.DataFrame:
    outcome = apply_step(segment_step(segmenter, variety=AAE), rows)
    assert outcome.rejected.is_empty()
    assert outcome.rows.drop(*SEGMENT_COLUMNS).equals(rows)
    return outcome.rows.select(*SEGMENT_COLUMNS)


def test_each_side_gets_its_own_boundary_and_crossings() -> None:
    stub = Stub(
        Split(3, (Projection(2, 1), Projection(4, 0))),
        Split(5, (Projection(1, 0), Projection(6, 7))),
    )
    found = segmented(stub, frame(2))
    assert found.drop("context_markers").rows() == [
        (3, 2, 4, 1, 0, "ok"),
        (5, 1, 6, 0, 7, "ok"),
    ]
    assert stub.asked == [(["standard 0", "standard 1"], [TEXT] * 2, ["back 0", "back 1"])]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (("overlong", "too_short", "no_links"), "overlong"),
        (("", "too_short", "no_links"), "too_short"),
        (("", "", "no_links"), "no_links"),
        (("", "", ""), "ok"),
    ],
)
def test_the_split_s_flag_goes_before_the_dialect_s_and_the_back_s(
    flags: tuple[str, str, str], expected: str
) -> None:
    split, dialect, back = flags
    stub = Stub(Split(1, (Projection(1, 0, dialect), Projection(1, 0, back)), split))
    assert segmented(stub, frame(1))["segmentation"].to_list() == [expected]


def test_a_missing_boundary_is_null_and_has_no_context() -> None:
    nowhere = Projection(None, None, "too_short")
    stub = Stub(Split(None, (nowhere, nowhere), "too_short"), Split(3, (nowhere, Projection(2, 0))))
    assert segmented(stub, frame(2)).rows() == [
        (None, None, None, None, None, "too_short", []),
        (3, None, 2, None, 0, "too_short", []),
    ]


@pytest.mark.parametrize(
    ("boundary", "expected"),
    [
        (1, []),
        (2, ["finna"]),
        # "ain't nobody" straddles the boundary, "ain't" lies before it.
        (5, ["finna", "aint"]),
        (6, ["finna", "aint", "negative-concord", "negative-inversion"]),
    ],
)
def test_only_markers_wholly_before_the_boundary_are_the_context_s(
    boundary: int, expected: list[str]
) -> None:
    stub = Stub(Split(3, (Projection(boundary, 0), Projection(1, 0))))
    assert segmented(stub, frame(1))["context_markers"].to_list() == [expected]


def test_a_marker_of_the_context_is_named_once() -> None:
    stub = Stub(Split(3, (Projection(6, 0), Projection(1, 0))))
    rows = frame(1, "we finna go, they finna stay, you finna leave")
    assert segmented(stub, rows)["context_markers"].to_list() == [["finna"]]


def test_without_a_segmenter_it_is_off() -> None:
    rows = segmented(None, frame(2)).rows()
    assert rows == [(None, None, None, None, None, "off", [])] * 2


def test_no_rows_still_have_the_columns_and_ask_nothing() -> None:
    stub = Stub()
    for segmenter in (None, stub):
        found = segmented(segmenter, frame(0))
        assert found.is_empty()
        assert dict(found.schema) == dict(SEGMENT_COLUMNS)
    assert stub.asked == []


def test_the_key_has_the_segmenter_and_the_lexicon() -> None:
    both = {"variety": AAE, "lexicon": lexicon(AAE).version}
    assert segment_step(Stub(), variety=AAE).params == {"segmenter": {"stub": 1}, **both}
    assert segment_step(None, variety=AAE).params == {"segmenter": None, **both}
