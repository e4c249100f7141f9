"""Writes a journal's answers as Parquet, sorted by key: a copy to analyse or to archive."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl

from ..errors import JournalError
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
    "SELECT lower(hex(key)), kind, model, purpose, request, answer, finish, input_tokens, "
    "output_tokens, cost, at FROM answers ORDER BY key"
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
        with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as connection:
            cursor = connection.execute(_QUERY)
            while rows := cursor.fetchmany(ROW_GROUP_ROWS):
                texts = [(*row[:5], _text(row[5]), *row[6:]) for row in rows]
                writer.write(pl.DataFrame(texts, schema=dict(COLUMNS), orient="row"))
    except sqlite3.DatabaseError as error:
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


def _text(answer: str) -> str:
    """A text answer as text; anything else stays JSON."""
    value = json.loads(answer)
    return value if isinstance(value, str) else answer
