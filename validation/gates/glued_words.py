"""Two words of the target stand together without the space between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from ...corpus.remembered import Remembered
from ...corpus.varieties import varieties
from ._quote import quoted
from ._words import Words, words_of
from .gate import Context, Gate, Hints, Row, Text

__all__ = ["GATE", "check", "hints"]

#: *late.We*: the space after a sentence is missing. An address has no capital there.
_SENTENCES = re.compile(r"(?<![\w./@])[^\W\d_]{2,30}[.!?][A-ZÄÖÜ][a-zäöüß]+(?![\w./@])")
#: *eineErinnerung*: a capital within a word. Names (*YouTube*, *McDonald*) begin with one.
_CAPITAL = re.compile(r"\b([a-zäöüß]{2,30})([A-ZÄÖÜ][a-zäöüß]{2,30})\b")
#: Neither of these is without a capital behind a stop or a small letter.
_JOINT = re.compile(r"[A-ZÄÖÜ](?<=[a-zäöüß.!?].)[a-zäöüß]")
_SHORTEST = 5
#: Function words have at most so many letters.
_LONGEST_PART = 9
#: Two words, and which of them the source must have.
_Cut = tuple[str, str, str | None]
#: A word of the source has at least so many, to count as a part.
_LONG = 4


def check(row: Row, context: Context) -> str | None:
    """Catches two words written as one, where the source has them apart.

    Compounds are words: two nouns of the source may become one. At least one part must
    therefore be a word that starts or ends no other word, or the second begin with a capital.
    In dialect writing, short words lean on others (*hammer*, *gibts*, *fürem*); there only
    longer words that stand side by side in the source count.

    Example:
        >>> pair = Context("bavarian", "standard-german")
        >>> check(Row.of("stei an wecka fia morgn", "Stelle einen Wecker für morgen"), pair)
        >>> check(Row.of("de Wetter Vorhersog", "Die Wettervorhersage"), pair)
        >>> check(Row.of("stei an wecka fia morgn", "Stelle einenWecker für morgen"), pair)
        "glued: 'einen' and 'Wecker'"
    """
    is_joined = _JOINT.search(row.target.raw) is not None
    sentences = _SENTENCES.search(row.target.raw) if is_joined else None
    if sentences is not None and sentences[0].lower() not in row.source.lowered:
        return f"glued: {quoted(sentences[0])}"
    if varieties()[context.target_variety].standard:
        parts = _two_words(row, _cuts_of(context.target_variety))
        if parts is None and is_joined and _new(row, _SHORTEST):
            parts = _capital(row, words_of(context.target_variety))
    else:
        parts = _side_by_side(row, words_of(context.target_variety))
    return None if parts is None else f"glued: {quoted(parts[0])} and {quoted(parts[1])}"


def _new(row: Row, shortest: int) -> set[str]:
    """The words that only the target has, of so many letters or more."""
    new = row.target.vocabulary - row.source.vocabulary
    return {word for word in new if len(word) >= shortest}


def _side_by_side(row: Row, words: Words) -> tuple[str, str] | None:
    new = _new(row, 2 * _LONG)
    if not new:
        return None
    for first, second in pairwise(row.source.tokens):
        long = min(len(first), len(second)) >= _LONG
        if long and first + second in new and not words.function.isdisjoint((first, second)):
            return first, second
    return None


def _two_words(row: Row, cuts_of: Remembered[Sequence[_Cut]]) -> tuple[str, str] | None:
    """The two words that the first such word of the target is made of."""
    source = row.source.vocabulary
    new = row.target.vocabulary - source
    if any(map(cuts_of.__getitem__, new)):
        for word in row.target.tokens:
            if word in new:
                for first, second, needed in cuts_of[word]:
                    if needed is None or needed in source:
                        return first, second
    return None


def _capital(row: Row, words: Words) -> tuple[str, str] | None:
    for found in _CAPITAL.finditer(row.target.raw):
        parts = found.groups()
        if found[0].lower() not in row.source.lowered and any(
            part.lower() in words.function or part.lower() in row.source.vocabulary
            for part in parts
        ):
            return parts[0], parts[1]
    return None


@cache
def _cuts_of(variety: str) -> Remembered[Sequence[_Cut]]:
    return Remembered(lambda word: list(_cuts(word, words_of(variety))))


def _cuts(word: str, words: Words) -> Iterator[_Cut]:
    """How a word may be two, one of which can't be part of a word; nearly all words have none."""
    if len(word) < _SHORTEST or word in words.legal:
        return
    if not word.startswith(words.starts) and not word.endswith(words.ends):
        return
    for length in range(2, min(_LONGEST_PART, len(word) - 2) + 1):
        first, rest = word[:length], word[length:]
        if first in words.never_first and rest in words.function:
            yield first, rest, None
        elif first in words.never_first | words.seldom_first and len(rest) >= _LONG:
            yield first, rest, rest
        rest, last = word[:-length], word[-length:]
        if last in words.never_last and rest in words.function:
            yield rest, last, None
        elif last in words.never_last | words.seldom_last and len(rest) >= _LONG:
            yield rest, last, rest


def hints(source_variety: str, target_variety: str) -> Hints:  # noqa: ARG001
    """The target must have a capital inside, or a word that may be two."""
    cuts_of = _cuts_of(target_variety)
    is_standard = varieties()[target_variety].standard

    def of(word: str) -> bool:
        tokens = Text(word).tokens
        if is_standard:
            may = any(map(cuts_of.__getitem__, tokens))
        else:
            may = any(len(token) >= 2 * _LONG for token in tokens)
        return may or _JOINT.search(word) is not None

    return Hints(target=of)


GATE = Gate("glued_words", version=1, rank=110, check=check, hints=hints)
