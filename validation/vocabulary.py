"""Counts the words of a corpus' outputs, and finds those that may be cut short."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from .gates.column import Column
from .gates.gate import tokens_of

__all__ = ["MAX_LONGER", "MAX_WORDS", "Vocabulary"]

MAX_WORDS = 1 << 20
"""So many different words are counted, the first ones: some 120 MB. A million tweets have about
half as many. Words that come later are neither caught nor evidence."""
MAX_LONGER = 32
"""So many words that a word begins are kept, the most frequent ones."""
_FEWEST_LETTERS = 2


class Vocabulary:
    """The different words of texts, with how often each occurs.

    Example:
        >>> import polars as pl
        >>> vocabulary = Vocabulary()
        >>> texts = ["Wake me tomorrow", "Tomorrow, please.", "Wake me tomor"]
        >>> vocabulary.add(Column(pl.Series(texts)))
        >>> vocabulary.longer()
        {'tomor': {'tomorrow': 2}}
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        # Words that came last in a text, without a mark, when they were new.
        self._ends: set[str] = set()

    def add(self, column: Column) -> None:
        """Counts the words of some texts."""
        words, counts = column.words, self._counts
        times = np.bincount(words.ids, minlength=len(words.different)).tolist()
        for word, number in zip(words.different, times, strict=True):
            for token in tokens_of[word]:
                known = counts.get(token)
                if known is not None:
                    counts[token] = known + number
                elif len(counts) < MAX_WORDS:
                    counts[token] = number
        for text in column.texts.filter(column.ends_in_letter):
            # Polars knows letters that Python's older tables don't: they make no token.
            for last in tokens_of[text.split()[-1]][-1:]:
                if counts.get(last) == 1:
                    self._ends.add(last)

    def longer(self) -> Mapping[str, Mapping[str, int]]:
        """By a word that occurs once, at a text's end: the words that it begins.

        Returns:
            Words of two letters or more that stand once in all texts, and there last without
            a mark behind, as far as they begin others: those with how often each occurs, at
            most ``MAX_LONGER``, the most frequent first.
        """
        ordered = sorted(self._counts)
        once = sorted(word for word in self._ends if self._counts[word] == 1)
        found = {
            word: self._most_frequent(_begun_by(word, ordered))
            for word in once
            if len(word) >= _FEWEST_LETTERS
        }
        return {word: longer for word, longer in found.items() if longer}

    def _most_frequent(self, words: Iterable[str]) -> dict[str, int]:
        most = heapq.nsmallest(MAX_LONGER, words, key=lambda word: (-self._counts[word], word))
        return {word: self._counts[word] for word in most}


def _begun_by(word: str, ordered: Sequence[str]) -> Iterator[str]:
    at = bisect_left(ordered, word) + 1
    while at < len(ordered) and ordered[at].startswith(word):
        yield ordered[at]
        at += 1
