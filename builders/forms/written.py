"""Writes a form of a corpus: staged whole, then moved into place."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from ... import __version__
from ...corpus.folder import corpus_folder, staging, swap_in
from ...corpus.hashing import json_sha256
from ...corpus.manifest import (
    FORMAT_VERSION,
    Manifest,
    dump_json,
    package_versions,
    read_manifest,
    require_whole,
)
from ...corpus.readme import Config, SplitFiles, front_matter, render_readme, text_sha256
from ...corpus.schema import Schema, features
from ...corpus.store import storage_errors, to_arrow, write_parquet
from ...errors import OutputError
from ..engine.finish import CONFIG, written_files
from ..engine.record import run_record

__all__ = ["FormResult", "Version", "form_key", "versions"]

_PACKAGES = ("numpy", "polars", "pyarrow", "rapidfuzz")
#: What a work folder may hold when a form is made: nothing of a build.
_WORK_FILES = {"lock", "staged", "old"}


@dataclass(frozen=True, slots=True)
class FormResult:
    """A form of a corpus that was made.

    Attributes:
        folder: Its folder.
        manifest: Its manifest.
        seconds: Wall time.
    """

    folder: Path
    manifest: Manifest
    seconds: float


@dataclass(slots=True)
class Version:
    """A version of a form, being put together in a staging folder.

    Attributes:
        out: The corpus folder.
        target: The staging folder.
        schema: The columns of its rows.
        splits: The splits written so far, by name.
    """

    out: Path
    target: Path
    schema: Schema
    splits: dict[str, SplitFiles] = field(default_factory=dict)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    clock: float = field(default_factory=time.monotonic)

    def write(self, name: str, rows: pl.DataFrame) -> None:
        """Writes rows to a file of ``data/``, by its path in the folder; none without rows."""
        if not rows.height:
            return
        path = self.target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_parquet(rows, path, self.schema)
        split = path.name.split("-")[0]
        before = self.splits.get(split, SplitFiles(split, 0, 0, 0))
        self.splits[split] = SplitFiles(
            split,
            before.rows + rows.height,
            before.file_bytes + path.stat().st_size,
            before.text_bytes + to_arrow(rows, self.schema).nbytes,
        )

    def finish(self, manifest: Manifest, *, card: Mapping[str, Any], body: str) -> FormResult:
        """Completes manifest and card, and moves the version into place.

        Args:
            manifest: What the form says of itself and its origin.
            card: Keys of the card's front matter beside configs and features.
            body: The card's text.
        """
        previous = read_manifest(self.out)
        previous = previous and require_whole(previous, self.out)
        _refuse_other_splits(previous, manifest, self.out)
        manifest = {
            "format_version": FORMAT_VERSION,
            "isogloss_version": __version__,
            **manifest,
            "columns": features(self.schema),
            "files": dict(written_files(self.target)),
            "packages": package_versions(_PACKAGES),
        }
        order = [self.splits[name] for name in manifest["splits"]["rows"] if name in self.splits]
        head = front_matter([Config(CONFIG, self.schema, order)], card)
        readme, body_sha256 = render_readme(
            head,
            body,
            existing=self.out / "README.md",
            generated_sha256=previous["card"]["body_sha256"] if previous else None,
        )
        manifest["card"] = {"head_sha256": text_sha256(head), "body_sha256": body_sha256}
        (self.target / "README.md").write_bytes(readme)
        (self.target / "manifest.json").write_bytes(dump_json(manifest))
        seconds = time.monotonic() - self.clock
        (self.target / "run.json").write_bytes(dump_json(run_record(self.started, seconds, 1)))
        swap_in(self.out)
        return FormResult(self.out, manifest, seconds)


@contextmanager
def versions(out: Path, *, builder: str, form: str, schema: Schema) -> Iterator[Version]:
    """Opens a folder to put a form of a corpus into, for this process alone.

    Raises:
        OutputError: If the folder holds something else, an unfinished build included: its
            journal and its blocks hold texts that would stay beside the new form.
    """
    with corpus_folder(out, builder=builder, form=form) as work, storage_errors(out):
        if {path.name for path in work.iterdir()} - _WORK_FILES:
            raise OutputError(
                "the folder holds an unfinished build",
                where=str(out),
                remedy="choose another --out",
            )
        target = staging(work)
        (target / "rejected").mkdir()
        yield Version(out, target, schema)


def form_key(origin: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Key of a form: everything that can change its ``data/`` or ``rejected/``."""
    return json_sha256({"origin": dict(origin), "settings": dict(settings)})


def _refuse_other_splits(previous: Manifest | None, manifest: Manifest, out: Path) -> None:
    """A row that sits in a published split stays there: a folder takes no other corpus."""
    before = previous["splits"]["assignments"] if previous else {}
    now = manifest["splits"]["assignments"]
    if any(not set(ids) <= set(now.get(name, ())) for name, ids in before.items()):
        raise OutputError(
            "the folder holds a form of another corpus: its splits are not the ones of this",
            where=str(out),
            remedy="choose another --out",
        )
