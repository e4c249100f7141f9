"""Reads rows with named columns: JSON lines, CSV (or tab-separated) and Parquet.

A row that can't be read is refused with its reason; of its bytes only the columns that the
caller calls ``shown`` are kept, since what else stands in a damaged line is not known.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import SourceError
from ..text import encodable
from .lines import decode, line_chunks
from .refused import Refused
from .stream import Stream

__all__ = ["Batch", "Require", "csv_batches", "jsonl_batches", "parquet_batches"]

#: Looks at the names of the columns, and raises a SourceError if one is missing.
Require = Callable[[list[str]], None]
csv.field_size_limit(1 << 30)


@dataclass(slots=True)
class Batch:
    """Consecutive rows.

    Attributes:
        records: Position in the source (line or row, from 1) and values by column.
        refused: Rows that can't be read.
        consumed: Compressed bytes of the source read so far.
    """

    records: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    consumed: int = 0


def jsonl_batches(
    stream: Stream, rows: int, *, require: Require, shown: Sequence[str]
) -> Iterator[Batch]:
    """Reads one JSON object per line; the first one's keys are the columns."""
    values = [re.compile(rf'"{re.escape(name)}"\s*:\s*("(?:[^"\\]|\\.)*"?)') for name in shown]

    def texts(line: str) -> str:
        found = [value.search(line) for value in values]
        return " ".join(match[1] for match in found if match) or "…"

    first = True
    for lines in line_chunks(stream, rows):
        frame, refused = decode(lines)
        batch = Batch(consumed=lines.consumed)
        batch.refused += [replace(row, text=texts(row.text)) for row in refused]
        for position, line in frame.iter_rows():
            if not line.strip():
                batch.refused.append(Refused(position, "blank_line", "", ""))
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                detail = f"not JSON: {error}"
                batch.refused.append(Refused(position, "invalid_json", detail, texts(line)))
                continue
            if not isinstance(record, dict):
                detail = "not a JSON object"
                batch.refused.append(Refused(position, "invalid_json", detail, texts(line)))
                continue
            if first:
                require(list(record))
                first = False
            batch.records.append((position, record))
        yield batch


def csv_batches(
    stream: Stream, rows: int, delimiter: str, *, require: Require, shown: Sequence[str]
) -> Iterator[Batch]:
    """Reads a table with a header line; positions count rows after the header."""
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
        require(header)
        places = [header.index(name) for name in shown if name in header]
        numbers = count(1)
        while table := list(islice(reader, rows)):
            batch = Batch(consumed=stream.consumed())
            # Most tables are whole, and that is soon seen.
            if all(map(len(header).__eq__, map(len, table))) and _encodable(table):
                records = (dict(zip(header, fields, strict=True)) for fields in table)
                batch.records = list(zip(islice(numbers, len(table)), records, strict=True))
            else:
                for fields, position in zip(table, numbers, strict=False):
                    _add_fields(batch, position, header, fields, places)
            yield batch
    except csv.Error as error:
        raise SourceError(
            f"line {reader.line_num} is not CSV ({error})",
            where=stream.name,
            remedy="check its quotes",
        ) from error
    finally:
        # Whoever stops early may have closed the file before this.
        if not stream.file.closed:
            text.detach()


def _encodable(table: Sequence[Sequence[str]]) -> bool:
    return encodable("".join(map("".join, table)))


def _add_fields(
    batch: Batch, position: int, header: list[str], fields: list[str], places: list[int]
) -> None:
    # Columns can't be told apart in a row of another length: nothing of it is shown.
    fits = len(fields) == len(header)
    shown = " ".join(fields[place] for place in places) if fits else "…"
    if not encodable("".join(fields)):
        number = next(at for at, value in enumerate(fields, start=1) if not encodable(value))
        shown = shown.encode(errors="surrogateescape").decode(errors="backslashreplace")
        detail = f"field {number} is not UTF-8"
        batch.refused.append(Refused(position, "not_utf8", detail, shown))
        return
    if not fields:
        batch.refused.append(Refused(position, "blank_line", "", ""))
    elif not fits:
        detail = f"{len(fields)} fields where the header has {len(header)}"
        batch.refused.append(Refused(position, "field_count", detail, shown))
    else:
        batch.records.append((position, dict(zip(header, fields, strict=True))))


def parquet_batches(
    path: Path, rows: int, *, require: Require, texts: Sequence[str], columns: Sequence[str] = ()
) -> Iterator[Batch]:
    """Reads a Parquet file; positions count its rows from 1.

    Args:
        path: The file.
        rows: Rows of a batch.
        require: Looks at the names of the columns.
        texts: Columns that must hold strings; categories and dictionaries of strings do.
        columns: Further columns that are read where they are there.

    Raises:
        SourceError: If the file is damaged, or a column of texts has another type.
    """
    try:
        file = pq.ParquetFile(path)
        require(file.schema_arrow.names)
        names = [
            name for name in dict.fromkeys((*texts, *columns)) if name in file.schema_arrow.names
        ]
        for name in texts:
            kind = file.schema_arrow.field(name).type
            if not _is_text(kind):
                raise SourceError(
                    f"the column {name} has the type {kind}",
                    where=path.name,
                    remedy="write it as a column of strings",
                )
        size = path.stat().st_size
        read = 0
        for table in file.iter_batches(batch_size=rows, columns=names):
            records = list(enumerate(table.to_pylist(), start=read + 1))
            read += table.num_rows
            yield Batch(records, consumed=size * read // file.metadata.num_rows)
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise SourceError(
            f"the Parquet file is damaged ({str(error).splitlines()[0]})",
            where=path.name,
            remedy="fetch or write it again",
        ) from error


def _is_text(kind: pa.DataType) -> bool:
    # Categories and enums lie in a file as dictionaries.
    of = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(of) or pa.types.is_large_string(of))
