"""Runs tasks on models: plan in rounds, ask what is new, measure.

A run is a folder. What was asked of which model stands in its journal, so that a run that was
killed goes on where it was, and measuring again needs no model at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..corpus.folder import locked
from ..corpus.journal import FILE_NAME, Journal
from ..corpus.store import made_folder, storage_errors
from ..errors import CorpusError, ModelError, OptionError, OutputError
from ..models.budget import Limits
from ..models.config import Config
from ..models.scoring import CHAT, OVERLONG, Scorer, load_scorer, unserved
from ..models.session import Session
from ..stats import Bootstrap
from .asking import Progress, Subject, answered
from .data import Corpus
from .record import FILE_NAME as RECORD_NAME
from .record import Record
from .results import Result, write_results
from .task import TaskClass

__all__ = ["Progress", "evaluate"]


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
    skip_unfit: bool = False,
    limit: int | None = None,
    seed: int = 0,
    config: Config | None = None,
    overlong: str = "raise",
    chat: str = "auto",
    prompt: str = "",
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
        skip_unfit: Leave out, with a note, tasks whose columns the corpus lacks; if not, or if
            all of them do, that is an error.
        out: Folder of the run. One that is there goes on, if it is of the same corpus.
        limit: Sample so many rows by a seeded hash of their ids.
        seed: Of the sample and the bootstrap.
        config: Models' settings.
        overlong: What to do with texts beyond a model's window: ``raise``, ``cut`` contexts from
            the left, or ``skip`` and count them.
        chat: Whether questions are asked by a model's chat template: ``auto``, ``on`` or ``off``.
        prompt: A text that stands before everything the model reads: its system message in a
            chat, the first paragraph elsewhere.
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
    for option, value, known in (("overlong", overlong, OVERLONG), ("chat", chat, CHAT)):
        if value not in known:
            raise OptionError(
                f"{value!r} is none of its values",
                where=f"--{option}",
                remedy=f"give {' or '.join(known)}",
            )
    if prompt and overlong == "cut":
        raise OptionError(
            "the prompt would be cut away first",
            where="--overlong cut",
            remedy="use --overlong skip, or leave --prompt out",
        )
    tasks, skipped = _fitting(corpus, tasks, told, skip=skip_unfit)
    sample = corpus.sample(limit, seed=seed)
    results: list[Result] = []
    bootstrap = Bootstrap(resamples=resamples, seed=seed)
    with (
        _at_work(out),
        Record.open(out, corpus, limit=limit, seed=seed, prompt=prompt) as record,
        Journal(out / FILE_NAME) as journal,
    ):
        session = Session(journal, limits or Limits(), retry_failed=retry_failed)
        # A name that is wrong is told before anything is asked.
        options = {"chat": chat, "overlong": overlong}
        scorers = [_scorer(name, record, config, options, told) for name in models]
        wanted = [one.name for one in tasks]
        # All of them before the first is asked: a run that stops there lacks the others too.
        for name, scorer in zip(models, scorers, strict=True):
            record.model(name, scorer.identity, options=options, tasks=wanted)
        for name, scorer in zip(models, scorers, strict=True):
            try:
                subject = Subject(
                    scorer, record, config, chat=chat, prompt=prompt, overlong=overlong
                )
                answers = answered(subject, session, sample.rows, tasks, told)
                record.found(name, scorer.describe())
            finally:
                scorer.close()
            how = {
                "model": scorer.identity,
                **subject.how(),
                **options,
                "prompt": prompt,
                "corpus": record.data["corpus"],
                "resamples": resamples,
            }
            made = [
                Result(
                    name, one, sample.rows.height,
                    one.make().measure(sample.rows, answers, bootstrap=bootstrap), how,
                )
                for one in tasks
            ]  # fmt: skip
            write_results(out, made)
            results += made
        record.finish(chat=chat, skipped=skipped)
    return results


def _fitting(
    corpus: Corpus, tasks: Sequence[TaskClass], progress: Progress, *, skip: bool
) -> tuple[list[TaskClass], dict[str, str]]:
    """The tasks that the corpus has columns for; by name, what the others lack."""
    fit: list[TaskClass] = []
    unfit: dict[str, CorpusError] = {}
    for one in tasks:
        try:
            corpus.require(one.columns, task=one.name, remedy=one.remedy)
        except CorpusError as error:
            if not skip:
                raise
            unfit[one.name] = error
        else:
            fit.append(one)
    if unfit and not fit:
        raise next(iter(unfit.values()))
    for lack in unfit.values():
        progress.note(f"left out: {lack.what}; {lack.remedy}")
    return fit, {name: lack.what for name, lack in unfit.items()}


@contextmanager
def _at_work(out: Path) -> Iterator[None]:
    """Makes the folder of the run, and keeps it for this process alone."""
    made_folder(out)
    with storage_errors(out):
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


def _scorer(
    name: str,
    record: Record,
    config: Config | None,
    options: Mapping[str, str],
    progress: Progress,
) -> Scorer:
    """The model; one that is gone is known by what the run has noted of it."""
    try:
        return load_scorer(name, config=config, **options)
    except ModelError as error:
        identity = record.identity(name)
        if identity is None:
            raise
        known = record.options(name)
        if known and options not in known:
            raise ModelError(
                f"the model can't be had now ({error.what}), and the run has no answers of it "
                f"under {_as_options(options)}",
                where=name,
                remedy=f"give {' or '.join(map(_as_options, known))}, which it was asked with",
            ) from error
        progress.note(f"{name} can't be had now; its answers of this run are measured")
        gone = error

        def missing() -> Any:
            raise gone

        return Scorer(
            name, identity, missing, chat=options["chat"], unserved=unserved(options["overlong"])
        )


def _as_options(options: Mapping[str, str]) -> str:
    return " ".join(f"--{name} {value}" for name, value in sorted(options.items()))
