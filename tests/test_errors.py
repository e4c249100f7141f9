"""Errors: one line that says what is wrong, where, and what to do; a code for each kind."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss import errors
from isogloss.errors import IsoglossError

KINDS: list[type[IsoglossError]] = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, IsoglossError)
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_is_ours_with_a_code_and_a_status(kind: type[IsoglossError]) -> None:
    error = kind("the file is cut", where="a.tsv, row 7", remedy="fetch it again")
    assert isinstance(error, IsoglossError)
    assert str(error) == f"error[{kind.code}]: a.tsv, row 7: the file is cut. Fetch it again."
    assert kind.code.isalpha()
    assert kind.code.islower()
    assert kind.exit_status in (1, 2)
    assert kind.__doc__


def test_codes_differ() -> None:
    assert len({kind.code for kind in KINDS}) == len(KINDS)


def test_the_surroundings_are_told_from_the_users_mistakes() -> None:
    failed = {kind.__name__ for kind in KINDS if kind.exit_status == 1}
    assert {"StorageError", "WorkFolderBusyError", "InternalError"} <= failed
    assert failed.isdisjoint({"OptionError", "SourceError", "OutputError", "CorpusError"})


@pytest.mark.parametrize(
    ("where", "remedy", "expected"),
    [
        ("", "", "error[source]: it is cut."),
        ("a.tsv", "", "error[source]: a.tsv: it is cut."),
        ("", "ask the author", "error[source]: it is cut. Ask the author."),
    ],
)
def test_parts_may_be_left_out(where: str, remedy: str, expected: str) -> None:
    assert str(errors.SourceError("it is cut", where=where, remedy=remedy)) == expected


@settings(max_examples=100, deadline=None)
@given(what=st.text(), where=st.text(), remedy=st.text())
def test_it_is_always_one_line(what: str, where: str, remedy: str) -> None:
    assert len(str(IsoglossError(what, where=where, remedy=remedy)).splitlines()) == 1


@pytest.mark.parametrize("sign", ["\x1b", "\x07", "\x08", "\x7f", "\x9b", "\x00", "\u202e"])
def test_a_name_from_a_file_sends_nothing_to_the_terminal(sign: str) -> None:
    # Column names, archive members and ids come from files that others wrote.
    message = str(errors.SourceError(f"no column {sign}[2J", where=f"{sign}.csv", remedy=sign))
    assert all(character.isprintable() for character in message)


def test_an_error_survives_the_way_between_processes() -> None:
    error = errors.StorageError("the disk is full", where="rows", remedy="free some space")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
