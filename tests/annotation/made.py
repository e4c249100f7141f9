"""Corpora and labels for these tests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
from isogloss.annotation.items import read_items
from isogloss.annotation.labels import Label, labels_table, pseudonym
from isogloss.annotation.project import Field, Project, Question
from isogloss.corpus.manifest import FORMAT_VERSION, dump_json
from isogloss.corpus.readme import front_matter, text_sha256
from isogloss.corpus.schema import COMMON, Schema, features
from isogloss.corpus.version import CONFIG, DataFiles, written_files

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
YES_NO = {"yes": "Yes", "no": "No"}


def question(name: str = "natural", kind: Any = "yes_no", **more: Any) -> Question:
    labels = {
        "yes_no": YES_NO,
        "choice": {"keep": "Keep", "drop": "Drop", "ask": "Ask"},
        "scale": {str(number): str(number) for number in range(1, 6)},
        "text": {},
    }[kind]
    given = {"title": name, "description": "", "required": True, "labels": labels, **more}
    return Question(name=name, kind=kind, **given)


def project(*questions: Question, name: str = "toy", **more: Any) -> Project:
    given: dict[str, Any] = {
        "version": 1,
        "builder": "toy",
        "title": "Toy",
        "language": "en",
        "guidelines": "# Say what you think\n",
        "fields": (
            Field(column="dialect", title="Text 1"),
            Field(column="standard", title="Text 2"),
            Field(column="note", title="Note", required=False),
        ),
        "strata": ("split",),
        "assignment": "shared",
        "author": "",
        "min_raters": 3,
        **more,
    }
    return Project(name=name, questions=questions or (question(),), **given)


def corpus(
    folder: Path,
    rows: Iterable[Mapping[str, Any]] | int = 6,
    *,
    more: Schema | None = None,
    form: str = "full",
    builder: str = "toy",
) -> Path:
    """A corpus folder as a builder would leave it; with a number, rows named r00, r01, …."""
    schema = {**COMMON, **(more or {})}
    if isinstance(rows, int):
        rows = [{"dialect": f"dialect {n}", "standard": f"standard {n}"} for n in range(rows)]
    full = [
        {"id": f"r{n:02d}", "variety": "bavarian", "split": "first" if n % 3 else "rest"}
        | dict(row)
        for n, row in enumerate(rows)
    ]
    frame = pl.DataFrame(full, schema=schema, infer_schema_length=None).sort("id")
    data = DataFiles(folder, schema)
    for split in ("first", "rest"):
        part = frame.filter(pl.col("split") == split)
        data.write(f"data/{CONFIG}/{split}-00000-of-00001.parquet", part)
    (folder / "rejected").mkdir(parents=True, exist_ok=True)
    names = {name: data.splits[name].rows for name in ("first", "rest") if name in data.splits}
    head, body = front_matter([data.config(names)], {"pretty_name": "Toy"}), "# Toy\n\nRows.\n"
    manifest = {
        "format_version": FORMAT_VERSION,
        "builder": {"name": builder, "version": 1},
        "build_key": "k",
        "seed": 0,
        "counts": {"read": frame.height, "kept": frame.height, "rejected": {}},
        "splits": {"rows": names, "assignments": {"first": []}},
        "columns": features(schema),
        "files": dict(written_files(folder)),
        "card": {"head_sha256": text_sha256(head), "body_sha256": text_sha256(body)},
    }
    if form != "full":
        manifest["form"] = form
    (folder / "README.md").write_text(head + body)
    (folder / "manifest.json").write_bytes(dump_json(manifest))
    (folder / "run.json").write_bytes(dump_json({"seconds": 1.5}))
    return folder


def label(item: str, rater: str, question: str, answer: str | None, **more: Any) -> Label:
    given: dict[str, Any] = {
        "status": "submitted",
        "inserted_at": AT,
        "updated_at": AT + timedelta(seconds=5),
        **more,
    }
    name = pseudonym(rater, project="toy")
    return Label(item=item, rater=name, question=question, label=answer, **given)


def answers(question: str, given: Mapping[str, str | None], **more: Any) -> pl.DataFrame:
    """A table of labels: by item, the first letters of what raters 0, 1, … said (y, n, k, d, a).

    A hyphen stands for a rater who wasn't asked.
    """
    words = {"y": "yes", "n": "no", "k": "keep", "d": "drop", "a": "ask"}
    return labels_table(
        label(item, f"u{at}", question, words.get(letter, letter), **more)
        for item, letters in given.items()
        for at, letter in enumerate(letters or "")
        if letter != "-"
    )


def hashes(folder: Path, asked: Project) -> dict[str, str]:
    return {item.id: item.sha256 for item in read_items(folder, asked).items}


def rows_of(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(sorted((folder / "data").rglob("*.parquet"))).sort("id")


def manifest_of(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return manifest


def tree(folder: Path) -> dict[str, str]:
    """SHA-256 of everything that must not differ from run to run."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".work" not in path.parts and path.name != "run.json"
    }
