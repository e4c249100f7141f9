"""Word alignment by edit distance: links never cross, and what has no counterpart has none.

The cheapest way from the first sentence to the second is found where putting one word for
another costs their distance, and a word without a counterpart costs a gap. Many pairs go
through the dynamic programme at once, row by row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from .align_units import Units, skeleton, units, word_links
from .alignment import Alignment, WordPair

__all__ = ["MonotoneAligner", "cheapest_links", "edit_links", "spelling_distance"]

Costs = NDArray[np.float32]
_WORD_GAP = 0.5
_MARK_GAP = 0.4
# A mark for a mark that divides one step more or less; further apart they are no counterparts.
_LIKE_MARK = 0.3
_UNLIKE_MARK = 0.9
_NEVER = 9.0
# Words from here on have nothing to do with each other, but between others a place.
_UNLIKE_WORDS = 0.9
_PAIRS_AT_ONCE = 64
_SUBSTITUTED, _FIRST_ALONE, _SECOND_ALONE = 0, 1, 2
# Sums that differ by less are the same.
_SLACK = 1e-5


class MonotoneAligner:
    """Aligns words by spelling alone, without a model."""

    def describe(self) -> Mapping[str, Any]:
        """Aligner and version."""
        return {"aligner": "monotone", "version": 2}

    def align(self, pairs: Sequence[WordPair]) -> list[Alignment]:
        """Aligns each pair by itself."""
        sides = [(units(first), units(second)) for first, second in pairs]
        return edit_links(sides, [spelling_distance(*side) for side in sides])


def spelling_distance(first: Units, second: Units) -> Costs:
    """How unlike the words of two sentences are written, from 0 to 1.

    The mean of two Levenshtein distances, each divided by the longer length: of the words, and
    of what is left of them without vowels and with exchangeable consonants made one.

    Returns:
        Shape ``(units, units)``; cells of marks mean nothing.
    """
    if not (first.forms and second.forms):
        return np.zeros((len(first.forms), len(second.forms)), dtype=np.float32)
    bones = [[skeleton(form) for form in side.forms] for side in (first, second)]
    whole, bare = (
        cdist(*sides, scorer=Levenshtein.normalized_distance, dtype=np.float32)
        for sides in ((first.forms, second.forms), bones)
    )
    mean: Costs = (whole + bare) / 2
    return mean


def edit_links(sides: Sequence[tuple[Units, Units]], distances: Sequence[Costs]) -> list[Alignment]:
    """Aligns pairs along their cheapest paths, and gives words without a link their company.

    Args:
        sides: Units of both sentences of each pair.
        distances: Of their words, shape ``(units, units)`` for each pair.
    """
    costs, gaps = [], []
    for (first, second), distance in zip(sides, distances, strict=True):
        steps = np.abs(first.marks[:, None] - second.marks[None, :])
        mark = np.where(steps == 0, 0.0, np.where(steps == 1, _LIKE_MARK, _UNLIKE_MARK))
        rows, columns = first.marks[:, None] > 0, second.marks[None, :] > 0
        words = np.where(rows | columns, _NEVER, distance)
        costs.append(np.where(rows & columns, mark, words).astype(np.float32))
        gaps.append(tuple(
            np.where(side.marks > 0, _MARK_GAP, _WORD_GAP).astype(np.float32)
            for side in (first, second)
        ))  # fmt: skip
    found = zip(cheapest_links(costs, gaps), costs, sides, strict=True)
    return [
        Alignment(word_links(links if _any_alike(links, cost) else (), *side))
        for links, cost, side in found
    ]


def _any_alike(links: Sequence[tuple[int, int]], cost: Costs) -> bool:
    """Whether any two units are alike; a path of nothing but unlike words says nothing."""
    return any(cost[i, j] < _UNLIKE_WORDS for i, j in links)


def cheapest_links(
    costs: Sequence[Costs], gaps: Sequence[tuple[Costs, ...]]
) -> list[list[tuple[int, int]]]:
    """Finds the substitutions on each cheapest path; of equal paths one with more of them.

    Args:
        costs: Of putting a second unit for a first one, shape ``(n, m)`` for each pair.
        gaps: Of leaving a unit alone, shapes ``(n,)`` and ``(m,)`` for each pair.

    Returns:
        For each pair its substitutions (i, j), both ascending.
    """
    found: list[list[tuple[int, int]]] = [[] for _ in costs]
    order = sorted(range(len(costs)), key=lambda at: costs[at].shape)
    for start in range(0, len(order), _PAIRS_AT_ONCE):
        part = order[start : start + _PAIRS_AT_ONCE]
        moves = _moves([costs[at] for at in part], [gaps[at] for at in part])
        for at, table in zip(part, moves, strict=True):
            found[at] = _walked(table, *costs[at].shape)
    return found


def _moves(costs: Sequence[Costs], gaps: Sequence[tuple[Costs, ...]]) -> NDArray[np.uint8]:
    """The last move into every cell, shape ``(pairs, n + 1, m + 1)`` of the largest pair."""
    rows, columns = (max(cost.shape[axis] for cost in costs) for axis in (0, 1))
    table = np.zeros((len(costs), rows, columns), dtype=np.float32)
    down = np.zeros((len(costs), rows), dtype=np.float32)
    along = np.zeros((len(costs), columns + 1), dtype=np.float32)
    for at, (cost, (first, second)) in enumerate(zip(costs, gaps, strict=True)):
        table[at, : cost.shape[0], : cost.shape[1]] = cost
        down[at, : len(first)] = first
        along[at, 1 : len(second) + 1] = second
    along = np.cumsum(along, axis=1)
    moves = np.full((len(costs), rows + 1, columns + 1), _SECOND_ALONE, dtype=np.uint8)
    best = along
    for i in range(rows):
        alone = best + down[:, i, None]
        substituted = best[:, :-1] + table[:, i]
        paired = substituted <= alone[:, 1:] + _SLACK
        reached = alone.copy()
        np.minimum(reached[:, 1:], substituted, out=reached[:, 1:])
        # Any number of second units left alone after a cell of this row, at once.
        best = np.minimum.accumulate(reached - along, axis=1) + along
        moves[:, i + 1, 0] = _FIRST_ALONE
        move = np.where(paired, _SUBSTITUTED, _FIRST_ALONE)
        moves[:, i + 1, 1:] = np.where(best[:, 1:] < reached[:, 1:] - _SLACK, _SECOND_ALONE, move)
    return moves


def _walked(table: NDArray[np.uint8], i: int, j: int) -> list[tuple[int, int]]:
    """The substitutions on the way back from the last cell, in order."""
    moves = table[: i + 1, : j + 1].tolist()
    links = []
    while i or j:
        move = moves[i][j]
        i -= move != _SECOND_ALONE
        j -= move != _FIRST_ALONE
        if move == _SUBSTITUTED:
            links.append((i, j))
    return links[::-1]
