"""Corpora for these tests, and what a reader can find in a folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
from isogloss.builders.samples import sample_path
from isogloss.corpus.hashing import file_sha256
from isogloss.corpus.manifest import dump_json
from isogloss.corpus.schema import schema_of
from isogloss.corpus.store import read_parquet, write_parquet

Row = dict[str, Any]
SAMPLE = sample_path("realaae")
#: Nobody's tweets, and near to none.
REWRITTEN = (
    "The speaker describes an ordinary event of that day in plain words.",
    "According to this message, something familiar took place among relatives or friends.",
    "Somebody reports what usually happens around here whenever people meet.",
)


def rows_of(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(sorted((folder / "data").rglob("*.parquet"))).sort("id")


def rejected_of(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(sorted((folder / "rejected").glob("*.parquet"))).sort("position", "id")


def manifest_of(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return manifest


def save_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    (folder / "manifest.json").write_bytes(dump_json(manifest))


def rewrite(folder: Path, change: Callable[[Row], Row]) -> None:
    """Changes the rows of a built corpus as if it had been built so."""
    manifest = manifest_of(folder)
    schema = schema_of(manifest["columns"])
    for name, entry in manifest["files"].items():
        if not name.startswith("data/"):
            continue
        path = folder / name
        rows = [change(row) for row in read_parquet([path], schema).to_dicts()]
        write_parquet(pl.DataFrame(rows, schema=dict(schema)), path, schema)
        entry |= {"sha256": file_sha256(path), "bytes": path.stat().st_size}
    save_manifest(folder, manifest)


def edited(row: Row) -> Row:
    """Texts of every kind: the tweet, nearly the tweet, a quotation of it, and others."""
    tweet, number = row["dialect"], int(row["id"]) % 7
    words = tweet.split()
    other = REWRITTEN[number % 3]
    standard = {
        0: tweet,
        1: tweet.upper().replace("'", ""),
        2: " ".join([*words[:4], "refrigerators", *words[5:]]),
        3: f"{other} {tweet} {other}",
        4: f"{other} {' '.join(words[:8])} {other}",
    }.get(number, other)
    return {**row, "standard": standard, "back": other if number % 2 else tweet}


def strings_in(folder: Path) -> Iterator[str]:
    """Everything that can be read in any file of a folder, hidden ones and metadata included."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        yield path.name
        yield path.read_bytes().decode(errors="replace")
        if path.suffix == ".json":
            yield json.dumps(json.loads(path.read_text()), ensure_ascii=False)
        if path.suffix == ".parquet":
            for values in pq.read_table(path).columns:
                yield "\n".join(map(str, values.to_pylist()))
            for key, value in (pq.read_metadata(path).metadata or {}).items():
                yield f"{key!r} {value!r}"


def source_texts(source: Path, full: Path) -> set[str]:
    """The texts of a TwitterAAE file, as they are there, cleaned and rejected."""
    raw = {
        json.loads(line.split("\t")[5])
        for line in source.read_text().splitlines()
        if line.count("\t") == 9
    }
    rejected = rejected_of(full)["text"].drop_nulls()
    return {*raw, *rows_of(full)["dialect"], *rejected}


def told(folder: Path, texts: set[str]) -> set[str]:
    """What of the texts stands in the folder: eight words in a row, or a whole short text."""
    content = " ".join("\n".join(strings_in(folder)).casefold().split())
    found = set()
    for text in texts:
        words = text.casefold().split()
        runs = {" ".join(words[at : at + 8]) for at in range(max(1, len(words) - 7))}
        found |= {run for run in runs if run.count(" ") >= 3 and run in content}
    return found
