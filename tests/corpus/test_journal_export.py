"""The journal as Parquet: every answer, sorted by key, whoever is writing meanwhile."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import polars as pl
import pytest
from isogloss.corpus.journal import Journal
from isogloss.corpus.journal_export import COLUMNS, export
from isogloss.corpus.store import ShardWriter
from isogloss.errors import JournalError, OptionError, OutputError, StorageError
from isogloss.tests.corpus.test_journal import answer, failure, key, write

TEXTS = {n: f"text {n} “naïve” 😀" for n in range(200)}


def fill(journal: Journal) -> None:
    entries = [
        answer(n, text, input_tokens=n, output_tokens=2, cost=n / 10) for n, text in TEXTS.items()
    ]
    write(journal, *entries, failure(999), answer(1000, {"scores": [0.5, 1.0]}))


def check(written: int, target: Path) -> None:
    frame = pl.read_parquet(target)
    assert written == frame.height == len(TEXTS) + 1
    assert dict(frame.schema) == dict(COLUMNS)
    assert frame["key"].to_list() == sorted(frame["key"])
    by_key = {row["key"]: row for row in frame.iter_rows(named=True)}
    for number, text in TEXTS.items():
        row = by_key[key(number).hex()]
        assert (row["answer"], row["finish"], row["model"]) == (text, "stop", "openai:m")
        assert json.loads(row["request"]) == {"messages": [["user", "We was late"]]}
        assert (row["input_tokens"], row["output_tokens"]) == (number, 2)
        assert row["cost"] == number / 10
    assert json.loads(by_key[key(1000).hex()]["answer"]) == {"scores": [0.5, 1.0]}


def test_it_equals_the_journal_while_open_and_after(tmp_path: Path) -> None:
    path, target = tmp_path / "journal.sqlite", tmp_path / "out.parquet"
    with Journal(path) as journal:
        fill(journal)
        check(export(path, target), target)
        first = target.read_bytes()
    check(export(path, target), target)
    assert target.read_bytes() == first
    assert target.stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.glob(".*"))


def test_an_empty_journal_gives_a_file_without_rows(tmp_path: Path) -> None:
    path, target = tmp_path / "journal.sqlite", tmp_path / "out.parquet"
    Journal(path).close()
    assert export(path, target) == 0
    assert dict(pl.read_parquet(target).schema) == dict(COLUMNS)


TARGETS = {
    "out.csv": (OptionError, r"--export.*Give a name that ends in \.parquet"),
    "out": (OptionError, r"ends in \.parquet"),
    "taken.parquet": (OutputError, r"taken\.parquet: this is a folder"),
    "none/out.parquet": (OutputError, "none: there is no such folder"),
    "file/out.parquet": (OutputError, "file: there is no such folder"),
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_place_that_will_not_do_is_said_and_nothing_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / "journal.sqlite"
    (tmp_path / "taken.parquet").mkdir()
    (tmp_path / "file").touch()
    with Journal(path) as journal:
        write(journal, answer(1))
    before = sorted(tmp_path.rglob("*"))
    kind, message = TARGETS[name]
    with pytest.raises(kind, match=message) as caught:
        export(path, tmp_path / name)
    assert "\n" not in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_an_export_that_breaks_off_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    path, target = tmp_path / "journal.sqlite", tmp_path / "out" / "out.parquet"
    target.parent.mkdir()
    with Journal(path) as journal:
        fill(journal)
    target.write_bytes(b"the one before")

    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(ShardWriter, "close", broken)
    with pytest.raises((StorageError, KeyboardInterrupt)):
        export(path, target)
    assert list(target.parent.iterdir()) == [target]
    assert target.read_bytes() == b"the one before"


@pytest.mark.parametrize("folder", ["plain", "what?", "no#1", "100%41", "a b", "größe"])
def test_any_folder_name_will_do(tmp_path: Path, folder: str) -> None:
    path = tmp_path / folder / "journal.sqlite"
    path.parent.mkdir()
    with Journal(path) as journal:
        write(journal, answer(1))
    assert export(path, path.parent / "out.parquet") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"SQLite format 3", b"nothing like it"),
        (b'"text 77 ', b"\xff\xfetext "),
        (b'"text 77 ', b""),
    ],
    ids=["no database", "no UTF-8", "no JSON"],
)
def test_a_damaged_journal_is_said_to_be_one(tmp_path: Path, old: bytes, new: bytes) -> None:
    path, target = tmp_path / "journal.sqlite", tmp_path / "out.parquet"
    with Journal(path) as journal:
        fill(journal)
    data = path.read_bytes()
    path.write_bytes(data.replace(old, new.ljust(len(old), b"x"), 1))
    with pytest.raises(JournalError, match="rescue"):
        export(path, target)
    assert not target.exists()


def test_a_journal_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"none\.sqlite"):
        export(tmp_path / "none.sqlite", tmp_path / "out.parquet")
    assert not (tmp_path / "none.sqlite").exists()
