"""Measures pairs: how near two texts are in meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...corpus.schema import REJECTED
from ..engine.step import Outcome, Step

__all__ = ["measure_step"]

Measure = Callable[[Sequence[str], Sequence[str]], Sequence[float] | NDArray[np.float32]]


def measure_step(
    name: str, measure: Measure | None, *, pair: tuple[str, str], described: Mapping[str, Any]
) -> Step:
    """Fills a column of the step's name with a number per row; null where there is none.

    Args:
        name: The step's and the column's name, for example ``similarity``.
        measure: A number for each of two texts; NaN for a pair that has none. None leaves the
            whole column empty.
        pair: The two columns.
        described: What can change the numbers.
    """

    def run(frame: pl.DataFrame) -> Outcome:
        column = pl.Series(name, [None] * frame.height, dtype=pl.Float64)
        if measure is not None and frame.height:
            values = measure(frame[pair[0]].to_list(), frame[pair[1]].to_list())
            column = pl.Series(name, values, dtype=pl.Float64, strict=False).fill_nan(None)
        return Outcome(frame.with_columns(column), pl.DataFrame(schema=dict(REJECTED)))

    params = {"pair": list(pair), "measure": dict(described)}
    return Step(name, 1, run, params=params, adds={name: pl.Float64()})
