"""Completes a version of an annotated corpus: manifest, card, times."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from ..corpus.annotated import KEY
from ..corpus.annotated_card import annotated_section, with_section
from ..corpus.hashing import file_sha256
from ..corpus.manifest import Manifest, dump_json
from ..corpus.readme import (
    front_matter,
    parsed_front_matter,
    read_body,
    render_readme,
    text_sha256,
)
from ..corpus.schema import features
from ..corpus.version import DataFiles, written_files
from ..errors import AnnotationError
from .base import Base
from .labels import LABEL, labels_path, read_labels

__all__ = ["Version", "kept_aside"]

#: What the front matter of a card says of the data, and is written anew.
_DATA_KEYS = ("configs", "dataset_info")


@dataclass(frozen=True, slots=True)
class Version:
    """A version whose labels and rows are written.

    Attributes:
        base: The corpus as it was.
        data: The files of rows.
        project: The project's name.
        entry: What the manifest will say of it.
    """

    base: Base
    data: DataFiles
    project: str
    entry: Mapping[str, Any]

    def finish(self, started: datetime, seconds: float) -> Manifest:
        """Writes card, manifest and times into the staged version; gives back the manifest."""
        old, folder, target = self.base.opened.manifest, self.base.opened.folder, self.data.target
        projects = dict(sorted({**self.base.entries, self.project: self.entry}.items()))
        kept = {name: one for name, one in old["files"].items() if name.startswith("rejected/")}
        manifest: Manifest = {
            **old,
            "columns": features(self.data.schema),
            "files": dict(sorted({**kept, **dict(written_files(target))}.items())),
            KEY: projects,
        }
        extra = parsed_front_matter(folder / "README.md")
        head = front_matter(
            [self.data.config(old["splits"]["rows"])],
            {key: value for key, value in extra.items() if key not in _DATA_KEYS},
        )
        readme, body_sha256 = render_readme(
            head,
            with_section(read_body(folder / "README.md"), annotated_section(projects)),
            existing=folder / "README.md",
            generated_sha256=old["card"].get("body_sha256"),
        )
        manifest["card"] = {"head_sha256": text_sha256(head), "body_sha256": body_sha256}
        (target / "README.md").write_bytes(readme)
        (target / "run.json").write_bytes(dump_json(self._run(started, seconds)))
        (target / "manifest.json").write_bytes(dump_json(manifest))
        return manifest

    def _run(self, started: datetime, seconds: float) -> dict[str, Any]:
        """The build's times, and when each project was merged last."""
        try:
            run = json.loads((self.base.opened.folder / "run.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            run = {}
        times = {
            "started": started.isoformat(timespec="seconds"),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(seconds, 3),
        }
        return {**run, KEY: {**run.get(KEY, {}), self.project: times}}


def kept_aside(folder: Path, work: Path, project: str, table: pl.DataFrame) -> str:
    """Keeps the labels in the folder in its work folder if a new table lacks some of them.

    Returns:
        A line that says so; "" if none is lacking.
    """
    path = labels_path(folder, project)
    try:
        before = read_labels(folder, project)
    except AnnotationError:
        what = "the labels that the corpus had can't be read"
    else:
        lacking = 0 if before is None else before.join(table, on=LABEL, how="anti").height
        if not lacking:
            return ""
        what = f"{lacking:,} labels that the corpus had are not among the new ones"
    copy = work / "labels" / f"{project}-{file_sha256(path)[:12]}.parquet"
    copy.parent.mkdir(exist_ok=True)
    shutil.copyfile(path, copy)
    return f"{what}; the earlier table is kept as {copy}"
