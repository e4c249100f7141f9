"""Merges a project's labels into its corpus: a new version with verdicts as columns.

A merge starts from the corpus as it was before any merge of the same project, so that the same
labels give the same bytes, however often, and other labels no trace of the earlier ones.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from ..corpus.annotated import KEY, before
from ..corpus.folder import corpus_folder, staging, standing_manifest, swap_in
from ..corpus.manifest import Manifest, require_whole
from ..corpus.opened import FULL
from ..corpus.store import read_parquet, storage_errors, write_parquet
from ..corpus.version import DataFiles
from ..errors import AnnotationError, OptionError
from ..failpoints import failpoint
from ..validation.agreement import AgreementReport
from .agreement import agreement_of
from .base import Base, open_base
from .columns import Added, merged_schema
from .counted import count_labels
from .entry import entry_of, notes_of
from .items import item_of
from .labels import FOLDER, LABEL, LABELS, check_labels, labels_path, read_labels
from .project import Project
from .version import Version, kept_aside

__all__ = ["Merged", "merge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A corpus with people's answers in it.

    Attributes:
        folder: The corpus folder.
        manifest: Its manifest.
        entry: What the manifest says of this project.
        agreement: Of the raters; None without a label that counts.
        notes: What the user should know, a line each.
        seconds: Wall time.
    """

    folder: Path
    manifest: Manifest
    entry: Mapping[str, Any]
    agreement: AgreementReport | None
    notes: tuple[str, ...]
    seconds: float


def merge(
    folder: Path,
    labels: pl.DataFrame | None,
    project: Project,
    *,
    min_labels: int = 1,
    sample: Mapping[str, Any] | None = None,
) -> Merged:
    """Writes a new version of a corpus, with the verdicts of a project's raters.

    Args:
        folder: The corpus folder.
        labels: All labels of the project (columns ``LABELS``), which take the place of those
            that the folder has; None for those that it has.
        project: What was asked.
        min_labels: With fewer answers to a question an item has no verdict on it.
        sample: How the items were drawn, for the manifest; None for what it says already.

    Raises:
        AnnotationError: If there are no labels, or the project and the corpus don't fit.
        CorpusError: If the folder is no corpus, is damaged, or a newer version made it.
        WorkFolderBusyError: If another process is at work in the folder.
    """
    if min_labels < 1:
        raise OptionError(f"{min_labels} can't be used", where="--min", remedy="give 1 or more")
    started, clock = datetime.now(UTC), time.monotonic()
    standing = standing_manifest(folder)
    if standing is None:
        open_base(folder, project)  # says that there is none
    manifest = require_whole(standing or {}, folder)
    name, form = str(manifest["builder"].get("name")), str(manifest.get("form", FULL))
    with corpus_folder(folder, builder=name, form=form) as work, storage_errors(folder):
        base = open_base(folder, project)
        table = _labels(folder, labels, project)
        schema = merged_schema(base, project)
        counted = count_labels(table, project, _texts(base, project, table["item"].unique()))
        added = Added.of(counted.labels, project, min_labels=min_labels)
        agreement = agreement_of(counted.labels, project)
        target = staging(work)
        notes = notes_of(counted)
        if lost := kept_aside(folder, work, project.name, table):
            notes.append(lost)
        _write_labels(folder, target, project, counted.table)
        failpoint("merge-labels")
        data = DataFiles(target, schema)
        for path, file in base.opened.files("data"):
            rows = before(read_parquet([file], base.opened.schema), _own(base, project))
            data.write(path, added.to(rows).select(list(schema)))
        failpoint("merge-data")
        entry = entry_of(
            project,
            counted,
            added,
            agreement,
            min_labels=min_labels,
            sample=sample or _sample(base, project),
        )
        version = Version(base, data, project.name, entry)
        manifest = version.finish(started, time.monotonic() - clock)
        swap_in(folder)
    return Merged(
        folder=folder,
        manifest=manifest,
        entry=manifest[KEY][project.name],
        agreement=agreement,
        notes=tuple(notes),
        seconds=time.monotonic() - clock,
    )


def _labels(folder: Path, labels: pl.DataFrame | None, project: Project) -> pl.DataFrame:
    table = read_labels(folder, project.name) if labels is None else labels
    if table is None or not table.height:
        raise AnnotationError(
            f"there are no labels of the project {project.name} yet",
            where=str(folder),
            remedy="let people answer first, then get their labels with `isogloss annotate pull`",
        )
    check_labels(table, where="labels")
    return table.sort(LABEL)


def _texts(base: Base, project: Project, ids: pl.Series) -> dict[str, str]:
    """By id, the hash of the texts that raters see of these rows, where the corpus has them."""
    columns = {"id", *(field.column for field in project.fields)} & set(base.schema)
    return {
        row["id"]: item_of(row, project).sha256
        for _, rows in base.data(columns=columns)
        for row in rows.filter(pl.col("id").is_in(ids.implode())).iter_rows(named=True)
    }


def _own(base: Base, project: Project) -> list[Mapping[str, Any]]:
    """What an earlier merge of the same project added."""
    return [base.entries[project.name]] if project.name in base.entries else []


def _sample(base: Base, project: Project) -> Mapping[str, Any] | None:
    return next((entry.get("sample") for entry in _own(base, project)), None)


def _write_labels(folder: Path, target: Path, project: Project, table: pl.DataFrame) -> None:
    """The folder's labels, with this project's as they are now."""
    if (folder / FOLDER).is_dir():
        shutil.copytree(folder / FOLDER, target / FOLDER)
    path = labels_path(target, project.name)
    path.parent.mkdir(exist_ok=True)
    write_parquet(table, path, LABELS)
