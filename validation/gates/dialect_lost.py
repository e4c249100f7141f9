"""Catches back-translations in which nothing of the dialect's grammar is left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...corpus.lexicon import Lexicon
from ._markers import lexicon_of, no_lexicon
from ._unwritten import leaves_out
from .column import Column
from .gate import Context, Gate, Row

__all__ = ["GATE", "check", "rows", "unfit"]


def check(row: Row, context: Context) -> str | None:
    """Says which features of the original have no successor in the back-translation.

    The original dialect text, of which ``row.source`` is the standard translation, is the
    column ``dialect``. Any feature of the lexicon in the back-translation will do, not just
    one of the original's: whoever renders *ain't nobody* as *nobody don't* has lost nothing.
    So will a pattern that can't decide on the surface (*she been knowing*), where the original
    has that feature, and a copula or an ending that the back-translation leaves out where the
    standard has it. Spelling never counts: *dat* and *wit* are no grammar.

    Two people who put one sentence into dialect often choose different features, and one of
    them may choose none: on ReDial's sentences with two wordings this gate catches one in four
    of the second ones (``benchmarks/bench_drift.py``). What it rejects lacks dialect grammar
    on the surface; it need not be a bad translation.

    Example:
        >>> context = Context(
        ...     "standard-american-english",
        ...     "african-american-english",
        ...     columns={"dialect": "We was late and she don't call"},
        ... )
        >>> standard = "We were late and she doesn't call"
        >>> check(Row.of(standard, "We was late and she doesn't call"), context)
        >>> check(Row.of(standard, "We were late and she ain't call"), context)
        >>> check(Row.of(standard, "We were late an' she doesn't call"), context)
        "nothing is left of the original's was/is levelling, invariant don't"
    """
    original = context.columns.get("dialect")
    lexicon = lexicon_of(context.target_variety)
    if original is None or lexicon is None:
        return None
    features = dict.fromkeys(match.feature for match in lexicon.find(original))
    back = row.target.raw
    if not features or _keeps(back, features, lexicon) or leaves_out(back, row.source.raw):
        return None
    return f"nothing is left of the original's {', '.join(features)}"


def _keeps(back: str, features: dict[str, None], lexicon: Lexicon) -> bool:
    found = lexicon.find(back, candidates=True)
    return any(
        match.feature in features or not lexicon[match.pattern_id].candidate for match in found
    )


def unfit(context: Context) -> str | None:
    """It looks at back-translations into varieties that have a lexicon."""
    if "dialect" not in context.columns:
        return "there is no back-translation"
    return no_lexicon(context.target_variety)


def rows(source: Column, target: Column, context: Context) -> NDArray[np.bool_]:  # noqa: ARG001
    """There must be an original at all."""
    return np.full(len(target.texts), "dialect" in context.columns)


GATE = Gate("dialect_lost", version=1, rank=140, check=check, rows=rows, unfit=unfit)
