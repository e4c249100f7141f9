"""Reads the folders of runs: what was evaluated, and every task's numbers."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import OptionError, SourceError
from ...stats import Estimate
from ..record import FILE_NAME
from ..record import FORMAT_VERSION as RECORD_VERSION
from ..results import FORMAT_VERSION as RESULT_VERSION
from ..results import folder_of
from ..task import Metric

__all__ = ["Run", "TaskResult", "read_runs"]

_FIELDS = {field.name for field in dataclasses.fields(Estimate)}
_NUMBERS = ("value", "low", "high")
_DAMAGE = (LookupError, TypeError, ValueError, AttributeError, OverflowError)
_AGAIN = "call `isogloss evaluate` again on that folder, which asks nothing anew"


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One task on one model, as ``metrics.json`` has it.

    Attributes:
        model: ``backend:name``.
        task: The task.
        version: Of the task.
        how: What it was measured with.
        rows: Rows of the sample.
        measured: Those of them that were measured.
        excluded: The others, by reason.
        notes: Counts of what was measured all the same.
        metrics: The numbers by name and what they are about.
        items: The file with a row for each item; it need not be there.
    """

    model: str
    task: str
    version: int
    how: Mapping[str, Any]
    rows: int
    measured: int
    excluded: Mapping[str, int]
    notes: Mapping[str, int]
    metrics: Mapping[tuple[str, str], Metric]
    items: Path


@dataclass(frozen=True, slots=True)
class Run:
    """A run's folder.

    Attributes:
        folder: Where it is.
        corpus: Name, split, hash, limit and seed of what was evaluated.
        identities: What the record says of each model, by the folder of its results, in the order
            in which they were asked.
        found: What loading it has shown, likewise.
        skipped: By task that the last call left out, why.
        wanted: By the folder of a model, what the last call on it was to measure; an older run
            says nothing of it.
        results: By the folder of the model and the task; a model without any result has none.
    """

    folder: Path
    corpus: Mapping[str, Any]
    identities: Mapping[str, Mapping[str, Any]]
    found: Mapping[str, Mapping[str, Any]]
    skipped: Mapping[str, str]
    wanted: Mapping[str, Sequence[str]]
    results: Mapping[str, Mapping[str, TaskResult]]


def read_runs(folders: Iterable[Path]) -> list[Run]:
    """Reads runs, each once, in their order; some of them may have no result yet.

    Raises:
        OptionError: If none is named.
        SourceError: If a folder is no run, is damaged, or of a newer version, or if none of them
            has a result.
    """
    seen: dict[Path, Path] = {}
    for folder in folders:
        seen.setdefault(folder.expanduser().resolve(), folder)
    if not seen:
        raise OptionError(
            "a report needs a run", where="RUN", remedy="name a folder of `isogloss evaluate`"
        )
    runs = [_read_run(folder, shown) for folder, shown in seen.items()]
    if not any(run.results for run in runs):
        raise SourceError(
            "the run has no results yet",
            where=str(next(iter(seen.values()))),
            remedy="let `isogloss evaluate` finish; called again, it goes on where it was",
        )
    return runs


def _read_run(folder: Path, shown: Path) -> Run:
    remedy = "name the folder that was given to `isogloss evaluate` as --out"
    if not folder.is_dir():
        raise SourceError("there is no such folder", where=str(shown), remedy=remedy)
    path = folder / FILE_NAME
    # A corpus has a record of that name too, of its build.
    if not path.is_file() or (folder / "manifest.json").is_file():
        raise SourceError("the folder is no run", where=str(shown), remedy=remedy)
    record = _json(path)
    try:
        _check_version(record["format_version"], RECORD_VERSION, path)
        models, found = dict(record["models"]), dict(record.get("found", {}))
        corpus = dict(record["corpus"])
        if not all(isinstance(corpus[key], str) for key in ("name", "split", "sha256")):
            raise TypeError("the corpus has no name")
        _check_types(corpus, limit=int, seed=int, prompt=str)
        identities = {folder_of(name): dict(models[name]) for name in models}
        skipped = dict((record.get("calls") or [{}])[-1].get("skipped_tasks", {}))
        wanted = {
            folder_of(name): _names(tasks) for name, tasks in dict(record.get("wanted", {})).items()
        }
        loaded = {folder_of(name): dict(found[name]) for name in found}
    except _DAMAGE as error:
        raise _damaged(path, error) from error
    results: dict[str, dict[str, TaskResult]] = {}
    for one in sorted((folder / "results").glob("*/*/metrics.json")):
        model = one.parent.parent.name
        # Results that the record knows nothing of are of another run.
        if model in identities:
            results.setdefault(model, {})[one.parent.name] = _read_result(one)
    return Run(folder, corpus, identities, loaded, skipped, wanted, results)


def _read_result(path: Path) -> TaskResult:
    data = _json(path)
    try:
        _check_version(data["format_version"], RESULT_VERSION, path)
        metrics = list(map(_metric, data["metrics"]))
        how = dict(data["how"])
        _check_types(how, model=dict, chat=str, overlong=str, prompt=str, resamples=int)
        return TaskResult(
            model=str(data["model"]),
            task=str(data["task"]),
            version=int(data["task_version"]),
            how=how,
            rows=int(data["rows"]),
            measured=int(data["measured"]),
            excluded=_counts(data["excluded"]),
            notes=_counts(data.get("notes", {})),
            metrics={(one.name, one.of): one for one in metrics},
            items=path.with_name("items.parquet"),
        )
    except _DAMAGE as error:
        raise _damaged(path, error) from error


def _counts(found: Mapping[str, Any]) -> dict[str, int]:
    return {str(why): int(count) for why, count in found.items()}


def _metric(data: Mapping[str, Any]) -> Metric:
    known = {name: data[name] for name in _FIELDS & data.keys()}
    for name in _NUMBERS:
        known[name] = math.nan if known.get(name) is None else float(known[name])
    known |= {"n": int(known["n"]), "clusters": int(known["clusters"])}
    _check_types(known, reason=str, method=str)
    return Metric(str(data["name"]), Estimate(**known), of=str(data["of"]), unit=str(data["unit"]))


def _names(found: Any) -> list[str]:
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise TypeError(f"{found!r} is no list of names")
    return found


def _check_types(data: Mapping[str, Any], **kinds: type) -> None:
    """What may be missing, but isn't something else."""
    for key, kind in kinds.items():
        value = data.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, kind)):
            raise TypeError(f"{key} is {value!r}")


def _json(path: Path) -> Mapping[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(path, error) from error
    if not isinstance(data, dict):
        raise _damaged(path, TypeError("no JSON object"))
    return data


def _check_version(version: Any, known: int, path: Path) -> None:
    if not isinstance(version, int):
        raise TypeError(f"format_version is {version!r}")
    if version > known:
        raise SourceError(
            f"the file has format {version}, this version reads up to {known}",
            where=str(path),
            remedy="install a newer isogloss",
        )


def _damaged(path: Path, error: Exception) -> SourceError:
    said = f"no {error}" if isinstance(error, KeyError) else str(error)
    remedy = _AGAIN if path.name != FILE_NAME else "restore the file, or run anew"
    return SourceError(f"the file is damaged ({said[:120]})", where=str(path), remedy=remedy)
