"""Backups without a server: what is whole is kept, and what fails is told apart."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from isogloss.annotation import backups
from isogloss.annotation.backups import AUTOMATIC, back_up_if_changed, backup, restore
from isogloss.annotation.home import Home, open_home
from isogloss.errors import (
    AnnotationError,
    IsoglossError,
    OutputError,
    StorageError,
    WorkFolderBusyError,
)
from isogloss.tests.conftest import Command


@pytest.fixture
def stopped(tmp_path: Path) -> Home:
    """A folder with a database that looks like Argilla's, and no server."""
    home = open_home(tmp_path / "stopped", make=True)
    with closing(sqlite3.connect(home.database)) as database, database:
        for name in ("alembic_version", "records", "responses", "users"):
            database.execute(f"CREATE TABLE {name} (value TEXT)")
        database.executemany(
            "INSERT INTO responses VALUES (?)", [(f"answer {at} " * 50,) for at in range(500)]
        )
    return home


def test_what_is_no_backup_is_not_restored(stopped: Home, tmp_path: Path) -> None:
    made = backup(stopped, tmp_path / "made.db")
    before = stopped.database.read_bytes()
    whole = made.read_bytes()
    with closing(sqlite3.connect(tmp_path / "other.db")) as other, other:
        other.execute("CREATE TABLE records (value TEXT)")
    (tmp_path / "text.db").write_text("a letter\n" * 1000)
    (tmp_path / "cut.db").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "holes.db").write_bytes(whole[:8192] + bytes(16_384) + whole[24_576:])
    (tmp_path / "empty.db").write_bytes(b"")
    for name, part in {
        "other.db": "this is no database of an annotation server",
        "text.db": "is damaged (file is not a database)",
        "cut.db": "is damaged",
        "holes.db": "is damaged",
        "empty.db": "this is no database of an annotation server",
        "missing.db": "there is no such file",
        "": "there is no such file",
    }.items():
        with pytest.raises(AnnotationError) as refused:
            restore(stopped, tmp_path / name)
        assert part in str(refused.value), name
        assert stopped.database.read_bytes() == before
    assert not (stopped.folder / "backups").exists()
    restore(stopped, made)
    with closing(sqlite3.connect(stopped.database)) as database:
        assert database.execute("SELECT count(*) FROM responses").fetchone() == (500,)


def test_a_damaged_database_is_not_copied_over_good_backups(stopped: Home, tmp_path: Path) -> None:
    whole = stopped.database.read_bytes()
    stopped.database.write_bytes(whole[:8192] + bytes(16_384) + whole[24_576:])
    with pytest.raises(AnnotationError) as refused:
        backup(stopped)
    assert f"{stopped.database}: the database is damaged" in str(refused.value)
    assert list((stopped.folder / "backups").iterdir()) == []
    with pytest.raises(AnnotationError) as refused:
        backup(open_home(tmp_path / "new", make=True))
    assert "there is no database yet" in str(refused.value)


