"""Catches one and the same output for inputs that have nothing in common."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .column import Column, bag
from .gate import MAX_SOURCES, Context, Gate, Row
from .keys import key_parts, output_key

__all__ = ["GATE", "check", "rows"]


def check(row: Row, context: Context) -> str | None:
    """Says with how many other sources a row shares its output, if it resembles none of them.

    Looks at machine-made targets only: people write *ok* twice, a machine that answers many
    rows alike has stopped translating. One similar source among those that share the output
    is enough to let a row pass, since two wordings of one thing are rightly translated alike;
    where very many share it, ``chance`` of them may resemble the row by accident. The first
    row that had the output rightly is caught with the rest: nothing tells it apart.

    Similarity is Dice's coefficient of character trigrams. A ratio of edits would be no use
    here: two unrelated sentences share two characters in five, in order, by chance.

    Example:
        >>> from .gate import CorpusFacts
        >>> def context(*sources, machine=True):
        ...     facts = CorpusFacts(shared={"i would be happy to help": sources})
        ...     return Context(
        ...         "african-american-english",
        ...         "standard-american-english",
        ...         {"similar": 0.3, "chance": 0.1},
        ...         machine=machine,
        ...         corpus=facts,
        ...     )
        >>> row = Row.of("Bus was late again", "I would be happy to help!")
        >>> check(row, context("Bus was late again", "My cousin cook every Sunday"))
        'the same output as for 1 other source, and this one is nothing like it'
        >>> check(row, context("Bus was late again", "The bus late again"))
        >>> check(row, context("Bus was late again", "My cousin cook", machine=False))
    """
    if context.corpus is None or not context.machine or not context.corpus.shared:
        return None
    sharing = context.corpus.shared.get(output_key(row.target.raw))
    if sharing is None:
        return None
    own = output_key(row.source.raw)
    others = [key for key in map(output_key, sharing) if key != own]
    limits = context.thresholds
    similar = sum(_similarity(own, key) >= limits["similar"] for key in others)
    if not others or similar > limits["chance"] * len(others):
        return None
    if len(others) == 1:
        return "the same output as for 1 other source, and this one is nothing like it"
    number = f"{len(others)}{' or more' if len(others) >= MAX_SOURCES - 1 else ''}"
    return f"the same output as for {number} other sources, and this one is nothing like them"


def _similarity(a: str, b: str) -> float:
    one, other = _trigrams(a), _trigrams(b)
    return 2 * len(one & other) / (len(one) + len(other))


@lru_cache(maxsize=4 * MAX_SOURCES)
def _trigrams(text: str) -> frozenset[str]:
    padded = f"  {text} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))


def rows(source: Column, target: Column, context: Context) -> NDArray[np.bool_]:  # noqa: ARG001
    """The target must be an output that several sources share."""
    shared = context.corpus.shared if context.corpus else ()
    bags = np.fromiter((bag(key_parts(key)) for key in shared), np.uint64, count=len(shared))
    return np.isin(target.key_bags, bags)


GATE = Gate("duplicate_output", version=1, rank=160, check=check, whole_corpus=True, rows=rows)
