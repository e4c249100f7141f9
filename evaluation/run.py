"""Runs tasks on models: plan in rounds, ask what is new, measure.

A run is a folder. What was asked of which model stands in its journal, so that a run that was
killed goes on where it was, and measuring again needs no model at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from ..corpus.folder import locked
from ..corpus.journal import FILE_NAME, Journal
from ..corpus.store import made_folder
from ..errors import InternalError, ModelError, OptionError, OutputError
from ..models.budget import Limits
from ..models.config import Config
from ..models.scoring import CHAT, Fault, Score, Scorer, ScoreRequest, load_scorer
from ..models.session import Session
from ..stats import Bootstrap
from .data import Corpus
from .record import FILE_NAME as RECORD_NAME
from .record import Record
from .results import Result, write_results
from .task import Request, TaskClass

__all__ = ["Progress", "evaluate"]

_OVERLONG = ("raise", "cut")


class Progress(Protocol):
    """Is told how far the work is."""

    def phase(self, label: str, total: int | None) -> None:
        """A phase of ``total`` requests begins."""

    def advance(self, done: int, rows: int) -> None:
        """So many of them have an answer."""

    def note(self, message: str) -> None:
        """Something that a person should know."""


class _Silent:
    """Tells nobody."""

    def phase(self, label: str, total: int | None) -> None:
        pass

    def advance(self, done: int, rows: int) -> None:
        pass

    def note(self, message: str) -> None:
        pass


def evaluate(
    corpus: Corpus,
    models: Sequence[str],
    tasks: Sequence[TaskClass],
    *,
    out: Path,
    limit: int | None = None,
    seed: int = 0,
    config: Config | None = None,
    overlong: str = "raise",
    chat: str = "auto",
    resamples: int = 10_000,
    limits: Limits | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
) -> list[Result]:
    """Evaluates models on a corpus.

    Args:
        corpus: The rows, whole; ``limit`` takes a sample.
        models: Their names, ``backend:name``.
        tasks: What to measure.
        out: Folder of the run. One that is there goes on, if it is of the same corpus.
        limit: Sample so many rows by a seeded hash of their ids.
        seed: Of the sample and the bootstrap.
        config: Models' settings.
        overlong: What to do with contexts beyond a model's window: ``raise`` or ``cut``.
        chat: Whether questions are asked by a model's chat template: ``auto``, ``on`` or ``off``.
        resamples: Of the bootstrap.
        limits: What models that cost something may cost, over all calls of the run.
        retry_failed: Ask again what a model failed to answer, and only that.
        progress: Is told.

    Returns:
        A result for each model and task, in their order.

    Raises:
        CorpusError: If the corpus lacks a column, or isn't the one that the run began with.
        ModelError: If a model can't be had and answers are missing.
    """
    told = progress or _Silent()
    if limit is not None and limit < 1:
        raise OptionError(
            "there is nothing to sample", where=f"--limit {limit}", remedy="give 1 or more"
        )
    for option, value, known in (("overlong", overlong, _OVERLONG), ("chat", chat, CHAT)):
        if value not in known:
            raise OptionError(
                f"{value!r} is none of its values",
                where=f"--{option}",
                remedy=f"give {' or '.join(known)}",
            )
    for one in tasks:
        corpus.require(one.columns, task=one.name, remedy=one.remedy)
    sample = corpus.sample(limit, seed=seed)
    results: list[Result] = []
    bootstrap = Bootstrap(resamples=resamples, seed=seed)
    with _at_work(out), Record.open(out, corpus, limit=limit, seed=seed) as record:
        with Journal(out / FILE_NAME) as journal:
            session = Session(journal, limits or Limits(), retry_failed=retry_failed)
            # A name that is wrong is told before anything is asked.
            scorers = [_scorer(name, record, config, (overlong, chat), told) for name in models]
            for name, scorer in zip(models, scorers, strict=True):
                record.model(name, scorer.identity)
                try:
                    answers = _answered(scorer, session, sample, tasks, told)
                    record.found(name, scorer.describe())
                finally:
                    scorer.close()
                how = {
                    "model": scorer.identity,
                    "chat": chat,
                    "overlong": overlong,
                    "corpus": record.data["corpus"],
                    "resamples": resamples,
                }
                for one in tasks:
                    measured = one.make().measure(sample.rows, answers, bootstrap=bootstrap)
                    results.append(Result(name, one, sample.rows.height, measured, how))
            record.finish(chat=chat)
        write_results(out, results)
    return results


@contextmanager
def _at_work(out: Path) -> Iterator[None]:
    """Makes the folder of the run, and keeps it for this process alone."""
    made_folder(out)
    inside = {path.name for path in out.iterdir()}
    if "manifest.json" in inside:
        raise OutputError(
            "that is a corpus folder", where=str(out), remedy="name a new folder with --out"
        )
    # A kill at the very beginning may leave these.
    ours = {FILE_NAME, "lock", f".{RECORD_NAME}.tmp"}
    if RECORD_NAME not in inside and not inside <= ours:
        raise OutputError(
            "the folder has something else in it",
            where=str(out),
            remedy="name a new folder with --out",
        )
    with locked(out):
        yield


class _Answers:
    """Scores by request, and what has failed."""

    def __init__(self) -> None:
        self._scores: dict[tuple[str, ScoreRequest], Score | Fault] = {}

    def get(self, request: Request) -> Score | Fault | None:
        return self._scores.get((request.role, request.ask))

    def put(self, request: Request, score: Score | Fault) -> None:
        self._scores[request.role, request.ask] = score


def _answered(
    scorer: Scorer,
    session: Session,
    corpus: Corpus,
    tasks: Sequence[TaskClass],
    progress: Progress,
) -> _Answers:
    """Asks round after round, until no task wants to know anything new."""
    answers = _Answers()
    made = [one.make() for one in tasks]
    while True:
        wanted: dict[ScoreRequest, Request] = {}
        for one in made:
            for request in one.plan(corpus.rows, answers):
                if request.role != "subject":
                    raise InternalError(f"nobody plays the role {request.role!r}")
                if answers.get(request) is None:
                    wanted.setdefault(request.ask, request)
        if not wanted:
            return answers
        progress.phase(f"scores, {scorer.name}", len(wanted))
        scores = scorer.score(list(wanted), session, done=lambda done: progress.advance(done, done))
        for request, score in zip(wanted.values(), scores, strict=True):
            answers.put(request, score)


def _scorer(
    name: str,
    record: Record,
    config: Config | None,
    how: tuple[str, str],
    progress: Progress,
) -> Scorer:
    """The model; one that is gone is known by what the run has noted of it."""
    try:
        return load_scorer(name, config=config, overlong=how[0], chat=how[1])
    except ModelError as error:
        identity = record.identity(name)
        if identity is None:
            raise
        progress.note(f"{name} can't be had now; its answers of this run are measured")
        gone = error

        def missing() -> Any:
            raise gone

        return Scorer(name, identity, missing, chat=how[1])
