"""Cuts every row into context and continuation, on all its sides at the same place."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ...corpus.lexicon import lexicon
from ...corpus.schema import REJECTED, Schema
from ...models.segmenter import Segmenter
from ..engine.step import Outcome, Step

__all__ = ["SEGMENT_COLUMNS", "segment_step"]

#: What the step adds. A boundary is the number of words before it.
SEGMENT_COLUMNS: Schema = {
    "standard_boundary": pl.Int64(),
    "dialect_boundary": pl.Int64(),
    "back_boundary": pl.Int64(),
    "dialect_crossings": pl.Int64(),
    "back_crossings": pl.Int64(),
    "segmentation": pl.String(),
    "context_markers": pl.List(pl.String()),
}


def segment_step(segmenter: Segmenter | None, *, variety: str) -> Step:
    """Adds boundaries, how many alignment links cross them, and the context's markers.

    ``segmentation`` says how a row came by its boundaries: ``ok``, or why one is missing or
    doubtful; ``off`` where nothing was segmented.

    Args:
        segmenter: What finds the boundaries; None leaves them empty.
        variety: Variety of ``dialect``, whose lexicon finds the markers.
    """
    patterns = lexicon(variety)

    def run(frame: pl.DataFrame) -> Outcome:
        columns: dict[str, list[object]] = {name: [] for name in SEGMENT_COLUMNS}
        if segmenter is not None and frame.height:
            sides = [frame[name].to_list() for name in ("standard", "dialect", "back")]
            for text, split in zip(sides[1], segmenter.segment(*sides), strict=True):
                dialect, back = split.projections
                columns["standard_boundary"].append(split.standard_boundary)
                columns["dialect_boundary"].append(dialect.boundary)
                columns["back_boundary"].append(back.boundary)
                columns["dialect_crossings"].append(dialect.crossings)
                columns["back_crossings"].append(back.crossings)
                columns["segmentation"].append(split.flag or dialect.flag or back.flag or "ok")
                columns["context_markers"].append(context_markers(text, dialect.boundary))
        else:
            columns |= {name: [None] * frame.height for name in SEGMENT_COLUMNS}
            columns["segmentation"] = ["off"] * frame.height
            columns["context_markers"] = [[] for _ in range(frame.height)]
        series = [
            pl.Series(name, columns[name], dtype=dtype) for name, dtype in SEGMENT_COLUMNS.items()
        ]
        return Outcome(frame.with_columns(series), pl.DataFrame(schema=dict(REJECTED)))

    def context_markers(text: str, boundary: int | None) -> Sequence[str]:
        """Ids of the markers that lie wholly before the boundary."""
        if boundary is None:
            return []
        end = len(" ".join(text.split()[:boundary]))
        found = (match for match in patterns.find(text) if match.end <= end)
        return list(dict.fromkeys(match.pattern_id for match in found))

    params = {
        "segmenter": dict(segmenter.describe()) if segmenter else None,
        "variety": variety,
        "lexicon": patterns.version,
    }
    return Step("segment", 1, run, params=params, adds=SEGMENT_COLUMNS)
