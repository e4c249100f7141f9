"""How numbers are spelled, in ``number_words.toml``: by cluster of varieties."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

__all__ = ["Spellings", "spellings_of"]

#: No number in one word is longer.
_LONGEST = 40
_REMEMBERED = 1 << 16


@dataclass(frozen=True, slots=True)
class Spellings:
    """The numbers in words of a cluster's varieties; ``number_words.toml`` says what each is.

    Attributes:
        number: The number that a word is, or None.
        matters: Whether a word has to do with numbers at all; most don't.
    """

    number: Callable[[str], int | None]
    matters: Callable[[str], bool]
    scales: Mapping[str, int]
    after: Mapping[str, int]
    joined: Mapping[str, int]
    loose: Mapping[str, tuple[int, ...]]
    part: frozenset[str]


@cache
def spellings_of(cluster: str) -> Spellings:
    """The spellings of a cluster; a cluster without any has no numbers in words.

    Example:
        >>> german = spellings_of("german").number
        >>> german("zwoa"), german("sibzehnten"), german("fünfundzwanzig"), german("zweihundert")
        (2, 17, 25, 200)
    """
    source = resources.files(__package__).joinpath("number_words.toml").read_text("utf-8")
    data = tomllib.loads(source).get(cluster, {})
    loose: dict[str, tuple[int, ...]] = {}
    for number, line in data.get("loose", {}).items():
        for word in line.split():
            loose[word] = (*loose.get(word, ()), int(number))
    number = _reader(data)
    scales, after, joined = (_by_word(data.get(k, {})) for k in ("scales", "after", "joined"))
    part = frozenset(data.get("part", {}).get("words", "").split())
    others = {*scales, *after, *joined, *loose, *part, "and"}

    def matters(word: str) -> bool:
        return word[0].isdecimal() or word in others or number(word) is not None

    return Spellings(number, matters, scales, after, joined, loose, part)


def _by_word(lines: Mapping[str, str]) -> dict[str, int]:
    return {word: int(number) for number, line in lines.items() for word in line.split()}


def _reader(data: Mapping[str, Mapping[str, str]]) -> Callable[[str], int | None]:
    words = _by_word(data.get("words", {}))
    links = data.get("compounds", {}).get("links", "").split()
    if not links:
        return words.get
    endings = data["compounds"]["endings"].split()
    units = {word: n for word, n in words.items() if n < 13} | _by_word(data["units"])
    tens = {word: n for word, n in words.items() if n >= 20}
    scales = _by_word(data["scales"])
    compound = re.compile(
        f"({_any(units)})(?:(?:{_any(links)})({_any(tens)})|({_any(scales)})|einhalb)"
        f"(?:{_any(endings)})?"
    )

    @lru_cache(maxsize=_REMEMBERED)
    def number(word: str) -> int | None:
        if word in words or len(word) > _LONGEST:
            return words.get(word)
        for ending in endings:
            if word.endswith(ending) and word[: -len(ending)] in words:
                return words[word[: -len(ending)]]
        parts = compound.fullmatch(word)
        if parts is None:
            return None
        unit, ten, scale = parts.groups()
        return units[unit] * scales.get(scale, 1) + tens.get(ten, 0)

    return number


def _any(words: Mapping[str, int] | list[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))
