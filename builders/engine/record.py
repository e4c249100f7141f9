"""What is written down of a build: its keys, its manifest, its run."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ... import __version__
from ...corpus.hashing import json_sha256
from ...corpus.manifest import FORMAT_VERSION, Manifest, package_versions
from ...corpus.schema import features
from ...errors import InternalError
from ...models.asker import Session
from ...models.config import LOCAL_PACKAGES
from ..sources import READER_VERSION
from .duplicates import VERSION as DUPLICATES_VERSION
from .finish import Assembled, corpus_schema
from .pipeline import Pipeline
from .selection import BLOCK_ROWS
from .step import ClosingStep, Step

__all__ = ["build_key", "build_manifest", "folder_keys", "models_record", "packages", "run_record"]

_PACKAGES = ("numpy", "polars", "pyarrow")
#: Backends whose models run here.
_LOCAL = ("hf", "wheel")


def folder_keys(pipeline: Pipeline, assigned: dict[str, list[str]] | None) -> tuple[str, str]:
    """Names of the work folders of both halves: a change of anything starts a new one."""
    parts = (_selection_key(pipeline), build_key(pipeline))
    first, second = (json_sha256([part, assigned])[:16] for part in parts)
    return first, second


def _selection_key(pipeline: Pipeline) -> str:
    """Key of the first half: everything that can change which rows are selected, or their text."""
    source = pipeline.source
    return json_sha256(
        {
            "source": [source.sha256, source.member, source.shape],
            "prepare": [step.describe() for step in pipeline.prepare],
            "duplicates": DUPLICATES_VERSION,
            "sample": [pipeline.limit, pipeline.seed],
            "reader": [READER_VERSION, BLOCK_ROWS],
        }
    )


def build_key(pipeline: Pipeline) -> str:
    """Key of the whole build: everything that can change ``data/`` or ``rejected/``."""
    return json_sha256(
        {
            "selection": _selection_key(pipeline),
            "builder": [pipeline.name, pipeline.version],
            "varieties": [pipeline.variety, pipeline.standard],
            "steps": [step.describe() for step in _block_steps(pipeline)],
            "splits": [[r.name, r.share, r.of, r.marked] for r in pipeline.splits],
            "rows": [str(pipeline.marked), str(pipeline.eligible)],
            "schema": features(corpus_schema(pipeline)),
        }
    )


def build_manifest(
    pipeline: Pipeline,
    assembled: Assembled,
    read: int,
    previous: Manifest | None,
    served_by: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> Manifest:
    """The manifest of a version, after the counts have been held against each other.

    Raises:
        InternalError: If rows read and rows kept + rejected don't add up.
    """
    rejected: Counter[str] = Counter()
    for (_, reason), count in assembled.rejected.items():
        rejected[reason] += count
    if read != assembled.kept + rejected.total():
        raise InternalError(
            f"{read} rows were read, but {assembled.kept} kept + {rejected.total()} rejected",
            where=f"builder {pipeline.name}",
        )
    source = pipeline.source
    drawn = previous["splits"].get("drawn_from_rows") if previous else assembled.kept
    return {
        "format_version": FORMAT_VERSION,
        "isogloss_version": __version__,
        "builder": {"name": pipeline.name, "version": pipeline.version},
        "build_key": build_key(pipeline),
        "seed": pipeline.seed,
        "params": dict(pipeline.params),
        "sources": [
            {
                "name": source.name,
                "shape": source.shape,
                "bytes": source.size,
                "sha256": source.sha256,
                "note": pipeline.source_note,
            }
        ],
        "varieties": {"dialect": pipeline.variety, "standard": pipeline.standard},
        "models": {
            role: _with_servers(model, served_by or {}) for role, model in pipeline.models.items()
        },
        "counts": {
            "read": read,
            "kept": assembled.kept,
            "rejected": dict(sorted(rejected.items())),
        },
        "stages": _stages(pipeline, assembled, read),
        "splits": {
            "drawn_from_rows": drawn,
            "rows": {split.name: split.rows for split in assembled.splits},
            "assignments": assembled.assignments,
        },
        "columns": features(corpus_schema(pipeline)),
        "files": assembled.files,
        "packages": packages(pipeline),
    }


def _block_steps(pipeline: Pipeline) -> list[Step | ClosingStep]:
    """The steps after the selection, in their order."""
    return [*pipeline.steps, *([pipeline.closing] if pipeline.closing else [])]


def _stages(pipeline: Pipeline, assembled: Assembled, read: int) -> list[dict[str, Any]]:
    """Rows in, kept and rejected by reason, stage after stage."""
    later = _block_steps(pipeline)
    steps = {step.name: step.describe() for step in (*pipeline.prepare, *later)}
    names = [
        "read",
        *(step.name for step in pipeline.prepare),
        "deduplicate",
        "sample",
        *(step.name for step in later),
        "split",
    ]
    stages: list[dict[str, Any]] = []
    rows = read
    for name in names:
        reasons = {r: n for (stage, r), n in assembled.rejected.items() if stage == name}
        kept = rows - sum(reasons.values())
        entry = {"name": name, "in": rows, "kept": kept, "rejected": reasons}
        stages.append(entry | {k: v for k, v in steps.get(name, {}).items() if k != "name"})
        rows = kept
    if rows != assembled.kept:
        raise InternalError(
            f"after the last stage {rows} rows are left, but {assembled.kept} were written",
            where=f"builder {pipeline.name}",
        )
    return stages


def packages(pipeline: Pipeline) -> dict[str, str]:
    """Versions of what a build's bytes depend on; of what runs local models, where it has some."""
    local = any(model.get("backend") in _LOCAL for model in pipeline.models.values())
    return package_versions((*_PACKAGES, *(LOCAL_PACKAGES if local else ())))


def _with_servers(
    model: Mapping[str, Any], served_by: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """A model with all that its servers said of themselves."""
    said = served_by.get(f"{model.get('backend')}:{model.get('model')}")
    return {**model, "served_by": [dict(entry) for entry in said]} if said else dict(model)


def models_record(session: Session | None) -> dict[str, Any] | None:
    """What the models took in this run and in all, and who answered; None without models."""
    if session is None:
        return None
    cost, tokens = session.journal.spent()
    return {
        **session.usage.record(),
        "spent_in_all": {"cost": round(cost, 6), "tokens": tokens},
        "served_by": session.journal.served_by(),
    }


def run_record(
    started: datetime, seconds: float, workers: int, models: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What differs from run to run: when, how long, on what, and what the models took."""
    taken = {} if models is None else {"models": dict(models)}
    return {
        "started": started.isoformat(timespec="seconds"),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "workers": workers,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        **taken,
    }
