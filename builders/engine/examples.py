"""A few rows that show a person what a corpus is like."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from .pipeline import Pipeline

__all__ = ["examples"]

_COUNT = 3


def examples(pipeline: Pipeline, folder: Path) -> list[dict[str, str]]:
    """Rows whose sides differ first, of those the ones that count as marked.

    Returns:
        The id, the split and the pipeline's ``shown`` columns; nothing where a corpus
        shows none.
    """
    files = sorted((folder / "data").rglob("*.parquet"))
    if not pipeline.shown or not files:
        return []
    rows = pl.read_parquet(files[0])
    differ = pl.col("dialect") != pl.col("standard")
    best = rows.sort(differ & pipeline.marked, differ, descending=True, maintain_order=True)
    return best.head(_COUNT).select("id", "split", *pipeline.shown).to_dicts()
