"""Labels that people gave to a corpus folder's rows, as ratings whose agreement is measured.

They stand in ``annotations/<project>.parquet``: columns ``item``, ``rater`` (a pseudonym),
``question``, ``label``, ``status``, and times. What was asked says the manifest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa

from ...corpus.annotated import entries
from ...corpus.hashing import file_sha256
from ...corpus.manifest import Manifest
from ...corpus.store import read_parquet
from ...errors import CorpusError

__all__ = ["Labels", "read_labels"]

_SCHEMA = dict.fromkeys(("item", "rater", "question", "label", "status"), pl.String())


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels that count: submitted, to a question whose answers are labels.

    Attributes:
        frame: Columns ``item``, ``rater``, ``question``, ``label``.
        offered: The labels that raters could choose from, by question.
        files: Where they stand in the corpus folder.
    """

    frame: pl.DataFrame
    offered: Mapping[str, Sequence[str]]
    files: Sequence[str]

    @property
    def note(self) -> str:
        """What a reader of the report must know of them."""
        return f"The agreement is of the labels in {', '.join(self.files)}."


def read_labels(folder: Path, manifest: Manifest) -> Labels | None:
    """Reads the labels that a corpus was merged with; None if there are none that count.

    Where two projects have a question of one name, it is told by ``project.question``.

    Raises:
        CorpusError: If a file isn't as the manifest says.
    """
    projects = entries(manifest, where=str(folder / "manifest.json"))
    questions = {
        name: {one["name"]: one["labels"] for one in entry["questions"] if one["labels"]}
        for name, entry in projects.items()
    }
    times = Counter(question for asked in questions.values() for question in asked)
    frames, files = [], []
    offered: dict[str, Sequence[str]] = {}
    for project, asked in questions.items():
        file = f"annotations/{project}.parquet"
        table = _table(folder, file, manifest)
        known = pl.DataFrame(
            [(question, label) for question, labels in asked.items() for label in labels],
            schema={"question": pl.String, "label": pl.String},
            orient="row",
        )
        table = table.filter(pl.col("status") == "submitted").join(
            known, on=["question", "label"], how="semi", maintain_order="left"
        )
        if not table.height:
            continue
        names = {name: f"{project}.{name}" if times[name] > 1 else name for name in asked}
        frames.append(
            table.select(
                "item", "rater", pl.col("question").replace_strict(names, default=None), "label"
            )
        )
        offered |= {names[name]: labels for name, labels in asked.items()}
        files.append(file)
    return Labels(pl.concat(frames), offered, files) if frames else None


def _table(folder: Path, file: str, manifest: Manifest) -> pl.DataFrame:
    path, entry = folder / file, manifest["files"].get(file)
    try:
        if entry is not None and file_sha256(path) == entry["sha256"]:
            return read_parquet([path], _SCHEMA)
    except (OSError, pa.ArrowException):
        pass  # said below
    raise CorpusError(
        "the labels are missing, or not as the manifest says",
        where=str(path),
        remedy="restore the file, or join the labels again with `isogloss annotate merge`",
    )
