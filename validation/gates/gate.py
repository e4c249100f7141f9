"""A gate: a function that lets a pair of texts pass, or says why not.

A gate sees one row. What it must know of the rest of the corpus (whether other rows share
an output, how similar pairs usually are) is counted before and handed over in the context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from ...corpus.remembered import Remembered

__all__ = ["Check", "Context", "CorpusFacts", "Gate", "Level", "Row", "Text"]

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# No token goes beyond white space, so a text's tokens are those of its parts.
_tokens_of: Remembered[list[str]] = Remembered(_TOKEN.findall)


class Text:
    """A text, with what several gates look at computed once.

    Args:
        raw: The text.

    Attributes:
        raw: The text.
        lowered: In lower case, curly apostrophes made straight.
        chunks: That, cut at white space.
        tokens: The words in lower case, without punctuation; *it's* is one, *well-known* two.
        vocabulary: The different ones of ``tokens``.
    """

    __slots__ = ("chunks", "lowered", "raw", "tokens", "vocabulary")

    # Every pair is asked for all of these: to compute each when it is first asked for took
    # longer than to compute it.
    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.lowered = raw.lower().replace("’", "'")
        self.chunks = self.lowered.split()
        self.tokens = list(chain.from_iterable(map(_tokens_of.__getitem__, self.chunks)))
        self.vocabulary = frozenset(self.tokens)

    @property
    def words(self) -> list[str]:
        """The text cut at white space."""
        return self.raw.split()


@dataclass(frozen=True, slots=True)
class Row:
    """One pair.

    Attributes:
        source: What was translated; of a pair that people wrote, the dialect side.
        target: What came of it.
    """

    source: Text
    target: Text

    @classmethod
    def of(cls, source: str, target: str) -> Row:
        """Makes a row of two strings."""
        return cls(Text(source), Text(target))


@dataclass(frozen=True, slots=True)
class Level:
    """Where a corpus' own values lie.

    Attributes:
        median: Median of the finite values.
        mad: Median absolute deviation from it, not scaled.
        n: How many values.
    """

    median: float
    mad: float
    n: int


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """What is counted over all rows before a gate sees one.

    Attributes:
        shared: Sources by :func:`~isogloss.validation.facts.output_key` of the output, for
            outputs that different sources share.
        levels: Level of a column such as ``similarity``, by its name.
        longer: By a word that stands once in all outputs, and there last, with no mark behind
            it: the words of the outputs that it begins, and how often each occurs.
    """

    shared: Mapping[str, Sequence[str]] = field(default_factory=dict)
    levels: Mapping[str, Level] = field(default_factory=dict)
    longer: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """What a gate knows beside the pair.

    Attributes:
        source_variety: Variety id of the source.
        target_variety: Variety id of the target.
        thresholds: The gate's own thresholds for this pair of varieties.
        columns: The row's other columns, by name.
        finish: How the model ended: ``stop``, ``length``, …; ``stop`` where people wrote.
        machine: Whether a machine made the target.
        corpus: What is known of all rows; None while that is not counted yet.
    """

    source_variety: str
    target_variety: str
    thresholds: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)
    finish: str = "stop"
    machine: bool = True
    corpus: CorpusFacts | None = None

    def of_row(self, columns: Mapping[str, Any]) -> Context:
        """The same context for a row with these other columns."""
        return replace(self, columns=columns)


Check = Callable[[Row, Context], str | None]


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate and its name.

    Attributes:
        code: What a row that it catches is rejected with.
        version: Raised whenever it may decide differently about the same row.
        rank: Gates are asked in this order; the first reason that holds is the row's.
        check: Returns None, or what is wrong, in words.
        whole_corpus: Whether it needs ``Context.corpus``; such gates run after all others.
        unfit: Says why the gate can catch nothing in a context, whatever the texts are (no
            lexicon for the variety, no similarity measured); None if it can. A report then
            says so instead of showing that it caught nothing.
    """

    code: str
    version: int
    rank: int
    check: Check
    whole_corpus: bool = False
    unfit: Callable[[Context], str | None] | None = None
