"""The journal: every answer a model gave, on the disk before it counts.

One SQLite file per work folder (write-ahead log, ``synchronous=FULL``, mode 0600). An
answer's key is the SHA-256 of everything that can change it; whoever asks looks here
first, so that nothing received is asked twice. Failures are kept in a table of their own
and are never served as answers.

Answers are committed in groups: a thread writes what has come in meanwhile in one
transaction, and the futures of those answers are resolved after it.
"""

from __future__ import annotations

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

from ..errors import JournalError
from .failpoints import failpoint
from .store import storage_errors

__all__ = ["FILE_NAME", "FORMAT_VERSION", "SCHEMA", "Answer", "Failure", "Journal", "Summary"]

FILE_NAME = "journal.sqlite"
#: Raised when an older version would misread the file.
FORMAT_VERSION = 1

#: The tables of an empty journal.
SCHEMA = """
CREATE TABLE answers (
    key BLOB PRIMARY KEY, kind TEXT NOT NULL, model TEXT NOT NULL, purpose TEXT NOT NULL,
    request TEXT NOT NULL, answer TEXT NOT NULL, finish TEXT NOT NULL,
    input_tokens INTEGER, output_tokens INTEGER, cost REAL, at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE failures (
    key BLOB PRIMARY KEY, kind TEXT NOT NULL, model TEXT NOT NULL, purpose TEXT NOT NULL,
    request TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL, attempts INTEGER NOT NULL,
    input_tokens INTEGER, output_tokens INTEGER, cost REAL, at TEXT NOT NULL
) WITHOUT ROWID;
"""
_INSERT_ANSWER = "INSERT OR IGNORE INTO answers VALUES (?,?,?,?,?,?,?,?,?,?,?)"
_INSERT_FAILURE = "INSERT OR REPLACE INTO failures VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"
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
        """Cost and tokens of everything in the journal, failures included."""
        total = (
            "SELECT coalesce(sum(cost), 0), coalesce(sum(input_tokens), 0) + "
            "coalesce(sum(output_tokens), 0) FROM "
        )
        with self._lock:
            sums = [self._connection.execute(total + t).fetchone() for t in ("answers", "failures")]
        return float(sums[0][0] + sums[1][0]), int(sums[0][1] + sums[1][1])

    def _rows(self, table: str, keys: Sequence[bytes]) -> Iterable[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        with self._lock:
            for at in range(0, len(keys), _LOOKUP):
                part = keys[at : at + _LOOKUP]
                marks = ",".join("?" * len(part))
                query = f"SELECT * FROM {table} WHERE key IN ({marks})"  # noqa: S608
                found += self._connection.execute(query, part).fetchall()
        return found

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
        try:
            with self._lock, storage_errors(self.path), self._connection:
                for entry, _ in entries:
                    self._insert(entry, at)
        except Exception as error:  # noqa: BLE001 - handed to whoever waits for the answer
            for _, done in entries:
                done.set_exception(_translated(error, self.path))
            return
        failpoint("journal-committed")
        for _, done in entries:
            done.set_result(None)

    def _insert(self, entry: Answer | Failure, at: str) -> None:
        head = (entry.key, entry.kind, entry.model, entry.purpose, _dump(entry.request))
        tail = (entry.input_tokens, entry.output_tokens, entry.cost, at)
        if isinstance(entry, Answer):
            values = (*head, _dump(entry.answer), entry.finish, *tail)
            self._connection.execute(_INSERT_ANSWER, values)
            self._connection.execute("DELETE FROM failures WHERE key = ?", (entry.key,))
        else:
            failed = (*head, entry.reason, entry.detail, entry.attempts, *tail)
            self._connection.execute(_INSERT_FAILURE, failed)


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
        raise _translated(error, path) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _translated(error: Exception, path: Path) -> Exception:
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
    return Answer(
        key,
        kind,
        model,
        purpose,
        json.loads(request),
        json.loads(answer),
        finish,
        read,
        written,
        cost,
    )


def _failure(row: tuple[Any, ...]) -> Failure:
    key, kind, model, purpose, request, *rest = row
    return Failure(key, kind, model, purpose, json.loads(request), *rest[:6])
