"""What may stand side by side: the models that were evaluated on the same rows of one corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import printable
from ...stats import Estimate
from .names import Names, names_of
from .reading import Run, TaskResult

__all__ = ["Column", "Section", "sections_of"]

#: What all tasks of a model should have been measured with, in words.
_HOW = {
    "revision": "the model's revision",
    "chat": "--chat",
    "overlong": "--overlong",
    "prompt": "--prompt",
    "resamples": "the resamples of the bootstrap",
}


@dataclass(frozen=True, slots=True)
class Column:
    """One model of one run.

    Attributes:
        label: Its name, told apart from the others'.
        run: Name of the run's folder.
        seed: Of the sample and the bootstrap.
        identity: What the record says of it.
        found: What loading it has shown.
        wanted: Tasks that the run was to measure; empty if that isn't known.
        results: By task.
    """

    label: str
    run: str
    seed: Any
    identity: Mapping[str, Any]
    found: Mapping[str, Any]
    wanted: Sequence[str]
    results: Mapping[str, TaskResult]

    def get(self, task: str, name: str, of: str = "") -> Estimate | None:
        """A number; None if the model has none of that name."""
        result = self.results.get(task)
        metric = result.metrics.get((name, of)) if result else None
        return metric.estimate if metric else None

    def how(self, key: str) -> Mapping[str, Sequence[str]]:
        """How the model was asked: each value of ``key``, and the tasks that were asked so.

        Args:
            key: ``revision``, ``chat``, ``overlong``, ``prompt`` or ``resamples``.
        """
        tasks: dict[str, list[str]] = {}
        for task, result in self.results.items():
            value = (result.how.get("model") or {} if key == "revision" else result.how).get(key)
            if value is None and key == "prompt":
                value = ""  # older runs knew of none
            if value is not None:
                tasks.setdefault(str(value), []).append(task)
        return tasks

    @property
    def revision(self) -> str:
        """The model's revision, if it is the same for all tasks; empty if it isn't known."""
        known = self.how("revision")
        if len(known) > 1:
            return "differs by task"
        return next(iter(known), "") or str(self.identity.get("revision") or "")

    @property
    def dtype(self) -> str:
        """The number format that it was run in; empty if that isn't known."""
        return str(self.found.get("dtype") or self.identity.get("dtype") or "")


@dataclass(frozen=True, slots=True)
class Section:
    """One corpus and the models that were evaluated on it.

    Attributes:
        key: A short name for files.
        corpus: Name, split, hash, limit and seed.
        rows: Rows of the sample.
        columns: The models that have a result.
        tasks: All tasks that one of them has.
        names: What the two sides are called.
        missing: What isn't there though it could be, in sentences.
    """

    key: str
    corpus: Mapping[str, Any]
    rows: int
    columns: Sequence[Column]
    tasks: Sequence[str]
    names: Names
    missing: Sequence[str]


