"""Runs a pipeline: select, blocks, finish; resumable at every point."""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq

from ...corpus.folder import corpus_folder, staging, swap_in
from ...corpus.hashing import file_sha256
from ...corpus.manifest import Manifest, dump_json, read_manifest
from ...corpus.readme import Config, front_matter, render_readme
from ...errors import OptionError
from .blocks import run_blocks
from .card import card_body, card_metadata
from .finish import CONFIG, assemble, corpus_schema
from .pipeline import Pipeline
from .progress import Progress, Silent
from .record import build_key, build_manifest, folder_keys, run_record
from .selection import prepared_schema, read_count, select_rows

__all__ = ["BuildResult", "dry_run", "run"]

_log = logging.getLogger("isogloss.build")


@dataclass(frozen=True, slots=True)
class BuildResult:
    """A corpus that was built.

    Attributes:
        folder: The corpus folder.
        manifest: Its manifest.
        up_to_date: True if it had been built before and nothing was left to do.
        seconds: Wall time of this run.
    """

    folder: Path
    manifest: Manifest
    up_to_date: bool
    seconds: float


def run(
    pipeline: Pipeline, out: Path, *, workers: int = 1, progress: Progress | None = None
) -> BuildResult:
    """Builds the corpus into ``out``, going on where an earlier run stopped.

    Args:
        pipeline: What to build.
        out: The corpus folder.
        workers: Blocks in work at the same time; changes the speed, not the result.
        progress: Told of what is done.

    Raises:
        IsoglossError: With the mistake in the input or the surroundings; what was
            finished before stays, and the next run goes on from there.
    """
    if workers < 1:
        raise OptionError(f"{workers} can't be used", where="--workers", remedy="give 1 or more")
    progress = progress or Silent()
    started, clock = datetime.now(UTC), time.monotonic()
    with corpus_folder(out, builder=pipeline.name) as work, _logging_to(work / "build.log"):
        previous = read_manifest(out)
        _refuse_other_seed(pipeline, previous, out)
        key = build_key(pipeline)
        if previous and previous["build_key"] == key and _intact(out, previous):
            _log.info("up to date, key %s", key[:16])
            _remove_halves(work)
            return BuildResult(out, previous, True, time.monotonic() - clock)
        _log.info("build %s, key %s, workers %d", pipeline.name, key[:16], workers)
        assigned: dict[str, list[str]] = previous["splits"]["assignments"] if previous else {}
        frozen = frozenset(row_id for ids in assigned.values() for row_id in ids)
        first, second = folder_keys(pipeline, assigned)
        selection, blocks = work / f"select-{first}", work / f"blocks-{second}"
        select_rows(pipeline, selection, progress, frozen=frozen)
        selected = sorted(selection.glob("selected-*.parquet"))
        schema = prepared_schema(pipeline)
        run_blocks(selected, schema, pipeline.steps, blocks, workers=workers, progress=progress)
        target = staging(work)
        assembled = assemble(pipeline, selection, blocks, target, frozen=assigned)
        manifest = build_manifest(pipeline, assembled, read_count(selection), previous)
        head = front_matter(
            [Config(CONFIG, corpus_schema(pipeline), assembled.splits)],
            card_metadata(manifest, pipeline),
        )
        readme, manifest["card_sha256"] = render_readme(
            head,
            card_body(manifest, pipeline, out.name),
            existing=out / "README.md",
            generated_sha256=previous["card_sha256"] if previous else None,
        )
        (target / "README.md").write_bytes(readme)
        (target / "manifest.json").write_bytes(dump_json(manifest))
        record = run_record(started, time.monotonic() - clock, workers)
        (target / "run.json").write_bytes(dump_json(record))
        swap_in(out)
        _remove_halves(work)
        _log.info("kept %d of %d rows", assembled.kept, manifest["counts"]["read"])
    return BuildResult(out, manifest, False, time.monotonic() - clock)


def dry_run(pipeline: Pipeline, progress: Progress | None = None) -> dict[str, Any]:
    """Reads, selects and cleans, and says what a build would do; writes nothing to keep.

    Returns:
        ``read``, ``selected`` (rows that would go to the models) and ``rejected``
        by ``stage/reason``.
    """
    with tempfile.TemporaryDirectory(prefix="isogloss-") as folder:
        selection = Path(folder) / "select"
        select_rows(pipeline, selection, progress or Silent())
        rejected: Counter[str] = Counter()
        for path in sorted(selection.glob("rejected-*.parquet")):
            table = pl.read_parquet(path, columns=["stage", "reason"])
            for stage, reason, count in table.group_by("stage", "reason").len().iter_rows():
                rejected[f"{stage}/{reason}"] += count
        files = selection.glob("selected-*.parquet")
        selected = sum(pq.read_metadata(path).num_rows for path in files)
        return {
            "read": read_count(selection),
            "selected": selected,
            "rejected": dict(sorted(rejected.items())),
        }


def _remove_halves(work: Path) -> None:
    for leftover in (*work.glob("select-*"), *work.glob("blocks-*")):
        shutil.rmtree(leftover)


def _refuse_other_seed(pipeline: Pipeline, previous: Manifest | None, out: Path) -> None:
    if previous and previous["seed"] != pipeline.seed:
        raise OptionError(
            f"the splits of this corpus were drawn with --seed {previous['seed']} and are frozen",
            where=f"--seed {pipeline.seed}",
            remedy=f"keep that seed, or choose another --out than {out}",
        )


def _intact(folder: Path, manifest: Manifest) -> bool:
    return (folder / "README.md").exists() and all(
        (folder / name).is_file() and file_sha256(folder / name) == entry["sha256"]
        for name, entry in manifest["files"].items()
    )


@contextmanager
def _logging_to(path: Path) -> Iterator[None]:
    """Writes our log lines to a file: phases and counts, never a text of the corpus."""
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("isogloss")
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield
    except Exception as error:
        _log.error("stopped: %s", type(error).__name__)
        raise
    finally:
        root.setLevel(level)
        root.removeHandler(handler)
        handler.close()
