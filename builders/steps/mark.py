"""Notes which features of the lexicon a text carries."""

from __future__ import annotations

import polars as pl

from ...corpus.lexicon import lexicon
from ...corpus.schema import REJECTED
from ..engine.step import Outcome, Step

__all__ = ["mark_step"]


def mark_step(*, variety: str) -> Step:
    """Adds ``markers``: the ids of the lexicon's patterns found in ``dialect``, in text order.

    Args:
        variety: Variety whose lexicon is used.
    """
    patterns = lexicon(variety)

    def run(frame: pl.DataFrame) -> Outcome:
        found = [
            list(dict.fromkeys(match.pattern_id for match in patterns.find(text)))
            for text in frame["dialect"]
        ]
        markers = pl.Series("markers", found, dtype=pl.List(pl.String))
        return Outcome(frame.with_columns(markers), pl.DataFrame(schema=dict(REJECTED)))

    params = {"variety": variety, "lexicon": patterns.version}
    return Step("mark", 1, run, params=params, adds={"markers": pl.List(pl.String())})
