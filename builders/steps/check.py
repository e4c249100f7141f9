"""Rejects what a gate catches, with the gate's code as the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import polars as pl

from ...corpus.schema import REJECTED
from ...validation.facts import collect
from ...validation.gates import CorpusFacts, Gate, gates
from ...validation.screen import PairColumns, screen, screen_params
from ..engine.step import ClosingStep, Outcome, Step

__all__ = ["check_corpus_step", "check_step"]


def check_step(name: str, pair: PairColumns) -> Step:
    """Asks the gates that need to see one row only.

    Args:
        name: The step's name, for example ``check_standard``.
        pair: What is looked at.
    """
    asked = [gate for gate in gates() if not gate.whole_corpus]

    def run(frame: pl.DataFrame) -> Outcome:
        rejected = _caught(frame, pair, asked, stage=name)
        return Outcome(frame.join(rejected.select("position"), on="position", how="anti"), rejected)

    return Step(name, 1, run, params=screen_params(pair, asked))


def check_corpus_step(
    name: str, pairs: Sequence[PairColumns], *, measures: Sequence[str]
) -> ClosingStep:
    """Asks the gates that must know the whole corpus, about each of several pairs of columns.

    Args:
        name: The step's name.
        pairs: What is looked at; a row is rejected for the first pair that a gate catches.
        measures: What the gates ask the usual level of, by the name that gates know.
    """
    asked = [gate for gate in gates() if gate.whole_corpus]

    def run(frames: Callable[[], Iterable[pl.DataFrame]]) -> pl.DataFrame:
        facts = [_facts(frames, pair, measures) for pair in pairs]
        rejected = [pl.DataFrame(schema=dict(REJECTED))]
        for frame in frames():
            left = frame
            for pair, known in zip(pairs, facts, strict=True):
                rejected.append(_caught(left, pair, asked, stage=name, facts=known))
                left = left.join(rejected[-1].select("position"), on="position", how="anti")
        return pl.concat(rejected).sort("position")

    params = {"measures": list(measures), "pairs": [screen_params(pair, asked) for pair in pairs]}
    return ClosingStep(name, 1, run, params=params)


def _facts(
    frames: Callable[[], Iterable[pl.DataFrame]], pair: PairColumns, measures: Sequence[str]
) -> CorpusFacts:
    wanted = [pl.col(pair.columns[name]).alias(name) for name in measures]

    def renamed() -> Iterator[pl.DataFrame]:
        return (frame.select(pair.source, pair.target, *wanted) for frame in frames())

    return collect(renamed, source=pair.source, target=pair.target, measures=measures)


def _caught(
    frame: pl.DataFrame,
    pair: PairColumns,
    asked: Sequence[Gate],
    *,
    stage: str,
    facts: CorpusFacts | None = None,
) -> pl.DataFrame:
    """The rows that a gate catches, as rejections with the first gate's reason."""
    first = [found[0] for found in screen(frame, pair, asked, facts=facts) if found]
    rows = frame[[finding.row for finding in first]]
    return rows.select(
        "position",
        "id",
        pl.lit(stage).alias("stage"),
        pl.Series("reason", [finding.code for finding in first], dtype=pl.String),
        pl.Series("detail", [finding.detail for finding in first], dtype=pl.String),
        pl.col(pair.target).alias("text"),
    )
