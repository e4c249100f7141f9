"""Sources with named columns: JSON lines, CSV (or tab-separated) and Parquet.

Needed are ``id`` and ``text``; ``author`` (any key that says which rows are by one
person) and ``posterior`` (P(African American), 0 to 1) are used where they are there.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ...corpus.text import encodable
from ...errors import SourceError
from .chunk import SOURCE_ROWS, Chunk, Refused, rejected_frame, row_id
from .lines import decode, line_chunks
from .stream import Stream

__all__ = ["read_csv", "read_jsonl", "read_parquet_rows", "require_columns"]

_COLUMNS = ("id", "text", "author", "posterior")
_NEEDED = ("id", "text")
_TEXT_VALUE = re.compile(r'"text"\s*:\s*("(?:[^"\\]|\\.)*"?)')
csv.field_size_limit(1 << 30)


def require_columns(found: list[str], *, source: str) -> None:
    """Raises SourceError unless ``id`` and ``text`` are among the columns found."""
    missing = [name for name in _NEEDED if name not in found]
    if missing:
        raise SourceError(
            f"there is no column {' and no column '.join(repr(name) for name in missing)}",
            where=source,
            remedy=f"rename columns so that id and text are there; found: {', '.join(found[:12])}",
        )


class _Rows:
    """Collects the rows of one chunk, checking each."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._rows: list[tuple[int, str, str, str | None, float | None]] = []
        self.refused: list[Refused] = []

    def add(self, position: int, record: Mapping[str, Any]) -> None:
        """Takes a record, or notes why it can't be taken."""
        key = row_id(record.get("id"), position=position, source=self._source)
        text = record.get("text")
        text = text if isinstance(text, str) else ""
        shown = text if encodable(text) else json.dumps(text)
        if key is None:
            self.refused.append(Refused(position, "no_id", "the id is empty", shown))
        elif shown != text or not encodable(key):
            detail = "half of a surrogate pair"
            named = key if encodable(key) else None
            self.refused.append(Refused(position, "lone_surrogate", detail, shown, named))
        elif not text.strip():
            self.refused.append(Refused(position, "no_text", "the text is empty", "", key))
        else:
            self._add(position, key, text, record.get("author"), record.get("posterior"))

    def _add(self, position: int, key: str, text: str, author: Any, posterior: Any) -> None:
        grouped = None if author in (None, "") else str(author)
        if grouped is not None and not encodable(grouped):
            detail = "half of a surrogate pair in the author"
            self.refused.append(Refused(position, "lone_surrogate", detail, text, key))
            return
        try:
            number = None if posterior in (None, "") else float(posterior)
            if number is not None and not (0 <= number <= 1 or math.isnan(number)):
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            detail = "the posterior is not a number from 0 to 1"
            self.refused.append(Refused(position, "invalid_number", detail, text, key))
            return
        self._rows.append((position, key, text, grouped, number))

    def chunk(self, consumed: int) -> Chunk:
        """The rows so far as a chunk."""
        frame = pl.DataFrame(self._rows, schema=dict(SOURCE_ROWS), orient="row")
        return Chunk(frame, rejected_frame(self.refused, stage="read"), consumed)


def read_jsonl(stream: Stream, rows: int) -> Iterator[Chunk]:
    """Reads one JSON object per line."""
    first = True
    for lines in line_chunks(stream, rows):
        frame, refused = decode(lines)
        collected = _Rows(stream.name)
        collected.refused += [replace(row, text=_texts(row.text)) for row in refused]
        for position, line in frame.iter_rows():
            if not line.strip():
                collected.refused.append(Refused(position, "blank_line", "", ""))
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                detail = f"not JSON: {error}"
                collected.refused.append(Refused(position, "invalid_json", detail, _texts(line)))
                continue
            if not isinstance(record, dict):
                detail = "not a JSON object"
                collected.refused.append(Refused(position, "invalid_json", detail, _texts(line)))
                continue
            if first:
                require_columns(list(record), source=stream.name)
                first = False
            collected.add(position, record)
        yield collected.chunk(lines.consumed)


def _texts(line: str) -> str:
    """What may be shown of a line that is no JSON: what stands after the name ``text``."""
    found = _TEXT_VALUE.search(line)
    return found[1] if found else "…"


def read_csv(stream: Stream, rows: int, delimiter: str) -> Iterator[Chunk]:
    """Reads a table with a header line; ``position`` counts rows after the header."""
    text = io.TextIOWrapper(stream.file, "utf-8-sig", errors="surrogateescape", newline="")
    # In tab-separated files a quote is a quote, unless the header is quoted itself.
    head = next((line for line in text if line.strip()), "")
    plain = delimiter == "\t" and '"' not in head
    quoting: Literal[0, 3] = csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL
    reader = csv.reader(text, delimiter=delimiter, strict=True, quoting=quoting)
    try:
        header = [
            name.strip() for name in next(csv.reader([head], delimiter=delimiter, quoting=quoting))
        ]
        require_columns(header, source=stream.name)
        numbers = count(1)
        while batch := list(islice(reader, rows)):
            collected = _Rows(stream.name)
            for fields, position in zip(batch, numbers, strict=False):
                _add_fields(collected, position, header, fields)
            yield collected.chunk(stream.consumed())
    except csv.Error as error:
        raise SourceError(
            f"line {reader.line_num} is not CSV ({error})",
            where=stream.name,
            remedy="check its quotes",
        ) from error
    finally:
        text.detach()


def _add_fields(rows: _Rows, position: int, header: list[str], fields: list[str]) -> None:
    # Columns can't be told apart in a row of another length: nothing of it is shown.
    fits = len(fields) == len(header)
    shown = fields[header.index("text")] if fits else "…"
    for number, field in enumerate(fields, start=1):
        if not encodable(field):
            shown = shown.encode(errors="surrogateescape").decode(errors="backslashreplace")
            detail = f"field {number} is not UTF-8"
            rows.refused.append(Refused(position, "not_utf8", detail, shown))
            return
    if not fields:
        rows.refused.append(Refused(position, "blank_line", "", ""))
    elif not fits:
        detail = f"{len(fields)} fields where the header has {len(header)}"
        rows.refused.append(Refused(position, "field_count", detail, shown))
    else:
        rows.add(position, dict(zip(header, fields, strict=True)))


def read_parquet_rows(path: Path, rows: int) -> Iterator[Chunk]:
    """Reads a Parquet file; ``position`` counts its rows from 1."""
    try:
        file = pq.ParquetFile(path)
        require_columns(file.schema_arrow.names, source=path.name)
        names = [name for name in _COLUMNS if name in file.schema_arrow.names]
        kind = file.schema_arrow.field("text").type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise SourceError(
                f"the column text has the type {kind}",
                where=path.name,
                remedy="write it as a column of strings",
            )
        size = path.stat().st_size
        read = 0
        for batch in file.iter_batches(batch_size=rows, columns=names):
            collected = _Rows(path.name)
            for position, record in enumerate(batch.to_pylist(), start=read + 1):
                collected.add(position, record)
            read += batch.num_rows
            yield collected.chunk(size * read // file.metadata.num_rows)
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise SourceError(
            f"the Parquet file is damaged ({str(error).splitlines()[0]})",
            where=path.name,
            remedy="fetch or write it again",
        ) from error
