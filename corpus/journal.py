"""The journal: every answer a model gave, on the disk before it counts.

One SQLite file per work folder (write-ahead log, ``synchronous=FULL``, mode 0600). An
answer's key is the SHA-256 of everything that can change it; whoever asks looks here
first, so that nothing received is asked twice. Failures are kept in a table of their own
and are never served as answers.

Answers are committed in groups: a thread writes what has come in meanwhile in one
transaction, and the futures of those answers are resolved after it.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..errors import IsoglossError, JournalError
from .failpoints import failpoint
from .store import storage_errors

__all__ = [
    "COLUMNS",
    "FILE_NAME",
    "FORMAT_VERSION",
    "INSERTS",
    "SCHEMA",
    "Answer",
    "Failure",
    "Journal",
    "Summary",
    "open_error",
    "row_digest",
]

FILE_NAME = "journal.sqlite"
#: Raised when an older version would misread the file.
FORMAT_VERSION = 1

#: The tables of an empty journal. ``digest`` tells a sound row from a damaged one; rows are
#: numbered so that a damaged file can be gone through row by row.
SCHEMA = """
CREATE TABLE answers (
    number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
    model TEXT NOT NULL, purpose TEXT NOT NULL, request TEXT NOT NULL, answer TEXT NOT NULL,
    finish TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, cost REAL,
    at TEXT NOT NULL, digest BLOB NOT NULL
);
CREATE TABLE failures (
    number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
    model TEXT NOT NULL, purpose TEXT NOT NULL, request TEXT NOT NULL, reason TEXT NOT NULL,
    detail TEXT NOT NULL, attempts INTEGER NOT NULL, input_tokens INTEGER,
    output_tokens INTEGER, cost REAL, at TEXT NOT NULL, digest BLOB NOT NULL
);
CREATE TABLE spent (cost REAL NOT NULL, tokens INTEGER NOT NULL);
INSERT INTO spent VALUES (0, 0);
"""
#: Columns between ``number`` and ``digest``.
COLUMNS = {
    "answers": "key, kind, model, purpose, request, answer, finish, input_tokens, "
    "output_tokens, cost, at",
    "failures": "key, kind, model, purpose, request, reason, detail, attempts, input_tokens, "
    "output_tokens, cost, at",
}
INSERTS = {
    name: f"INSERT OR IGNORE INTO {name} ({columns}, digest) "
    f"VALUES ({','.join('?' * (columns.count(',') + 2))})"
    for name, columns in COLUMNS.items()
}
#: What Python raises on a value that SQLite can't hold.
_UNSTORABLE = (OverflowError, TypeError, ValueError)
_LOOKUP = 500


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a model.

    Attributes:
        key: SHA-256 (32 bytes) of everything that can change the answer.
        kind: ``chat``, ``score`` or ``embedding``.
        model: The model as ``backend:name``.
        purpose: What was asked for, for example ``translate``.
        request: What was asked; never a key or a header.
        answer: What came back.
        finish: How it ended, ``stop`` for a whole answer.
        input_tokens: Tokens read, as the backend counts them.
        output_tokens: Tokens written.
        cost: Price in the currency of the configuration, None if not known.
    """

    key: bytes
    kind: str
    model: str
    purpose: str
    request: Mapping[str, Any]
    answer: Any
    finish: str = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that ended without an answer, after all attempts."""

    key: bytes
    kind: str
    model: str
    purpose: str
    request: Mapping[str, Any]
    reason: str
    detail: str
    attempts: int = 1
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands in a journal.

    Attributes:
        answers: Per (model, purpose): answers, input tokens, output tokens, cost.
        failures: Per (model, purpose, reason): how many.
    """

    answers: dict[tuple[str, str], tuple[int, int, int, float | None]]
    failures: dict[tuple[str, str, str], int] = field(default_factory=dict)


