"""Runs a pipeline: select, blocks, finish; resumable at every point."""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq

from ...corpus.folder import corpus_folder, staging, swap_in
from ...corpus.hashing import file_sha256
from ...corpus.journal import FILE_NAME, Journal
from ...corpus.manifest import Manifest, dump_json, read_manifest, require_whole
from ...corpus.readme import (
    Config,
    front_matter,
    read_front_matter,
    render_readme,
    text_sha256,
)
from ...corpus.splits import REST
from ...corpus.store import storage_errors, write_atomic
from ...corpus.version import CONFIG
from ...errors import OptionError, OutputError, SourceError
from ...models.asker import Session
from ...models.budget import Limits
from ...models.usage import Usage
from .blocks import run_blocks
from .card import card_body, card_metadata
from .estimate import estimate_line, estimated
from .examples import examples
from .failures import failure_line
from .finish import assemble, corpus_schema
from .pipeline import Pipeline
from .progress import Progress, Silent
from .record import build_key, build_manifest, folder_keys, models_record, run_record
from .selection import prepared_schema, read_count, select_rows

__all__ = ["BuildResult", "dry_run", "run"]

_log = logging.getLogger("isogloss.build")
#: Since when failed requests are being asked again.
_RETRYING = "retrying-since"
#: The parts of a corpus folder that a build fills.
_BUILT = ("data", "rejected")
_LABELS = "annotations"


@dataclass(frozen=True, slots=True)
class BuildResult:
    """A corpus that was built.

    Attributes:
        folder: The corpus folder.
        manifest: Its manifest.
        up_to_date: True if it had been built before and nothing was left to do.
        seconds: Wall time of this run.
        examples: A few rows worth showing, with the columns to show.
    """

    folder: Path
    manifest: Manifest
    up_to_date: bool
    seconds: float
    examples: list[dict[str, str]]


def run(
    pipeline: Pipeline,
    out: Path,
    *,
    workers: int = 1,
    limits: Limits | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
) -> BuildResult:
    """Builds the corpus into ``out``, going on where an earlier run stopped.

    Args:
        pipeline: What to build.
        out: The corpus folder.
        workers: Blocks in work at the same time; changes the speed, not the result.
        limits: What the models may cost in all runs on this folder together.
        retry_failed: Ask again what a model failed to answer, and only that.
        progress: Told of what is done.

    Raises:
        IsoglossError: With the mistake in the input or the surroundings; what was
            finished before stays, and the next run goes on from there.
    """
    if workers < 1:
        raise OptionError(f"{workers} can't be used", where="--workers", remedy="give 1 or more")
    progress, limits = progress or Silent(), limits or Limits()
    _refuse_without_models(pipeline, limits, retry_failed)
    started, clock = datetime.now(UTC), time.monotonic()
    with (
        corpus_folder(out, builder=pipeline.name) as work,
        storage_errors(out),
        _logging_to(work / "build.log"),
    ):
        previous = read_manifest(out)
        previous = previous and require_whole(previous, out)
        _refuse_other_seed(pipeline, previous, out)
        key = build_key(pipeline)
        current = previous and previous["build_key"] == key and _intact(out, previous)
        if previous and current and not retry_failed:
            _log.info("up to date, key %s", key[:16])
            _remove_halves(work)
            seconds = time.monotonic() - clock
            return BuildResult(out, previous, True, seconds, examples(pipeline, out))
        _log.info("build %s, key %s, workers %d", pipeline.name, key[:16], workers)
        halves = _halves(pipeline, work, previous)
        with _models(pipeline, work, limits, retry_failed, progress) as session:
            _run_halves(pipeline, halves, previous, session, workers, progress)
            models = models_record(session)
        target = staging(work)
        manifest = _write_version(pipeline, target, halves, previous, out, models, progress)
        record = run_record(started, time.monotonic() - clock, workers, models)
        (target / "run.json").write_bytes(dump_json(record))
        swap_in(out)
        _note_labels(out, progress)
        _remove_halves(work)
        (work / _RETRYING).unlink(missing_ok=True)
        _log.info("kept %d of %d rows", manifest["counts"]["kept"], manifest["counts"]["read"])
    return BuildResult(out, manifest, False, time.monotonic() - clock, examples(pipeline, out))


