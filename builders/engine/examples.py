"""A few rows that show a person what a corpus is like."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from .pipeline import Pipeline

__all__ = ["examples"]

_COUNT = 3
#: Stands where a text is cut into context and continuation.
_CUT = " ‖ "


def examples(pipeline: Pipeline, folder: Path) -> list[dict[str, str]]:
    """Rows whose sides differ first, of those the ones that count as marked.

    Returns:
        The id, the split and the pipeline's ``shown`` columns with a double bar at their
        boundaries; nothing where a corpus shows none.
    """
    files = sorted((folder / "data").rglob("*.parquet"))
    if not pipeline.shown or not files:
        return []
    rows = pl.read_parquet(files[0])
    differ = pl.col("dialect") != pl.col("standard")
    best = rows.sort(differ & pipeline.marked, differ, descending=True, maintain_order=True)
    return [
        {"id": row["id"], "split": row["split"]}
        | {name: _cut(row[name], row.get(boundary)) for name, boundary in pipeline.shown.items()}
        for row in best.head(_COUNT).iter_rows(named=True)
    ]


def _cut(text: str, boundary: int | None) -> str:
    if boundary is None:
        return text
    words = text.split()
    return _CUT.join((" ".join(words[:boundary]), " ".join(words[boundary:])))
