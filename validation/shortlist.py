"""Which gates must be asked about which pairs: most see by the words that they can be spared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..corpus.words import LIMB, WordBits
from .gates import Context, Gate, Hints
from .gates.column import Column

__all__ = ["Shortlist"]


class Shortlist:
    """The hints of several gates laid side by side, so that each word is looked up once.

    Args:
        asked: The gates.
        source_variety: Variety id of the source.
        target_variety: Variety id of the target.

    Example:
        >>> import polars as pl
        >>> from .gates import gates
        >>> numbers = next(gate for gate in gates() if gate.code == "numbers")
        >>> sides = "african-american-english", "standard-american-english"
        >>> source, target = pl.Series(["got 2 of em", "late"]), pl.Series(["has two", "is late"])
        >>> Shortlist.of((numbers,), *sides).choose(
        ...     Column(source), Column(target), [Context(*sides)]
        ... ).tolist()
        [[True], [False]]
    """

    def __init__(self, asked: Sequence[Gate], source_variety: str, target_variety: str) -> None:
        self._asked = asked
        known = {
            at: gate.hints(source_variety, target_variety)
            for at, gate in enumerate(asked)
            if gate.hints
        }
        self._source = _Side([(at, one.source, one) for at, one in known.items() if one.source])
        self._target = _Side([(at, one.target, one) for at, one in known.items() if one.target])

    @staticmethod
    @cache
    def of(asked: tuple[Gate, ...], source_variety: str, target_variety: str) -> Shortlist:
        """The shortlist for these gates and varieties; what it knows of words is kept."""
        return Shortlist(asked, source_variety, target_variety)

    def choose(
        self, source: Column, target: Column, contexts: Sequence[Context]
    ) -> NDArray[np.bool_]:
        """For each row and gate whether the gate must be asked about the row.

        Args:
            source: The sources, n of them.
            target: The targets.
            contexts: For each gate what it is asked with; ``columns`` are whole columns.

        Returns:
            Shape ``(n, gates)``.
        """
        chosen = np.zeros((len(self._asked), len(source.texts)), dtype=np.bool_)
        self._source.choose(source, chosen)
        self._target.choose(target, chosen)
        for gate, context, row in zip(self._asked, contexts, chosen, strict=True):
            if gate.rows:
                row |= gate.rows(source, target, context)
            elif not gate.hints:
                row[:] = True
        return chosen.T


class _Side:
    """One side's hints: all that are enough alone, then the first halves, then the second ones.

    Args:
        asked: Number of the gate, the bits of a word, and how these are to be read.
    """

    def __init__(self, asked: Sequence[tuple[int, Callable[[str], int], Hints]]) -> None:
        self._asked = asked
        # Where each gate's bits begin, among those alone and among the pairs.
        self._places, alone, paired = [], 0, 0
        for *_, one in asked:
            self._places.append((alone, paired))
            alone, paired = alone + one.alone, paired + one.paired
        self._alone, self._paired = -(-alone // LIMB), -(-paired // LIMB)
        self._bits = WordBits(LIMB * (self._alone + 2 * self._paired), self._laid_out)
        self._masks = {
            at: np.array(
                [*_limbs(_ones(one.alone) << place, self._alone),
                 *_limbs(_ones(one.paired) << pair, self._paired)],
                dtype=np.uint64,
            )
            for (at, _, one), (place, pair) in zip(asked, self._places, strict=True)
        }  # fmt: skip

    def choose(self, column: Column, chosen: NDArray[np.bool_]) -> None:
        """Marks what must be asked, in shape ``(gates, rows)``."""
        bits = self._bits.of(column.words)
        alone, firsts, seconds = np.split(bits, [self._alone, self._alone + self._paired], axis=1)
        found = np.concatenate([alone, firsts & seconds[:, : self._paired]], axis=1)
        some = np.flatnonzero(found.any(axis=1))
        for at, mask in self._masks.items():
            chosen[at, some] |= (found[some] & mask).any(axis=1)

    def _laid_out(self, word: str) -> int:
        firsts_at, seconds_at = LIMB * self._alone, LIMB * (self._alone + self._paired)
        bits = 0
        for (_, of, one), (place, pair) in zip(self._asked, self._places, strict=True):
            said = int(of(word))
            if said:
                firsts, seconds = said >> one.alone, said >> one.alone + one.paired
                bits |= (said & _ones(one.alone)) << place
                bits |= (firsts & _ones(one.paired)) << firsts_at + pair
                bits |= (seconds & _ones(one.paired)) << seconds_at + pair
        return bits


def _ones(count: int) -> int:
    return (1 << count) - 1


def _limbs(number: int, count: int) -> list[int]:
    return [number >> LIMB * at & _ones(LIMB) for at in range(count)]
