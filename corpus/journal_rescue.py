"""Saves what can be read of a damaged journal: every sound row, and no other."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from ..errors import JournalError
from .journal import COLUMNS, FORMAT_VERSION, INSERTS, SCHEMA, row_digest

__all__ = ["rescue"]

#: A row is never smaller than this: so many bytes of the file can hold one row at most.
_LEAST_BYTES = 100


def rescue(path: Path) -> tuple[int, int]:
    """Copies the sound rows of a journal into a new one and puts that in place.

    The damaged file stays beside it, as ``journal.sqlite.damaged`` (``.damaged-2``, ….).

    Args:
        path: The journal.

    Returns:
        Answers and failures saved.

    Raises:
        JournalError: If the journal is of a newer format: it may well be whole.
    """
    fresh = path.with_name(f"{path.name}.rescued")
    fresh.unlink(missing_ok=True)
    saved = {}
    with closing(sqlite3.connect(fresh)) as target:
        target.executescript(f"{SCHEMA}PRAGMA user_version={FORMAT_VERSION};")
        with closing(sqlite3.connect(path)) as source:
            source.text_factory = bytes
            source.execute("PRAGMA writable_schema=ON")  # else a cut file is refused as a whole
            _refuse_newer(source, path)
            for table in COLUMNS:
                saved[table] = sum(
                    target.execute(INSERTS[table], row).rowcount
                    for row in _sound_rows(source, table, path.stat().st_size)
                )
        sums = " + ".join(f"(SELECT coalesce(sum({{0}}), 0) FROM {table})" for table in COLUMNS)
        cost = sums.format("cost")
        tokens = sums.format("coalesce(input_tokens, 0) + coalesce(output_tokens, 0)")
        target.execute(f"UPDATE spent SET cost = {cost}, tokens = {tokens}")
        target.commit()
    fresh.chmod(0o600)
    _set_aside(path)
    fresh.replace(path)
    return saved["answers"], saved["failures"]


def _refuse_newer(source: sqlite3.Connection, path: Path) -> None:
    try:
        version = source.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError:
        return  # not even that can be read
    if version > FORMAT_VERSION:
        raise JournalError(
            f"the journal has format {version}, this version reads up to {FORMAT_VERSION}",
            where=str(path),
            remedy="upgrade isogloss",
        )


def _set_aside(path: Path) -> None:
    aside = next(
        name
        for number in count(1)
        for name in [path.with_name(f"{path.name}.damaged" + (f"-{number}" if number > 1 else ""))]
        if not name.exists()
    )
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.replace(aside)


def _sound_rows(source: sqlite3.Connection, table: str, size: int) -> Iterator[tuple[Any, ...]]:
    """Asks for row after row by its number, so that a damaged page costs its own rows only."""
    query = f"SELECT {COLUMNS[table]}, digest FROM {table} WHERE number = ?"
    for number in range(1, size // _LEAST_BYTES + 1):
        try:
            row = source.execute(query, (number,)).fetchone()
            if row is not None and (sound := _sound(row)) is not None:
                yield sound
        except sqlite3.DatabaseError:
            continue


def _sound(row: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The row with its texts decoded, or None where it is not as it was written."""
    key, *middle, digest = row
    try:
        values = [key, *(v.decode() if isinstance(v, bytes) else v for v in middle)]
        json.loads(values[4])
    except (UnicodeDecodeError, ValueError, TypeError):
        return None
    return (*values, digest) if row_digest(values) == digest else None
