"""Reads the numbers of a text, in digits and in words."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain

from ...corpus.remembered import Remembered
from ...corpus.varieties import varieties
from ._spellings import Spellings, spellings_of
from .column import bag
from .gate import Text, lowered

__all__ = ["Numbers", "digits_of", "number_words_of", "numbers_of", "order_of"]

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

    firm: AbstractSet[int | str]
    digits: AbstractSet[int | str]
    loose: AbstractSet[int | str]


@cache
def number_words_of(variety: str) -> Remembered[int]:
    """How many numbers in words, or words that belong to one, a part of a text has.

    Example:
        >>> found = number_words_of("standard-american-english")
        >>> found["twenty-five"], found["7:30"], found["second"]
        (2, 0, 0)
    """
    pieces_of, after = _pieces_of(variety), spellings_of(varieties()[variety].cluster).after
    return Remembered(
        lambda word: sum(
            piece.is_word and (piece.alone is not None or piece.text in after)
            for piece in filter(None, pieces_of[word])
        )
    )


@cache
def digits_of(variety: str) -> Remembered[int]:
    """The bags (see :class:`~isogloss.validation.gates.column.Column`) of a word's digits.

    Where two texts have no number in words and no narrow space, what they certainly mean
    depends on their digits alone.
    """
    pieces_of = _pieces_of(variety)
    return Remembered(
        lambda word: bag(piece.text for piece in filter(None, pieces_of[word]) if not piece.is_word)
    )


@cache
def order_of(variety: str) -> Remembered[int | None]:
    """What a word is in the order (see :class:`~isogloss.validation.gates.column.Column`).

    Two texts of one cluster with the same order, and without narrow spaces, mean the same
    numbers.
    """
    pieces_of = _pieces_of(variety)

    def of(word: str) -> int | None:
        found = [piece and piece.text for piece in pieces_of[word]]
        return hash(tuple(found)) if any(found) else 0 if found else None

    return Remembered(of)


def numbers_of(text: Text, variety: str) -> Numbers:
    """The numbers of a text.

    Dates, times and decimals fall into their parts (7:30 is 7 and 30), full hours lose their
    minutes; *2* and *two* are the same number.

    Args:
        text: The text.
        variety: Its variety, or another of the same cluster.

    Example:
        >>> text = Text("Twenty-five of 1,200 by 7:30")
        >>> sorted(numbers_of(text, "standard-american-english").firm)
        [7, 25, 30, 1200]
        >>> sorted(numbers_of(Text("fünfundzwanzig um zwoa"), "bavarian").firm)
        [2, 25]
    """
    spellings, pieces_of = spellings_of(varieties()[variety].cluster), _pieces_of(variety)
    # A number without such a space has no white space inside, so that a text's parts have it.
    words = [text.raw] if _has_narrow_space(text) else text.words
    in_words: set[int | str] = set()
    digits: set[int | str] = set()
    loose: set[int | str] = set()
    part = False
    current: int | str | None = None  # a number that may go on
    into = in_words  # where it belongs
    for piece in chain.from_iterable(map(pieces_of.__getitem__, words)):
        if piece is None:
            if current is not None:
                into.add(current)
                current = None
            continue
        if current is not None:
            longer = _continued(current, piece, spellings, spoken=into is in_words)
            if longer is not None:
                current = longer
                continue
            into.add(current)
        into = in_words if piece.is_word else digits
        current = piece.alone
        loose.update(piece.loose)
        part = part or piece.part
    if current is not None:
        into.add(current)
    firm = digits | in_words
    if part:
        loose |= _moved(firm)
    return Numbers(firm, digits, loose)


def _has_narrow_space(text: Text) -> bool:
    """Whether a space stands in it that may mark thousands."""
    return "\u00a0" in text.raw or "\u202f" in text.raw


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word that has to do with numbers, or digits.

    Attributes:
        text: As it stands there.
        is_word: Whether it is no digits.
        value: The number that it is.
        alone: The number that it is where none goes before; a scale (*thousand*) is one then.
        loose: The numbers that it may mean.
        part: Whether it moves others: *half eight*.
    """

    text: str
    is_word: bool
    value: int | str | None
    alone: int | str | None
    loose: tuple[int, ...]
    part: bool


@cache
def _pieces_of(variety: str) -> Remembered[list[_Piece | None]]:
    """What has to do with numbers in a text; None for each word that hasn't."""
    spellings = spellings_of(varieties()[variety].cluster)
    piece_of = Remembered(partial(_piece, spellings=spellings))
    return Remembered(lambda text: [piece_of[found] for found in _PIECE.findall(lowered(text))])


def _piece(text: str, spellings: Spellings) -> _Piece | None:
    if not spellings.matters(text):
        return None
    is_word = not text[0].isdecimal()
    value = spellings.number(text) if is_word else _value(text)
    return _Piece(
        text,
        is_word,
        value,
        alone=spellings.scales.get(text) if value is None else value,
        loose=spellings.loose.get(text, ()),
        part=text in spellings.part,
    )


def _value(digits: str) -> int | str | None:
    plain = _MARKS.sub("", digits)
    if plain == "00":
        return None
    return int(plain) if len(plain) <= _MOST_DIGITS else plain


def _continued(
    current: int | str, piece: _Piece, spellings: Spellings, *, spoken: bool
) -> int | None:
    """What a number becomes by the next word, if that belongs to it: *twenty*, *five*."""
    if isinstance(current, str):
        return None
    scale = spellings.scales.get(piece.text) or spellings.after.get(piece.text)
    if scale is not None:
        # *Two thousand three*, times hundred: the scale takes what is below it.
        below = current % scale
        return current - below + (below or 1) * scale
    if not spoken:
        return None
    if piece.text == "and" and current >= _HUNDRED and current % _HUNDRED == 0:
        return current
    joined = spellings.joined.get(piece.text, 0) if piece.value is None else piece.value
    if current < _TWENTY or not isinstance(joined, int) or not piece.text.isalpha():
        return None
    digits = str(current)
    zeros = len(digits) - len(digits.rstrip("0"))
    return current + joined if 0 < joined < 10**zeros else None


def _moved(firm: set[int | str]) -> set[int | str]:
    """*Half eight* is 7:30, *a quarter to nine* 8:45."""
    before: set[int | str] = {number - 1 for number in firm if isinstance(number, int)}
    return before | {15, 30, 45}
