"""The words of many texts at once: what is said of a word is said once for each different one.

A corpus has some millions of words and some ten thousand different ones, so that whatever shows
in single words is found in all texts with a few operations on arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .remembered import Remembered

__all__ = ["LIMB", "WordBits", "Words"]

#: What ``str.split`` splits at, beside a space.
_SPACES = [letter for letter in map(chr, range(0x3001)) if letter.isspace() and letter != " "]
_Number = TypeVar("_Number", np.uint64, np.float64)
LIMB = 64
"""Bits in one number of an array."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a column of texts: its parts without white space, as ``str.split`` has them.

    Attributes:
        different: Each different word once, in the order of their first appearance; an empty
            one stands at a text's edge if white space does, and for an empty text.
        ids: For every word of every text its place in ``different``, shape ``(words,)``.
        starts: Where each text's words begin in ``ids``, and their end, shape ``(texts + 1,)``.

    Example:
        >>> words = Words.of(pl.Series(["we be we", "be"]))
        >>> words.different, words.ids.tolist(), words.starts.tolist()
        (['we', 'be'], [0, 1, 0, 1], [0, 3, 4])
    """

    different: list[str]
    ids: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, texts: pl.Series) -> Words:
        """Cuts texts into words; null counts as an empty text."""
        # PyArrow's own splitting at white space overlooks some at the end of its memory.
        spaced = texts.fill_null("").str.replace_many(_SPACES, [" "] * len(_SPACES))
        parts = spaced.str.split(" ").rechunk().to_arrow()
        encoded = parts.flatten().dictionary_encode()
        starts = parts.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
        return cls(
            different=encoded.dictionary.to_pylist(),
            ids=encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64),
            starts=starts - starts[0],
        )

    @property
    def owners(self) -> NDArray[np.int64]:
        """For every word the number of its text, shape ``(words,)``."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def sums(self, values: NDArray[_Number]) -> NDArray[_Number]:
        """The sum over the words of each text; of whole numbers modulo 2 ** 64.

        Args:
            values: For each different word, shape ``(different,)``.
        """
        if len(self.starts) < 2:
            return np.empty(0, dtype=values.dtype)
        return np.add.reduceat(values[self.ids], self.starts[:-1])


class WordBits:
    """What a text's words bring, as bits of numbers: those of a text are those of all its words.

    Args:
        bits: How many bits there are.
        of: The bits of a word, as a number; it is asked once per word and remembered.

    Attributes:
        limbs: How many numbers of 64 bits hold them.

    Example:
        >>> vowels = WordBits(2, lambda word: ("a" in word) | ("o" in word) << 1)
        >>> vowels.of(Words.of(pl.Series(["so far", "we", ""]))).tolist()
        [[3], [0], [0]]
    """

    def __init__(self, bits: int, of: Callable[[str], int]) -> None:
        self.limbs = max(1, -(-bits // LIMB))
        self._known = Remembered(lambda word: of(word).to_bytes(8 * self.limbs, "little"))

    def of(self, words: Words) -> NDArray[np.uint64]:
        """The bits of each text, shape ``(texts, limbs)``, the lowest limb first."""
        known = b"".join(map(self._known.__getitem__, words.different))
        table = np.frombuffer(known, dtype="<u8").reshape(-1, self.limbs)
        found = np.zeros((len(words.starts) - 1, self.limbs), dtype=np.uint64)
        # Most words bring nothing.
        brings = np.flatnonzero(np.logical_or.reduce(table != 0, axis=1)[words.ids])
        if brings.size:
            owners = words.owners[brings]
            edges = np.flatnonzero(np.diff(owners, prepend=-1))
            found[owners[edges]] = np.bitwise_or.reduceat(table[words.ids[brings]], edges, axis=0)
        return found