def dry_run(
    pipeline: Pipeline, progress: Progress | None = None, *, limits: Limits | None = None
) -> dict[str, Any]:
    """Reads, selects and cleans, and says what a build would do; writes nothing to keep.

    Args:
        pipeline: What would be built.
        progress: Told of what is done.
        limits: What the models may cost.

    Returns:
        ``read``, ``selected`` (rows that would go to the models), ``estimate`` (what they
        would take, as a line, and whether that is over a limit) and ``rejected`` by
        ``stage/reason``.

    Raises:
        IsoglossError: If a build would not even begin.
    """
    progress, limits = progress or Silent(), limits or Limits()
    _refuse_without_models(pipeline, limits, retry_failed=False)
    with (
        tempfile.TemporaryDirectory(prefix="isogloss-") as folder,
        _models(pipeline, Path(folder), limits, False, progress),
    ):
        selection = Path(folder) / "select"
        select_rows(pipeline, selection, progress)
        rejected: Counter[str] = Counter()
        for path in sorted(selection.glob("rejected-*.parquet")):
            table = pl.read_parquet(path, columns=["stage", "reason"])
            for stage, reason, count in table.group_by("stage", "reason").len().iter_rows():
                rejected[f"{stage}/{reason}"] += count
        files = sorted(selection.glob("selected-*.parquet"))
        selected = sum(pq.read_metadata(path).num_rows for path in files)
        return {
            "read": read_count(selection),
            "selected": selected,
            "estimate": estimate_line(estimated(pipeline, files), limits),
            "rejected": dict(sorted(rejected.items())),
        }


def _halves(pipeline: Pipeline, work: Path, previous: Manifest | None) -> tuple[Path, Path]:
    """The work folders of both halves."""
    first, second = folder_keys(pipeline, _assigned(previous))
    return work / f"select-{first}", work / f"blocks-{second}"


def _assigned(previous: Manifest | None) -> dict[str, list[str]] | None:
    """Ids by split, as an earlier build drew them; None without one."""
    if previous is None:
        return None
    assigned: dict[str, list[str]] = previous["splits"]["assignments"]
    return assigned


def _run_halves(
    pipeline: Pipeline,
    halves: tuple[Path, Path],
    previous: Manifest | None,
    session: Session | None,
    workers: int,
    progress: Progress,
) -> None:
    """Selects rows and takes them through the steps."""
    selection, blocks = halves
    ids = (_assigned(previous) or {}).values()
    frozen = frozenset(row_id for drawn in ids for row_id in drawn)
    select_rows(pipeline, selection, progress, frozen=frozen)
    selected = sorted(selection.glob("selected-*.parquet"))
    stop = None
    if session is not None:
        if session.retry_failed:  # the journal gives back what was answered
            shutil.rmtree(blocks, ignore_errors=True)
        spent = session.journal.spent()
        progress.note(estimate_line(estimated(pipeline, selected), session.limits, *spent))
        stop = session.stop
    run_blocks(
        selected,
        prepared_schema(pipeline),
        pipeline.steps,
        blocks,
        workers=workers,
        progress=progress,
        stop=stop,
    )


def _write_version(
    pipeline: Pipeline,
    target: Path,
    halves: tuple[Path, Path],
    previous: Manifest | None,
    out: Path,
    models: Mapping[str, Any] | None,
    progress: Progress,
) -> Manifest:
    """Puts a version together in ``target``, but for its ``run.json``."""
    assigned = _assigned(previous)
    assembled = assemble(pipeline, *halves, target, frozen=assigned, progress=progress)
    served_by = models["served_by"] if models else None
    manifest = build_manifest(pipeline, assembled, read_count(halves[0]), previous, served_by)
    _check_result(manifest, assigned, out, progress)
    head = front_matter(
        [Config(CONFIG, corpus_schema(pipeline), assembled.splits)],
        card_metadata(manifest, pipeline),
    )
    readme, body_sha256 = render_readme(
        head,
        card_body(manifest, pipeline),
        existing=out / "README.md",
        generated_sha256=previous["card"]["body_sha256"] if previous else None,
    )
    manifest["card"] = {"head_sha256": text_sha256(head), "body_sha256": body_sha256}
    (target / "README.md").write_bytes(readme)
    (target / "manifest.json").write_bytes(dump_json(manifest))
    return manifest


