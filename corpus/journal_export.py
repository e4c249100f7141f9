"""Writes a journal's answers as Parquet, sorted by key: a copy to analyse or to archive."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from ..errors import JournalError, OptionError, OutputError
from .journal_format import row_digest
from .schema import Schema
from .store import ROW_GROUP_ROWS, ShardWriter, storage_errors

__all__ = ["COLUMNS", "check_target", "export"]

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


def check_target(target: Path) -> None:
    """Says whether an export can be written there, before anything is done for it.

    Raises:
        OptionError: If the name doesn't end in ``.parquet``.
        OutputError: If it is a folder, or in one that isn't there.
    """
    if target.suffix != ".parquet":
        raise OptionError(
            f"{target} would be a Parquet file of another name",
            where="--export",
            remedy="give a name that ends in .parquet",
        )
    if target.is_dir():
        raise OutputError("this is a folder", where=str(target), remedy="name a file in it")
    if not target.parent.is_dir():
        raise OutputError(
            "there is no such folder", where=str(target.parent), remedy="make it, or name another"
        )


def export(journal: Path, target: Path) -> int:
    """Writes the answers into a file for its owner alone; a journal in use can be exported.

    Args:
        journal: The journal.
        target: The file, ending in ``.parquet``; one that is there is replaced.

    Returns:
        Answers written.

    Raises:
        OptionError: If the name doesn't end in ``.parquet``.
        OutputError: If it is a folder, or in one that isn't there.
        JournalError: If the journal can't be read.
    """
    check_target(target)
    with (
        storage_errors(target),
        tempfile.TemporaryDirectory(prefix=".isogloss-", dir=target.parent) as folder,
    ):
        writer = ShardWriter(Path(folder), "answers", COLUMNS, shard_rows=1 << 40)
        try:
            _copy(journal, writer)
            writer.close()
        except (sqlite3.DatabaseError, ValueError) as error:
            raise JournalError(
                f"the journal can't be read ({error})",
                where=str(journal),
                remedy="save what can be read with --rescue first",
            ) from error
        if not writer.paths:
            writer.write_empty()
            writer.close()
        writer.paths[0].chmod(0o600)
        writer.paths[0].replace(target)
    return writer.rows


def _copy(journal: Path, writer: ShardWriter) -> None:
    address = f"{journal.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        cursor = connection.execute(_QUERY)
        while rows := cursor.fetchmany(ROW_GROUP_ROWS):
            texts = [_exported(row) for row in rows]
            writer.write(pl.DataFrame(texts, schema=dict(COLUMNS), orient="row"))


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
