"""The target is its source, though the source is marked as dialect."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._markers import lexicon_of, no_lexicon
from .column import Column
from .gate import Context, Gate, Row

__all__ = ["GATE", "check", "rows", "unfit"]

#: Markers are looked for in as much of a long text.
_ENOUGH = 20_000


def check(row: Row, context: Context) -> str | None:
    """Catches an unchanged text with a dialect marker; case and punctuation don't count.

    Sentences that are the same in both varieties are common, and right; so without a marker by
    the variety's lexicon, or without a lexicon, a copy passes.

    Example:
        >>> pair = Context("african-american-english", "standard-american-english")
        >>> check(Row.of("I like this song", "I like this song"), pair)
        >>> check(Row.of("they ain't done nothing", "They ain't done nothing."), pair)
        'unchanged, though marked as dialect'
    """
    if row.source.tokens != row.target.tokens:
        return None
    known = lexicon_of(context.source_variety)
    if known is None or not known.marked(row.source.raw[:_ENOUGH]):
        return None
    return "unchanged, though marked as dialect"


def unfit(context: Context) -> str | None:
    """Without a lexicon no copy is caught."""
    return no_lexicon(context.source_variety)


def rows(source: Column, target: Column, context: Context) -> NDArray[np.bool_]:  # noqa: ARG001
    """Both sides must have the same words."""
    asked: NDArray[np.bool_] = source.token_bags == target.token_bags
    return asked


GATE = Gate("copy", version=1, rank=80, check=check, rows=rows, unfit=unfit)
