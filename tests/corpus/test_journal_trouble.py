"""The journal's sums, and what it says when the file or the disk is not sound."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from isogloss.corpus.journal import Journal
from isogloss.corpus.journal_format import FORMAT_VERSION
from isogloss.errors import JournalError
from isogloss.tests.corpus.test_journal import answer, failure, key, rows, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def test_the_summary_counts_answers_tokens_cost_and_failures_by_reason(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, *(answer(n, input_tokens=10, output_tokens=2, cost=0.5) for n in range(3)))
        write(journal, failure(3, "length", input_tokens=4, output_tokens=9, cost=0.25))
        write(journal, failure(4, "length"), failure(5, "refusal"))
        found = journal.summary()
    assert found.answers == {("openai:m", "translate"): (3, 30, 6, 1.5)}
    assert found.failures == {
        ("openai:m", "translate", "length"): 2,
        ("openai:m", "translate", "refusal"): 1,
    }
    assert found.failed_spend == {
        ("openai:m", "translate", "length"): (4, 9, 0.25),
        ("openai:m", "translate", "refusal"): (0, 0, None),
    }


def test_what_is_spent_counts_failures_too(path: Path) -> None:
    with Journal(path) as journal:
        assert journal.spent() == (0.0, 0)
        write(journal, answer(1, input_tokens=10, output_tokens=2, cost=0.5))
        write(journal, failure(2, input_tokens=7, output_tokens=1, cost=0.25), failure(3))
        assert journal.spent() == (0.75, 20)


@pytest.mark.parametrize("second", [answer, failure], ids=["answered then", "failed again"])
def test_what_a_failed_call_cost_stays_spent(path: Path, second: object) -> None:
    with Journal(path) as journal:
        write(journal, failure(1, input_tokens=100, output_tokens=50, cost=1.0))
        make = answer if second is answer else failure
        write(journal, make(1, input_tokens=10, output_tokens=5, cost=0.1))
        assert list(journal.spent()) == pytest.approx([1.1, 165])


def test_calls_whose_price_was_not_known_are_priced_from_their_tokens(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, failure(1, "length", input_tokens=1000, output_tokens=2000))
        write(journal, answer(1, input_tokens=10, output_tokens=20))
        write(journal, answer(2, input_tokens=7, output_tokens=9, cost=0.5), answer(3))
        assert journal.spent() == (0.5, 3046)
        assert journal.unpriced() == (1010, 2020)
        assert journal.spent(1.0, 10.0) == (0.5 + (1010 + 20_200) / 1e6, 3046)


def test_a_journal_of_the_first_format_is_taken_over(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, answer(1, input_tokens=10, output_tokens=20))
        write(journal, answer(2, input_tokens=7, output_tokens=9, cost=0.5))
        write(journal, failure(3, input_tokens=1, output_tokens=2))
    with closing(sqlite3.connect(path)) as old:
        old.executescript(
            "BEGIN; DROP TABLE spent;"
            "CREATE TABLE spent (cost REAL NOT NULL, tokens INTEGER NOT NULL);"
            "INSERT INTO spent VALUES (0.5, 49); PRAGMA user_version=1; COMMIT;"
        )
    for _ in range(2):
        with Journal(path) as journal:
            assert journal.unpriced() == (11, 22)
            assert journal.spent(1.0, 2.0) == (0.5 + 55 / 1e6, 49)
            assert set(journal.answers([key(1), key(2)])) == {key(1), key(2)}
    with closing(sqlite3.connect(path)) as new:
        assert new.execute("PRAGMA user_version").fetchone() == (FORMAT_VERSION,)


def filled(path: Path) -> bytes:
    with Journal(path) as journal:
        write(journal, *(answer(n, f"text number {n} " * 8) for n in range(300)))
    return path.read_bytes()


@pytest.mark.parametrize("fill", [b"\0", b"A", b"\xff"])
def test_a_damaged_page_is_found_and_the_remedy_named(path: Path, fill: bytes) -> None:
    data = filled(path)
    middle = len(data) // 2 // 4096 * 4096
    path.write_bytes(data[:middle] + fill * 8192 + data[middle + 8192 :])
    with pytest.raises(JournalError, match="damaged.*--rescue") as caught:
        Journal(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("part", [0.3, 0.5, 0.9])
def test_a_file_that_was_cut_is_damaged(path: Path, part: float) -> None:
    data = filled(path)
    path.write_bytes(data[: int(len(data) * part)])
    with pytest.raises(JournalError, match="damaged.*--rescue"):
        Journal(path)


@pytest.mark.parametrize("data", [b"not a database " * 500, b"{}"])
def test_another_file_in_its_place_is_not_overwritten(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    with pytest.raises(JournalError, match="damaged"):
        Journal(path)
    assert path.read_bytes() == data


@pytest.mark.parametrize("junk", [b"\xff\xfe\xfd", b'"\\x'], ids=["no UTF-8", "no JSON"])
def test_a_damaged_row_is_never_served(path: Path, junk: bytes) -> None:
    data = filled(path)
    at = data.index(b"text number 77 ")
    path.write_bytes(data[:at] + junk + data[at + len(junk) :])
    with pytest.raises(JournalError, match="damaged.*--rescue"), Journal(path) as journal:
        journal.answers([key(77)])


def test_a_full_disk_is_named_and_what_was_written_stays(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, answer(1))
        pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(JournalError, match="disk is full.*nothing is asked twice"):
            write(journal, answer(2, "long " * 5000))
        journal._connection.execute("PRAGMA max_page_count=100000")
        write(journal, answer(3))
    assert rows(path) == 2
