"""Sources with named columns: JSON lines, CSV (or tab-separated) and Parquet.

Needed are ``id`` and ``text``; ``author`` (any key that says which rows are by one
person) and ``posterior`` (P(African American), 0 to 1) are used where they are there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from ...corpus.reading import (
    Batch,
    Refused,
    Stream,
    csv_batches,
    jsonl_batches,
    parquet_batches,
)
from ...corpus.text import encodable
from ...errors import SourceError
from .chunk import SOURCE_ROWS, Chunk, rejected_frame, row_id

__all__ = ["read_csv", "read_jsonl", "read_parquet_rows", "require_columns"]

_COLUMNS = ("id", "text", "author", "posterior")
_NEEDED = ("id", "text")
_TEXTS = ("text",)


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
    require = partial(require_columns, source=stream.name)
    batches = jsonl_batches(stream, rows, require=require, shown=_TEXTS)
    return _chunks(batches, stream.name)


def read_csv(stream: Stream, rows: int, delimiter: str) -> Iterator[Chunk]:
    """Reads a table with a header line; ``position`` counts rows after the header."""
    require = partial(require_columns, source=stream.name)
    batches = csv_batches(stream, rows, delimiter, require=require, shown=_TEXTS)
    return _chunks(batches, stream.name)


def read_parquet_rows(path: Path, rows: int) -> Iterator[Chunk]:
    """Reads a Parquet file; ``position`` counts its rows from 1."""
    require = partial(require_columns, source=path.name)
    batches = parquet_batches(path, rows, require=require, texts=_TEXTS, columns=_COLUMNS)
    return _chunks(batches, path.name)


def _chunks(batches: Iterator[Batch], source: str) -> Iterator[Chunk]:
    for batch in batches:
        collected = _Rows(source)
        collected.refused += batch.refused
        for position, record in batch.records:
            collected.add(position, record)
        yield collected.chunk(batch.consumed)
