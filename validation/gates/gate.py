"""A gate: a function that lets a pair of texts pass, or says why not.

A gate sees one row. What it must know of the rest of the corpus (whether other rows share
an output, how similar pairs usually are) is counted before and handed over in the context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...corpus.remembered import Remembered

if TYPE_CHECKING:
    from .column import Column

__all__ = [
    "MAX_SOURCES",
    "Check",
    "Context",
    "CorpusFacts",
    "Gate",
    "Hints",
    "Level",
    "Row",
    "Text",
    "lowered",
    "tokens_of",
]

MAX_SOURCES = 256
"""So many different sources of one output are kept, the first ones; a refusal that a
million rows share must not fill the memory."""
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def lowered(text: str) -> str:
    """A text in lower case, curly apostrophes made straight."""
    return text.lower().replace("’", "'")


tokens_of: Remembered[list[str]] = Remembered(lambda part: _TOKEN.findall(lowered(part)))
"""The tokens of a text without white space; no token goes beyond that, so a text's tokens are
those of its parts."""


class Text:
    """A text, with what several gates look at computed once.

    Args:
        raw: The text.
    """

    __slots__ = ("_lowered", "_tokens", "_vocabulary", "_words", "raw")

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._words: list[str] | None = None
        self._tokens: list[str] | None = None
        self._lowered: str | None = None
        self._vocabulary: frozenset[str] | None = None

    @property
    def words(self) -> list[str]:
        """The text cut at white space."""
        if self._words is None:
            self._words = self.raw.split()
        return self._words

    @property
    def tokens(self) -> list[str]:
        """The words in lower case, without punctuation; *it's* is one, *well-known* two."""
        if self._tokens is None:
            self._tokens = list(chain.from_iterable(map(tokens_of.__getitem__, self.words)))
        return self._tokens

    @property
    def lowered(self) -> str:
        """The text in lower case, curly apostrophes made straight."""
        if self._lowered is None:
            self._lowered = lowered(self.raw)
        return self._lowered

    @property
    def vocabulary(self) -> frozenset[str]:
        """The different ones of ``tokens``."""
        if self._vocabulary is None:
            self._vocabulary = frozenset(self.tokens)
        return self._vocabulary


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
        shared: Sources by :func:`~isogloss.validation.gates.keys.output_key` of the output, for
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
class Hints:
    """What words a gate looks for, so that pairs without them needn't be asked about.

    Most gates look for something that most pairs haven't. What a word brings is told once for
    each different word, as the bits of a number: first ``alone`` bits, each of which is enough,
    then twice ``paired`` bits, of which the first and the second half must have one in common.

    Attributes:
        source: The bits of a word (a part of the text without white space) of the source; None
            where the source doesn't matter.
        target: The same for the target.
        alone: How many bits are enough alone.
        paired: How many pairs there are.
    """

    source: Callable[[str], int] | None = None
    target: Callable[[str], int] | None = None
    alone: int = 1
    paired: int = 0


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate and its name.

    Attributes:
        code: What a row that it catches is rejected with.
        version: Raised whenever it may decide differently about the same row.
        rank: Gates are asked in this order; the first reason that holds is the row's.
        check: Returns None, or what is wrong, in words.
        whole_corpus: Whether it needs ``Context.corpus``; such gates run after all others.
        hints: Given the varieties of source and target: words that the gate looks for.
        rows: Given the columns of source and target and a context whose ``columns`` are whole
            ones: for each row whether it must be asked about. Of a row that neither this nor
            ``hints`` points at, ``check`` must have nothing to say: both are for speed only, and
            a gate that has neither is asked about every row.
        unfit: Says why the gate can catch nothing in a context, whatever the texts are (no
            lexicon for the variety, no similarity measured); None if it can. A report then
            says so instead of showing that it caught nothing.
    """

    code: str
    version: int
    rank: int
    check: Check
    whole_corpus: bool = False
    hints: Callable[[str, str], Hints] | None = None
    rows: Callable[[Column, Column, Context], NDArray[np.bool_]] | None = None
    unfit: Callable[[Context], str | None] | None = None
