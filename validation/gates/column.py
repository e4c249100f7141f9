"""A column of texts as gates look at it before they look at any one of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...corpus.remembered import Remembered
from ...corpus.words import Words
from .gate import tokens_of
from .keys import key_parts

__all__ = ["Column", "bag"]

_WHITE_SPACE = "".join(letter for letter in map(chr, range(0x3001)) if letter.isspace())
_MODULUS = (1 << 64) - 1


def bag(parts: Iterable[str]) -> int:
    """The bag of some words; see :class:`Column`."""
    return sum(map(hash, parts)) & _MODULUS


_count: Remembered[int] = Remembered(lambda word: len(tokens_of[word]))
_token_bag: Remembered[int] = Remembered(lambda word: bag(tokens_of[word]))
_key_bag: Remembered[int] = Remembered(lambda word: bag(key_parts(word)))


class Column:
    """The texts of one side, with what is computed for all of them at once.

    Bags are hashes that don't see the order of words, orders are hashes that do. Equal texts have
    equal ones, and others hardly ever: they say where to look. They differ from process to
    process.

    Args:
        texts: The texts; null counts as an empty one.

    Attributes:
        texts: The texts.
        words: Their words.

    Example:
        >>> column = Column(pl.Series(["He's here!", "here, he's", "..."]))
        >>> column.tokens.tolist(), len(set(column.token_bags.tolist()))
        ([2, 2, 0], 2)
    """

    def __init__(self, texts: pl.Series) -> None:
        self.texts = texts.cast(pl.String)
        self.words = Words.of(self.texts)

    @cached_property
    def tokens(self) -> NDArray[np.uint64]:
        """How many tokens each text has."""
        return self.bags(_count)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """How many characters each text has between the white space at its ends."""
        # As Python strips it: Unicode's white space, and four separators beyond it.
        stripped = self.texts.fill_null("").str.strip_chars(_WHITE_SPACE)
        return stripped.str.len_chars().cast(pl.Int64).to_numpy()

    @cached_property
    def token_bags(self) -> NDArray[np.uint64]:
        """The bags of the texts' tokens."""
        return self.bags(_token_bag)

    @cached_property
    def key_bags(self) -> NDArray[np.uint64]:
        """The bags of the texts' keys (see :func:`~isogloss.validation.gates.keys.output_key`)."""
        return self.bags(_key_bag)

    @cached_property
    def has_narrow_space(self) -> NDArray[np.bool_]:
        """Whether each text has a space that may mark thousands."""
        return self.texts.str.contains("[\u00a0\u202f]").fill_null(value=False).to_numpy()

    @cached_property
    def ends_in_letter(self) -> NDArray[np.bool_]:
        """Whether the last character is a letter; of white space that follows nothing is said."""
        return self.texts.str.contains(r"\p{L}[\s\x1c-\x1f]*$").fill_null(value=False).to_numpy()

    def repeats(self, distance: int) -> NDArray[np.int64]:
        """How many of each text's tokens are the same as that so many tokens before."""
        token, owner = self._sequence
        same = (token[distance:] == token[:-distance]) & (owner[distance:] == owner[:-distance])
        return np.bincount(owner[distance:][same], minlength=len(self.texts))

    @cached_property
    def _sequence(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """A number for each token, in the order of the texts, and the number of its text."""
        numbers: dict[str, int] = {}
        lists = [tokens_of[word] for word in self.words.different]
        flat = np.fromiter(
            (numbers.setdefault(token, len(numbers)) for tokens in lists for token in tokens),
            dtype=np.int64,
        )
        lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
        begins = np.cumsum(lengths) - lengths
        counts = lengths[self.words.ids]
        shifts = begins[self.words.ids] - (np.cumsum(counts) - counts)
        token = flat[np.repeat(shifts, counts) + np.arange(counts.sum())]
        return token, np.repeat(self.words.owners, counts)

    def bags(self, known: Remembered[int]) -> NDArray[np.uint64]:
        """The sums of what is said of each text's words, modulo 2 ** 64."""
        different = self.words.different
        said = np.fromiter(map(known.__getitem__, different), np.uint64, count=len(different))
        return self.words.sums(said)

    def orders(self, known: Remembered[int | None]) -> NDArray[np.uint64]:
        """Hashes of what is said of each text's words one after the other.

        Args:
            known: What is said of a word: None passes over it; 0 is something else, of which
                only shows that it stands between others.

        Example:
            >>> digits = Remembered(lambda word: int(word) if word.isdecimal() else 0)
            >>> texts = pl.Series(["2 or 3", "she has 2 or even 3", "2 3", "3 or 2", ""])
            >>> found = Column(texts).orders(digits).tolist()
            >>> found[0] == found[1], len(set(found))
            (True, 4)
        """
        said = [known[word] for word in self.words.different]
        numbers = np.array([(one or 0) & _MODULUS for one in said], dtype=np.uint64)
        kept = np.array([one is not None for one in said], dtype=np.bool_)[self.words.ids]
        values, owners = numbers[self.words.ids[kept]], self.words.owners[kept]
        # Of what is something else one after another counts, and none at the beginning.
        again = np.ones(len(values), dtype=np.bool_)
        again[1:] = (owners[1:] != owners[:-1]) | (values[:-1] == 0)
        values, owners = values[~(again & (values == 0))], owners[~(again & (values == 0))]
        hashes = np.zeros(len(self.texts), dtype=np.uint64)
        if values.size:
            edges = np.flatnonzero(np.diff(owners, prepend=-1))
            places = np.arange(len(values)) - np.repeat(edges, np.diff(edges, append=len(values)))
            factors = 2 * places.astype(np.uint64) + np.uint64(1)
            hashes[owners[edges]] = np.add.reduceat(values * factors, edges)
        return hashes
