"""Reads pairs from anybody's file: Parquet, JSON lines, CSV, tab-separated or TMX."""

from __future__ import annotations

import difflib
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
    jsonl_batches,
    only_zip_has_members,
    open_stream,
    parquet_batches,
    resolve_source,
)
from ...corpus.text import encodable
from ...errors import OptionError, SourceError
from .pairs import Columns, Pairs, Refusals, VarietyNames
from .tmx import read_tmx

__all__ = ["read_file"]

_BATCH_ROWS = 16_384
_VARIETY = "variety"
_SHAPES = "Parquet, JSON lines, CSV, tab-separated, or TMX"


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
    with path.open("rb") as file:
        is_parquet = file.read(4) == b"PAR1"
    if is_parquet and member:
        raise only_zip_has_members(path, member)
    if is_parquet:
        shape, name = "parquet", path.name
        reader = _Reader(name, columns, names)
        wanted = [columns.id or "id", _VARIETY]

        def require(found: list[str]) -> None:
            reader.look(found)
            # The reader asks for these once the header is known.
            texts.extend(reader.text_columns)

        texts: list[str] = []
        reader.take(
            parquet_batches(path, _BATCH_ROWS, require=require, texts=texts, columns=wanted)
        )
    else:
        with open_stream(path, member) as stream:
            name = stream.name
            shape, delimiter = _shape(stream)
        reader = _Reader(name, columns, names)
        with open_stream(path, member) as stream:
            reader.take(_batches(stream, shape, delimiter, reader))
    return Pairs(
        name=name,
        shape=shape,
        sha256=file_sha256(path),
        frame=reader.frame(),
        refused=reader.refused,
        columns=reader.columns,
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
    needed = tuple(name.lower() for name in (given.dialect, given.standard, given.back) if name)
    reader.look([*needed, "id"])
    batch = Batch()
    for unit in read_tmx(stream, needed=needed):
        batch.records.append((unit.position, {"id": unit.id, **unit.texts}))
        if len(batch.records) == _BATCH_ROWS:
            yield batch
            batch = Batch()
    yield batch


def _shape(stream: Stream) -> tuple[str, str]:
    """What a text file is, and the delimiter of a table."""
    first = b""
    while not first.strip():
        line = stream.file.readline(1 << 24)
        if not line:
            raise SourceError(
                "there is nothing but empty lines in it",
                where=stream.name,
                remedy=f"give {_SHAPES}",
            )
        first = line.removeprefix(b"\xef\xbb\xbf")
    start = first.lstrip()
    if start.startswith(b"<"):
        return "tmx", ""
    if start.startswith(b"{"):
        return "jsonl", ""
    if start.startswith(b"["):
        raise SourceError(
            "this is one JSON array",
            where=stream.name,
            remedy="write one object per line (jq -c '.[]' does it)",
        )
    delimiter = max((b"\t", b",", b";"), key=first.count)
    if not first.count(delimiter):
        raise SourceError(
            "the first line has one column only, so there is no pair",
            where=stream.name,
            remedy=f"give {_SHAPES} with a header line",
        )
    return "csv", delimiter.decode()


@dataclass(slots=True)
class _Reader:
    """Takes rows of one file and keeps the pairs."""

    name: str
    given: Columns
    names: VarietyNames
    refused: Refusals = field(default_factory=Refusals)
    columns: dict[str, str] = field(default_factory=dict)
    _by_row: bool = False
    _fixed: str = ""
    _rows: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def text_columns(self) -> list[str]:
        """What the file calls its columns of texts."""
        return list(self.columns.values())

    def look(self, found: list[str]) -> None:
        """Finds the columns among those of the file."""
        given = {"dialect": self.given.dialect, "standard": self.given.standard}
        for side, name in given.items():
            self.columns[side] = self._one(name, usual=side, found=found)
        if self.columns["dialect"] == self.columns["standard"]:
            raise OptionError(
                "both sides are the same column",
                where=f"--dialect {self.columns['dialect']}",
                remedy="name two columns",
            )
        if self.given.back is not None or "back" in found:
            self.columns["back"] = self._one(self.given.back, usual="back", found=found)
        if self.given.id is not None:
            self._one(self.given.id, usual="id", found=found)
        self._by_row = _VARIETY in found and _VARIETY not in self.columns.values()
        fixed = self.names.whole or self.names.resolve(self.columns["dialect"])
        if self.names.whole:
            self._by_row = False
        if fixed is None and not self._by_row:
            raise OptionError(
                f"which dialect stands in the column {self.columns['dialect']!r} isn't said",
                where=self.name,
                remedy="give --variety NAME; `isogloss varieties` lists them",
            )
        self._fixed = fixed or ""

    def _one(self, name: str | None, *, usual: str, found: list[str]) -> str:
        wanted = usual if name is None else name
        if wanted in found:
            return wanted
        lowered = {other.lower(): other for other in found}
        if wanted.lower() in lowered:
            return lowered[wanted.lower()]
        near = difflib.get_close_matches(wanted, found, n=1)
        shown = ", ".join(repr(column) for column in found[:20])
        if name is None:
            raise OptionError(
                f"there is no column {usual!r}; the columns are {shown}",
                where=self.name,
                remedy="say with --dialect and --standard which two are the pair",
            )
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise SourceError(
            f"there is no column {name!r}",
            where=self.name,
            remedy=f"{hint}The columns are {shown}" if hint else f"the columns are {shown}",
        )

    def take(self, batches: Iterator[Batch]) -> None:
        """Reads all rows."""
        for batch in batches:
            for refused in batch.refused:
                self.refused.add(refused.reason, refused.position)
            for position, record in batch.records:
                self._add(position, record)
        if not self._rows:
            why = ", ".join(f"{reason} {n:,}" for reason, n in self.refused.counts.items())
            raise SourceError(
                f"there are no pairs in it ({why})" if why else "there are no pairs in it",
                where=self.name,
                remedy="look at the reasons, and at the names of the columns",
            )

    def _add(self, position: int, record: Mapping[str, Any]) -> None:
        texts = [_text(record.get(column)) for column in self.text_columns]
        if any(text is None for text in texts[:2]):
            side = list(self.columns)[0 if texts[0] is None else 1]
            self.refused.add(f"no_{side}", position)
            return
        if not all(encodable(text) for text in texts if text):
            self.refused.add("lone_surrogate", position)
            return
        if not (texts[0] or "").strip():
            self.refused.add("no_dialect", position)
            return
        row_id = _text(record.get(self.given.id or "id"))
        row_id = row_id if row_id and encodable(row_id) else str(position)
        self._rows.append((position, row_id, self._variety(record, position), *texts))

    def _variety(self, record: Mapping[str, Any], position: int) -> str:
        if not self._by_row:
            return self._fixed
        value = record.get(_VARIETY)
        found = self.names.resolve(str(value)) if value not in (None, "") else self._fixed
        if not found:
            raise SourceError(
                f"no dialect is called {str(value)[:60]!r}",
                where=f"{self.name}, row {position}",
                remedy=f"say which it is with --variety {str(value)[:60]}=NAME",
            )
        return found

    def frame(self) -> pl.DataFrame:
        """The pairs; a missing back-translation is an empty one."""
        names = ["position", "id", "variety", *self.columns]
        schema = {name: pl.Int64() if name == "position" else pl.String() for name in names}
        frame = pl.DataFrame(self._rows, schema=schema, orient="row")
        return frame.with_columns(pl.col("back").fill_null("")) if "back" in names else frame


def _text(value: object) -> str | None:
    """A cell as text; numbers are written out, NaN and null are nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
