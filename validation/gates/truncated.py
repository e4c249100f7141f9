"""The target stops too early: the model was cut off, or the last word is half a word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...corpus.varieties import varieties
from ._cut import ends_in_a_word, is_cut
from ._quote import quoted
from ._words import words_of
from .column import Column
from .gate import Context, Gate, Row

__all__ = ["GATE", "check", "rows"]

#: How a model says that it was cut off.
_CUT = {"length", "max_tokens", "content_filter"}
_CLOSING = " \t\n\r\"'”’»“)]"
_END_MARKS = (".", "!", "?", "…")


def check(row: Row, context: Context) -> str | None:
    """Catches an answer that the model couldn't end, and a standard text that breaks off.

    A text breaks off when its last word is the beginning of a longer word of the source, or
    when the source ends with a full stop and the target with a letter (threshold ``end_mark``;
    off where people leave the full stop out on one side). Only a text in a standard variety is
    read so: dialect writing drops full stops and clips words.

    A cut between two sentences leaves nothing to see; there the model's finish reason tells. A
    build rejects what ended so while it translates, with that reason; here it is for pairs that
    come with the reason from elsewhere.
    A word cut off that the source spells otherwise is left to ``cut_word``.

    Example:
        >>> aae, sae = "african-american-english", "standard-american-english"
        >>> pair = Context(aae, sae, {"end_mark": True})
        >>> check(Row.of("they was playin all night", "They were playing all night"), pair)
        >>> check(Row.of("they was at the restaurant", "They were at the restau"), pair)
        "breaks off: 'restau' for 'restaurant'"
        >>> check(Row.of("We was late.", "We were"), pair)
        "breaks off without a full stop: 'were'"
        >>> check(Row.of("We was late", "We were"), Context(aae, sae, finish="length"))
        'the model was cut off: length'
    """
    if context.finish in _CUT:
        return f"the model was cut off: {context.finish}"
    if not ends_in_a_word(row.target) or not varieties()[context.target_variety].standard:
        return None
    last = row.target.tokens[-1]
    if context.thresholds["end_mark"] and row.source.raw.rstrip(_CLOSING).endswith(_END_MARKS):
        return f"breaks off without a full stop: {quoted(last)}"
    if len(last) < 2 or last in words_of(context.target_variety).function:
        return None
    if last in row.source.vocabulary:
        return None
    for word in row.source.tokens:
        if word.startswith(last) and word not in row.target.vocabulary and is_cut(word, len(last)):
            return f"breaks off: {quoted(last)} for {quoted(word)}"
    return None


def rows(source: Column, target: Column, context: Context) -> NDArray[np.bool_]:  # noqa: ARG001
    """The target must end in a word, or the model have been cut off."""
    return target.ends_in_letter | (context.finish in _CUT)


GATE = Gate("truncated", version=1, rank=70, check=check, rows=rows)
