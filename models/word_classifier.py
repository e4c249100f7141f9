"""Sentiment by a list of words, where no model is at hand; it is named as such."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import chain, pairwise
from operator import or_
from typing import Any
from unicodedata import normalize

from ..corpus.remembered import Remembered
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
        self._hints_of = Remembered(self._hints)

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
        return [
            _label(self.score(text)) if text.strip() else Labelled(None, "empty") for text in texts
        ]

    def score(self, text: str) -> float:
        """The sum over the listed words and signs of a text."""
        plain = normalize("NFC", text).casefold().replace("’", "'")
        # Nothing that is looked for goes beyond white space; of that only a new line counts.
        chunks = _CHUNK.findall(plain) if "\n" in plain else plain.split()
        hints = reduce(or_, filter(None, map(self._hints_of.__getitem__, chunks)), 0)
        if not (hints & 1 or hints & hints >> len(self._first)):
            return 0.0
        entries = self._entries([*chain.from_iterable(map(self._found.__getitem__, chunks))])
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

    def _hints(self, chunk: str) -> int:
        """Whether a text of these words may have a value; most haven't, and show it so.

        The lowest bit is for words and signs that have one themselves. The others are for
        phrases: half of them for their first words, the other half for their second ones, in
        the same order, so that a shift lays one over the other.
        """
        hints = 0
        for word, entry in self._find(chunk):
            hints |= bool(entry.value) | self._first.get(word, 0)
            hints |= self._second.get(word, 0) << len(self._first)
        return hints

    def _entries(self, found: Sequence[tuple[str, Entry]]) -> list[Entry]:
        """What the list says of each word, or of the longest phrase that begins with it."""
        phrases, listed = self._list.phrases, self._list.entries
        words = [word for word, _ in found]
        entries = [entry for _, entry in found]
        if phrases.keys().isdisjoint(pairwise(words)):
            return entries
        merged = []
        at = 0
        while at < len(words):
            longest = phrases.get((words[at], words[at + 1]), 1) if at + 1 < len(words) else 1
            lengths = range(min(longest, len(words) - at), 1, -1)
            phrase = ((n, listed.get(" ".join(words[at : at + n]))) for n in lengths)
            length, entry = next(((n, e) for n, e in phrase if e), (1, entries[at]))
            merged.append(entry)
            at += length
        return merged


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
