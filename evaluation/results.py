"""What comes of a run: numbers as JSON, items as Parquet, for each model and task."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..corpus.hashing import json_sha256
from ..corpus.manifest import dump_json
from ..corpus.store import made_folder, write_atomic, write_parquet
from .task import Measured, Metric, TaskClass

__all__ = ["FORMAT_VERSION", "Result", "folder_of", "write_results"]

#: Raised when a reader of ``metrics.json`` would misread a newer file.
FORMAT_VERSION = 1
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Result:
    """One task on one model.

    Attributes:
        model: ``backend:name``.
        task: The task.
        rows: Rows of the sample.
        measured: What came of it.
        how: What it was measured with: the model's revision and number format, how it was asked,
            and of which corpus.
    """

    model: str
    task: TaskClass
    rows: int
    measured: Measured
    how: Mapping[str, Any] = field(default_factory=dict)

    @property
    def headline(self) -> list[Metric]:
        """The metrics for a short table."""
        return [one for one in self.measured.metrics if one.name in self.measured.headline]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, without the items."""
        return {
            "format_version": FORMAT_VERSION,
            "model": _public(self.model),
            "task": self.task.name,
            "task_version": self.task.version,
            "how": dict(self.how),
            "rows": self.rows,
            "measured": self.measured.items.height,
            "excluded": dict(self.measured.excluded),
            "notes": dict(self.measured.notes),
            "metrics": [metric.to_dict() for metric in self.measured.metrics],
        }


def folder_of(model: str) -> str:
    """A folder's name for a model; models that would share one are told apart by a hash.

    Example:
        >>> folder_of("hf:HuggingFaceTB/SmolLM2-135M")
        'hf-HuggingFaceTB-SmolLM2-135M-f69c91cd'
    """
    return f"{_UNSAFE.sub('-', _public(model)).strip('-')}-{json_sha256(model)[:8]}"


def write_results(out: Path, results: Sequence[Result]) -> None:
    """Writes ``metrics.json`` and ``items.parquet`` under ``results/<model>/<task>/``.

    The same answers give the same bytes.
    """
    for result in results:
        folder = out / "results" / folder_of(result.model) / result.task.name
        made_folder(folder)
        items = result.measured.items
        write_parquet(items, folder / "items.parquet", dict(items.schema))
        write_atomic(folder / "metrics.json", dump_json(result.to_dict()))


def _public(model: str) -> str:
    """A model's name without the folders above it."""
    backend, _, rest = model.partition(":")
    is_path = rest.startswith(("/", ".", "~"))
    return f"{backend}:{Path(rest).name}" if is_path else model
