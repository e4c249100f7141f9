"""Copies of the database of an embedded server, made while it runs, and put back."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from ..corpus.store import storage_errors
from ..errors import (
    AnnotationError,
    IsoglossError,
    OutputError,
    StorageError,
    WorkFolderBusyError,
)
from .home import Home

__all__ = ["AUTOMATIC", "back_up_if_changed", "backup", "check_backup", "restore"]

#: Automatic backups that are kept; those made by hand are never removed.
AUTOMATIC = 20
_FOLDER = "backups"
#: What SQLite keeps beside a database: changes that are not in it yet, and their index.
_BESIDE = ("-wal", "-shm")
#: How long a writer may keep the database to itself.
_WAIT_SECONDS = 30.0
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DISK = {
    sqlite3.SQLITE_FULL: "free some space and run the same command again",
    sqlite3.SQLITE_IOERR: "check the disk: it could not read or write",
    sqlite3.SQLITE_CANTOPEN: "change the permissions of file and folder",
    sqlite3.SQLITE_PERM: "change the permissions of file and folder",
    sqlite3.SQLITE_READONLY: "change the permissions of file and folder",
}


def backup(home: Home, target: Path | None = None, *, kind: str = "manual") -> Path:
    """Copies the database, also while the server runs and raters answer.

    It is SQLite's online backup: one state of the database, whole, under a temporary name until
    it is checked.

    Args:
        home: The server's folder.
        target: The file; by default one in ``backups/`` with the time in its name.
        kind: First part of that name.

    Raises:
        AnnotationError: If there is no database yet, or it is damaged.
        OutputError: If there can be no such file.
        StorageError: If the disk is full or fails.
        WorkFolderBusyError: If another program keeps the database to itself.
    """
    if not home.database.is_file():
        raise AnnotationError(
            "there is no database yet", where=str(home.folder), remedy="start the server first"
        )
    path = target or _named(home, kind)
    with _placing(path):
        if os.path.lexists(path):
            raise AnnotationError(
                "there is a file already", where=str(path), remedy="choose another name"
            )
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _new(path) as temporary:
            _copy(home.database, temporary)
            _check(temporary, of=home.database)
    return path


def back_up_if_changed(home: Home) -> Path | None:
    """Makes an automatic backup if something was written since the last, and drops old ones."""
    if not home.database.is_file():
        return None
    made = sorted((home.folder / _FOLDER).glob("auto-*.db"), key=lambda path: path.stat().st_mtime)
    log = home.database.with_name(f"{home.database.name}-wal")
    written = home.database.stat().st_mtime
    # Each start makes an empty log.
    if log.exists() and log.stat().st_size:
        written = max(written, log.stat().st_mtime)
    if made and made[-1].stat().st_mtime > written:
        return None
    path = backup(home, kind="auto")
    for old in made[: max(0, len(made) + 1 - AUTOMATIC)]:
        old.unlink(missing_ok=True)
    return path


def check_backup(source: Path) -> None:
    """Looks whether a file can be restored.

    Raises:
        AnnotationError: If it is missing, damaged, or no database of Argilla's.
    """
    if not source.is_file():
        raise AnnotationError("there is no such file", where=str(source), remedy="name a backup")
    _check(source)


def restore(home: Home, source: Path) -> Path | None:
    """Puts a backup in the place of the database; what was there is backed up first.

    Args:
        home: The server's folder; no server may run in it.
        source: A backup.

    Returns:
        The backup of what was there, if there was something. If it was damaged, a plain copy,
        with the write-ahead log beside it.

    Raises:
        AnnotationError: If the backup is missing, damaged, or no database of Argilla's.
        StorageError: If the disk is full or fails; what was there stays.
        WorkFolderBusyError: If a server runs.
    """
    check_backup(source)
    with home.alone(), storage_errors(home.database):
        before = _kept(home) if home.database.is_file() else None
        with _new(home.database) as temporary:
            _copy(source, temporary)
            # The write-ahead log belongs to what goes: beside the new file it would spoil it.
            for one in _beside(home.database):
                one.unlink()
    return before


def _kept(home: Home) -> Path:
    """What is there, as a backup; if it is too damaged for one, as it is."""
    try:
        return backup(home, kind="before-restore")
    except _NotWholeError:
        path = _named(home, "damaged")
        shutil.copy2(home.database, path)
        for one in _beside(home.database):
            shutil.copy2(one, path.with_name(one.name.replace(home.database.name, path.name)))
        return path


def _beside(database: Path) -> list[Path]:
    """What SQLite keeps beside a database and is there."""
    files = [database.with_name(database.name + ending) for ending in _BESIDE]
    return [one for one in files if one.exists()]


@contextmanager
def _placing(path: Path) -> Iterator[None]:
    """Turns what keeps a file from being made into one line."""
    try:
        with storage_errors(path):
            yield
    except OSError as error:
        raise OutputError(
            f"no file can be made there ({error.strerror})",
            where=str(path),
            remedy="choose another place",
        ) from error


@contextmanager
def _new(path: Path) -> Iterator[Path]:
    """An empty file for this user alone that takes its place, flushed, at the end."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield temporary
        _flush(temporary)
        temporary.replace(path)
    finally:
        for one in (temporary, *_beside(temporary)):
            one.unlink(missing_ok=True)


