"""Nothing was written: the target has no letter and no digit, though the source has."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from .column import Column
from .gate import Context, Gate, Row

__all__ = ["GATE", "check", "rows"]

_WRITING = re.compile(r"[^\W_]")


def check(row: Row, context: Context) -> str | None:  # noqa: ARG001
    """Catches a target without a word; a source of emoji may have one of emoji.

    Example:
        >>> pair = Context("african-american-english", "standard-american-english")
        >>> check(Row.of("She gon be late", "She will be late"), pair)
        >>> check(Row.of("😂😂", "😂😂"), pair)
        >>> check(Row.of("She gon be late", " — "), pair)
        'the target has no word'
    """
    if _WRITING.search(row.target.raw):
        return None
    if not row.target.raw.strip():
        return "the target is empty"
    return "the target has no word" if _WRITING.search(row.source.raw) else None


def rows(source: Column, target: Column, context: Context) -> NDArray[np.bool_]:  # noqa: ARG001
    """The target must be without a token."""
    asked: NDArray[np.bool_] = target.tokens == 0
    return asked


GATE = Gate("empty", version=1, rank=0, check=check, rows=rows)
