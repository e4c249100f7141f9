"""Sentiment by a list of words, where no model is at hand; it is named as such."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any
from unicodedata import normalize

import numpy as np
import polars as pl

from ..corpus.remembered import Remembered
from ..corpus.words import LIMB, WordBits, Words
from .classifier import LABELS, Labelled
from .sentiment_list import Entry, word_list

__all__ = ["WordClassifier"]

#: Raised when the same text and list would get another label.
_VERSION = 1
_NOTE = "a word list stands in for a sentiment model; its labels are rough"
_THRESHOLD = 1.0
#: "Not good" is less bad than "bad" is.
_NEGATED = -0.5
#: A negator reaches over so many words and phrases.
_SCOPE = 5
#: Addresses and names of accounts have no words in them.
_SKIPPED = re.compile(r"https?://\S+|www\.\S+|(?<!\w)@\w+")

_CHUNK = re.compile(r"\n|\S+")
_LABELLED = tuple(map(Labelled, LABELS))
_NEUTRAL = _LABELLED[1]


class WordClassifier:
    """Adds up the listed words of a text: 1 and more is positive, -1 and less negative.

    Words have a strength of 1 to 3. A negator turns what follows in its clause and halves it;
    several of them are one negation, since that is the grammar of African American English
    ("don't want nothing") and of Bavarian ("koa Geld ned"). Profanity makes the word beside it
    stronger and counts for nothing by itself.

    Args:
        language: A cluster of varieties for which there is a list: ``english`` or ``german``.

    Raises:
        ModelError: If there is no list for the language.

    Example:
        >>> english, german = WordClassifier("english"), WordClassifier("german")
        >>> [row.label for row in english.classify(["That's damn good!", "Damn, the bus"])]
        ['positive', 'neutral']
        >>> english.score("I want trouble"), english.score("I don't want no trouble")
        (-1.0, 0.5)
        >>> german.score("De Suppn schmeckt guad"), german.score("De Suppn is ned guad")
        (2.0, -1.0)
    """

    def __init__(self, language: str = "english") -> None:
        self.labels = LABELS
        self.language = language
        self._list = word_list(language)
        signs = sorted(self._list.signs, key=len, reverse=True)
        self._tokens = re.compile(
            r"10/10|[^\W_](?:[\w'*]*[\w*])?"
            rf"|{'|'.join(re.escape(sign) for sign in signs if len(sign) > 1)}"
            rf"|[{''.join(re.escape(sign) for sign in signs if len(sign) == 1)}]"
        )
        self._found = Remembered(self._find)
        # A bit for each word that phrases begin with, by those words and by the second ones.
        self._first: dict[str, int] = {}
        self._second: dict[str, int] = {}
        for first, second in self._list.phrases:
            bit = self._first.setdefault(first, 2 << len(self._first))
            self._second[second] = self._second.get(second, 0) | bit
        self._values = Remembered(self._value_of)
        half = -(-(1 + len(self._first)) // LIMB) * LIMB
        self._hints = WordBits(2 * half, self._hints_of)

    def describe(self) -> Mapping[str, Any]:
        """The list and its hash; the note says that it is no model."""
        return {
            "backend": "words",
            "model": self._list.language,
            "revision": self._list.revision,
            "version": _VERSION,
            "labels": list(self.labels),
            "note": _NOTE,
        }

    def classify(self, texts: Sequence[str]) -> list[Labelled]:
        """Labels each text by its :meth:`score`, whatever stands beside it.

        Args:
            texts: Any texts, n of them, of any length.

        Returns:
            n entries; no label for a text of white space alone.
        """
        found = [_NEUTRAL if text.strip() else Labelled(None, "empty") for text in texts]
        for at, score, may_have_phrases in self._may_have_a_value(texts):
            if found[at] is _NEUTRAL:
                known = score == score  # not NaN
                found[at] = _label(
                    score if known else self._score(texts[at], phrases=may_have_phrases)
                )
        return found

    def score(self, text: str) -> float:
        """The sum over the listed words and signs of a text."""
        return self._score(text, phrases=True)

    def _score(self, text: str, *, phrases: bool) -> float:
        plain = _plain(text)
        # Nothing that is looked for goes beyond white space; of that only a new line counts.
        chunks = _CHUNK.findall(plain) if "\n" in plain else plain.split()
        found = chain.from_iterable(map(self._found.__getitem__, chunks))
        entries = self._entries([*found]) if phrases else [entry for _, entry in found]
        if not any(entry.value for entry in entries):
            return 0.0
        total = 0.0
        clause: list[Entry] = []
        for entry in entries:
            if entry.breaks:
                total += _sum(clause) + entry.value
                clause = []
            else:
                clause.append(entry)
        return total + _sum(clause)

    def _find(self, chunk: str) -> list[tuple[str, Entry]]:
        """What the list says of the words and signs of a text without white space."""
        tokens = self._tokens.findall(_SKIPPED.sub(" ", chunk))
        return [self._list.find(token) for token in tokens]

    def _may_have_a_value(self, texts: Sequence[str]) -> Iterable[tuple[int, float, bool]]:
        """The texts that may have another score than 0.

        Yields:
            Which one; its score, NaN where words change one another's value; whether it may
            have phrases.
        """
        try:
            words = Words.of(pl.Series(texts, dtype=pl.String))
        except UnicodeEncodeError:  # half a character stands in one of them
            return ((at, math.nan, True) for at in range(len(texts)))
        both = np.bitwise_and(*np.split(self._hints.of(words), 2, axis=1))
        rows = np.flatnonzero(np.logical_or.reduce(both != 0, axis=1))
        both[:, 0] &= ~np.uint64(1)
        phrases = np.logical_or.reduce(both != 0, axis=1)
        values = map(self._values.__getitem__, words.different)
        scores = words.sums(np.fromiter(values, np.float64, count=len(words.different)))
        scores[phrases] = math.nan
        return zip(rows.tolist(), scores[rows].tolist(), phrases[rows].tolist(), strict=True)

    def _value_of(self, chunk: str) -> float:
        """What a word adds to a text's score; NaN if it has a say in what others add."""
        entries = [entry for _, entry in self._found[_plain(chunk)]]
        if any(entry.negates or entry.factor != 1 or entry.factor_before != 1 for entry in entries):
            return math.nan
        return sum(entry.value for entry in entries)

    def _hints_of(self, chunk: str) -> int:
        """What a word brings that gives a text its value: a bit for each of two halves.

        A text may have a value where both halves have a bit in common. A word or a sign that
        has one itself sets the lowest bit of both; a phrase's first word one of the first half,
        its second word the same one of the second.
        """
        firsts = seconds = 0
        for word, entry in self._found[_plain(chunk)]:
            firsts |= bool(entry.value) | self._first.get(word, 0)
            seconds |= bool(entry.value) | self._second.get(word, 0)
        return firsts | seconds << (self._hints.limbs // 2) * LIMB

    def _entries(self, found: Sequence[tuple[str, Entry]]) -> list[Entry]:
        """What the list says of each word, or of the longest phrase that begins with it."""
        phrases, listed = self._list.phrases, self._list.entries
        words = [word for word, _ in found]
        entries = [entry for _, entry in found]
        begun = [at for at, pair in enumerate(pairwise(words)) if pair in phrases]
        if not begun:
            return entries
        merged: list[Entry] = []
        done = 0
        for at in begun:
            if at < done:  # within the phrase before
                continue
            longest = phrases[words[at], words[at + 1]]
            for length in range(min(longest, len(words) - at), 1, -1):
                if entry := listed.get(" ".join(words[at : at + length])):
                    merged += [*entries[done:at], entry]
                    done = at + length
                    break
        return merged + entries[done:]


def _plain(text: str) -> str:
    return normalize("NFC", text).casefold().replace("’", "'")


def _label(score: float) -> Labelled:
    return _LABELLED[1 + (score >= _THRESHOLD) - (score <= -_THRESHOLD)]


def _sum(entries: Sequence[Entry]) -> float:
    """The sum over a clause."""
    valued = dict.fromkeys(
        at for at, entry in enumerate(entries) if entry.value and _counts(entries, at)
    )
    if not valued:
        return 0.0
    turned: set[int] = set()
    for at, entry in enumerate(entries):
        if entry.negates:
            reached = [to for to in range(at + 1, at + 1 + _SCOPE) if to in valued]
            if entry.late and not reached:
                reached = [to for to in range(max(0, at - _SCOPE), at) if to in valued][-1:]
            turned.update(to for to in reached if not entries[to].fixed)
    return sum(
        entries[at].value
        * (entries[at - 1].factor if at else 1.0)
        * (entries[at + 1].factor_before if at + 1 < len(entries) else 1.0)
        * (_NEGATED if at in turned else 1.0)
        for at in valued
    )


def _counts(entries: Sequence[Entry], at: int) -> bool:
    """Whether a word that has a value does not only make the next one stronger."""
    only_stronger = entries[at].factor != 1 and at + 1 < len(entries)
    return not (only_stronger and entries[at + 1].value != 0)