def sections_of(runs: Iterable[Run]) -> list[Section]:
    """Puts together what is of the same rows, in the order of the runs."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    empty = []
    for run in runs:
        if run.results:
            groups.setdefault(_rows(run), []).append(run)
        else:
            empty.append(run)
    unfinished: dict[tuple[Any, ...], list[Run]] = {}
    for run in empty:
        # Of rows that no other run has, it is told where the page begins.
        unfinished.setdefault(
            _rows(run) if _rows(run) in groups else next(iter(groups)), []
        ).append(run)
    return [
        _section(f"corpus{number}" if len(groups) > 1 else "", together, unfinished.get(rows, []))
        for number, (rows, together) in enumerate(groups.items(), start=1)
    ]


def _rows(run: Run) -> tuple[Any, ...]:
    """What is the same for runs of the same rows."""
    corpus = run.corpus
    # Without a limit the seed chooses no rows.
    sample = (corpus.get("limit"), corpus.get("limit") and corpus.get("seed"))
    return (corpus["sha256"], corpus["split"], *sample)


def _section(key: str, runs: Sequence[Run], unfinished: Sequence[Run]) -> Section:
    everything = [(run, model) for run in runs for model in run.identities]
    labels = _labels(everything)
    columns = [
        Column(
            label=label,
            run=run.folder.name,
            seed=run.corpus.get("seed"),
            identity=run.identities[model],
            found=run.found.get(model, {}),
            wanted=run.wanted.get(model, ()),
            results=run.results.get(model, {}),
        )
        for label, (run, model) in zip(labels, everything, strict=True)
    ]
    done = [column for column in columns if column.results]
    tasks = list(dict.fromkeys(task for column in done for task in column.results))
    names = names_of(result.items for column in done for result in column.results.values())
    rows = max(result.rows for column in done for result in column.results.values())
    missing = [
        *_unfinished(unfinished),
        *_missing(columns, tasks),
        *_skipped(runs),
        *_different(done, tasks),
    ]
    return Section(key, runs[0].corpus, rows, done, tasks, names, missing)


def _labels(models: Sequence[tuple[Run, str]]) -> list[str]:
    """Names of models: with the run's where a name is there twice, and a number if need be."""
    labels = [_name(run, model) for run, model in models]
    for more in (lambda run, _: run.folder.name, lambda _, number: f"no. {number}"):
        often = Counter(labels)
        labels = [
            f"{label} ({more(run, number)})" if often[label] > 1 else label
            for number, (label, (run, _)) in enumerate(zip(labels, models, strict=True), start=1)
        ]
    return labels


def _name(run: Run, model: str) -> str:
    for result in run.results.get(model, {}).values():
        return printable(result.model)
    identity = run.identities[model]
    parts = [str(identity[key]) for key in ("backend", "model") if identity.get(key)]
    return printable(":".join(parts)) or model


def _unfinished(runs: Sequence[Run]) -> Iterator[str]:
    for run in runs:
        models = ", ".join(_name(run, model) for model in run.identities)
        yield (
            f"Run {run.folder.name} has no results yet{f' of {models}' if models else ''} on "
            f"{run.corpus['name']}: let `isogloss evaluate` finish; called again, it goes on "
            "where it was."
        )


def _missing(columns: Sequence[Column], tasks: Sequence[str]) -> Iterator[str]:
    for column in columns:
        wanted = [task for task in column.wanted if task not in column.results]
        lacking = [task for task in tasks if task not in (*column.results, *wanted)]
        if not column.results:
            yield f"{column.label} has no results: run {column.run} isn't finished."
            continue
        if wanted:
            yield (
                f"{column.label} has no results of {', '.join(wanted)}: run {column.run} isn't "
                "finished."
            )
        if lacking:
            yield f"{column.label} has no results of {', '.join(lacking)} (run {column.run})."


def _skipped(runs: Sequence[Run]) -> Iterator[str]:
    for run in runs:
        for task, why in run.skipped.items():
            yield f"{task} was left out in run {run.folder.name}: {printable(str(why))}."


def _different(columns: Sequence[Column], tasks: Sequence[str]) -> Iterator[str]:
    """What keeps numbers from being compared though they are of the same rows."""
    for task in tasks:
        versions = {c.results[task].version for c in columns if task in c.results}
        if len(versions) > 1:
            yield (
                f"{task} was measured by its versions {', '.join(map(str, sorted(versions)))}, "
                "which give different numbers for the same answers: evaluate again with one."
            )
    for column in columns:
        for key, what in _HOW.items():
            known = column.how(key)
            if len(known) > 1:
                each = ", ".join(
                    f"{_shortened(value)} ({', '.join(of)})" for value, of in known.items()
                )
                yield (
                    f"{column.label}'s tasks differ in {what}: {each}. Evaluate all of them again "
                    "with one."
                )


def _shortened(value: str) -> str:
    value = printable(value)
    return f"{value[:60]}…" if len(value) > 60 else value or "none"
