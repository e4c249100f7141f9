"""The target is far longer, or far shorter, than its source."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .column import Column
from .gate import Context, Gate, Row

__all__ = ["GATE", "check", "rows"]


def check(row: Row, context: Context) -> str | None:
    """Catches lengths that human pairs of these varieties don't have.

    A length is a number of characters. The longer side may have ``factor`` times as many as the
    shorter, and ``slack`` more, so that very short texts are free to differ.

    Example:
        >>> from isogloss.validation.gates.thresholds import thresholds
        >>> aae, sae = "african-american-english", "standard-american-english"
        >>> pair = Context(aae, sae, thresholds("length_ratio", aae, sae))
        >>> check(Row.of("he gone", "He has already gone home"), pair)
        >>> check(Row.of("they was over at my cousin house till like two", "Yes"), pair)
        '46 characters became 3'
    """
    source, target = len(row.source.raw.strip()), len(row.target.raw.strip())
    factor, slack = context.thresholds["factor"], context.thresholds["slack"]
    if max(source, target) <= factor * min(source, target) + slack:
        return None
    return f"{source} characters became {target}"


def rows(source: Column, target: Column, context: Context) -> NDArray[np.bool_]:
    """One side must be longer than is usual."""
    lengths = [side.lengths for side in (source, target)]
    factor, slack = context.thresholds["factor"], context.thresholds["slack"]
    asked: NDArray[np.bool_] = np.maximum(*lengths) > factor * np.minimum(*lengths) + slack
    return asked


GATE = Gate("length_ratio", version=1, rank=120, check=check, rows=rows)
