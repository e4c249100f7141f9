"""The home folder: made once however many want it, and never mistaken for a stranger's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from isogloss.annotation.home import Home, open_home
from isogloss.errors import AnnotationError, OutputError, WorkFolderBusyError

URL = "http://127.0.0.1:6900"


def test_all_who_start_at_once_get_the_same_keys(tmp_path: Path) -> None:
    def opened(folder: Path, start: threading.Barrier) -> tuple[str, str]:
        start.wait()
        home = open_home(folder, make=True)
        return home.secret_key, home.api_key

    with ThreadPoolExecutor(8) as pool:
        for at in range(30):
            start = threading.Barrier(8)
            one = [pool.submit(opened, tmp_path / f"{at}", start) for _ in range(8)]
            assert len({each.result() for each in one}) == 1
    assert {path.name for path in (tmp_path / "0").iterdir()} == {"lock", "server.json"}


def test_a_folder_whose_making_was_interrupted_is_made(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    (tmp_path / ".server.json.new").write_text('{"format_ver')
    open_home(tmp_path, make=True)
    assert (tmp_path / "server.json").stat().st_mode & 0o077 == 0
    (tmp_path / "server.json").unlink()
    (tmp_path / "notes.txt").touch()
    with pytest.raises(OutputError, match="holds files, but no annotation server"):
        open_home(tmp_path, make=True)
    with pytest.raises(AnnotationError, match="no annotation server was ever started"):
        open_home(tmp_path)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return open_home(tmp_path / "home", make=True)


def test_where_a_server_answers_is_known_as_long_as_it_is_told(home: Home) -> None:
    note = home.folder / "running.json"
    assert home.running_url() is None
    with home.telling(URL, os.getpid()):
        assert note.stat().st_mode & 0o077 == 0
        assert home.running_url() == URL
        assert json.loads(note.read_text()) == {"url": URL, "pid": os.getpid()}
    assert not note.exists()
    assert home.running_url() is None


def test_a_note_that_nobody_keeps_is_none(home: Home) -> None:
    """A killed server's: another program may have its process id and its port by now."""
    (home.folder / "running.json").write_text(json.dumps({"url": URL, "pid": os.getpid()}))
    assert home.running_url() is None
    # Also while another server starts, which has not told yet.
    with home.alone():
        assert home.running_url() is None
    with home.telling("http://127.0.0.1:6901", os.getpid()):
        assert home.running_url() == "http://127.0.0.1:6901"


def test_a_process_that_was_killed_tells_no_more(home: Home) -> None:
    script = f"""
import os, sys, time
from pathlib import Path
from isogloss.annotation.home import open_home
with open_home(Path({str(home.folder)!r})).telling({URL!r}, os.getpid()):
    print("told", flush=True)
    time.sleep(3600)
"""
    argv = [sys.executable, "-c", script]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "told\n"
        assert home.running_url() == URL
        other.kill()
    assert (home.folder / "running.json").exists()
    assert home.running_url() is None


def test_a_home_that_is_kept_says_by_whom(home: Home) -> None:
    with home.alone(), home.telling(URL, os.getpid()):
        with pytest.raises(WorkFolderBusyError) as busy:
            home.alone().__enter__()
        assert f"a server runs in this folder at {URL}" in str(busy.value)
    with home.alone():
        pass
