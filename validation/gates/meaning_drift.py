"""Catches pairs that are far less similar than pairs of their corpus usually are."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .column import Column
from .gate import Context, Gate, Row

__all__ = ["GATE", "check", "rows", "unfit"]


def check(row: Row, context: Context) -> str | None:  # noqa: ARG001
    """Says how far below the corpus' own level a pair's similarity lies.

    The column ``similarity`` is what :func:`~isogloss.validation.similarity.similarities`
    gives. Its level depends on the dialect, the encoder and the kind of text, so the bound
    is the corpus' median less ``deviations`` times its median absolute deviation; but never
    above ``at_most``, so that a corpus of nearly equal pairs keeps its freer translations.
    Pairs without a number pass, and so do all pairs of a corpus with fewer than ``rows``.

    Example:
        >>> from .gate import CorpusFacts, Level
        >>> def context(similarity, n=1000):
        ...     facts = CorpusFacts(levels={"similarity": Level(0.86, 0.06, n)})
        ...     return Context(
        ...         "african-american-english",
        ...         "standard-american-english",
        ...         {"deviations": 4.0, "at_most": 0.6, "rows": 20},
        ...         columns={"similarity": similarity},
        ...         corpus=facts,
        ...     )
        >>> row = Row.of("Bus was late again", "My cousin cooks every Sunday")
        >>> check(row, context(0.21))
        'similarity 0.21; the corpus has 0.86, and this gate draws the line at 0.60'
        >>> check(row, context(0.7)), check(row, context(float("nan")))
        (None, None)
        >>> check(row, context(0.21, n=9))
    """
    similarity = context.columns.get("similarity")
    if context.corpus is None or similarity is None or math.isnan(similarity):
        return None
    level = context.corpus.levels.get("similarity")
    limits = context.thresholds
    if level is None or level.n < limits["rows"]:
        return None
    line = min(level.median - limits["deviations"] * level.mad, limits["at_most"])
    if similarity >= line:
        return None
    return (
        f"similarity {similarity:.2f}; the corpus has {level.median:.2f}, "
        f"and this gate draws the line at {line:.2f}"
    )


def unfit(context: Context) -> str | None:
    """It needs similarities, and enough of them to know what is usual."""
    if "similarity" not in context.columns:
        return "no encoder has measured similarities"
    level = context.corpus.levels.get("similarity") if context.corpus else None
    least = context.thresholds["rows"]
    return f"fewer than {least} pairs have a similarity" if not level or level.n < least else None


def rows(source: Column, target: Column, context: Context) -> NDArray[np.bool_]:  # noqa: ARG001
    """The similarity must lie below the highest line that is ever drawn."""
    similarity = context.columns.get("similarity")
    if similarity is None or context.corpus is None:
        return np.zeros(len(target.texts), dtype=np.bool_)
    values: pl.Series = similarity.cast(pl.Float64)
    asked: NDArray[np.bool_] = (
        (values < context.thresholds["at_most"]).fill_null(value=False).to_numpy()
    )
    return asked


GATE = Gate(
    "meaning_drift",
    version=1,
    rank=170,
    check=check,
    whole_corpus=True,
    rows=rows,
    unfit=unfit,
)
