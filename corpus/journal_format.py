"""How a journal's file is laid out, and how it is opened; see ``journal.py`` for its use."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import JournalError

__all__ = [
    "COLUMNS",
    "FORMAT_VERSION",
    "INSERTS",
    "SCHEMA",
    "UNPRICED",
    "Answer",
    "Failure",
    "open_database",
    "open_error",
    "row_digest",
]

#: Raised when an older version would misread the file, or would count wrongly in it.
FORMAT_VERSION = 2

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
CREATE TABLE spent (
    cost REAL NOT NULL, tokens INTEGER NOT NULL, unpriced_input INTEGER NOT NULL DEFAULT 0,
    unpriced_output INTEGER NOT NULL DEFAULT 0
);
INSERT INTO spent (cost, tokens) VALUES (0, 0);
"""
#: Tokens read and written by the recorded calls whose price was not known.
UNPRICED = """
    SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0) FROM (
        SELECT input_tokens, output_tokens FROM answers WHERE cost IS NULL
        UNION ALL SELECT input_tokens, output_tokens FROM failures WHERE cost IS NULL
    )
"""
#: What makes a journal of format 1 one of format 2.
_FROM_1 = f"""
ALTER TABLE spent ADD COLUMN unpriced_input INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spent ADD COLUMN unpriced_output INTEGER NOT NULL DEFAULT 0;
UPDATE spent SET (unpriced_input, unpriced_output) = ({UNPRICED});
"""
#: Columns between ``number`` and ``digest``.
COLUMNS = {
    "answers": "key, kind, model, purpose, request, answer, finish, input_tokens, "
    "output_tokens, cost, at",
    "failures": "key, kind, model, purpose, request, reason, detail, attempts, input_tokens, "
    "output_tokens, cost, at",
}
#: The first answer under a key stays, and the last failure.
INSERTS = {
    name: f"INSERT OR {'IGNORE' if name == 'answers' else 'REPLACE'} INTO {name} "
    f"({columns}, digest) VALUES ({','.join('?' * (columns.count(',') + 2))})"
    for name, columns in COLUMNS.items()
}


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a model.

    Attributes:
        key: SHA-256 (32 bytes) of everything that can change the answer.
        kind: ``chat``, ``score``, ``embedding``, or ``note`` for what was found out on a model.
        model: The model as ``backend:name``.
        purpose: What was asked for, for example ``translate``.
        request: What was asked, and under ``served_by`` what the server says of itself;
            never a key or a header.
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
    """A request that ended without an answer, after all attempts.

    ``at`` says when it was recorded; the journal itself fills it in.
    """

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
    at: str = field(default="", compare=False)


def row_digest(values: Iterable[Any]) -> bytes:
    """Eight bytes over a row's values, by which a damaged row is known."""
    return hashlib.sha256(repr(tuple(values)).encode()).digest()[:8]


def open_database(path: Path) -> sqlite3.Connection:
    """Opens a journal's file, or makes it; an older format becomes the present one.

    Raises:
        JournalError: If the file is of a newer format, or damaged.
    """
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
        if version == 1:
            connection.executescript(f"BEGIN;{_FROM_1}PRAGMA user_version={FORMAT_VERSION};COMMIT;")
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
