"""How a lexicon's patterns are read from data, checked, and found in a text.

``lexicon_aae.toml`` describes the format at its head.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import RegistryError
from .wordpatterns import (
    alternations,
    compile_words,
    entry_words,
    in_lower_case,
    literal_words,
    straighten,
)

__all__ = [
    "CLASSES",
    "CLASS_MAPS",
    "ORTHOGRAPHY",
    "LexiconData",
    "Match",
    "Pattern",
    "read_lexicon",
]

CLASSES = ("auxiliary", "aspectual", "preverbal", "syntactic")
"""The classes of grammar, in the order reports show them."""

ORTHOGRAPHY = "orthography"
"""The class of spelling, which never counts as grammar."""

CLASS_MAPS = ("paper", "green2002")
"""The maps from patterns to classes; each is a field of a pattern."""

_TEXTS = ("id", "feature", *CLASS_MAPS, "regex", "source")
_FLAGS = ("candidate", "shared")
_CONTEXTS = ("after", "not_after", "not_before", "exclude")
_CUES = ("cues", "and_cues")
_REQUIRED = {*_TEXTS, "false_positives", "cues"}
_OPTIONAL = {"and_cues", *_FLAGS, *_CONTEXTS}
_ANY_CASE = re.IGNORECASE.value  # plain numbers are compared much faster
# Longer than any phrase in an `after` or `not_after` list.
_CONTEXT_WIDTH = 40


@dataclass(frozen=True, slots=True)
class Match:
    """One place where a pattern was found; ``text[start:end]`` is its ``text``."""

    pattern_id: str
    feature: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A surface pattern of one grammatical feature."""

    id: str
    feature: str
    paper: str
    green2002: str
    source: str
    false_positives: tuple[str, ...]
    candidate: bool
    shared: bool
    cues: tuple[str, ...]
    and_cues: tuple[str, ...]
    regex: re.Pattern[str]
    after: re.Pattern[str] | None
    not_after: re.Pattern[str] | None
    not_before: re.Pattern[str] | None
    exclude: re.Pattern[str] | None

    def class_under(self, class_map: str) -> str:
        """The pattern's class under one of :data:`CLASS_MAPS`."""
        return self.paper if class_map == "paper" else self.green2002

    def find(self, text: str, lowered: str | None = None) -> Iterator[Match]:
        """Yields the matches in ``text``, in order.

        Args:
            text: Any text.
            lowered: What :func:`~isogloss.corpus.wordpatterns.in_lower_case` makes of it, if
                that is known already.
        """
        group = "mark" if "mark" in self.regex.groupindex else 0
        if self.regex.flags & _ANY_CASE:
            searched = text
        else:
            searched = in_lower_case(text) if lowered is None else lowered
        excluded: list[tuple[int, int]] | None = None
        for found in self.regex.finditer(searched):
            if not self._stands_alone(searched, *found.span()):
                continue
            if excluded is None:
                excluded = self._excluded(searched)
            if not any(start < found.end() and found.start() < end for start, end in excluded):
                start, end = found.span(group)
                yield Match(self.id, self.feature, start, end, text[start:end])

    def _excluded(self, text: str) -> list[tuple[int, int]]:
        return [found.span() for found in self.exclude.finditer(text)] if self.exclude else []

    def _stands_alone(self, text: str, start: int, end: int) -> bool:
        before = straighten(text[max(0, start - _CONTEXT_WIDTH) : start])
        if self.after and not self.after.search(before):
            return False
        if self.not_after and self.not_after.search(before):
            return False
        return not (self.not_before and self.not_before.match(text, end))


@dataclass(frozen=True, slots=True)
class LexiconData:
    """What a lexicon file holds."""

    variety: str
    version: int
    patterns: tuple[Pattern, ...]