def _named(home: Home, kind: str) -> Path:
    time = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    folder = home.folder / _FOLDER
    path = folder / f"{kind}-{time}.db"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{kind}-{time}-{number}.db"
    return path


def _copy(source: Path, target: Path) -> None:
    """One state of a database, whole: all pages in one step, so that no writer comes between."""

    def look(status: int, _left: int, _total: int) -> None:
        # Python would try for ever; SQLite has waited for the time that it was given.
        if status & 0xFF in _BUSY:
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = status
            raise error

    with (
        _failures(source, to=target),
        closing(_read_only(source)) as whole,
        closing(sqlite3.connect(target)) as copy,
    ):
        whole.backup(copy, progress=look)
        copy.execute("PRAGMA journal_mode = DELETE")


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_WAIT_SECONDS)


def _check(path: Path, *, of: Path | None = None) -> None:
    """Looks whether a file is whole and Argilla's; ``of`` names what it is a fresh copy of."""
    shown = of or path
    with _failures(shown, to=path), closing(_read_only(path)) as connection:
        sound = connection.execute("PRAGMA quick_check").fetchone()[0]
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master").fetchall()
        }
    if sound != "ok":
        raise _damaged(sound, shown)
    if not {"alembic_version", "records", "responses", "users"} <= tables:
        raise _NotWholeError(
            "this is no database of an annotation server",
            where=str(shown),
            remedy="name a file that isogloss annotate backup made",
        )


class _NotWholeError(AnnotationError):
    """A file is no whole database of Argilla's: nothing is left in it to be copied."""


@contextmanager
def _failures(source: Path, *, to: Path) -> Iterator[None]:
    """Turns what SQLite raises into one line: a full disk is no damage.

    Args:
        source: The database that is read.
        to: The file that is written.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise _failure(error, source, to) from error


def _failure(error: sqlite3.Error, source: Path, to: Path) -> IsoglossError:
    # The upper bits say more precisely where it went wrong.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _DAMAGED:
        return _damaged(error, source)
    if code in _BUSY:
        return WorkFolderBusyError(
            f"another program keeps the database to itself ({error})",
            where=str(source),
            remedy="stop it, or try again in a moment",
        )
    if code in _DISK:
        return StorageError(f"the disk refused ({error})", where=str(to), remedy=_DISK[code])
    return AnnotationError(
        f"the database can't be copied ({error})",
        where=str(source),
        remedy="nothing was changed; look whether another program uses it",
    )


def _damaged(why: object, path: Path) -> AnnotationError:
    return _NotWholeError(
        f"the database is damaged ({why})",
        where=str(path),
        remedy="restore a backup with isogloss annotate restore",
    )


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
