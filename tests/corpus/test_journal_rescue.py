"""Rescue: what can be read of a damaged journal is saved, and only that."""

from __future__ import annotations

import errno
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from isogloss.corpus import journal_rescue
from isogloss.corpus.folder import locked
from isogloss.corpus.journal import Answer, Failure, Journal
from isogloss.corpus.journal_rescue import Rescued, rescue
from isogloss.errors import JournalError, StorageError, WorkFolderBusyError
from isogloss.tests.corpus.test_journal import answer, failure, key, write

pytestmark = pytest.mark.slow
PAGE = 4096
COUNT = 400
ANSWERS = {key(n): answer(n, f"text number {n} " * (1 + n % 40), cost=n / 8) for n in range(COUNT)}
FAILURES = {key(n): failure(n, "length") for n in range(COUNT, COUNT + 20)}
KEYS = [*ANSWERS, *FAILURES]
SPENT = sum(n / 8 for n in range(COUNT))


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
    found = rescue(path)
    assert found.aside == path.with_name("journal.sqlite.damaged")
    assert found.aside.read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o600
    with Journal(path) as journal:
        answers, failures = journal.answers(KEYS), journal.failures(KEYS)
        spent = journal.spent()
        write(journal, answer(-1))
    assert (found.answers, found.failures) == (len(answers), len(failures))
    assert found.lost <= COUNT - len(answers)
    assert [a for k, a in answers.items() if a != ANSWERS[k]] == []
    assert [f for k, f in failures.items() if f != FAILURES[k]] == []
    assert spent[0] == SPENT if found.spent_known else spent[0] <= SPENT
    assert not path.with_name("journal.sqlite.rescue").exists()
    return answers, failures


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name != "lock"}


def test_a_sound_journal_is_left_alone(path: Path, sound: bytes) -> None:
    path.write_bytes(sound)
    assert rescue(path) == Rescued(None, COUNT, 20, 0, True)
    assert files(path.parent) == {path.name: sound}


