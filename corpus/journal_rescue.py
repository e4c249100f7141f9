"""Saves what can be read of a damaged journal: every sound row, and no other."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from ..errors import JournalError
from .folder import locked
from .journal_format import (
    COLUMNS,
    FORMAT_VERSION,
    INSERTS,
    SCHEMA,
    UNPRICED,
    open_error,
    row_digest,
)
from .journal_pages import MAGIC, Value, records
from .store import storage_errors

__all__ = ["Rescued", "rescue"]

_NAMES = {table: columns.split(", ") for table, columns in COLUMNS.items()}
#: A table by the number of its columns, ``number`` and ``digest`` among them.
_TABLES = {len(names) + 2: table for table, names in _NAMES.items()}
#: Columns of ``spent``, in format 1 and in format 2.
_SPENT = (2, 4)
_LOG, _INDEX = "-wal", "-shm"


@dataclass(frozen=True, slots=True)
class Rescued:
    """What came of a rescue.

    Attributes:
        aside: Where the damaged file is now; None if the journal is sound and was left alone.
        answers: Answers saved.
        failures: Failures saved.
        lost: Answers that are known to be lost; there may have been more.
        spent_known: What was spent in all could be read too; if not, the new journal has
            the sum of the saved rows, which is a lower bound.
    """

    aside: Path | None
    answers: int
    failures: int
    lost: int
    spent_known: bool


def rescue(path: Path) -> Rescued:
    """Puts a new journal with all sound rows of a damaged one in its place.

    The damaged file stays beside it, as ``journal.sqlite.damaged`` (``.damaged-2``, …), and
    its write-ahead log with it. Until the new journal is complete nothing is changed.

    Args:
        path: The journal; its folder is the work folder.

    Raises:
        JournalError: If the journal is of a newer format, as it may well be whole; or if no
            row of it can be read.
        WorkFolderBusyError: If another process is at work in the folder.
    """
    folder = path.with_name(f"{path.name}.rescue")
    with locked(path.parent), storage_errors(path):
        shutil.rmtree(folder, ignore_errors=True)  # of a rescue that was killed
        folder.mkdir(mode=0o700)
        try:
            return _rescue(path, folder)
        except sqlite3.DatabaseError as error:
            raise open_error(error, path) from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _rescue(path: Path, folder: Path) -> Rescued:
    copy, fresh = folder / "copy", folder / "fresh"
    for suffix in ("", _LOG):
        if (there := _beside(path, suffix)).exists():
            shutil.copyfile(there, _beside(copy, suffix))
    whole = _recover(copy)
    _refuse_newer(copy, path)
    with closing(sqlite3.connect(fresh)) as target:
        target.executescript(f"{SCHEMA}PRAGMA user_version={FORMAT_VERSION};")
        # SQLite has written into the copy what it took for sound in the log.
        walk = _Walk(target)
        walk.take(copy, log=False)
        if (log := _beside(path, _LOG)).exists() and log.stat().st_size:
            walk.take(path, log=True)
        spent_known = walk.finish()
        answers, failures = (_count(target, table) for table in COLUMNS)
        sound = whole and _same_rows(target, copy)
    if sound:
        return Rescued(None, answers, failures, 0, True)
    if not answers + failures:
        size = sum(there.stat().st_size for s in ("", _LOG) if (there := _beside(path, s)).exists())
        raise JournalError(
            f"no answer can be read in its {size:,} bytes: all that it had are lost",
            where=str(path),
            remedy="put a copy of it in its place, if there is one; or move it away, and the next "
            "build asks everything again",
        )
    fresh.chmod(0o600)
    return Rescued(
        _swap(path, fresh), answers, failures, max(0, walk.highest - answers), spent_known
    )


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _recover(copy: Path) -> bool:
    """Lets SQLite bring the log into the file; whether it finds that file whole."""
    try:
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("SELECT cost, tokens FROM spent").fetchall()
            return bool(connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError:
        return False


def _refuse_newer(copy: Path, path: Path) -> None:
    with copy.open("rb") as file:
        head = file.read(64)
    version = int.from_bytes(head[60:64], "big") if head.startswith(MAGIC) else 0
    if version > FORMAT_VERSION:
        raise JournalError(
            f"the journal has format {version}, this version reads up to {FORMAT_VERSION}",
            where=str(path),
            remedy="upgrade isogloss",
        )


class _Walk:
    """Takes the sound rows of a file's pages into a new journal."""

    def __init__(self, target: sqlite3.Connection) -> None:
        self._target = target
        self._spent: list[tuple[int | float, ...]] = []
        #: Answers are numbered without gaps from 1, so what lacks below this is lost.
        self.highest = 0

    def take(self, path: Path, *, log: bool) -> None:
        """Goes through all pages of a file; of what is there twice, one is taken."""
        for number, values in records(path, log=log):
            if len(values) in _SPENT and number == 1:
                numbers = [v for v in values if isinstance(v, int | float) and v >= 0]
                self._spent += [tuple(numbers)] if len(numbers) == len(values) else []
            elif (table := _TABLES.get(len(values))) and (row := _sound(table, values[1:])):
                self._insert(table, row)
                if table == "answers":
                    self.highest = max(self.highest, number)

    def _insert(self, table: str, row: tuple[Value, ...]) -> None:
        if table == "failures":
            query = "SELECT at FROM failures WHERE key = ?"
            there = self._target.execute(query, row[:1]).fetchone()
            if there and there[0] >= row[_NAMES[table].index("at")]:
                return  # a page that is no longer in use may have an older one
        self._target.execute(INSERTS[table], row)

    def finish(self) -> bool:
        """Removes failures that have an answer and sums up; whether the old sum was there."""
        run = self._target.execute
        run("DELETE FROM failures WHERE key IN (SELECT key FROM answers)")
        rows = " UNION ALL ".join(
            f"SELECT cost, coalesce(input_tokens, 0) + coalesce(output_tokens, 0) AS tokens "
            f"FROM {table}"
            for table in COLUMNS
        )
        sums = run(f"SELECT coalesce(sum(cost), 0), coalesce(sum(tokens), 0) FROM ({rows})")
        summed = (*sums.fetchone(), *run(UNPRICED).fetchone())
        # It only ever grows: of several the greatest is the last.
        old = max(self._spent, key=lambda spent: spent[1::-1], default=())
        known = bool(old) and old[1] >= summed[1]
        if known:
            old = (*old, *summed[len(old) :])
            summed = tuple(max(pair) for pair in zip(old, summed, strict=True))
        run(
            "UPDATE spent SET cost = ?, tokens = ?, unpriced_input = ?, unpriced_output = ?", summed
        )
        self._target.commit()
        return known


