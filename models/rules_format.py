"""How translation rules are read from data and checked.

``rules_aae.toml`` describes the format at its head.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..corpus.wordpatterns import alternations, compile_words, entry_words
from ..errors import RegistryError
from .english_agreement import WORD_LISTS, EnglishAgreement
from .english_verbs import EnglishVerbs
from .rules_forms import FORMS

__all__ = ["Piece", "Rule", "RuleData", "read_rules"]

_DIRECTIONS = ("to-standard", "to-dialect")
_REQUIRED = {"id", "direction", "pattern", "replacement", "note"}
_SLOT = re.compile(r"\{(\w*)(?:\|(\w+))?\}")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a replacement: fixed text, or a slot to be filled from the match."""

    text: str = ""
    group: str = ""
    function: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """What is replaced by what, and after what it is not."""

    id: str
    pattern: re.Pattern[str]
    replacement: tuple[Piece, ...]
    not_after: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class RuleData:
    """What a file of rules holds."""

    version: int
    dialect: str
    standard: str
    to_standard: tuple[Rule, ...]
    to_dialect: tuple[Rule, ...]
    agreement: EnglishAgreement
    verbs: EnglishVerbs


def read_rules(source: str, *, where: str) -> RuleData:
    """Reads a file of rules.

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
    keys = ("version", "dialect", "standard", "words", "agreement", "numbers", "verbs", "spelling")
    if missing := [key for key in (*keys, "rule") if key not in data]:
        raise RegistryError(f"{missing[0]} is missing", where=where)
    if missing := [name for name in WORD_LISTS if name not in data["numbers"]]:
        raise RegistryError(f"the list {missing[0]!r} is missing", where=f"{where}: numbers")
    lists = alternations(data["words"], where=where)
    spelling = tuple(
        Rule(
            f"spelling of {written}",
            compile_words(written, lists, where=f"{where}: spelling {written!r}"),
            (Piece(text=standard),),
        )
        for written, standard in data["spelling"].items()
    )
    rules: dict[str, list[Rule]] = {direction: [] for direction in _DIRECTIONS}
    for number, entry in enumerate(data["rule"], start=1):
        place = f"{where}: rule {entry.get('id', number)!r}"
        direction, rule = _read_rule(entry, lists, data["agreement"], place)
        rules[direction].append(rule)
    return RuleData(
        version=data["version"],
        dialect=data["dialect"],
        standard=data["standard"],
        to_standard=(*spelling, *rules["to-standard"]),
        to_dialect=tuple(rules["to-dialect"]),
        agreement=EnglishAgreement(
            data["agreement"],
            {
                name: frozenset(entry_words(words, f"{where}: numbers {name!r}"))
                for name, words in data["numbers"].items()
            },
        ),
        verbs=EnglishVerbs(
            dict(_irregular(data["verbs"].get("irregular"), f"{where}: irregular verbs")),
            entry_words(data["verbs"].get("regular"), f"{where}: regular verbs"),
        ),
    )


def _irregular(rows: object, where: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for row in entry_words(rows, where):
        if len(forms := row.split()) != 3:
            raise RegistryError(f"{row!r} is not a base, a past form and a participle", where=where)
        yield forms[0], (forms[1], forms[2])


def _read_rule(
    entry: Mapping[str, Any], lists: Mapping[str, str], auxiliaries: Mapping[str, Any], where: str
) -> tuple[str, Rule]:
    if missing := sorted(_REQUIRED - entry.keys()):
        raise RegistryError(f"{missing[0]} is missing", where=where)
    if unknown := sorted(entry.keys() - _REQUIRED - {"not_after"}):
        raise RegistryError(f"{unknown[0]!r} is no field of a rule", where=where)
    if entry["direction"] not in _DIRECTIONS:
        raise RegistryError(f"no direction is called {entry['direction']!r}", where=where)
    pattern = compile_words(entry["pattern"], lists, where=where)
    replacement = tuple(_pieces(entry["replacement"]))
    for piece in replacement:
        known = FORMS if piece.group else auxiliaries
        if piece.function and piece.function not in known:
            raise RegistryError(f"{piece.function!r} gives no form", where=where)
        if piece.group and not piece.function and piece.group not in pattern.groupindex:
            raise RegistryError(f"the pattern has no group {piece.group!r}", where=where)
    not_after = None
    if words := entry_words(entry.get("not_after", []), f"{where}, not_after"):
        frame = rf"(?<!\w)(?:{'|'.join(words)})\s+$"
        not_after = compile_words(frame, lists, where=f"{where}, not_after", edges=False)
    return entry["direction"], Rule(entry["id"], pattern, replacement, not_after)


def _pieces(replacement: str) -> Iterator[Piece]:
    end = 0
    for slot in _SLOT.finditer(replacement):
        yield Piece(text=replacement[end : slot.start()])
        yield Piece(group=slot[1], function=slot[2] or "")
        end = slot.end()
    yield Piece(text=replacement[end:])
