"""Finds profanity, insults and words of strong emotion; the list is ``softened.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

__all__ = ["Group", "Hit", "StrongWords", "strong_words"]

_TOKEN = re.compile(r"[^\W_](?:[\w'*]*[\w*])?")
_REMEMBERED = 1 << 14
#: Longer phrases aren't remembered.
_MOST_LETTERS = 40
_STRETCHED = re.compile(r"(.)\1{2,}")


@dataclass(frozen=True, slots=True)
class Group:
    """Words that can stand for each other.

    Attributes:
        id: Its name.
        kind: ``profanity``, ``insult`` or ``emotion``.
        strength: 1 mild to 3 strong.
    """

    id: str
    kind: str
    strength: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A word or phrase of a group, as it stands in a text.

    Attributes:
        group: The group.
        text: What was found, in lower case.
        keeps: Whether it can only keep the group, its own loss being no matter.
    """

    group: Group
    text: str
    keeps: bool


class StrongWords:
    """The listed words of one language.

    Args:
        groups: The entries of ``[[group]]`` that are for the language.
        apart: Phrases that are taken out first.

    Example:
        >>> english = strong_words("english")
        >>> [hit.text for hit in english.find("This DAYUMMM bus, what the h*ll, I'm tired af")]
        ['dayummm', 'h*ll', 'af']
        >>> english.find("That cost me a hell of a lot, damn near all I had")
        []
    """

    def __init__(self, groups: Iterable[Mapping[str, Any]], apart: Iterable[str]) -> None:
        self._whole: dict[str, list[tuple[Group, bool]]] = {}
        self._beginnings: dict[str, list[tuple[Group, bool]]] = {}
        for entry in groups:
            group = Group(entry["id"], entry["kind"], entry["strength"])
            for field, keeps in (("words", False), ("kept_by", True)):
                for word in entry.get(field, []):
                    table = self._beginnings if word.endswith("*") else self._whole
                    table.setdefault(_plain(word), []).append((group, keeps))
        self._apart = {_plain(phrase) for phrase in apart}
        self._longest = max(map(len, self._beginnings), default=0)
        self._of_length: dict[int, list[tuple[str, list[tuple[Group, bool]]]]] = {}
        for table in (self._whole, self._beginnings):
            for word, entries in table.items():
                self._of_length.setdefault(len(word), []).append((word, entries))
        self._phrases_from = _words_from(self._whole)
        self._apart_from = _words_from(self._apart)
        self._known = lru_cache(maxsize=_REMEMBERED)(self._listed)
        # A bit for each word that phrases whose loss matters begin with, by those words and by
        # the second ones.
        self._first: dict[str, int] = {}
        self._second: dict[str, int] = {}
        for phrase, entries in self._whole.items():
            first, *more = phrase.split()
            if more and _matters(entries):
                bit = self._first.setdefault(first, 2 << len(self._first))
                self._second[more[0]] = self._second.get(more[0], 0) | bit

    def find(self, text: str, *, inside: bool = True) -> list[Hit]:
        """All listed words and phrases of a text, in order.

        Args:
            text: Any text.
            inside: Whether the words inside a listed phrase count as well.
        """
        tokens = self._without_apart(_tokens(text))
        hits: list[Hit] = []
        covered = 0
        for start, token in enumerate(tokens):
            for end, phrase in _phrases(tokens, start, self._phrases_from):
                found = self._hits(phrase)
                hits += found
                if not inside and not all(hit.keeps for hit in found):
                    covered = max(covered, end)
            if token and start >= covered:
                hits += self._hits(token)
        return hits

    @property
    def phrases(self) -> int:
        """How many words begin phrases of several words."""
        return len(self._first)

    def hints(self, chunk: str) -> int:
        """What the words of a text's part without white space may be; none has any inside.

        The lowest bit is for words that are listed themselves. The others are for phrases: half
        of them for their first words, the other half for their second ones, in the same order,
        so that a shift lays one over the other. A phrase's first word is looked up as it
        stands (see :func:`_phrases`), the second may be stretched.
        """
        hints = 0
        for token in _tokens(chunk):
            hints |= _matters(self._listed(token)) | self._first.get(token, 0)
            for spelling in _spellings(token):
                hints |= self._second.get(spelling, 0) << len(self._first)
        return hints

    def _hits(self, phrase: str) -> list[Hit]:
        find = self._known if len(phrase) <= _MOST_LETTERS else self._listed
        return [Hit(group, phrase, keeps) for group, keeps in find(phrase)]

    def _without_apart(self, tokens: Sequence[str]) -> list[str]:
        """The tokens, empty where a phrase stands that is no strong language."""
        left = ["" if token in self._apart else token for token in tokens]
        for start in range(len(tokens)):
            for end, phrase in _phrases(tokens, start, self._apart_from):
                if phrase in self._apart:
                    left[start:end] = [""] * (end - start)
        return left

    def words(self) -> Iterator[tuple[str, Group]]:
        """The listed words with their groups; of those with any ending, the beginning."""
        for table in (self._whole, self._beginnings):
            for word, entries in table.items():
                yield from ((word, group) for group, keeps in entries if not keeps)

    def _listed(self, phrase: str) -> list[tuple[Group, bool]]:
        for spelling in _spellings(phrase):
            found = self._whole.get(spelling, [])
            if not found and " " not in spelling:
                found = self._masked(spelling) if "*" in spelling else self._begun(spelling)
            if found:
                return found
        return []

    def _begun(self, word: str) -> list[tuple[Group, bool]]:
        lengths = range(min(len(word), self._longest), 0, -1)
        beginnings = (word[:length] for length in lengths)
        return next((self._beginnings[part] for part in beginnings if part in self._beginnings), [])

    def _masked(self, word: str) -> list[tuple[Group, bool]]:
        for listed, entries in self._of_length.get(len(word), []):
            if all(letter in ("*", other) for letter, other in zip(word, listed, strict=True)):
                return entries
        return []


@cache
def strong_words(language: str) -> StrongWords | None:
    """The list for a cluster of varieties, such as ``english``; None if there is none."""
    source = resources.files(__package__).joinpath("softened.toml")
    data = tomllib.loads(source.read_text(encoding="utf-8"))
    groups = [group for group in data["group"] if group["language"] == language]
    return StrongWords(groups, data["apart"].get(language, [])) if groups else None


def _words_from(listed: Iterable[str]) -> dict[str, int]:
    """The number of words in the longest phrase that begins with a word, where it is several."""
    found: dict[str, int] = {}
    for phrase in listed:
        first, *more = phrase.split()
        if more:
            found[first] = max(found.get(first, 0), 1 + len(more))
    return found


def _phrases(
    tokens: Sequence[str], start: int, words_from: Mapping[str, int]
) -> Iterable[tuple[int, str]]:
    """The end and the text of what may be a phrase of several words, longer ones first."""
    most = words_from.get(tokens[start])
    if most is None:
        return ()
    ends = range(min(start + most, len(tokens)), start + 1, -1)
    return [(end, " ".join(tokens[start:end])) for end in ends if all(tokens[start:end])]


def _matters(entries: Iterable[tuple[Group, bool]]) -> bool:
    return not all(keeps for _, keeps in entries)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold().replace("’", "'"))


def _plain(listed: str) -> str:
    return " ".join(_tokens(listed.removesuffix("*")))


def _spellings(phrase: str) -> Iterator[str]:
    yield phrase
    if _STRETCHED.search(phrase):
        yield _STRETCHED.sub(r"\1\1", phrase)
        yield _STRETCHED.sub(r"\1", phrase)