WRITER = """
import os, signal, sys
from pathlib import Path
from isogloss.corpus.journal import Journal
from isogloss.tests.corpus.test_journal import answer, failure, write

journal = Journal(Path(sys.argv[1]))
write(journal, *(failure(n, input_tokens=5) for n in range(10)))
write(journal, *(answer(n, f"text {n}", input_tokens=3, cost=0.5) for n in range(5, 305)))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def killed(path: Path) -> Path:
    """A journal whose writer was killed: all its rows are in the write-ahead log."""
    done = subprocess.run([sys.executable, "-c", WRITER, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.stat().st_size <= PAGE
    return path


def test_what_a_kill_left_in_the_log_is_sound_and_left_alone(killed: Path) -> None:
    before = files(killed.parent)
    assert rescue(killed) == Rescued(None, 300, 5, 0, True)
    assert files(killed.parent) == before


@pytest.mark.parametrize("at", [0, 40, PAGE * 3])
def test_what_a_kill_left_in_the_log_is_saved(killed: Path, at: int) -> None:
    log = killed.with_name("journal.sqlite-wal")
    killed.write_bytes(bytes(PAGE))  # the first page, and all that this file has
    log.write_bytes(overwritten(log.read_bytes(), at, b"\xff" * 60))
    before = files(killed.parent)
    found = rescue(killed)
    assert found.aside == killed.with_name("journal.sqlite.damaged")
    after = files(killed.parent)
    for suffix in ("", "-wal", "-shm"):
        assert after[f"journal.sqlite.damaged{suffix}"] == before[f"journal.sqlite{suffix}"]
    assert set(after) - {name for name in after if ".damaged" in name} == {killed.name}
    with Journal(killed) as journal:
        answers = journal.answers([key(n) for n in range(310)])
        assert journal.spent() == (150.0, 950)
    assert answers == {
        key(n): answer(n, f"text {n}", input_tokens=3, cost=0.5) for n in range(5, 305)
    }
    assert found == Rescued(found.aside, 300, 5, 0, True)


def test_a_running_build_is_not_disturbed(path: Path, sound: bytes) -> None:
    path.write_bytes(overwritten(sound, PAGE * 8, b"\0" * PAGE))
    before = files(path.parent)
    with (
        locked(path.parent),
        pytest.raises(WorkFolderBusyError, match="another process"),
    ):
        rescue(path)
    assert files(path.parent) == before
    assert rescue(path).aside is not None


def page_of(sound: bytes, path: Path, table: str) -> int:
    """The root page of a table, from 0."""
    path.write_bytes(sound)
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(connection.execute(query, (table,)).fetchone()[0]) - 1


def test_without_its_first_page_all_is_saved(path: Path, sound: bytes) -> None:
    path.write_bytes(overwritten(sound, 0, bytes(PAGE)))
    assert saved(path) == (ANSWERS, FAILURES)


def test_without_the_root_of_the_answers_all_is_saved(path: Path, sound: bytes) -> None:
    root = page_of(sound, path, "answers")
    path.write_bytes(overwritten(sound, root * PAGE, bytes(PAGE)))
    assert saved(path) == (ANSWERS, FAILURES)


def test_without_the_sum_the_sum_of_the_rows_is_the_least(path: Path, sound: bytes) -> None:
    path.write_bytes(sound)
    with Journal(path) as journal:  # what is spent on a failure that was mended is in the sum only
        write(journal, failure(9999, cost=2.0), answer(9999, cost=1.0, input_tokens=7))
    data = path.read_bytes()
    root = page_of(data, path, "spent")
    for page, sum_is_there in ((8, True), (root, False)):
        path.write_bytes(overwritten(data, page * PAGE, bytes(PAGE)))
        found = rescue(path)
        assert found.spent_known is sum_is_there
        with Journal(path) as journal:
            spent = journal.spent()[0]
        assert spent == SPENT + (3.0 if sum_is_there else 1.0)


def test_lost_answers_are_counted(path: Path, sound: bytes) -> None:
    path.write_bytes(sound)
    pages = len(sound) // PAGE
    path.write_bytes(overwritten(sound, pages // 2 * PAGE, bytes(PAGE * 4)))
    found = rescue(path)
    assert 0 < found.lost == COUNT - found.answers


def test_the_latest_of_two_failures_is_kept(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, failure(1, "timeout"), answer(2))
        journal._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        time.sleep(0.002)
        write(journal, failure(1, "length"))
        for name in (path, path.with_name("journal.sqlite-wal")):
            shutil.copy(name, name.with_name(f"copy.{name.name}"))
    copy = path.with_name("copy.journal.sqlite")
    copy.write_bytes(overwritten(copy.read_bytes(), 0, bytes(16)))
    assert rescue(copy).failures == 1
    with Journal(copy) as journal:
        assert journal.failures([key(1)])[key(1)].reason == "length"


def test_a_rescue_that_fails_changes_nothing(
    path: Path, sound: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(overwritten(sound, PAGE * 8, b"\0" * PAGE))
    before = files(path.parent)

    def full(*_: object) -> bool:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(journal_rescue, "_swap", full)
        with pytest.raises(StorageError, match="No space left"):
            rescue(path)
    assert files(path.parent) == before


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
def test_of_a_file_without_anything_readable_that_is_said(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    with pytest.raises(JournalError, match=f"no answer can be read in its {len(data):,}") as caught:
        rescue(path)
    assert caught.value.exit_status == 1
    assert files(path.parent) == {path.name: data}


def test_a_second_rescue_keeps_what_the_first_put_aside(path: Path, sound: bytes) -> None:
    path.write_bytes(overwritten(sound, PAGE * 8, b"\0" * PAGE))
    first = path.read_bytes()
    assert rescue(path).aside == path.with_name("journal.sqlite.damaged")
    path.write_bytes(overwritten(sound, PAGE * 9, b"\0" * PAGE))
    second = path.read_bytes()
    assert rescue(path).aside == path.with_name("journal.sqlite.damaged-2")
    kept = files(path.parent)
    assert kept["journal.sqlite.damaged"] == first
    assert kept["journal.sqlite.damaged-2"] == second


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
