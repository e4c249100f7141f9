"""The journal: what it says is on the disk is there, and nothing is served that isn't an answer."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from isogloss.corpus.journal import Answer, Failure, Journal
from isogloss.corpus.journal_format import FORMAT_VERSION
from isogloss.errors import IsoglossError, JournalError

REQUEST = {"messages": [["user", "We was late"]]}


def key(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


def answer(number: int, text: Any = "We were late", **more: Any) -> Answer:
    return Answer(key(number), "chat", "openai:m", "translate", REQUEST, text, **more)


def failure(number: int, reason: str = "timeout", **more: Any) -> Failure:
    return Failure(key(number), "chat", "openai:m", "translate", REQUEST, reason, "slow", **more)


def write(journal: Journal, *entries: Answer | Failure) -> None:
    for future in [journal.record(entry) for entry in entries]:
        future.result(timeout=10)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def rows(path: Path, table: str = "answers") -> int:
    """Rows that another connection sees."""
    with closing(sqlite3.connect(path)) as other:
        return int(other.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@pytest.mark.parametrize(
    "text", ["We were late", "naïve 😀 \x00 “quoted”\n", "", {"translation": "x"}, [0.5, -1e-9]]
)
def test_an_answer_comes_back_as_it_went_in_also_after_closing(path: Path, text: Any) -> None:
    wanted = answer(1, text, input_tokens=12, output_tokens=5, cost=0.25)
    with Journal(path) as journal:
        write(journal, wanted)
        assert journal.answers([key(1), key(2)]) == {key(1): wanted}
    with Journal(path) as journal:
        assert journal.answers([key(1)]) == {key(1): wanted}


def test_the_first_answer_stays(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, answer(1, "first"), answer(1, "second"))
        assert journal.answers([key(1)])[key(1)].answer == "first"


def test_a_failure_is_no_answer_and_gives_way_to_one(path: Path) -> None:
    failed = failure(1, attempts=3, input_tokens=9)
    with Journal(path) as journal:
        write(journal, failure(1, "http_500"), failed)
        assert journal.answers([key(1)]) == {}
        assert journal.failures([key(1)]) == {key(1): failed}
        write(journal, answer(1))
        assert journal.failures([key(1)]) == {}
        assert journal.answers([key(1)]) == {key(1): answer(1)}


def test_a_failure_after_an_answer_changes_nothing(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, answer(1), failure(1))
        assert journal.answers([key(1)]) == {key(1): answer(1)}
        assert journal.summary().failures == {}


def test_a_future_is_done_only_when_another_connection_reads_the_row(path: Path) -> None:
    with Journal(path) as journal, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")  # nobody else can commit now
        future = journal.record(answer(1))
        with pytest.raises(TimeoutError):
            future.result(timeout=0.3)
        other.rollback()
        future.result(timeout=10)
        assert rows(path) == 1
        for number in range(2, 30):
            journal.record(answer(number)).result(timeout=10)
            assert rows(path) == number


def test_a_thousand_answers_of_eight_threads_are_all_there(path: Path) -> None:
    with Journal(path) as journal:

        def work(first: int) -> None:
            write(journal, *(answer(n, f"text {n}") for n in range(first, 1000, 8)))

        threads = [threading.Thread(target=work, args=(first,)) for first in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = journal.answers([key(number) for number in range(1200)])
    assert {k: a.answer for k, a in found.items()} == {key(n): f"text {n}" for n in range(1000)}


def test_closing_writes_what_has_come_in(path: Path) -> None:
    journal = Journal(path)
    futures = [journal.record(answer(number)) for number in range(300)]
    journal.close()
    assert all(future.done() for future in futures)
    assert rows(path) == 300


def test_only_the_owner_can_read_it(path: Path) -> None:
    path.touch(mode=0o644)
    before = os.umask(0)
    try:
        with Journal(path) as journal:
            write(journal, answer(1))
            modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert set(modes.values()) == {0o600}
    assert len(modes) > 1  # the write-ahead log is there too


def test_a_commit_is_synchronous(path: Path) -> None:
    with Journal(path) as journal:
        assert journal._connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert journal._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_newer_format_is_refused_in_one_line(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, answer(1))
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version={FORMAT_VERSION + 1}")
    with pytest.raises(JournalError, match=r"format 3.*up to 2.*Upgrade isogloss") as caught:
        Journal(path)
    assert "\n" not in str(caught.value)
    assert rows(path) == 1


@pytest.mark.parametrize("bad", ["\ud83d", 2**70], ids=["half a character", "a huge count"])
def test_an_entry_that_cannot_be_stored_takes_no_other_with_it(path: Path, bad: Any) -> None:
    text, count = (bad, 1) if isinstance(bad, str) else ("text", bad)
    with Journal(path) as journal, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        futures: list[Future[None]] = [journal.record(answer(0))]
        futures += [journal.record(answer(n)) for n in (1, 2)]
        odd = journal.record(answer(3, text, input_tokens=count))
        futures += [journal.record(answer(n)) for n in (4, 5)]
        other.rollback()
        for future in futures:
            future.result(timeout=10)
        error = odd.exception(timeout=10)
        assert error is None or isinstance(error, IsoglossError)
        assert set(journal.answers([key(n) for n in (0, 1, 2, 4, 5)])) == {
            key(n) for n in (0, 1, 2, 4, 5)
        }


def test_a_waiter_that_gives_up_stops_nobody_else(path: Path) -> None:
    with Journal(path) as journal, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        journal.record(answer(1)).cancel()
        other.rollback()
        journal.record(answer(2)).result(timeout=2)
        assert set(journal.answers([key(2)])) == {key(2)}
