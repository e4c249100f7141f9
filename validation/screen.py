"""Asks the gates about every row of a frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from .gates import Context, CorpusFacts, Gate, Row, thresholds
from .gates.column import Column
from .shortlist import Shortlist

__all__ = ["Finding", "PairColumns", "screen", "screen_params"]


@dataclass(frozen=True, slots=True)
class PairColumns:
    """Which two columns are looked at as a pair.

    Attributes:
        source: Column that was translated; of a pair that people wrote, the dialect side.
        target: Column that came of it.
        source_variety: Variety id of ``source``.
        target_variety: Variety id of ``target``.
        dialect: Which of the two varieties is the dialect; its thresholds win.
        columns: Further columns that gates may look at, by the name that gates know.
    """

    source: str
    target: str
    source_variety: str
    target_variety: str
    dialect: str
    columns: Mapping[str, str] = field(default_factory=dict)

    def thresholds(self, code: str) -> Mapping[str, Any]:
        """A gate's thresholds for this pair of varieties."""
        both = {self.source_variety, self.target_variety} - {self.dialect}
        return thresholds(code, self.dialect, next(iter(both), self.dialect))


@dataclass(frozen=True, slots=True)
class Finding:
    """What a gate says of a row.

    Attributes:
        row: Number of the row in the frame, from 0.
        code: The gate's code.
        detail: What is wrong, in words.
    """

    row: int
    code: str
    detail: str


def screen(
    frame: pl.DataFrame,
    pair: PairColumns,
    asked: Sequence[Gate],
    *,
    facts: CorpusFacts | None = None,
    sides: tuple[Column, Column] | None = None,
) -> Iterator[list[Finding]]:
    """Yields for every row what the gates find, in the gates' order.

    Args:
        frame: Rows with the columns that ``pair`` names.
        pair: What is looked at.
        asked: The gates.
        facts: What is known of the whole corpus.
        sides: Source and target, where they are looked at already.
    """
    # One table for all gates, filled anew with each row.
    columns: dict[str, Any] = {}
    names = pair.source_variety, pair.target_variety
    whole = {name: frame[column] for name, column in pair.columns.items()}
    contexts = [
        Context(*names, pair.thresholds(gate.code), columns=whole, corpus=facts) for gate in asked
    ]
    source, target = sides or (Column(frame[pair.source]), Column(frame[pair.target]))
    chosen = Shortlist.of(tuple(asked), *names).choose(source, target, contexts)
    questions = [(gate.code, gate.check, replace(context, columns=columns))
                 for gate, context in zip(asked, contexts, strict=True)]  # fmt: skip
    numbers, places = np.nonzero(chosen)
    wanted: list[list[int]] = [[] for _ in range(frame.height)]
    for number, at in zip(numbers.tolist(), places.tolist(), strict=True):
        wanted[number].append(at)
    rows = frame.select(pair.source, pair.target, *pair.columns.values()).iter_rows()
    for number, (one, other, *more) in enumerate(rows):
        findings = []
        if wanted[number]:
            row = Row.of(one, other)
            columns.update(zip(pair.columns, more, strict=True))
            for at in wanted[number]:
                code, check, context = questions[at]
                detail = check(row, context)
                if detail is not None:
                    findings.append(Finding(number, code, detail))
        yield findings


def screen_params(pair: PairColumns, asked: Sequence[Gate]) -> Mapping[str, Any]:
    """Everything that can change what the gates say."""
    return {
        "pair": [pair.source, pair.target, pair.source_variety, pair.target_variety],
        "columns": dict(pair.columns),
        "gates": {
            gate.code: {"version": gate.version, **pair.thresholds(gate.code)} for gate in asked
        },
    }
