"""What a task is: it says what to ask of which model, and makes numbers of the answers.

A task never runs a model. It plans requests, is asked again with the answers that have come until
it has nothing new to ask, and then measures; a new metric or a mended parser therefore needs no
model. Tasks are found by their file in ``evaluation/tasks/``, or by an entry point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import polars as pl

from ..models.chat import ChatRequest, Reply
from ..models.scoring import Fault, Score, ScoreRequest
from ..stats import Bootstrap, Estimate

__all__ = [
    "Answers",
    "Measured",
    "Metric",
    "Question",
    "Request",
    "Task",
    "TaskClass",
    "score_of",
    "task",
]


@dataclass(frozen=True, slots=True)
class Request:
    """Texts whose probability a task wants to know.

    Attributes:
        ask: The request itself.
        role: Who is asked: ``subject`` is the model that is evaluated.
    """

    ask: ScoreRequest
    role: str = "subject"


@dataclass(frozen=True, slots=True)
class Question:
    """What a task wants to be told in words.

    Attributes:
        ask: The question itself.
        role: Who is asked, as for a :class:`Request`.
    """

    ask: ChatRequest
    role: str = "subject"


class Answers(Protocol):
    """The answers that have come, by request."""

    def get(self, request: Request) -> Score | Fault | None:
        """The answer, why there will be none, or None while it has not come."""

    def reply(self, question: Question) -> Reply | Fault | None:
        """What was answered in words, likewise."""


def score_of(request: Request, answers: Answers) -> Score | str:
    """The answer to a request; or why there is none, as it is counted.

    Raises:
        KeyError: If the answer has not come.
    """
    score = answers.get(request)
    if score is None:
        raise KeyError(f"no answer for {request.ask.item!r}")
    return f"failed_{score.reason}" if isinstance(score, Fault) else score


@dataclass(frozen=True, slots=True)
class Metric:
    """One number of a result.

    Attributes:
        name: What was measured, for example ``lp``.
        estimate: Its value with interval and n.
        of: What it is about, for example a combination of context and continuation; may be
            empty.
        unit: ``nats``, ``nats/token``, ``bits/byte``, ``share``, ….
    """

    name: str
    estimate: Estimate
    of: str = ""
    unit: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"name": self.name, "of": self.of, "unit": self.unit, **self.estimate.to_dict()}


@dataclass(frozen=True, slots=True)
class Measured:
    """What a task makes of the answers.

    Attributes:
        metrics: The numbers.
        items: A row for each item that was measured.
        excluded: Items that were not, by reason.
        headline: Names of the metrics that a short table shows.
        notes: Counts of what was measured all the same and that a reader should know of.
    """

    metrics: Sequence[Metric]
    items: pl.DataFrame
    excluded: Mapping[str, int] = field(default_factory=dict)
    headline: Sequence[str] = ()
    notes: Mapping[str, int] = field(default_factory=dict)


class Task(Protocol):
    """A task over one model's answers."""

    def plan(self, rows: pl.DataFrame, answers: Answers) -> Iterable[Request | Question]:
        """Everything that is wanted as far as it is known now; what was asked may come again."""

    def measure(self, rows: pl.DataFrame, answers: Answers, *, bootstrap: Bootstrap) -> Measured:
        """Makes the numbers."""


@dataclass(frozen=True, slots=True)
class TaskClass:
    """A task and its name.

    Attributes:
        name: As ``--tasks`` has it.
        version: Raised whenever the same answers would give other numbers.
        columns: Columns of the corpus that it reads.
        make: Makes the task.
        remedy: What to do if a column is missing: for any, or by column.
        summary: What it measures, in a line.
    """

    name: str
    version: int
    columns: tuple[str, ...]
    make: Callable[[], Task]
    remedy: str | Mapping[str, str]
    summary: str


def task(
    name: str, *, version: int, columns: Sequence[str], remedy: str | Mapping[str, str] = ""
) -> Callable[[Callable[[], Task]], TaskClass]:
    """Declares a class, or a function that makes a task, to be a task.

    Args:
        name: As ``--tasks`` has it.
        version: See :class:`TaskClass`.
        columns: Columns of the corpus that it reads.
        remedy: What to do if one of them is missing; or that by column.
    """

    def declare(make: Callable[[], Task]) -> TaskClass:
        summary = (make.__doc__ or "").strip().partition("\n")[0]
        return TaskClass(name, version, tuple(columns), make, remedy, summary)

    return declare
