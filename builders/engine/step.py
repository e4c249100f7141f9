"""A step: a function from rows to rows and rejections, with a name and a version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ...corpus.schema import REJECTED, Schema, check_columns
from ...errors import InternalError

__all__ = ["ClosingStep", "Outcome", "Rejection", "Step", "apply_step", "reject_where"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step made of its rows.

    Attributes:
        rows: The rows kept, in their order.
        rejected: The rows refused: columns ``REJECTED``.
    """

    rows: pl.DataFrame
    rejected: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a builder.

    Attributes:
        name: Its name in the manifest and in the rejections' ``stage``.
        version: Raised whenever the same rows would come out differently.
        run: Takes a frame with at least the columns it needs; it must not depend on
            rows outside the frame, nor on time or chance.
        params: Every setting that can change what comes out; JSON values.
        adds: Columns it adds.
        drops: Columns it takes away.
    """

    name: str
    version: int
    run: Callable[[pl.DataFrame], Outcome]
    params: Mapping[str, Any] = field(default_factory=dict)
    adds: Schema = field(default_factory=dict)
    drops: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Name, version and parameters: what the step is keyed by."""
        return {"name": self.name, "version": self.version, "params": dict(self.params)}

    def output(self, schema: Schema) -> Schema:
        """The schema after this step."""
        kept = {name: dtype for name, dtype in schema.items() if name not in self.drops}
        return kept | dict(self.adds)


@dataclass(frozen=True, slots=True)
class ClosingStep:
    """A step that must know all rows before it can reject one.

    Attributes:
        name: As for :class:`Step`.
        version: Likewise.
        run: Takes a function that gives the finished blocks in their order, as often as it
            is called; returns the rejected rows (columns ``REJECTED``), sorted by position.
        params: As for :class:`Step`.
    """

    name: str
    version: int
    run: Callable[[Callable[[], Iterable[pl.DataFrame]]], pl.DataFrame]
    params: Mapping[str, Any] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        """Name, version and parameters: what the step is keyed by."""
        return {"name": self.name, "version": self.version, "params": dict(self.params)}


def apply_step(step: Step, frame: pl.DataFrame) -> Outcome:
    """Runs a step and holds it to its word: columns as declared, no row lost or doubled.

    Raises:
        InternalError: If it broke its contract.
    """
    outcome = step.run(frame)
    check_columns(outcome.rows, step.output(dict(frame.schema)), stage=step.name)
    check_columns(outcome.rejected, REJECTED, stage=step.name)
    after = pl.concat([outcome.rows["position"], outcome.rejected["position"]]).sort()
    if not after.equals(frame["position"].sort()):
        raise InternalError(
            f"{frame.height} rows went in, {outcome.rows.height} kept + "
            f"{outcome.rejected.height} rejected came out, and they are not the same rows",
            where=f"step {step.name}",
        )
    return outcome


@dataclass(frozen=True, slots=True)
class Rejection:
    """A reason to reject rows.

    Attributes:
        reason: Its code.
        where: Boolean expression, true where it holds.
        detail: String expression that says what was found.
    """

    reason: str
    where: pl.Expr
    detail: pl.Expr


def reject_where(
    frame: pl.DataFrame, rejections: Sequence[Rejection], *, stage: str, text: str
) -> Outcome:
    """Parts a frame into the rows kept and those rejected, the first reason that holds winning.

    Args:
        frame: Rows with ``position``, ``id`` and the column ``text``.
        rejections: The reasons, in order.
        stage: The step's name.
        text: Column whose content is kept as the offending text.
    """
    refused = [pl.DataFrame(schema=dict(REJECTED))]
    for rejection in rejections:
        holds = frame.select(rejection.where.alias("holds"))["holds"].fill_null(False)
        if not holds.any():
            continue
        refused.append(
            frame.filter(holds).select(
                "position",
                "id",
                pl.lit(stage).alias("stage"),
                pl.lit(rejection.reason).alias("reason"),
                rejection.detail.alias("detail"),
                pl.col(text).alias("text"),
            )
        )
        frame = frame.filter(~holds)
    return Outcome(frame, pl.concat(refused).sort("position"))