def _sound(table: str, values: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """The row, or None where it is not as it was written."""
    *middle, digest = values
    at = _NAMES[table].index("cost")
    if isinstance(middle[at], int):
        middle[at] = float(middle[at] or 0)  # SQLite keeps a round number as a whole one
    return (*middle, digest) if row_digest(middle) == digest else None


def _count(target: sqlite3.Connection, table: str) -> int:
    return int(target.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _same_rows(target: sqlite3.Connection, copy: Path) -> bool:
    """Whether a file that SQLite takes for whole has the very rows that are saved."""
    target.execute("ATTACH ? AS copy", (str(copy),))
    try:
        return not any(
            target.execute(
                f"SELECT key, digest FROM {one}.{table} EXCEPT "
                f"SELECT key, digest FROM {other}.{table} LIMIT 1"
            ).fetchone()
            for table in COLUMNS
            for one, other in (("main", "copy"), ("copy", "main"))
        )
    except sqlite3.DatabaseError:
        return False


def _swap(path: Path, fresh: Path) -> Path:
    """Puts the damaged file and what belongs to it aside, and the new one in its place."""
    names = (f"{path.name}.damaged" + (f"-{n}" if n > 1 else "") for n in count(1))
    suffixes = (_LOG, _INDEX, "")
    aside = next(
        aside
        for aside in map(path.with_name, names)
        if not any(_beside(aside, suffix).exists() for suffix in suffixes)
    )
    # The log first: with a file that is not its own it would be taken for that file's.
    for suffix in suffixes:
        if (there := _beside(path, suffix)).exists():
            there.replace(_beside(aside, suffix))
    fresh.replace(path)
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    return aside
