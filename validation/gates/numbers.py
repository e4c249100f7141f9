"""Each side has a number that the other lacks."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from ...corpus.varieties import varieties
from ._numbers import Numbers, digits_of, number_words_of, numbers_of, order_of
from ._quote import quoted
from .column import Column
from .gate import Context, Gate, Row

__all__ = ["GATE", "check", "rows"]

_HALF_A_DAY = 12
#: *An hour* and *1 hour* are the same, and so are *no points* and *0 points*.
_UNCOUNTED = frozenset({0, 1})
#: *The '50s* are the 1950s.
_CENTURY = 100
_YEARS = (1900, 2000)
#: *3 Milliarden* may be spelled as we don't know it.
_SCALES = (10**3, 10**6, 10**9)


def check(row: Row, context: Context) -> str | None:
    """Catches a changed number, in digits or in words, ordinals included.

    A number counts that has no counterpart, where the other side has one without, too: a
    translation may say *both* for *the two*. Words such as *a*, *second* or *quarter* answer a
    number and never ask for one. Where people say *five in the afternoon* for 17:00 (threshold
    ``clock``), twelve hours are no difference.

    A standard text shows more, as its spellings are known: a number in digits that only it has
    (threshold ``added``), or that only its source has (``lost``; off for African American
    English, where *2* is also *to*, and *keep it 100* means honesty).

    Example:
        >>> aae, sae = "african-american-english", "standard-american-english"
        >>> pair = Context(aae, sae, {"clock": False, "added": True, "lost": False})
        >>> check(Row.of("she got 2 of em", "She has two of them"), pair)
        >>> check(Row.of("he a couple years older", "He is 2 years older"), pair)
        >>> check(Row.of("he turned 21 today", "He turned 12 today"), pair)
        "only in the source: '21'; only in the target: '12'"
        >>> check(Row.of("he had a birthday", "He had his 12th birthday"), pair)
        "only in the target: '12'"
    """
    source = numbers_of(row.source, context.source_variety)
    target = numbers_of(row.target, context.target_variety)
    if source.firm == target.firm:
        return None
    clock = bool(context.thresholds["clock"])
    lost = _lacking(source.firm, target, clock=clock)
    added = _lacking(target.firm, source, clock=clock)
    if lost and added:
        return f"only in the source: {quoted(lost)}; only in the target: {quoted(added)}"
    if not varieties()[context.target_variety].standard:
        return None
    if context.thresholds["added"] and _lacking(target.digits - _UNCOUNTED, source, clock=clock):
        return f"only in the target: {quoted(added)}"
    if context.thresholds["lost"] and _lacking(source.digits - _UNCOUNTED, target, clock=clock):
        return f"only in the source: {quoted(lost)}"
    return None


def _lacking(numbers: AbstractSet[int | str], other: Numbers, *, clock: bool) -> str:
    """The first of one side's numbers without a counterpart on the other; "" if all have one."""
    known = other.firm | other.loose
    lacking = [number for number in numbers - known if not _answered(number, known, clock=clock)]
    return min(map(str, lacking), default="")


def _answered(number: int | str, known: AbstractSet[int | str], *, clock: bool) -> bool:
    """Whether the other side has the same year, hour or million, written otherwise."""
    if isinstance(number, str):
        return False
    same: set[int] = set()
    if number < _CENTURY:
        same |= {number + year for year in _YEARS}
    elif number - number % _CENTURY in _YEARS:
        same.add(number % _CENTURY)
    if clock and number <= 2 * _HALF_A_DAY:
        same |= {number + _HALF_A_DAY, number - _HALF_A_DAY}
    for scale in _SCALES:
        same.add(number * scale)
        if number % scale == 0:
            same.add(number // scale)
    return not known.isdisjoint(same)


def rows(source: Column, target: Column, context: Context) -> NDArray[np.bool_]:
    """Numbers in words on one side or other digits, and not the same in the same order.

    Where a space may mark thousands, digits on both sides of it may be one number.
    """
    one, other = context.source_variety, context.target_variety
    asked: NDArray[np.bool_] = source.bags(digits_of(one)) != target.bags(digits_of(other))
    for column, variety in ((source, one), (target, other)):
        asked |= column.bags(number_words_of(variety)) != 0
    if varieties()[one].cluster == varieties()[other].cluster:
        asked &= source.orders(order_of(one)) != target.orders(order_of(other))
    return asked | source.has_narrow_space | target.has_narrow_space


GATE = Gate("numbers", version=1, rank=100, check=check, rows=rows)