def test_a_backup_takes_nobodys_place(stopped: Home, tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear ada")
    with pytest.raises(AnnotationError) as refused:
        backup(stopped, tmp_path / "letter")
    assert "there is a file already" in str(refused.value)
    assert (tmp_path / "letter").read_text() == "dear ada"
    assert {backup(stopped) for _ in range(3)} == set((stopped.folder / "backups").iterdir())
    assert len(list((stopped.folder / "backups").iterdir())) == 3


def test_automatic_backups_are_few_and_made_of_changes(stopped: Home) -> None:
    by_hand = backup(stopped)
    made: list[Path] = []
    time = stopped.database.stat().st_mtime
    for at in range(AUTOMATIC + 5):
        with closing(sqlite3.connect(stopped.database)) as database, database:
            database.execute("INSERT INTO users VALUES (?)", (f"user {at}",))
        os.utime(stopped.database, (time + 10 * at, time + 10 * at))
        one = back_up_if_changed(stopped)
        assert one is not None
        os.utime(one, (time + 10 * at + 1, time + 10 * at + 1))
        made.append(one)
        # Nothing has changed since, so that none is made.
        assert back_up_if_changed(stopped) is None
    there = set((stopped.folder / "backups").iterdir())
    assert there == {by_hand, *made[-AUTOMATIC:]}
    with closing(sqlite3.connect(made[-1])) as database:
        assert database.execute("SELECT count(*) FROM users").fetchone() == (AUTOMATIC + 5,)


def test_a_folder_without_a_database_has_nothing_to_back_up(tmp_path: Path) -> None:
    home = open_home(tmp_path / "new", make=True)
    assert back_up_if_changed(home) is None
    assert back_up_if_changed(replace(home, folder=tmp_path / "nowhere")) is None


@pytest.mark.parametrize(
    ("code", "kind", "part"),
    [
        (sqlite3.SQLITE_CORRUPT_VTAB, AnnotationError, "the database is damaged (it broke)"),
        (sqlite3.SQLITE_NOTADB, AnnotationError, "the database is damaged"),
        (sqlite3.SQLITE_FULL, StorageError, "the disk refused (it broke). Free some space"),
        (sqlite3.SQLITE_IOERR_WRITE, StorageError, "the disk refused (it broke). Check the disk"),
        (sqlite3.SQLITE_CANTOPEN, StorageError, "the disk refused (it broke). Change the perm"),
        (sqlite3.SQLITE_LOCKED, WorkFolderBusyError, "another program keeps the database"),
        (sqlite3.SQLITE_ERROR, AnnotationError, "the database can't be copied (it broke)"),
        (None, AnnotationError, "the database can't be copied (it broke)"),
    ],
)
def test_a_full_disk_is_no_damage(
    code: int | None,
    kind: type[IsoglossError],
    part: str,
    stopped: Home,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = backup(stopped, tmp_path / "made.db")
    before = stopped.database.read_bytes()

    class Broken(sqlite3.Connection):
        def backup(self, *_: object, **__: object) -> None:
            error = sqlite3.DatabaseError("it broke")
            if code is not None:
                error.sqlite_errorcode = code
            raise error

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **{**k, "factory": Broken}))
    with pytest.raises(kind) as refused:
        backup(stopped)
    assert part in str(refused.value)
    if "damaged" not in part:
        with pytest.raises(kind) as refused:
            restore(stopped, made)
        assert part in str(refused.value)
        # What there was is neither replaced nor set aside as damaged.
        assert stopped.database.read_bytes() == before
    assert list((stopped.folder / "backups").iterdir()) == []
    assert not list(stopped.folder.glob(".*.new*"))


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk with room for 100 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=100k", "none", str(folder)]
    if os.geteuid() or not shutil.which("mount") or subprocess.run(mount, check=False).returncode:
        pytest.skip("only a user who may mount a disk can fill a small one")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_is_full_is_said_to_be(stopped: Home, small: Path, tmp_path: Path) -> None:
    made = backup(stopped, tmp_path / "made.db")
    assert made.stat().st_size > 200_000
    with pytest.raises(StorageError, match="Free some space") as refused:
        backup(stopped, small / "copy.db")
    assert f"{small / '.copy.db.new'}: the disk refused" in str(refused.value)
    assert list(small.iterdir()) == []
    home = open_home(small / "home", make=True)
    with pytest.raises(StorageError, match="Free some space"):
        restore(home, made)
    assert not home.database.exists()
    assert {path.name for path in home.folder.iterdir()} <= {"lock", "server.json"}


def test_a_database_that_somebody_keeps_is_waited_for(
    stopped: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "_WAIT_SECONDS", 0.1)
    with closing(sqlite3.connect(stopped.database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(WorkFolderBusyError, match="another program keeps the database"):
            backup(stopped)
    assert backup(stopped).is_file()


def test_a_damaged_database_is_set_aside_with_its_log(stopped: Home, tmp_path: Path) -> None:
    made = backup(stopped, tmp_path / "made.db")
    stopped.database.write_bytes(b"no database at all" * 300)
    wal = stopped.folder / "argilla.db-wal"
    wal.write_bytes(b"all that was answered today")
    kept = restore(stopped, made)
    assert kept is not None
    assert kept.name.startswith("damaged-")
    assert kept.read_bytes() == b"no database at all" * 300
    aside = kept.with_name(f"{kept.name}-wal")
    assert aside.read_bytes() == b"all that was answered today"
    assert not wal.exists()
    assert {path.name for path in kept.parent.iterdir()} >= {kept.name, aside.name}


def test_a_backup_that_can_be_nowhere_is_told_in_a_line(
    stopped: Home, tmp_path: Path, command: Command
) -> None:
    (tmp_path / "file").touch()
    for place in ("/proc/bk.db", tmp_path / "file" / "bk.db", tmp_path / ("a" * 300)):
        told = command("annotate", "backup", "--home", stopped.folder, "--to", place)
        assert told.returncode == 2
        assert told.stderr.startswith(f"error[output]: {place}: no file can be made there (")
        assert told.stderr.count("\n") == 1
    with pytest.raises(OutputError):
        backup(stopped, Path("/proc/bk.db"))


def test_a_backup_is_put_into_a_folder_that_had_no_server(
    stopped: Home, tmp_path: Path, command: Command
) -> None:
    odd = tmp_path / "a?b#c%20"
    made = backup(stopped, odd / "made.db")
    missing = command("annotate", "restore", tmp_path / "none.db", "--home", tmp_path / "new")
    assert missing.returncode == 2
    assert not (tmp_path / "new").exists()
    told = command("annotate", "restore", made, "--home", tmp_path / "new")
    assert (told.returncode, told.stderr) == (0, "")
    assert "is restored" in told.stdout
    home = open_home(tmp_path / "new")
    with closing(sqlite3.connect(home.database)) as database:
        assert database.execute("SELECT count(*) FROM responses").fetchone() == (500,)
