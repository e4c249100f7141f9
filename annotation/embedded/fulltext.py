"""The words of all records, in an FTS5 table that triggers keep.

Two tables of ours stand beside Argilla's. ``isogloss_records`` numbers the records and holds
a key of 28 bits, taken from the record's random id, that shuffles are made of.
``isogloss_text`` has a row for each field of a record, at ``number * 64 + field``. Triggers on
``records`` write both inside the transaction that writes the record, so neither can drift.
"""

from __future__ import annotations

import sqlite3
import unicodedata
from dataclasses import dataclass

__all__ = ["FIELDS", "Term", "install", "terms"]

#: Terms of a query that count; SQLite can't take any number, and nobody types so many.
_MOST_TERMS = 64
#: Most fields of a record that are searched; each has a row id of its own.
FIELDS = 64
#: Raised when tables or triggers change: the next start makes them anew.
_VERSION = 1

_DIGITS = " + ".join(
    f"(instr('0123456789abcdef', substr({{id}}, {place}, 1)) - 1) * {16 ** (7 - place)}"
    for place in range(1, 8)
)
# Plain texts go in as they are; of a chat or a custom field every string in it.
_TEXTS = f"""
    INSERT INTO isogloss_text (rowid, field, text)
    SELECT n.number * {FIELDS}
               + (SELECT count(*) FROM json_each({{row}}.fields) e WHERE e.id < j.id),
           j.key,
           CASE j.type WHEN 'text' THEN j.value ELSE (
               SELECT group_concat(t.atom, ' ') FROM json_tree(j.value) t WHERE t.type = 'text'
           ) END
    FROM isogloss_records n, json_each({{row}}.fields) j
    WHERE n.record_id = {{row}}.id AND j.type IN ('text', 'array', 'object')
      AND j.value NOT LIKE 'data:%'
      AND (SELECT count(*) FROM json_each({{row}}.fields) e WHERE e.id < j.id) < {FIELDS};
"""
_NUMBER = f"""
    INSERT INTO isogloss_records (record_id, dataset_id, key)
    VALUES (new.id, new.dataset_id, {_DIGITS.format(id="new.id")});
"""
_FORGET = f"""
    DELETE FROM isogloss_text WHERE rowid BETWEEN
        (SELECT number FROM isogloss_records WHERE record_id = old.id) * {FIELDS}
        AND (SELECT number FROM isogloss_records WHERE record_id = old.id) * {FIELDS}
            + {FIELDS - 1};
"""
_SCHEMA = f"""
DROP TRIGGER IF EXISTS isogloss_record_added;
DROP TRIGGER IF EXISTS isogloss_record_changed;
DROP TRIGGER IF EXISTS isogloss_record_deleted;
DROP TABLE IF EXISTS isogloss_text;
DROP TABLE IF EXISTS isogloss_records;
CREATE TABLE isogloss_records (
    number INTEGER PRIMARY KEY,
    record_id CHAR(32) NOT NULL UNIQUE,
    dataset_id CHAR(32) NOT NULL,
    key INTEGER NOT NULL
);
CREATE VIRTUAL TABLE isogloss_text USING fts5 (
    text, field UNINDEXED, tokenize = "unicode61 remove_diacritics 2"
);
INSERT INTO isogloss_records (record_id, dataset_id, key)
    SELECT r.id, r.dataset_id, {_DIGITS.format(id="r.id")}
    FROM records r ORDER BY r.inserted_at, r.id;
"""
_REBUILD = _TEXTS.format(row="r").replace(
    "FROM isogloss_records n, json_each(r.fields) j",
    "FROM records r JOIN isogloss_records n ON n.record_id = r.id, json_each(r.fields) j",
)
_TRIGGERS = f"""
CREATE TRIGGER isogloss_record_added AFTER INSERT ON records BEGIN
    {_NUMBER} {_TEXTS.format(row="new")}
END;
CREATE TRIGGER isogloss_record_changed AFTER UPDATE OF fields ON records BEGIN
    {_FORGET} {_TEXTS.format(row="new")}
END;
CREATE TRIGGER isogloss_record_deleted AFTER DELETE ON records BEGIN
    {_FORGET} DELETE FROM isogloss_records WHERE record_id = old.id;
END;
"""


