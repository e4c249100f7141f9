"""Writes a form of a corpus: staged whole, then moved into place."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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
from ...corpus.readme import front_matter, render_readme, text_sha256
from ...corpus.schema import Schema, features
from ...corpus.store import storage_errors
from ...corpus.version import DataFiles, written_files
from ...errors import OutputError
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
        data: Its files of rows.
    """

    out: Path
    data: DataFiles
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    clock: float = field(default_factory=time.monotonic)

    @property
    def target(self) -> Path:
        """The staging folder."""
        return self.data.target

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
            "columns": features(self.data.schema),
            "files": dict(written_files(self.target)),
            "packages": package_versions(_PACKAGES),
        }
        head = front_matter([self.data.config(manifest["splits"]["rows"])], card)
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
        yield Version(out, DataFiles(target, schema))


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
