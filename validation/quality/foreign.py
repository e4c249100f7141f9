"""Reads pairs from anybody's file: Parquet, JSON lines, CSV, tab-separated or TMX."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ...corpus.hashing import file_sha256
from ...corpus.reading import (
    Batch,
    Stream,
    csv_batches,
    is_parquet,
    jsonl_batches,
    open_stream,
    parquet_batches,
    resolve_source,
)
from ...corpus.text import encodable
from ...errors import OptionError, SourceError
from .column_names import find_column
from .pairs import Columns, Pairs, Refusals, VarietyNames, readable
from .row_variety import RowVariety
from .shape import text_shape
from .tmx import read_tmx

__all__ = ["read_file"]

_BATCH_ROWS = 16_384
#: The id of a TMX file's unit; ``id`` is the code of Indonesian.
_TUID = "tuid"
#: What is longer is no sentence and no paragraph; gates are made for texts up to this.
_MOST_CHARACTERS = 100_000


def read_file(source: str, columns: Columns, names: VarietyNames) -> Pairs:
    """Reads a file's pairs into memory.

    Args:
        source: ``FILE``, or ``FILE.zip::MEMBER``; may be compressed.
        columns: Which columns are the pair.
        names: What the varieties are called.

    Raises:
        SourceError: If the file can't be read, or lacks a column.
        OptionError: If it can't be told which columns or which variety are meant.
    """
    path, member = resolve_source(source)
    if is_parquet(path, member):
        shape, name = "parquet", readable(path.name)
        reader = _Reader(name, columns, RowVariety(name, names, columns.variety))
        wanted: list[str] = []

        def require(found: list[str]) -> None:
            reader.look(found)
            # The reader asks for these once the header is known.
            texts.extend(reader.text_columns)
            wanted.extend(filter(None, (*reader.id_column, reader.variety.column)))

        texts: list[str] = []
        reader.take(
            parquet_batches(path, _BATCH_ROWS, require=require, texts=texts, columns=wanted)
        )
    else:
        with open_stream(path, member) as stream:
            name = readable(stream.name)
            shape, delimiter = text_shape(stream)
        variety = RowVariety(name, names, columns.variety, may_differ=shape != "tmx")
        reader = _Reader(name, columns, variety, usual_id=_TUID if shape == "tmx" else "id")
        with open_stream(path, member) as stream:
            reader.take(_batches(stream, shape, delimiter, reader))
    return Pairs(
        name=name,
        shape=shape,
        sha256=file_sha256(path),
        frame=reader.frame(),
        refused=reader.refused,
        columns=reader.columns,
        notes=reader.variety.notes(),
    )


def _batches(stream: Stream, shape: str, delimiter: str, reader: _Reader) -> Iterator[Batch]:
    if shape == "tmx":
        return _tmx_batches(stream, reader)
    if shape == "jsonl":
        return jsonl_batches(stream, _BATCH_ROWS, require=reader.look, shown=())
    return csv_batches(stream, _BATCH_ROWS, delimiter, require=reader.look, shown=())


def _tmx_batches(stream: Stream, reader: _Reader) -> Iterator[Batch]:
    given = reader.given
    if given.dialect is None or given.standard is None:
        raise OptionError(
            "a TMX file has languages, and it isn't said which two are the pair",
            where="--dialect, --standard",
            remedy="give their codes, for example --dialect nds --standard de",
        )
    if given.variety is not None:
        raise OptionError(
            "a TMX file has languages, and no column that says a row's variety",
            where="--variety-column",
            remedy="say with --variety which dialect it is",
        )
    needed = tuple(name.lower() for name in (given.dialect, given.standard, given.back) if name)
    reader.look([*dict.fromkeys(needed), _TUID])
    batch = Batch()
    for unit in read_tmx(stream, needed=needed):
        batch.records.append((unit.position, {_TUID: unit.id, **unit.texts}))
        if len(batch.records) == _BATCH_ROWS:
            yield batch
            batch = Batch()
    yield batch


@dataclass(slots=True)
class _Reader:
    """Takes rows of one file and keeps the pairs."""

    name: str
    given: Columns
    variety: RowVariety
    usual_id: str = "id"
    id_column: list[str] = field(default_factory=list)
    refused: Refusals = field(default_factory=Refusals)
    columns: dict[str, str] = field(default_factory=dict)
    _kept: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def text_columns(self) -> list[str]:
        """What the file calls its columns of texts."""
        return list(self.columns.values())

    def look(self, found: list[str]) -> None:
        """Finds the columns among those of the file."""
        given = {"dialect": self.given.dialect, "standard": self.given.standard}
        for side, name in given.items():
            self.columns[side] = self._one(name, usual=side, found=found)
        spare = set(found) - set(self.columns.values())
        if self.given.back is not None or "back" in spare:
            self.columns["back"] = self._one(self.given.back, usual="back", found=found)
        if len(set(self.columns.values())) < len(self.columns):
            raise OptionError(
                "two sides are the same column",
                where=", ".join(f"{side} {name!r}" for side, name in self.columns.items()),
                remedy="name a column for each",
            )
        if self.given.id is not None or self.usual_id in found:
            self.id_column.append(self._one(self.given.id, usual=self.usual_id, found=found))
        self.variety.look(found, dialect=self.columns["dialect"], texts=self.text_columns)
        self._kept = {name: [] for name in ("position", "id", "variety", *self.columns)}

    def _one(self, name: str | None, *, usual: str, found: list[str]) -> str:
        return find_column(name, usual=usual, found=found, where=self.name)

    def take(self, batches: Iterator[Batch]) -> None:
        """Reads all rows."""
        for batch in batches:
            for refused in batch.refused:
                self.refused.add(refused.reason, refused.position)
            for position, record in batch.records:
                self._add(position, record)
        if not any(self._kept.values()):
            why = ", ".join(f"{reason} {n:,}" for reason, n in self.refused.counts.items())
            raise SourceError(
                f"there are no pairs in it ({why})" if why else "there are no rows in it",
                where=self.name,
                remedy="look at the reasons, and at the names of the columns"
                if why
                else "give a file with rows in it",
            )

    def _add(self, position: int, record: Mapping[str, Any]) -> None:
        texts = [_text(record.get(column)) for column in self.columns.values()]
        if why := _wrong(*texts):
            self.refused.add(why, position)
            return
        column = self.variety.column
        variety = self.variety.of(_text(record.get(column)) if column else None, position)
        if not variety:
            self.refused.add("no_variety", position)
            return
        row_id = _text(record.get(self.id_column[0])) if self.id_column else None
        row_id = row_id if row_id and encodable(row_id) else str(position)
        for kept, value in zip(
            self._kept.values(), (position, row_id, variety, *texts), strict=True
        ):
            kept.append(value)

    def frame(self) -> pl.DataFrame:
        """The pairs; a missing back-translation is an empty one."""
        schema = {name: pl.Int64() if name == "position" else pl.String() for name in self._kept}
        frame = pl.DataFrame(self._kept, schema=schema)
        return frame.with_columns(pl.col("back").fill_null("")) if "back" in schema else frame


def _wrong(dialect: str | None, standard: str | None, back: str | None = None) -> str:
    """Why a row is no pair; empty if it is one."""
    if dialect is None:
        return "no_dialect"
    if standard is None:
        return "no_standard"
    if not (encodable(dialect) and encodable(standard) and encodable(back or "")):
        return "lone_surrogate"
    if max(len(dialect), len(standard), len(back or "")) > _MOST_CHARACTERS:
        return "too_long"
    return "" if dialect.strip() else "no_dialect"


def _text(value: object) -> str | None:
    """A cell as text; numbers are written out, NaN and null are nothing."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
