"""The target's last word is half a word, as the rest of the corpus shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...corpus.varieties import varieties
from ._cut import ends_in_a_word, is_cut, is_inflected
from ._quote import quoted
from ._words import words_of
from .column import Column
from .gate import Context, Gate, Row

__all__ = ["GATE", "check", "rows", "unfit"]


def check(row: Row, context: Context) -> str | None:
    """Catches a standard text that breaks off in a word which its source spells otherwise.

    The last word, with no mark behind it, stands nowhere else in the corpus' targets, and
    begins words that do, ``fewest`` times or more. Where what is missing looks like an ending
    (*morg*, *morgen*) the longer word must be frequent, ``fewest_inflected`` times. Words of
    the row's source and very frequent ones may end a text, and a dialect's words may be
    clipped.

    Case is no matter, and two letters are enough: of the four cuts in xSID that only this gate
    finds, three leave no more, and asking for three letters saved one false alarm in 1,527.

    Example:
        >>> from .gate import CorpusFacts
        >>> pair = Context(
        ...     "bernese",
        ...     "standard-german",
        ...     {"fewest": 2, "fewest_inflected": 10},
        ...     corpus=CorpusFacts(longer={"ma": {"mantel": 4}, "stell": {"stellen": 3}}),
        ... )
        >>> check(Row.of("Bruuch i hüt e Mantu?", "Brauche ich heute einen Ma"), pair)
        "breaks off: 'ma' for 'mantel'"
        >>> check(Row.of("Hiuf mer stöue", "Hilf mir stell"), pair)
        >>> check(Row.of("Bruuch i hüt e Mantu?", "Brauche ich heute einen Mantel"), pair)
    """
    if context.corpus is None or not varieties()[context.target_variety].standard:
        return None
    if not ends_in_a_word(row.target):
        return None
    last = row.target.tokens[-1]
    if last in row.source.vocabulary or last in words_of(context.target_variety).function:
        return None
    limits = context.thresholds
    for word, times in context.corpus.longer.get(last, {}).items():
        if (is_cut(word, len(last)) and times >= limits["fewest"]) or (
            is_inflected(word, len(last)) and times >= limits["fewest_inflected"]
        ):
            return f"breaks off: {quoted(last)} for {quoted(word)}"
    return None


def unfit(context: Context) -> str | None:
    """A dialect's words may be clipped."""
    return None if varieties()[context.target_variety].standard else "the target is no standard"


def rows(source: Column, target: Column, context: Context) -> NDArray[np.bool_]:  # noqa: ARG001
    """The target must end in a word."""
    return target.ends_in_letter


GATE = Gate("cut_word", version=1, rank=155, check=check, whole_corpus=True, rows=rows, unfit=unfit)
