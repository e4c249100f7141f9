"""Rescue: what can be read of a damaged journal is saved, and only that."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from isogloss.corpus.journal import Answer, Failure, Journal
from isogloss.corpus.journal_rescue import rescue
from isogloss.errors import JournalError
from isogloss.tests.corpus.test_journal import answer, failure, key, write

PAGE = 4096
COUNT = 400
ANSWERS = {key(n): answer(n, f"text number {n} " * (1 + n % 40), cost=n / 8) for n in range(COUNT)}
FAILURES = {key(n): failure(n, "length") for n in range(COUNT, COUNT + 20)}
KEYS = [*ANSWERS, *FAILURES]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a journal that nothing has happened to."""
    path = tmp_path_factory.mktemp("sound") / "journal.sqlite"
    with Journal(path) as journal:
        write(journal, *ANSWERS.values(), *FAILURES.values())
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def overwritten(data: bytes, at: int, junk: bytes) -> bytes:
    return data[:at] + junk + data[at + len(junk) :]


def saved(path: Path) -> tuple[dict[bytes, Answer], dict[bytes, Failure]]:
    """Rescues; the new journal opens, has what was counted, and no wrong row."""
    before = path.read_bytes()
    counted = rescue(path)
    assert path.with_name("journal.sqlite.damaged").read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o600
    with Journal(path) as journal:
        answers, failures = journal.answers(KEYS), journal.failures(KEYS)
        write(journal, answer(-1))
    assert counted == (len(answers), len(failures))
    assert [a for k, a in answers.items() if a != ANSWERS[k]] == []
    assert [f for k, f in failures.items() if f != FAILURES[k]] == []
    return answers, failures


def test_a_sound_journal_is_saved_whole(path: Path, sound: bytes) -> None:
    path.write_bytes(sound)
    assert saved(path) == (ANSWERS, FAILURES)


def test_the_write_ahead_log_is_saved_too(path: Path, tmp_path: Path) -> None:
    first = tmp_path / "killed.sqlite"
    with Journal(first) as journal:
        write(journal, answer(1))
        for suffix in ("", "-wal"):  # what a killed process leaves
            path.with_name(path.name + suffix).write_bytes(
                first.with_name(first.name + suffix).read_bytes()
            )
    assert rescue(path) == (1, 0)


JUNK: dict[str, Callable[[random.Random, bytes], bytes]] = {
    "zeros": lambda _, __: b"\0" * PAGE,
    "letters": lambda _, __: b"A" * PAGE,
    "noise": lambda chance, _: chance.randbytes(PAGE),
    "another page": lambda _, data: data[PAGE * 5 : PAGE * 6],
}


@pytest.mark.parametrize("kind", JUNK)
@pytest.mark.parametrize("seed", range(4))
def test_one_lost_page_costs_little_and_brings_no_wrong_row(
    path: Path, sound: bytes, kind: str, seed: int
) -> None:
    chance = random.Random(seed)
    page = chance.randrange(6, len(sound) // PAGE)
    path.write_bytes(overwritten(sound, page * PAGE, JUNK[kind](chance, sound)))
    answers, failures = saved(path)
    assert len(answers) + len(failures) > (COUNT + 20) * 0.7


@pytest.mark.parametrize("part", [0.6, 0.95])
def test_a_cut_file_gives_what_is_left(path: Path, sound: bytes, part: float) -> None:
    path.write_bytes(sound[: int(len(sound) * part)])
    answers, _ = saved(path)
    assert len(answers) > COUNT // 20


def test_rows_between_two_damaged_ones_are_saved(path: Path, sound: bytes) -> None:
    ordered = sorted(ANSWERS)
    damaged = sound
    for k in (ordered[COUNT // 4], ordered[3 * COUNT // 4]):
        text = str(ANSWERS[k].answer).encode()
        damaged = damaged.replace(b'"' + text[:16], b"\xff\xfe" + text[:15], 1)
    path.write_bytes(damaged)
    answers, _ = saved(path)
    assert len(answers) == COUNT - 2


@pytest.mark.parametrize("seed", range(2))
def test_a_text_with_letters_changed_is_not_taken_for_an_answer(
    path: Path, sound: bytes, seed: int
) -> None:
    chance = random.Random(seed)
    at = sound.index(b"text number", chance.randrange(len(sound) // 2)) + 2
    path.write_bytes(overwritten(sound, at, b"dialect"))
    answers, _ = saved(path)
    assert len(answers) < COUNT


@pytest.mark.parametrize("data", [b"", b"no database " * 1000])
def test_a_file_without_anything_readable_gives_an_empty_journal(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert saved(path) == ({}, {})


def test_a_second_rescue_keeps_what_the_first_put_aside(path: Path, sound: bytes) -> None:
    path.write_bytes(overwritten(sound, PAGE * 8, b"\0" * PAGE))
    damaged = path.read_bytes()
    rescue(path)
    rescue(path)
    assert damaged in [file.read_bytes() for file in path.parent.iterdir()]


def test_a_newer_format_is_left_alone(path: Path, sound: bytes) -> None:
    path.write_bytes(sound)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version=99")
        other.execute("ALTER TABLE answers ADD COLUMN later TEXT")
        other.commit()
    with pytest.raises(JournalError, match="upgrade|Upgrade"):
        rescue(path)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM answers").fetchone()[0] == COUNT