def install(database: str) -> None:
    """Makes tables and triggers where they are missing, old, or do not fit the records."""
    connection = sqlite3.connect(database, timeout=30, isolation_level=None)
    try:
        if _current(connection):
            return
        connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} {_REBUILD} {_TRIGGERS} COMMIT;")
        connection.execute(f"PRAGMA application_id = {_VERSION}")
    finally:
        connection.close()


def _current(connection: sqlite3.Connection) -> bool:
    triggers = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'isogloss_%'"
    ).fetchone()[0]
    version = connection.execute("PRAGMA application_id").fetchone()[0]
    if version != _VERSION or triggers != _TRIGGERS.count("CREATE TRIGGER"):
        return False
    # A program that turned the triggers off, or another server, may have written records.
    strangers = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM records r LEFT JOIN isogloss_records n ON n.record_id = r.id "
        "WHERE n.number IS NULL) OR EXISTS (SELECT 1 FROM isogloss_records n LEFT JOIN records r "
        "ON r.id = n.record_id WHERE r.id IS NULL)"
    ).fetchone()[0]
    return not strangers


@dataclass(frozen=True, slots=True)
class Term:
    """What a record must have, or must not have.

    Attributes:
        wanted: Whether it must have it.
        condition: SQL about a row of ``isogloss_text``, with one question mark.
        value: What stands for the question mark.
    """

    wanted: bool
    condition: str
    value: str


_MATCHES = "isogloss_text MATCH ?"
#: Signs are in no word, and so not in the index.
_HAS = "instr(t.text, ?)"


def terms(query: str) -> list[Term]:
    """What a query asks for.

    Args:
        query: What a person typed: words, all of which must be there; ``"a phrase"``; ``wor*``
            for words that begin so; ``-word`` for what must not be there. Signs like 😂 must
            be there as they are; a keyboard's and other punctuation if there is nothing else.

    Returns:
        Each term once, the first 64; none matches no record.

    Example:
        >>> [(one.wanted, one.value) for one in terms('been "at the store" walk* -gone ?')]
        [(True, '"been"'), (True, '"at the store"'), (True, '"walk"*'), (False, '"gone"')]
        >>> terms("?!")
        [Term(wanted=True, condition='instr(t.text, ?)', value='?!')]
    """
    found: list[Term] = []
    punctuation: list[Term] = []
    for quoted, text in _parts(query):
        wanted = quoted or not text.startswith("-")
        begins = not quoted and text.endswith("*")
        word = text if quoted else text.lstrip("-").rstrip("*")
        if any(sign.isalnum() for sign in word):
            expression = '"' + word.replace('"', '""') + '"' + ("*" if begins else "")
            found.append(Term(wanted, _MATCHES, expression))
        elif word.strip():
            (punctuation if _is_punctuation(word) else found).append(Term(wanted, _HAS, word))
    return list(dict.fromkeys(found or punctuation))[:_MOST_TERMS]


def _is_punctuation(text: str) -> bool:
    return all(sign.isascii() or unicodedata.category(sign).startswith("P") for sign in text)


def _parts(query: str) -> list[tuple[bool, str]]:
    """The words and the quoted phrases of a query; a quote that isn't closed is a sign."""
    found = []
    # FTS5 reads an expression up to its first NUL, and no word has one.
    parts = query.replace("\0", " ").split('"')
    closed = len(parts) - 1 if len(parts) % 2 else len(parts) - 2
    for place, part in enumerate(parts):
        if place % 2 and place < closed:
            found.append((True, part))
        else:
            found += [(False, word) for word in part.split()]
    return found
