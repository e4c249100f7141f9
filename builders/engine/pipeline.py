"""What a builder is: where rows come from, what is done to them, how they are split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ...corpus.schema import Schema
from ...corpus.splits import SplitRule
from ...models.asker import Session
from ...models.translator import Estimate
from ..sources import Source
from .step import ClosingStep, Step

__all__ = ["Pipeline"]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A corpus to be built.

    Attributes:
        name: The builder's name.
        title: The corpus' name for people.
        version: The builder's version.
        source: The source file.
        source_note: What a reader of the card must know of the source, or "".
        variety: Variety of the column ``dialect``.
        standard: Variety of the column ``standard``.
        prepare: Steps without models, over chunks of the source, before duplicates
            are looked for and a sample is drawn.
        steps: Steps over blocks of 1,024 rows.
        closing: A step over all blocks when they are finished; None for none.
        columns: The corpus' own columns, after the common ones.
        splits: How it is split.
        marked: Says of a row whether it counts as marked for the splits that take
            marked rows only.
        eligible: Says of a row whether it can serve in any split but ``rest``.
        seed: Seed of the sample, the splits and the authors' order.
        limit: Sample this many rows; None for all.
        max_unreadable: Share of unreadable source rows over which the file is taken
            for damaged.
        params: The user's settings, for the manifest.
        models: What the models in the steps are, by role, for the manifest and card.
        shown: Columns of the examples shown after a build, each with the column of its
            boundary or ""; none for a corpus whose texts should not be shown.
        notes: Sentences for the card.
        open_models: Bind the models in the steps to a run, one after another.
        estimate: What the models would take for so many texts of ``dialect``.
    """

    name: str
    title: str
    version: int
    source: Source
    variety: str
    standard: str
    prepare: Sequence[Step]
    steps: Sequence[Step]
    columns: Schema
    splits: Sequence[SplitRule]
    marked: pl.Expr
    closing: ClosingStep | None = None
    eligible: pl.Expr = field(default_factory=lambda: pl.lit(True))
    seed: int = 0
    limit: int | None = None
    max_unreadable: float = 0.01
    source_note: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    open_models: Sequence[Callable[[Session], AbstractContextManager[None]]] = ()
    estimate: Callable[[Sequence[str]], Estimate] | None = None
