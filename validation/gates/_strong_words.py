"""Finds profanity, insults and words of strong emotion; the list is ``softened.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["Group", "Hit", "StrongWords", "strong_words"]

_TOKEN = re.compile(r"[^\W_](?:[\w'*]*[\w*])?")
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
        # The number of words in the longest phrase that begins with a word.
        self._words_from: dict[str, int] = {}
        for phrase in (*self._whole, *self._apart):
            first, *more = phrase.split()
            self._words_from[first] = max(self._words_from.get(first, 1), 1 + len(more))

    def find(self, text: str) -> list[Hit]:
        """All listed words of a text, in order; words inside a phrase count as well."""
        tokens = _tokens(text)
        free = list(tokens)
        for start, end in self._spans(tokens):
            if " ".join(tokens[start:end]) in self._apart:
                free[start:end] = [""] * (end - start)
        hits = []
        for start, end in self._spans(tokens):
            if all(free[start:end]):
                phrase = " ".join(free[start:end])
                hits += [Hit(group, phrase, keeps) for group, keeps in self._listed(phrase)]
        return hits

    def words(self) -> Iterator[tuple[str, Group]]:
        """The listed words with their groups; of those with any ending, the beginning."""
        for table in (self._whole, self._beginnings):
            for word, entries in table.items():
                yield from ((word, group) for group, keeps in entries if not keeps)

    def _spans(self, tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Where a listed phrase may stand, longer ones first."""
        for start, token in enumerate(tokens):
            longest = min(start + self._words_from.get(token, 1), len(tokens))
            yield from ((start, end) for end in range(longest, start, -1))

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
        for table in (self._whole, self._beginnings):
            for listed, entries in table.items():
                if len(word) == len(listed) and all(
                    letter in ("*", other) for letter, other in zip(word, listed, strict=True)
                ):
                    return entries
        return []


@cache
def strong_words(language: str) -> StrongWords | None:
    """The list for a cluster of varieties, such as ``english``; None if there is none."""
    source = resources.files(__package__).joinpath("softened.toml")
    data = tomllib.loads(source.read_text(encoding="utf-8"))
    groups = [group for group in data["group"] if group["language"] == language]
    return StrongWords(groups, data["apart"].get(language, [])) if groups else None


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold().replace("’", "'"))


def _plain(listed: str) -> str:
    return " ".join(_tokens(listed.removesuffix("*")))


def _spellings(phrase: str) -> Iterator[str]:
    yield phrase
    if _STRETCHED.search(phrase):
        yield _STRETCHED.sub(r"\1\1", phrase)
        yield _STRETCHED.sub(r"\1", phrase)