class Journal:
    """An opened journal; one process writes it, any number of its threads use it.

    Args:
        path: The file; made if it isn't there, and made readable by its owner only.

    Raises:
        JournalError: If the file is of a newer format, or damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with storage_errors(path):
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            path.chmod(0o600)
        self._connection = _open(path)
        self._lock = threading.Lock()
        self._incoming: queue.SimpleQueue[tuple[Answer | Failure, Future[None]] | None] = (
            queue.SimpleQueue()
        )
        self._writer = threading.Thread(target=self._write_all, name="journal", daemon=True)
        self._writer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Writes what has come in and closes the file."""
        self._incoming.put(None)
        self._writer.join()
        with self._lock:
            self._connection.close()

    def answers(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        """The answers that are there, by key."""
        return {row[0]: _answer(row) for row in self._rows("answers", keys)}

    def failures(self, keys: Sequence[bytes]) -> dict[bytes, Failure]:
        """The failures that are there, by key; one with an answer too has been mended."""
        return {row[0]: _failure(row) for row in self._rows("failures", keys)}

    def record(self, entry: Answer | Failure) -> Future[None]:
        """Takes an answer or a failure; the future is done when it is on the disk.

        The first answer under a key stays. An answer removes the key's failure.
        """
        done: Future[None] = Future()
        self._incoming.put((entry, done))
        return done

    def summary(self) -> Summary:
        """Counts, tokens and cost."""
        answers = (
            "SELECT model, purpose, count(*), sum(input_tokens), sum(output_tokens), sum(cost) "
            "FROM answers GROUP BY model, purpose ORDER BY model, purpose"
        )
        failures = (
            "SELECT model, purpose, reason, count(*) FROM failures "
            "GROUP BY model, purpose, reason ORDER BY model, purpose, reason"
        )
        with self._lock:
            return Summary(
                {
                    (model, purpose): (count, read or 0, written or 0, cost)
                    for model, purpose, count, read, written, cost in self._connection.execute(
                        answers
                    )
                },
                {tuple(row[:3]): row[3] for row in self._connection.execute(failures)},
            )

    def spent(self) -> tuple[float, int]:
        """Cost and tokens of every call that was recorded, failed ones included."""
        with self._lock:
            cost, tokens = self._connection.execute("SELECT cost, tokens FROM spent").fetchone()
        return float(cost), int(tokens)

    def _rows(self, table: str, keys: Sequence[bytes]) -> Iterable[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        try:
            with self._lock:
                for at in range(0, len(keys), _LOOKUP):
                    part = keys[at : at + _LOOKUP]
                    marks = ",".join("?" * len(part))
                    query = f"SELECT {COLUMNS[table]}, digest FROM {table} WHERE key IN ({marks})"
                    found += self._connection.execute(query, part).fetchall()
        except sqlite3.DatabaseError as error:
            raise open_error(error, self.path) from error
        for *values, digest in found:
            if row_digest(values) != digest:
                raise open_error(sqlite3.DatabaseError("a row is not as written"), self.path)
        return [tuple(values) for *values, _ in found]

    def _write_all(self) -> None:
        """Writes group after group until it is told to stop."""
        stop = False
        while not stop:
            group = [self._incoming.get()]
            while True:
                try:
                    group.append(self._incoming.get_nowait())
                except queue.Empty:
                    break
            stop = None in group
            entries = [item for item in group if item is not None]
            if entries:
                self._commit(entries)

    def _commit(self, entries: Sequence[tuple[Answer | Failure, Future[None]]]) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        failpoint("journal-before-commit")
        refused: dict[int, Exception] = {}
        try:
            with self._lock, storage_errors(self.path), self._connection:
                for number, (entry, _) in enumerate(entries):
                    try:
                        self._insert(entry, at)
                    except _UNSTORABLE as error:
                        refused[number] = error  # this entry can't be stored; the others can
        except Exception as error:  # noqa: BLE001 - handed to whoever waits for the answer
            refused = dict.fromkeys(range(len(entries)), open_error(error, self.path))
        failpoint("journal-committed")
        for number, (entry, done) in enumerate(entries):
            if done.set_running_or_notify_cancel():
                if number in refused:
                    done.set_exception(_unstorable(refused[number], entry))
                else:
                    done.set_result(None)

    def _insert(self, entry: Answer | Failure, at: str) -> None:
        head = (entry.key, entry.kind, entry.model, entry.purpose, _dump(entry.request))
        tail = (entry.input_tokens, entry.output_tokens, entry.cost, at)
        values: tuple[Any, ...]
        if isinstance(entry, Answer):
            table, values = "answers", (*head, _dump(entry.answer), entry.finish, *tail)
        else:
            table = "failures"
            values = (*head, entry.reason, entry.detail, entry.attempts, *tail)
        tokens = (entry.input_tokens or 0) + (entry.output_tokens or 0)
        digest = row_digest(values)
        run = self._connection.execute
        run("SAVEPOINT entry")
        try:
            run("DELETE FROM failures WHERE key = ?", (entry.key,))
            answered = run("SELECT 1 FROM answers WHERE key = ?", (entry.key,)).fetchone()
            if not answered:
                run(INSERTS[table], (*values, digest))
            run("UPDATE spent SET cost = cost + ?, tokens = tokens + ?", (entry.cost or 0, tokens))
        except _UNSTORABLE:
            run("ROLLBACK TO entry")
            run("RELEASE entry")
            raise
        run("RELEASE entry")


def row_digest(values: Iterable[Any]) -> bytes:
    """Eight bytes over a row's values, by which a damaged row is known."""
    return hashlib.sha256(repr(tuple(values)).encode()).digest()[:8]


def _unstorable(error: Exception, entry: Answer | Failure) -> Exception:
    if isinstance(error, IsoglossError):
        return error
    return JournalError(
        f"an answer can't be stored ({error})",
        where=entry.model,
        remedy="report it: the model sent something that is no text",
    )


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version == 0 and tables == 0:
            with connection:
                connection.executescript(
                    f"BEGIN;{SCHEMA}PRAGMA user_version={FORMAT_VERSION};COMMIT;"
                )
            version = FORMAT_VERSION
        if version > FORMAT_VERSION:
            raise JournalError(
                f"the journal has format {version}, this version reads up to {FORMAT_VERSION}",
                where=str(path),
                remedy="upgrade isogloss",
            )
        connection.execute("SELECT count(*) FROM failures").fetchone()
        damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if damage != "ok":
            raise sqlite3.DatabaseError(damage)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise open_error(error, path) from error
    except BaseException:
        connection.close()
        raise
    return connection


def open_error(error: Exception, path: Path) -> Exception:
    """A sqlite error as one of ours; anything else as it is."""
    if isinstance(error, sqlite3.OperationalError) and "full" in str(error):
        return JournalError(
            "the disk is full",
            where=str(path),
            remedy="free some space and run the same command again: nothing is asked twice",
        )
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return JournalError(
            "another process uses the journal", where=str(path), remedy="wait for it or stop it"
        )
    if isinstance(error, sqlite3.DatabaseError):
        return JournalError(
            f"the journal is damaged ({error})",
            where=str(path),
            remedy="save what can be read with: isogloss journal DIR --rescue",
        )
    return error


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _answer(row: tuple[Any, ...]) -> Answer:
    key, kind, model, purpose, request, answer, finish, read, written, cost, _ = row
    head = (key, kind, model, purpose, json.loads(request), json.loads(answer))
    return Answer(*head, finish, read, written, cost)


def _failure(row: tuple[Any, ...]) -> Failure:
    key, kind, model, purpose, request, *rest = row
    return Failure(key, kind, model, purpose, json.loads(request), *rest[:6])
