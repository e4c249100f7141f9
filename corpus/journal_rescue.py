"""Saves what can be read of a damaged journal."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from .journal import FORMAT_VERSION, SCHEMA

__all__ = ["rescue"]

_KEY_BYTES = 32


def rescue(path: Path) -> tuple[int, int]:
    """Copies what can be read of a damaged journal into a new one and puts that in place.

    The damaged file stays beside it as ``journal.sqlite.damaged``.

    Returns:
        Answers and failures saved.
    """
    fresh = path.with_name(f"{path.name}.rescued")
    fresh.unlink(missing_ok=True)
    saved = [0, 0]
    with closing(sqlite3.connect(fresh)) as target, closing(sqlite3.connect(path)) as source:
        target.executescript(f"{SCHEMA}PRAGMA user_version={FORMAT_VERSION};")
        for number, table in enumerate(("answers", "failures")):
            saved[number] = _copy_readable(source, target, table)
        target.commit()
    fresh.chmod(0o600)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.replace(path.with_name(f"{path.name}.damaged"))
    fresh.replace(path)
    return saved[0], saved[1]


def _copy_readable(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> int:
    """Copies rows key by key from both ends, until damage stops each."""
    saved = 0
    for order, bound, after in (("ASC", b"", ">"), ("DESC", b"\xff" * 33, "<")):
        last = bound
        while True:
            query = f"SELECT * FROM {table} WHERE key {after} ? ORDER BY key {order} LIMIT 1"  # noqa: S608
            try:
                row = source.execute(query, (last,)).fetchone()
                if row is None or not _whole(row, table):
                    break
                marks = ",".join("?" * len(row))
                done = target.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)  # noqa: S608
                if done.rowcount == 0:
                    break
            except sqlite3.DatabaseError:
                break
            saved += 1
            last = row[0]
    return saved


def _whole(row: tuple[Any, ...], table: str) -> bool:
    """Whether a rescued row can be trusted: its JSON parses, and its key is a hash."""
    try:
        json.loads(row[4])
        if table == "answers":
            json.loads(row[5])
    except (TypeError, ValueError):
        return False
    return isinstance(row[0], bytes) and len(row[0]) == _KEY_BYTES
