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
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..errors import JournalError
from ..failpoints import failpoint
from .journal_format import (
    COLUMNS,
    INSERTS,
    Answer,
    Failure,
    open_database,
    open_error,
    row_digest,
)
from .store import storage_errors

__all__ = ["FILE_NAME", "Answer", "Failure", "Journal", "Summary"]

FILE_NAME = "journal.sqlite"
_MENDED = "DELETE FROM failures WHERE key = ? AND key IN (SELECT key FROM answers)"
_SPENT = "SELECT cost, tokens, unpriced_input, unpriced_output FROM spent"
_BOOK = (
    "UPDATE spent SET cost = cost + ?, tokens = tokens + ?, "
    "unpriced_input = unpriced_input + ?, unpriced_output = unpriced_output + ?"
)
#: What Python raises on a value that SQLite can't hold.
_UNSTORABLE = (OverflowError, TypeError, ValueError)
_LOOKUP = 500


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands in a journal.

    Attributes:
        answers: Per (model, purpose): answers, input tokens, output tokens, cost.
        failures: Per (model, purpose, reason): how many.
        failed_spend: Likewise: input tokens, output tokens, cost.
    """

    answers: dict[tuple[str, str], tuple[int, int, int, float | None]]
    failures: dict[tuple[str, str, str], int]
    failed_spend: dict[tuple[str, str, str], tuple[int, int, float | None]]


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
        self._connection = open_database(path)
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
        query = (
            "SELECT {0}, count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),"
            " sum(cost) FROM {1} GROUP BY {0} ORDER BY {0}"
        )
        with self._lock:
            answers = self._connection.execute(query.format("model, purpose", "answers"))
            failed = self._connection.execute(query.format("model, purpose, reason", "failures"))
            failures = failed.fetchall()
            return Summary(
                {tuple(row[:2]): tuple(row[2:]) for row in answers},
                {tuple(row[:3]): row[3] for row in failures},
                {tuple(row[:3]): tuple(row[4:]) for row in failures},
            )

    def spent(self, input_price: float = 0.0, output_price: float = 0.0) -> tuple[float, int]:
        """Cost and tokens of every call that was recorded, failed ones included.

        Args:
            input_price: Price of a million tokens read, for the calls that were recorded
                while no price was known.
            output_price: Likewise, of a million tokens written.
        """
        with self._lock:
            cost, tokens, read, written = self._connection.execute(_SPENT).fetchone()
        return float(cost) + (read * input_price + written * output_price) / 1e6, int(tokens)

    def unpriced(self) -> tuple[int, int]:
        """Tokens read and written by calls that were recorded while no price was known."""
        with self._lock:
            _, _, read, written = self._connection.execute(_SPENT).fetchone()
        return int(read), int(written)

    def book(self, read: int, written: int, cost: float | None) -> None:
        """Adds calls to what is spent that ended neither as an answer nor as a failure."""
        unpriced = (read, written) if cost is None else (0, 0)
        with self._lock, storage_errors(self.path), self._connection:
            self._connection.execute(_BOOK, (cost or 0, read + written, *unpriced))

    def served_by(self) -> dict[str, list[dict[str, Any]]]:
        """What servers said of themselves, by model: every distinct saying, sorted."""
        query = (
            "SELECT DISTINCT model, json_extract(request, '$.served_by') FROM answers "
            "WHERE json_extract(request, '$.served_by') IS NOT NULL ORDER BY 1, 2"
        )
        found: dict[str, list[dict[str, Any]]] = {}
        with self._lock:
            for model, said in self._connection.execute(query):
                found.setdefault(model, []).append(json.loads(said))
        return found

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

    def _commit(self, group: Sequence[tuple[Answer | Failure, Future[None]]]) -> None:
        failpoint("journal-before-commit")
        errors = self._store([entry for entry, _ in group])
        failpoint("journal-committed")
        for (_, done), error in zip(group, errors, strict=True):
            if done.set_running_or_notify_cancel():
                if error is not None:
                    done.set_exception(error)
                else:
                    done.set_result(None)

    def _store(self, entries: Sequence[Answer | Failure]) -> list[Exception | None]:
        """Writes entries in one transaction; says of each what went wrong, if anything."""
        try:
            with self._lock, storage_errors(self.path), self._connection:
                self._insert(entries)
        except _UNSTORABLE as error:
            if len(entries) == 1:
                return [_unstorable(error, entries[0])]
            # One of them can't be stored; the others can.
            return [error for entry in entries for error in self._store([entry])]
        except Exception as error:  # noqa: BLE001 - handed to whoever waits for the answer
            return [open_error(error, self.path)] * len(entries)
        return [None] * len(entries)

    def _insert(self, entries: Sequence[Answer | Failure]) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        rows: dict[str, list[tuple[Any, ...]]] = {"failures": [], "answers": []}
        for entry in entries:
            head = (entry.key, entry.kind, entry.model, entry.purpose, _dump(entry.request))
            tail = (entry.input_tokens, entry.output_tokens, entry.cost, at)
            values: tuple[Any, ...]
            if isinstance(entry, Answer):
                table, values = "answers", (*head, _dump(entry.answer), entry.finish, *tail)
            else:
                table = "failures"
                values = (*head, entry.reason, entry.detail, entry.attempts, *tail)
            rows[table].append((*values, row_digest(values)))
        for table, new in rows.items():
            self._connection.executemany(INSERTS[table], new)
        self._connection.executemany(_MENDED, [(entry.key,) for entry in entries])
        unpriced = [entry for entry in entries if entry.cost is None]
        self._connection.execute(
            _BOOK,
            (
                sum(entry.cost or 0 for entry in entries),
                sum((entry.input_tokens or 0) + (entry.output_tokens or 0) for entry in entries),
                sum(entry.input_tokens or 0 for entry in unpriced),
                sum(entry.output_tokens or 0 for entry in unpriced),
            ),
        )


def _unstorable(error: Exception, entry: Answer | Failure) -> JournalError:
    return JournalError(
        f"an answer can't be stored ({error})",
        where=entry.model,
        remedy="report it: the model sent something that is no text",
    )


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _answer(row: tuple[Any, ...]) -> Answer:
    key, kind, model, purpose, request, answer, finish, read, written, cost, _ = row
    head = (key, kind, model, purpose, json.loads(request), json.loads(answer))
    return Answer(*head, finish, read, written, cost)


def _failure(row: tuple[Any, ...]) -> Failure:
    key, kind, model, purpose, request, *rest = row
    return Failure(key, kind, model, purpose, json.loads(request), *rest)
