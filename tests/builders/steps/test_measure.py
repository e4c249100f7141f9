"""The measure step: a number for each pair, null where there is none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from isogloss.builders.engine.step import apply_step
from isogloss.builders.steps.measure import Measure, measure_step

FRAME = pl.DataFrame(
    {"position": [1, 2, 3], "id": ["a", "b", "c"], "one": ["x", "xx", ""], "two": ["y", "", "yyy"]}
)


def measured(measure: Measure | None, frame: pl.DataFrame = FRAME) -> list[float | None]:
    outcome = apply_step(measure_step("m", measure, pair=("two", "one"), described={}), frame)
    assert outcome.rejected.is_empty()
    assert outcome.rows.drop("m").equals(frame)
    assert outcome.rows.schema["m"] == pl.Float64
    return outcome.rows["m"].to_list()


def test_the_pair_is_handed_over_in_its_order() -> None:
    def difference(first: Sequence[str], second: Sequence[str]) -> list[float]:
        return [float(len(a) - len(b)) for a, b in zip(first, second, strict=True)]

    assert measured(difference) == [0.0, -2.0, 3.0]


@pytest.mark.parametrize(
    "values",
    [
        [0.5, float("nan"), -0.25],
        np.array([0.5, np.nan, -0.25], dtype=np.float32),
        np.array([0.5, np.nan, -0.25], dtype=np.float64),
    ],
)
def test_nan_becomes_null_in_lists_and_arrays(values: Sequence[float]) -> None:
    assert measured(lambda _one, _two: values) == [0.5, None, -0.25]


def test_without_a_measure_the_column_is_null() -> None:
    assert measured(None) == [None] * 3
    assert measured(None, FRAME[:0]) == []


def test_nothing_is_measured_of_no_rows() -> None:
    def refuse(first: Sequence[str], second: Sequence[str]) -> list[float]:
        raise AssertionError(f"asked for {len(first)} and {len(second)} texts")

    assert measured(refuse, FRAME[:0]) == []


def test_the_key_has_the_pair_and_what_the_measure_says_of_itself() -> None:
    step = measure_step("near", None, pair=("one", "two"), described={"encoder": "e"})
    assert step.describe() == {
        "name": "near",
        "version": 1,
        "params": {"pair": ["one", "two"], "measure": {"encoder": "e"}},
    }
    assert step.adds == {"near": pl.Float64()}
