"""Numbers as people read them."""

from __future__ import annotations

import math

from ...stats import Estimate

__all__ = ["FEW", "MINUS", "shown", "shown_n", "shown_number"]

MINUS = "−"
FEW = "†"
"""Stands behind a number whose interval rests on few clusters."""
_DIGITS = {"nats/token": 3, "nats/byte": 3, "bits/byte": 3}


def shown_number(value: float, unit: str = "") -> str:
    """A number in the digits of its unit; shares in per cent.

    Example:
        >>> shown_number(-0.1234, "nats"), shown_number(0.5, "share"), shown_number(float("nan"))
        ('−0.12', '50.0 %', '–')
    """
    if not math.isfinite(value):
        return "–"
    if unit == "share":
        return f"{shown_number(value * 100, '%')} %"
    digits = 1 if unit == "%" else _DIGITS.get(unit, 2)
    if abs(value) >= 1e6:
        return f"{value:.2e}".replace("-", MINUS)
    # Adding 0.0 turns the -0.00 of a small negative number into 0.00.
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", MINUS)


def shown(estimate: Estimate | None, unit: str = "") -> str:
    """An estimate with its interval; † where few clusters had to do.

    Example:
        >>> shown(Estimate(value=0.25, low=-0.1, high=0.5, n=4, clusters=4, few_clusters=True))
        '0.25 [−0.10, 0.50]†'
    """
    if estimate is None or math.isnan(estimate.value):
        return "–"
    value = shown_number(estimate.value, unit)
    if math.isnan(estimate.low) and math.isnan(estimate.high):
        return value
    low = shown_number(estimate.low, unit).removesuffix(" %")
    # A limit beyond any number is kept as none.
    high = "∞" if math.isnan(estimate.high) else shown_number(estimate.high, unit)
    mark = FEW if estimate.few_clusters else ""
    return f"{value} [{low}, {high.removesuffix(' %')}]{mark}"


def shown_n(counts: list[int]) -> str:
    """How many rows, or from how many to how many.

    Example:
        >>> shown_n([19]), shown_n([1200, 19]), shown_n([])
        ('19', '19–1,200', '0')
    """
    if not counts:
        return "0"
    least, most = min(counts), max(counts)
    return f"{least:,}" if least == most else f"{least:,}–{most:,}"