@contextmanager
def _models(
    pipeline: Pipeline, work: Path, limits: Limits, retry: bool, progress: Progress
) -> Iterator[Session | None]:
    """Opens the journal and binds the models to it, where the pipeline has any."""
    if not pipeline.open_models:
        yield None
        return
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(work / FILE_NAME))
        since = _retrying_since(work) if retry else ""
        session = Session(journal, limits, retry, since, Usage(progress.note))
        for open_model in pipeline.open_models:
            stack.enter_context(open_model(session))
        yield session


def _retrying_since(work: Path) -> str:
    """When failed requests were first asked again: now, or in a run that was killed since."""
    path = work / _RETRYING
    if not path.exists():
        # Six digits of the second: later than any time in the journal, which has three.
        write_atomic(path, datetime.now(UTC).isoformat(timespec="microseconds").encode())
    return path.read_text()


def _refuse_without_models(pipeline: Pipeline, limits: Limits, retry_failed: bool) -> None:
    """Refuses options about models where none is asked that could cost or fail."""
    given = {
        "--max-cost": limits.max_cost is not None,
        "--max-tokens": limits.max_tokens is not None,
        "--retry-failed": retry_failed,
    }
    useless = next((option for option, there in given.items() if there), None)
    if useless and not pipeline.open_models:
        raise OptionError(
            "this build asks no model that costs something or can fail",
            where=useless,
            remedy="leave it out",
        )


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
    """Whether the folder holds what its manifest says, no less and no more.

    People's labels are no work of a build: it has no say in them.
    """
    found = {
        path.relative_to(folder).as_posix()
        for part in _BUILT
        for path in (folder / part).rglob("*")
        if path.is_file()
    }
    built = {
        name: entry for name, entry in manifest["files"].items() if name.partition("/")[0] in _BUILT
    }
    head = read_front_matter(folder / "README.md")
    return (
        found == set(built)
        and text_sha256(head) == manifest["card"].get("head_sha256")
        and all(file_sha256(folder / name) == entry["sha256"] for name, entry in built.items())
    )


def _check_result(
    manifest: Manifest, assigned: dict[str, list[str]] | None, out: Path, progress: Progress
) -> None:
    """Refuses a corpus that nobody can want; notes what may surprise."""
    counts = manifest["counts"]
    if not counts["kept"]:
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in counts["rejected"].items())
        raise SourceError(
            f"no row is left of {counts['read']:,} ({reasons or 'the source has none'})",
            where=manifest["sources"][0]["name"],
            remedy=failure_line(manifest)
            or "look at the reasons and change the options, or give another source",
        )
    drawn = sum(len(ids) for ids in (assigned or {}).values())
    here = sum(rows for name, rows in manifest["splits"]["rows"].items() if name != REST)
    if drawn and not here:
        raise OutputError(
            "the folder holds a corpus of another source: none of the rows in its splits is here",
            where=str(out),
            remedy="choose another --out",
        )
    before = manifest["splits"]["drawn_from_rows"]
    if assigned is not None and counts["kept"] != before:
        progress.note(
            f"the splits were drawn when the corpus had {before:,} rows and are frozen; it has "
            f"{counts['kept']:,} now, and new rows are in {REST}. To draw anew, build into "
            "another --out"
        )


def _note_labels(out: Path, progress: Progress) -> None:
    """People's labels stay on the disk; a new version of the rows doesn't have them yet."""
    found = sorted(path.stem for path in (out / _LABELS).glob("*.parquet"))
    if found:
        progress.note(
            f"there are labels of people in {_LABELS}/ ({', '.join(found)}), and the new version "
            f"was made without them: `isogloss annotate merge {out}` joins them again"
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
