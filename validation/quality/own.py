"""Reads the pairs of a corpus folder that isogloss made."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import polars as pl
import pyarrow.parquet as pq

from ...corpus.hashing import file_sha256
from ...corpus.manifest import Manifest, read_manifest, require_whole
from ...errors import CorpusError, OptionError
from .pairs import Columns, Pairs, Refusals, readable
from .people import read_labels

__all__ = ["read_folder"]

_TEXTS = ("dialect", "standard", "back")
_NUMBERS = ("similarity", "back_similarity", "bertscore")
_IDS_FORM = "ids"


def read_folder(folder: Path, columns: Columns) -> Pairs:
    """Reads a corpus folder's pairs into memory, after a look at its files' hashes.

    Raises:
        CorpusError: If the folder is no corpus, is damaged, or has no dialect texts.
        OptionError: If columns are named, which a corpus of ours doesn't need.
    """
    if columns != Columns():
        raise OptionError(
            "the columns of a corpus folder are known",
            where=str(folder),
            remedy="leave out --dialect, --standard, --back, --id and --variety-column",
        )
    manifest = read_manifest(folder)
    if manifest is None:
        raise CorpusError(
            "this folder is no corpus: it has no manifest.json",
            where=str(folder),
            remedy="name a folder that isogloss built, or one file",
        )
    require_whole(manifest, folder)
    if manifest.get("form") == _IDS_FORM:
        raise CorpusError(
            "the ids form has no dialect texts to look at",
            where=str(folder),
            remedy="join them back with `isogloss hydrate`, and validate what it makes",
        )
    frame = _rows(folder, manifest)
    if not frame.height:
        raise CorpusError(
            "the corpus has no rows", where=str(folder), remedy="look into its rejected/ folder"
        )
    refused, frame = _without_withheld(frame)
    if not frame.height:
        raise CorpusError(
            f"all {refused.total:,} rows have a text that is withheld",
            where=str(folder),
            remedy="validate the full form",
        )
    sources = (source.get("note") for source in manifest.get("sources", []))
    models = (model.get("note") for model in manifest.get("models", {}).values())
    return Pairs(
        name=readable(folder.resolve().name),
        shape="corpus",
        sha256=file_sha256(folder / "manifest.json"),
        frame=frame,
        refused=refused,
        columns={name: name for name in _TEXTS if name in frame.columns},
        notes=[note for note in (*sources, *models) if note],
        labels=read_labels(folder, manifest),
    )


def _rows(folder: Path, manifest: Manifest) -> pl.DataFrame:
    files = [name for name in manifest["files"] if name.startswith("data/default/")]
    parts = []
    for name in files:
        path = folder / name
        if not path.is_file() or file_sha256(path) != manifest["files"][name]["sha256"]:
            raise CorpusError(
                "the file is missing, or not as the manifest says",
                where=str(path),
                remedy="restore it, or build the corpus again",
            )
        present = set(pq.read_schema(path).names)
        wanted = [c for c in ("id", "variety", *_TEXTS, *_NUMBERS) if c in present]
        parts.append(cast(pl.DataFrame, pl.from_arrow(pq.read_table(path, columns=wanted))))
    frame = pl.concat(parts).sort("id") if parts else pl.DataFrame()
    missing = {"dialect", "standard"} - set(frame.columns)
    if frame.height and missing:
        raise CorpusError(
            f"the corpus has no column {min(missing)!r}",
            where=str(folder),
            remedy="validate a corpus of pairs",
        )
    # A column without a single value was not measured.
    empty = [name for name in _NUMBERS if name in frame.columns and not frame[name].count()]
    return frame.drop(empty).with_row_index("position", offset=1).cast({"position": pl.Int64()})


def _without_withheld(frame: pl.DataFrame) -> tuple[Refusals, pl.DataFrame]:
    """A hydrated corpus has nulls where a text is withheld; such rows can't be looked at."""
    refused = Refusals()
    texts = [name for name in _TEXTS if name in frame.columns]
    whole = pl.all_horizontal(pl.col(name).is_not_null() for name in texts)
    for position in frame.filter(~whole)["position"]:
        refused.add("withheld", position)
    return refused, frame.filter(whole)
