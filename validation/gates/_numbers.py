"""Reads the numbers of a text, in digits and in words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...corpus.varieties import varieties
from ._spellings import Spellings, spellings_of

__all__ = ["Numbers", "numbers_of"]

#: A number with its thousands marked, digits (not those within a word: *mp3*), or a word.
_PIECE = re.compile(
    r"(?<![\w.,])\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+(?![\w.,]?\d)|(?<![^\W\d_])\d+|[^\W\d_]+(?:'(?![^\W\d_]))?"
)
_MARKS = re.compile(r"\D")
#: Longer ones are no quantities but keys; they stay as they are written.
_MOST_DIGITS = 15
_TWENTY, _HUNDRED = 20, 100


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of a text.

    Attributes:
        firm: Those that the text certainly means.
        digits: Those of them that are written in digits.
        loose: Those that it may mean (*a*, *second*, *half*).
    """

    firm: frozenset[int | str]
    digits: frozenset[int | str]
    loose: frozenset[int | str]


def numbers_of(text: str, variety: str) -> Numbers:
    """The numbers of a text.

    Dates, times and decimals fall into their parts (7:30 is 7 and 30), full hours lose their
    minutes; *2* and *two* are the same number.

    Args:
        text: The text in lower case.
        variety: Its variety, or another of the same cluster.

    Example:
        >>> sorted(numbers_of("twenty-five of 1,200 by 7:30", "standard-american-english").firm)
        [7, 25, 30, 1200]
        >>> sorted(numbers_of("fünfundzwanzig um zwoa", "bavarian").firm)
        [2, 25]
    """
    spellings = spellings_of(varieties()[variety].cluster)
    in_words: set[int | str] = set()
    digits: set[int | str] = set()
    loose: set[int | str] = set()
    part = False
    current: int | str | None = None  # a number that may go on
    into = in_words  # where it belongs
    for piece in _PIECE.findall(text):
        if not spellings.matters(piece):
            if current is not None:
                into.add(current)
                current = None
            continue
        is_word = not piece[0].isdecimal()
        value = spellings.number(piece) if is_word else _value(piece)
        if current is not None:
            longer = _continued(current, piece, value, spellings, spoken=into is in_words)
            if longer is not None:
                current = longer
                continue
            into.add(current)
        into = in_words if is_word else digits
        current = spellings.scales.get(piece) if value is None else value
        loose.update(spellings.loose.get(piece, ()))
        part = part or piece in spellings.part
    if current is not None:
        into.add(current)
    firm = digits | in_words
    if part:
        loose |= _moved(firm)
    return Numbers(frozenset(firm), frozenset(digits), frozenset(loose))


def _value(digits: str) -> int | str | None:
    plain = _MARKS.sub("", digits)
    if plain == "00":
        return None
    return int(plain) if len(plain) <= _MOST_DIGITS else plain


def _continued(
    current: int | str, piece: str, value: int | str | None, spellings: Spellings, *, spoken: bool
) -> int | None:
    """What a number becomes by the next word, if that belongs to it: *twenty*, *five*."""
    if isinstance(current, str):
        return None
    scale = spellings.scales.get(piece) or spellings.after.get(piece)
    if scale is not None:
        # *Two thousand three*, times hundred: the scale takes what is below it.
        below = current % scale
        return current - below + (below or 1) * scale
    if not spoken:
        return None
    if piece == "and" and current >= _HUNDRED and current % _HUNDRED == 0:
        return current
    joined = spellings.joined.get(piece, 0) if value is None else value
    if current < _TWENTY or not isinstance(joined, int) or not piece.isalpha():
        return None
    digits = str(current)
    zeros = len(digits) - len(digits.rstrip("0"))
    return current + joined if 0 < joined < 10**zeros else None


def _moved(firm: set[int | str]) -> set[int | str]:
    """*Half eight* is 7:30, *a quarter to nine* 8:45."""
    before: set[int | str] = {number - 1 for number in firm if isinstance(number, int)}
    return before | {15, 30, 45}
