"""Two words of the target stand together without the space between them."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from ...corpus.varieties import varieties
from ._quote import quoted
from ._words import Words, words_of
from .gate import Context, Gate, Row

__all__ = ["GATE", "check"]

#: *late.We*: the space after a sentence is missing. An address has no capital there.
_SENTENCES = re.compile(r"(?<![\w./@])[^\W\d_]{2,30}[.!?][A-ZÄÖÜ][a-zäöüß]+(?![\w./@])")
#: *eineErinnerung*: a capital within a word. Names (*YouTube*, *McDonald*) begin with one.
_CAPITAL = re.compile(r"\b([a-zäöüß]{2,30})([A-ZÄÖÜ][a-zäöüß]{2,30})\b")
_STOP = re.compile(r"[.!?][A-ZÄÖÜ][a-zäöüß]")
_SHORTEST = 5
#: Function words have at most so many letters.
_LONGEST_PART = 9
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
    sentences = _SENTENCES.search(row.target.raw) if _STOP.search(row.target.raw) else None
    if sentences is not None and sentences[0].lower() not in row.source.lowered:
        return f"glued: {quoted(sentences[0])}"
    source = row.source.vocabulary
    new = [word for word in row.target.tokens if len(word) >= _SHORTEST and word not in source]
    if not new:
        return None
    words = words_of(context.target_variety)
    if varieties()[context.target_variety].standard:
        split = (_parts(word, source, words) for word in new if word not in words.legal)
        parts = next(filter(None, split), None) or _capital(row, words)
    else:
        parts = _side_by_side(row, set(new), words)
    return None if parts is None else f"glued: {quoted(parts[0])} and {quoted(parts[1])}"


def _side_by_side(row: Row, new: AbstractSet[str], words: Words) -> tuple[str, str] | None:
    for first, second in zip(row.source.tokens, row.source.tokens[1:], strict=False):
        long = min(len(first), len(second)) >= _LONG
        if long and first + second in new and not words.function.isdisjoint((first, second)):
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


def _parts(word: str, source: AbstractSet[str], words: Words) -> tuple[str, str] | None:
    """The two words that a word is made of, if one of them can't be part of a word."""
    if not word.startswith(words.starts) and not word.endswith(words.ends):
        return None
    for length in range(2, min(_LONGEST_PART, len(word) - 2) + 1):
        first, rest = word[:length], word[length:]
        if first in words.never_first and (rest in words.function or _is_long(rest, source)):
            return first, rest
        if first in words.seldom_first and _is_long(rest, source):
            return first, rest
        last, rest = word[-length:], word[:-length]
        if last in words.never_last and (rest in words.function or _is_long(rest, source)):
            return rest, last
        if last in words.seldom_last and _is_long(rest, source):
            return rest, last
    return None


def _is_long(part: str, source: AbstractSet[str]) -> bool:
    return len(part) >= _LONG and part in source


GATE = Gate("glued_words", version=1, rank=110, check=check)
