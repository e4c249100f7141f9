"""The target runs in a loop: the same words again and again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from operator import eq

import numpy as np
from numpy.typing import NDArray

from ._quote import quoted
from .column import Column
from .gate import Context, Gate, Hints, Row, tokens_of

__all__ = ["GATE", "check", "hints", "rows"]

#: A loop doesn't end before the text does; so much of its end shows it.
_ENOUGH = 10_000
#: Shorter words can't hold the loop below.
_LONG_WORD = 20
#: One to four letters ten times in a row, as in *hahahahahahahahahahaha*.
_LETTERS = re.compile(r"([^\W\d_]{1,4}?)\1{9,}")


def check(row: Row, context: Context) -> str | None:
    """Catches words or letters that repeat more often than in the source.

    Repeating a word is grammar and style in many varieties (*she been been knew*, *no no no*);
    what the source repeats too is therefore no loop.

    Example:
        >>> from isogloss.validation.gates.thresholds import thresholds
        >>> aae, sae = "african-american-english", "standard-american-english"
        >>> pair = Context(aae, sae, thresholds("repetition", aae, sae))
        >>> check(Row.of("no no no no he ain't", "No no no no, he isn't"), pair)
        >>> check(Row.of("he ain't here", "He is not here not here not here not here"), pair)
        "4 times in a row: 'not here'"
    """
    source, target = row.source.tokens[-_ENOUGH:], row.target.tokens[-_ENOUGH:]
    different = row.target.vocabulary if len(target) < _ENOUGH else frozenset(target)
    fewest: Sequence[int] = context.thresholds["fewest_repeats"]
    for n, fewest_repeats in enumerate(fewest, start=1):
        # A phrase of n words that stands k times in a row repeats n * (k - 1) words.
        if sum(map(eq, target, islice(target, n, None))) < n * (fewest_repeats - 1):
            continue
        times, phrase = _longest_loop(target, n)
        if times >= fewest_repeats and times > 2 * _most_repeats(source, len(fewest)):
            return f"{times} times in a row: {quoted(phrase)}"
    if max(map(len, different), default=0) >= _LONG_WORD:
        loop = _LETTERS.search(row.target.lowered)
        if loop is not None and _LETTERS.search(row.source.lowered) is None:
            return f"letters in a loop: {quoted(loop[0])}"
    return None


def _most_repeats(words: Sequence[str], longest: int) -> int:
    """How often the source repeats itself; 0 where it doesn't."""
    most = max(_longest_loop(words, n)[0] for n in range(1, longest + 1))
    return most if most > 1 else 0


def _longest_loop(words: Sequence[str], n: int) -> tuple[int, str]:
    """How often a phrase of ``n`` words stands in a row at most, and the phrase."""
    longest, run, end = 0, 0, 0
    for i in range(n, len(words)):
        run = run + 1 if words[i] == words[i - n] else 0
        if run > longest:
            longest, end = run, i + 1
    return longest // n + 1, " ".join(words[end - n : end])


def hints(source_variety: str, target_variety: str) -> Hints:  # noqa: ARG001
    """A loop of letters makes a long word."""
    return Hints(target=lambda word: any(len(token) >= _LONG_WORD for token in tokens_of[word]))


def rows(source: Column, target: Column, context: Context) -> NDArray[np.bool_]:  # noqa: ARG001
    """A loop of words repeats them at its length."""
    fewest: Sequence[int] = context.thresholds["fewest_repeats"]
    found = [target.repeats(n) >= n * (least - 1) for n, least in enumerate(fewest, start=1)]
    asked: NDArray[np.bool_] = np.logical_or.reduce(found)
    return asked


GATE = Gate("repetition", version=1, rank=60, check=check, hints=hints, rows=rows)
