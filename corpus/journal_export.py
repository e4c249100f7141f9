"""Writes a journal's answers as Parquet, sorted by key: a copy to analyse or to archive."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from ..errors import JournalError
from .journal import row_digest
from .schema import Schema
from .store import ROW_GROUP_ROWS, ShardWriter

__all__ = ["COLUMNS", "export"]

#: Columns of the file; ``key`` is hexadecimal, ``request`` is JSON.
COLUMNS: Schema = {
    "key": pl.String(),
    "kind": pl.String(),
    "model": pl.String(),
    "purpose": pl.String(),
    "request": pl.String(),
    "answer": pl.String(),
    "finish": pl.String(),
    "input_tokens": pl.Int64(),
    "output_tokens": pl.Int64(),
    "cost": pl.Float64(),
    "at": pl.String(),
}

_QUERY = (
    "SELECT key, kind, model, purpose, request, answer, finish, input_tokens, output_tokens, "
    "cost, at, digest FROM answers ORDER BY key"
)


def export(journal: Path, target: Path) -> int:
    """Writes ``target``, which must end in ``.parquet``; a journal in use can be exported.

    Returns:
        Answers written.

    Raises:
        JournalError: If the journal can't be read.
    """
    writer = ShardWriter(target.parent, f".{target.stem}", COLUMNS, shard_rows=1 << 40)
    try:
        address = f"{journal.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            cursor = connection.execute(_QUERY)
            while rows := cursor.fetchmany(ROW_GROUP_ROWS):
                texts = [_exported(row) for row in rows]
                writer.write(pl.DataFrame(texts, schema=dict(COLUMNS), orient="row"))
    except (sqlite3.DatabaseError, ValueError) as error:
        for path in writer.paths:
            path.unlink(missing_ok=True)
        raise JournalError(
            f"the journal can't be read ({error})",
            where=str(journal),
            remedy="save what can be read with --rescue first",
        ) from error
    if not writer.rows:
        writer.write_empty()
    writer.close()
    writer.paths[0].replace(target)
    return writer.rows


def _exported(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row as it is written: the key in hexadecimal, an answer that is a text as that text."""
    *values, digest = row
    if row_digest(values) != digest:
        raise ValueError("a row is not as it was written")
    key, kind, model, purpose, request, answer, *rest = values
    value = json.loads(answer)
    return (
        key.hex(),
        kind,
        model,
        purpose,
        request,
        value if isinstance(value, str) else answer,
        *rest,
    )
