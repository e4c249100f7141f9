"""Entries that are written together end as they would have one after another."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.corpus.journal import Answer, Failure, Journal
from isogloss.errors import JournalError
from isogloss.tests.corpus.test_journal import answer, failure, key, write

Entry = Answer | Failure
HALF = "\ud83d"  # half a character: SQLite can't store it


def together(journal: Journal, *entries: Entry) -> list[Future[None]]:
    """Records the entries while nobody can commit, so that they are written as one group."""
    with closing(sqlite3.connect(journal.path)) as other:
        other.execute("BEGIN IMMEDIATE")
        journal.record(answer(10_000))  # takes the writer's attention
        futures = [journal.record(entry) for entry in entries]
        other.rollback()
    for future in futures:
        future.exception(timeout=10)
    return futures


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


A, B, F, G = answer(1, "first"), answer(1, "second"), failure(1), failure(1, "length")


@pytest.mark.parametrize(
    ("group", "answered", "failed"),
    [
        ([A, B], A, None),
        ([F, A], A, None),
        ([A, F], A, None),
        ([F, A, G, B], A, None),
        ([F, G], None, G),
        ([G, F], None, F),
    ],
)
def test_within_a_group_the_order_counts(
    path: Path, group: list[Entry], answered: Answer | None, failed: Failure | None
) -> None:
    with Journal(path) as journal:
        together(journal, *group)
        assert journal.answers([key(1)]).get(key(1)) == answered
        assert journal.failures([key(1)]).get(key(1)) == failed


@pytest.mark.parametrize("before", [[A], [F], [F, A]], ids=["answer", "failure", "mended"])
@pytest.mark.parametrize("group", [[B], [G], [G, B]], ids=["answer", "failure", "both"])
def test_a_group_respects_what_stands_there(
    path: Path, before: list[Entry], group: list[Entry]
) -> None:
    with Journal(path) as journal:
        write(journal, *before)
        together(journal, *group)
        answered, failed = journal.answers([key(1)]), journal.failures([key(1)])
    first = next((e for e in [*before, *group] if isinstance(e, Answer)), None)
    assert answered == ({key(1): first} if first else {})
    assert failed == ({} if first else {key(1): G})


def test_a_group_is_one_transaction(path: Path) -> None:
    with Journal(path) as journal:
        said: list[str] = []
        journal._connection.set_trace_callback(said.append)
        together(journal, *(answer(n) for n in range(50)), *(failure(n) for n in range(50, 99)))
    assert 1 <= said.count("COMMIT") <= 2  # the one that came first may be written by itself


@pytest.mark.parametrize("odd", [answer(3, HALF), failure(3, HALF), answer(3, input_tokens=2**70)])
def test_what_cannot_be_stored_is_refused_alone(path: Path, odd: Entry) -> None:
    with Journal(path) as journal:
        write(journal, failure(2))
        before = journal.spent()[1]
        group = [answer(1, input_tokens=5), answer(2), odd, failure(4), answer(5, output_tokens=3)]
        futures = together(journal, *group)
        assert [future.exception() is None for future in futures] == [True, True, False, True, True]
        with pytest.raises(JournalError, match="can't be stored"):
            futures[2].result()
        assert set(journal.answers([key(n) for n in range(9)])) == {key(n) for n in (1, 2, 5)}
        assert set(journal.failures([key(n) for n in range(9)])) == {key(4)}
        assert journal.spent()[1] == before + 8


def test_counts_that_overflow_only_together_are_all_stored(path: Path) -> None:
    with Journal(path) as journal:
        together(journal, *(answer(n, input_tokens=2**62) for n in range(3)))
        assert len(journal.answers([key(n) for n in range(3)])) == 3


def test_a_refused_entry_keeps_its_failure_and_costs_nothing(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, F)
        together(journal, answer(2), answer(1, HALF, cost=1.0))
        assert journal.failures([key(1)]) == {key(1): F}
        assert journal.spent()[0] == 0


ENTRIES = st.builds(
    lambda make, number, said, tokens: make(number, said, input_tokens=tokens),
    st.sampled_from([answer, failure]),
    st.integers(0, 3),
    st.text("abc", max_size=3) | st.just(HALF),
    st.none() | st.integers(0, 9),
)


def content(path: Path, groups: Sequence[Sequence[Entry]]) -> tuple[object, ...]:
    with Journal(path) as journal:
        refused = [
            error is not None for group in groups if group for error in journal._store(group)
        ]
        keys = [key(number) for number in range(4)]
        return refused, journal.answers(keys), journal.failures(keys), journal.spent()


@given(st.lists(st.lists(ENTRIES, max_size=6), max_size=3))
@settings(max_examples=60, deadline=None)
def test_groups_end_as_single_entries_would(groups: list[list[Entry]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        grouped = content(Path(name, "a"), groups)
        single = content(Path(name, "b"), [[entry] for group in groups for entry in group])
    assert grouped == single
