"""What a reader compares where a corpus has several varieties: a row of numbers for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from ...corpus.varieties import varieties
from .pairs import Pairs, standard_of

__all__ = ["by_variety"]


def by_variety(pairs: Pairs, caught: pl.DataFrame) -> Mapping[str, Mapping[str, Any]]:
    """By variety: pairs, how many of them a gate caught, mean characters and words.

    Args:
        pairs: The corpus.
        caught: What the gates caught, columns ``CAUGHT``.
    """
    means = {
        f"{side}_{unit}": count.mean()
        for side in pairs.columns
        for unit, count in (
            ("characters", pl.col(side).str.len_chars()),
            ("words", pl.col(side).str.count_matches(r"\S+")),
        )
    }
    measured = pairs.frame.group_by("variety").agg(pl.len().alias("pairs"), **means)
    rows = {row.pop("variety"): row for row in measured.iter_rows(named=True)}
    numbers = dict(caught.group_by("variety").agg(pl.col("position").n_unique()).iter_rows())
    return {
        name: {
            "name": varieties()[name].name,
            "standard": standard_of(name),
            "caught": numbers.get(name, 0),
            **rows[name],
        }
        for name in pairs.varieties
    }