def read_lexicon(source: str, *, where: str) -> LexiconData:
    """Reads a lexicon file.

    Args:
        source: The file's text.
        where: The file's name, for errors.

    Raises:
        RegistryError: An entry is malformed; the message says which.
    """
    try:
        data = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise RegistryError(f"not valid TOML ({error})", where=where) from None
    version, variety, entries = (data.get(key) for key in ("version", "variety", "pattern"))
    if not isinstance(version, int) or not isinstance(variety, str):
        raise RegistryError("version (a number) or variety (a name) is missing", where=where)
    if not isinstance(entries, list) or not entries:
        raise RegistryError("no [[pattern]] entries", where=where)
    lists = alternations(data.get("words", {}), where=where)
    patterns: dict[str, Pattern] = {}
    for number, entry in enumerate(entries, start=1):
        named = isinstance(entry, dict) and isinstance(entry.get("id"), str)
        place = f"{where}: pattern {entry['id']!r}" if named else f"{where}: pattern {number}"
        pattern = _read_pattern(entry, lists, place)
        if pattern.id in patterns:
            raise RegistryError("the id is taken", where=place)
        patterns[pattern.id] = pattern
    return LexiconData(variety, version, tuple(patterns.values()))


def _read_pattern(entry: object, lists: Mapping[str, str], where: str) -> Pattern:
    fields = _checked_fields(entry, where)
    # What looks at capitals is looked for in the text as it is.
    any_case = "(?-i:" in fields["regex"]
    words = {
        field: entry_words(fields.get(field, []), f"{where}, {field}")
        for field in ("false_positives", *_CUES, *_CONTEXTS)
    }

    if not words["cues"]:
        raise RegistryError("there are no cues", where=where)

    def context(field: str, frame: str) -> re.Pattern[str] | None:
        if not words[field]:
            return None
        body = frame.format("|".join(words[field]))
        return compile_words(
            body,
            lists,
            where=f"{where}, {field}",
            edges=field == "exclude",
            any_case=any_case,
        )

    return Pattern(
        **{field: fields[field] for field in _TEXTS if field != "regex"},
        **{field: fields.get(field, False) for field in _FLAGS},
        false_positives=words["false_positives"],
        cues=_cues(words["cues"], lists, f"{where}, cues"),
        and_cues=_cues(words["and_cues"], lists, f"{where}, and_cues"),
        regex=compile_words(fields["regex"], lists, where=where, any_case=any_case),
        after=context("after", r"(?:^|[^\w\s])\s*$|(?<!\w)(?:{})\s+$"),
        not_after=context("not_after", r"(?<!\w)(?:{})\s+$"),
        not_before=context("not_before", r"\s+(?:{})(?!\w)"),
        exclude=context("exclude", "{}"),
    )


def _cues(listed: Iterable[str], lists: Mapping[str, str], where: str) -> tuple[str, ...]:
    """The cues; for a word list its words, each from edge to edge."""
    cues: list[str] = []
    for cue in listed:
        plain = cue.strip()
        if cue.startswith("{"):
            cues += [f" {word} " for word in literal_words(cue, lists, where=where)]
        elif plain and not re.search(r"[^\w']", plain):
            cues.append(cue)
        else:
            raise RegistryError(f"{cue!r} is no part of one word", where=where)
    return tuple(cues)


def _checked_fields(entry: object, where: str) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise RegistryError("not a table", where=where)
    fields: dict[str, Any] = entry
    if missing := sorted(_REQUIRED - fields.keys()):
        raise RegistryError(f"{' and '.join(missing)} is missing", where=where)
    if unknown := sorted(fields.keys() - _REQUIRED - _OPTIONAL):
        raise RegistryError(f"{unknown[0]!r} is no field of a pattern", where=where)
    for field in _TEXTS:
        if not isinstance(fields[field], str) or not fields[field]:
            raise RegistryError(f"{field} is not a text", where=where)
    for field in _FLAGS:
        if not isinstance(fields.get(field, False), bool):
            raise RegistryError(f"{field} is neither true nor false", where=where)
    for field in CLASS_MAPS:
        if fields[field] not in (*CLASSES, ORTHOGRAPHY):
            raise RegistryError(f"{field} names no class: {fields[field]!r}", where=where)
    if len({fields[field] == ORTHOGRAPHY for field in CLASS_MAPS}) > 1:
        raise RegistryError("spelling is spelling under every map", where=where)
    return fields
