"""The boundary that several rows of tokens share, which begin with the same text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["Offsets", "shared_boundary"]

Offsets = Sequence[tuple[int, int]]


def shared_boundary(rows: Sequence[tuple[Sequence[Any], Offsets]], end: int) -> tuple[int, int]:
    """Where the context ends, in tokens.

    A token across the boundary can't be split: the context then ends before it, for all rows, so
    that they stay comparable.

    Args:
        rows: The tokens of context and continuation, without special ones, and their offsets.
        end: Length of the context, in the unit of the offsets.

    Returns:
        How many tokens are the context's, and how many begin in it that are not.

    Example:
        >>> shared_boundary([(["so", " a", " lot"], [(0, 2), (2, 4), (4, 8)])], 4)
        (2, 0)
        >>> shared_boundary([(["so", " a lot"], [(0, 2), (2, 8)])], 4)
        (1, 1)
    """
    begun = sum(start < end for start, _ in rows[0][1])
    # A token across the boundary moves it, and may move it into another row's token.
    while True:
        places = [_first_behind(offsets, end) for _, offsets in rows]
        starts = [
            offsets[place][0]
            for place, (_, offsets) in zip(places, rows, strict=True)
            if place < len(offsets) and offsets[place][0] < end
        ]
        if not starts:
            break
        end = min(starts)
    same = _common([tokens[:place] for place, (tokens, _) in zip(places, rows, strict=True)])
    return same, max(0, begun - same)


def _first_behind(offsets: Offsets, end: int) -> int:
    """The first token that reaches beyond a place; the very first behind nothing.

    Some tokenizers trim spaces off their offsets, down to no width at all.
    """
    if not end:
        return 0
    return next((place for place, (_, to) in enumerate(offsets) if to > end), len(offsets))


def _common(rows: Sequence[Sequence[Any]]) -> int:
    """How many tokens all rows begin with."""
    first, most = rows[0], min(len(row) for row in rows)
    return next((at for at in range(most) if any(row[at] != first[at] for row in rows)), most)
