"""Rows read page by page: the loss of any page costs the rows on it, and brings no wrong one."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from isogloss.corpus.journal import Answer, Failure, Journal
from isogloss.corpus.journal_format import COLUMNS, row_digest
from isogloss.corpus.journal_pages import Record, Value, records
from isogloss.tests.corpus.test_journal import answer, failure, write

PAGE = 4096
#: First byte of a page that has no rows: between a table's root and its leaves, or an index's.
WITHOUT_ROWS = (0x02, 0x05, 0x0A)


def entries(seed: int) -> Iterator[Answer | Failure]:
    chance = random.Random(seed)
    longest = (60, 900, 9_000)[seed % 3]
    for number in range(chance.choice((3, 30, 90))):
        text = "".join(chance.choices("abc xyz é😀\x00'\"", k=chance.randrange(longest)))
        cost = chance.choice((None, 0.0, 1.0, chance.random()))
        tokens = chance.choice((None, 0, 1, 200, 2**40))
        if chance.random() < 0.2:
            yield failure(number, cost=cost, input_tokens=tokens, attempts=chance.randrange(1, 9))
        else:
            yield answer(number, text, cost=cost, output_tokens=tokens)


@pytest.fixture(scope="module", params=range(4))
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sound") / "journal.sqlite"
    with Journal(path) as journal:
        write(journal, *entries(request.param))
    return path.read_bytes()


def by_sqlite(path: Path, table: str) -> set[tuple[Value, ...]]:
    """The sound rows as SQLite reads them, each by its number."""
    found = set()
    query = f"SELECT {COLUMNS[table]}, digest FROM {table} WHERE number = ?"
    with closing(sqlite3.connect(path)) as connection:
        for number in range(1, 200):
            try:
                row = connection.execute(query, (number,)).fetchone()
            except (sqlite3.DatabaseError, UnicodeDecodeError):
                continue
            if row and row_digest(row[:-1]) == row[-1]:
                found.add(tuple(row))
    return found


def by_pages(found: Iterator[Record], table: str) -> set[tuple[Value, ...]]:
    """The sound rows among records; a round cost is a whole number in the file."""
    names = COLUMNS[table].split(", ")
    rows = set()
    for _, (_, *values) in found:
        if len(values) == len(names) + 1:
            cost = values[names.index("cost")]
            values[names.index("cost")] = float(cost) if isinstance(cost, int) else cost
            if row_digest(values[:-1]) == values[-1]:
                rows.add(tuple(values))
    return rows


@pytest.mark.parametrize("table", COLUMNS)
def test_a_page_of_zeros_costs_the_rows_on_it_alone(
    tmp_path: Path, sound: bytes, table: str
) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(sound)
    whole = by_sqlite(path, table)
    assert by_pages(records(path, log=False), table) == whole
    assert whole or table == "failures"
    pages = range(0, len(sound), PAGE)
    others = [at for at in pages if at and sound[at] not in WITHOUT_ROWS]
    chosen = set(random.Random(len(sound)).sample(others, min(25, len(others))))
    for at in [at for at in pages if at in chosen or at not in others]:
        path.write_bytes(sound[:at] + bytes(PAGE) + sound[at + PAGE :])
        found = by_pages(records(path, log=False), table)
        if at == 0 or sound[at] in WITHOUT_ROWS:
            assert found == whole
        else:
            assert by_sqlite(path, table) <= found <= whole


@pytest.mark.parametrize("seed", range(3))
def test_noise_brings_no_wrong_row_and_no_error(tmp_path: Path, sound: bytes, seed: int) -> None:
    chance = random.Random(seed)
    path = tmp_path / "journal.sqlite"
    path.write_bytes(sound)
    whole = {table: by_sqlite(path, table) for table in COLUMNS}
    for _ in range(12):
        damaged = bytearray(sound)
        for _ in range(chance.choice((1, 20, 500))):
            at = chance.randrange(len(damaged))
            junk = chance.choice((b"\r", b"\xff", b"\0", chance.randbytes(40), bytes(PAGE)))
            damaged[at : at + len(junk)] = junk
        path.write_bytes(damaged[: chance.choice((len(damaged), chance.randrange(len(damaged))))])
        for table in COLUMNS:
            assert by_pages(records(path, log=False), table) <= whole[table]


@pytest.mark.parametrize("size", [512, 1024, 65536])
def test_pages_of_another_size(tmp_path: Path, size: int) -> None:
    path = tmp_path / "other.sqlite"
    texts = {n: f"text {n} " * (n * 7) for n in range(1, 300)}
    with closing(sqlite3.connect(path)) as made:
        made.execute(f"PRAGMA page_size={size}")
        made.execute("CREATE TABLE t (number INTEGER PRIMARY KEY, text TEXT, x REAL, y BLOB)")
        made.executemany("INSERT INTO t VALUES (?, ?, 0.5, x'00ff')", texts.items())
        made.commit()
    wanted = [(n, (None, text, 0.5, b"\0\xff")) for n, text in texts.items()]
    assert sorted(r for r in records(path, log=False) if len(r[1]) == 4) == wanted


def test_the_log_is_read_with_and_without_what_lies_behind_a_bad_frame(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    copy = tmp_path / "copy.sqlite"
    log = tmp_path / "copy.sqlite-wal"
    with Journal(path) as journal:
        for number in range(40):
            write(journal, answer(number, f"text {number} " * 900))
        copy.write_bytes(path.read_bytes())
        data = path.with_name("journal.sqlite-wal").read_bytes()
    log.write_bytes(data)
    whole = by_pages(records(copy, log=True), "answers")
    assert len(whole) == 40
    assert by_pages(records(copy, log=False), "answers") == set()
    log.write_bytes(data[: len(data) // 2] + bytes(9000) + data[len(data) // 2 + 9000 :])
    assert len(by_sqlite(copy, "answers")) < 38
    log.write_bytes(data[: len(data) // 2] + bytes(9000) + data[len(data) // 2 + 9000 :])
    left = by_pages(records(copy, log=True), "answers")
    assert left <= whole
    assert len(left) >= 38
