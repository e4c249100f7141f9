"""``isogloss journal``: what was spent, where the damaged file is, and what can't be done."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from isogloss.corpus.folder import locked
from isogloss.corpus.journal import Journal
from isogloss.tests.conftest import Command
from isogloss.tests.corpus.test_journal import answer, failure, write

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal of 300 answers and two failures, in the folder ``c``."""
    path = tmp_path / "c" / ".work" / "journal.sqlite"
    path.parent.mkdir(parents=True)
    tokens = {"input_tokens": 10, "output_tokens": 5}
    with Journal(path) as journal:
        write(journal, *(answer(n, f"text {n} " * 9, cost=0.5, **tokens) for n in range(300)))
        write(journal, failure(900, "length", cost=0.25, **tokens), failure(901, "refusal"))
    return path


def damage(path: Path, *, at: int, pages: int = 1) -> bytes:
    data = path.read_bytes()
    data = data[: at * PAGE] + bytes(pages * PAGE) + data[(at + pages) * PAGE :]
    path.write_bytes(data)
    return data


def cells(line: str) -> list[str]:
    return line.strip("| ").replace("|", " ").split()


@pytest.mark.usefixtures("path")
def test_it_ends_with_what_was_spent_in_all(command: Command) -> None:
    done = command("journal", "c")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "spent in all: 4,515 tokens, 150.2500"
    (length,) = [cells(line) for line in lines if "length" in line]
    assert length == ["openai:m", "translate", "length", "1", "10", "5", "0.2500"]


def test_tokens_without_a_price_are_named(command: Command, path: Path) -> None:
    with Journal(path) as journal:
        write(journal, answer(1000, input_tokens=20))
    last = command("journal", "c").stdout.splitlines()[-1]
    assert last == (
        "spent in all: 4,535 tokens, 150.2500 without 20 tokens whose price was not known"
    )


def test_a_sound_journal_is_said_to_be_sound(command: Command, path: Path) -> None:
    before = path.read_bytes()
    done = command("journal", "c", "--rescue")
    assert done.returncode == 0
    assert done.stdout.startswith("the journal is sound (300 answers): nothing was changed\n")
    assert path.read_bytes() == before


def test_each_rescue_says_where_the_damaged_file_is(command: Command, path: Path) -> None:
    for name in ("journal.sqlite.damaged", "journal.sqlite.damaged-2"):
        damaged = damage(path, at=0)
        assert "--rescue" in command("journal", "c").stderr
        done = command("journal", "c", "--rescue")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[0] == (
            "saved 300 answers and 2 failures, no answer is known to be lost; the damaged file is "
            f"now c/.work/{name}"
        )
        assert "spent in all: 4,515 tokens, 150.2500" in done.stdout
        assert path.with_name(name).read_bytes() == damaged


def test_lost_answers_are_named(command: Command, path: Path) -> None:
    damage(path, at=12, pages=3)
    first = command("journal", "c", "--rescue").stdout.splitlines()[0]
    saved, lost = (int(word) for word in first.split() if word.isdigit() and int(word) > 2)
    assert saved + lost == 300
    assert f"at least {lost} answers are lost" in first


def test_where_nothing_can_be_read_that_is_an_error(command: Command, path: Path) -> None:
    path.write_bytes(b"junk" * 5000)
    done = command("journal", "c", "--rescue")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "no answer can be read in its 20,000 bytes" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert path.read_bytes() == b"junk" * 5000


def test_a_running_build_can_be_looked_at_and_exported_but_not_rescued(
    command: Command, path: Path, tmp_path: Path
) -> None:
    with locked(path.parent), Journal(path) as journal:
        write(journal, answer(1000))
        done = command("journal", "c", "--export", "out.parquet")
        assert "301 answers written to out.parquet" in done.stdout, done.stderr
        assert pl.read_parquet(tmp_path / "out.parquet").height == 301
        busy = command("journal", "c", "--rescue")
        assert busy.returncode == 1
        assert busy.stderr.startswith("error[busy]: c: another process")


def test_a_bad_target_is_said_before_anything_is_done(
    command: Command, path: Path, tmp_path: Path
) -> None:
    before = damage(path, at=0)
    done = command("journal", "c", "--rescue", "--export", "out.csv")
    assert done.returncode == 2
    assert done.stderr.startswith("error[option]: --export")
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["c"]
