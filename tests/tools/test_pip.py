"""pip's output: in the log without credentials, and a failure told in a line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.errors import IsoglossError, StorageError, ToolError
from isogloss.tools.logs import open_log
from isogloss.tools.pip import run_logged, without_credentials

SECRET = st.text("abcXYZ0189-_.~%!$&+,;=:@", min_size=1)


def printing(text: str, status: int = 1) -> list[str]:
    code = f"import sys; sys.stdout.write({text!r}); raise SystemExit({status})"
    return [sys.executable, "-I", "-X", "utf8", "-c", code]


def failure(tmp_path: Path, text: str) -> IsoglossError:
    with open_log(tmp_path / "pip.log") as log, pytest.raises(IsoglossError) as told:
        run_logged(printing(text), log=log, where="toy")
    return told.value


@given(user=SECRET, word=SECRET, rest=st.sampled_from(["", "/simple", "/simple?key=hush"]))
def test_no_credentials_are_left(user: str, word: str, rest: str) -> None:
    text = f"Looking in indexes: https://{user}:{word}@a.org{rest}, and http://b.org/x done"
    clean = without_credentials(text)
    assert clean.startswith("Looking in indexes: https://****@a.org")
    assert "hush" not in clean
    assert clean.endswith(" http://b.org/x done")


def test_text_without_credentials_stays() -> None:
    text = "ERROR: no matching distribution for toy==1.0 (see https://a.org/simple/) me@a.org"
    assert without_credentials(text) == text


def test_all_it_prints_is_logged_for_its_owner_only(tmp_path: Path) -> None:
    long = "x" * 100_000
    with open_log(tmp_path / "pip.log") as log:
        run_logged(printing(f"one\n{long}\nhttps://me:hush@a.org/ last", 0), log=log, where="toy")
    said = (tmp_path / "pip.log").read_text()
    assert said == f"one\n{long}\nhttps://****@a.org/ last\n"
    assert (tmp_path / "pip.log").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError'\n"
            "ERROR: Could not find a version that satisfies the requirement toy==1.0\n"
            "ERROR: No matching distribution found for toy==1.0",
            "the package index can't be reached. Check the network",
        ),
        (
            "ERROR: HTTP error 403 while getting x\nERROR: 403 Client Error: Forbidden",
            "refuses the credentials. Check those in PIP_INDEX_URL",
        ),
        (
            "ERROR: Could not find a version that satisfies the requirement toy==1.0\n"
            "ERROR: No matching distribution found for toy==1.0",
            "the package index has no toy==1.0 for this Python. Name an index",
        ),
        (
            "The virtual environment was not created successfully because ensurepip is not\n"
            "available.  On Debian/Ubuntu systems, you need to install the python3-venv\n",
            "venv or ensurepip are missing. Install the system's package python3-venv",
        ),
        ("/usr/bin/python3: No module named venv", "name another Python with --python PATH"),
        (
            "Traceback\nImportError: libssl.so.3: cannot open\n\nbye",
            "the installation failed: ImportError: libssl.so.3: cannot open",
        ),
        ("only this", "the installation failed: only this"),
        ("", "the installation failed: pip said nothing"),
    ],
)
def test_a_failure_is_told_in_a_line_with_the_log(tmp_path: Path, said: str, told: str) -> None:
    error = failure(tmp_path, said)
    assert isinstance(error, ToolError)
    assert str(error).startswith("error[tool]: toy: ")
    assert told in str(error)
    assert str(tmp_path / "pip.log") in str(error)


def test_a_full_disk_is_told_as_one(tmp_path: Path) -> None:
    error = failure(tmp_path, "ERROR: Could not install: [Errno 28] No space left on device")
    assert isinstance(error, StorageError)
    assert "free some space" in str(error).lower()
    assert "pip.log" in str(error)


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with open_log(tmp_path / "pip.log") as log, pytest.raises(ToolError, match="No such file"):
        run_logged([str(tmp_path / "none")], log=log, where="toy")


def test_the_tick_comes_while_nothing_is_printed(tmp_path: Path) -> None:
    flag = tmp_path / "seen"
    code = f"import os, time\nwhile not os.path.exists({str(flag)!r}): time.sleep(0.01)"
    with open_log(tmp_path / "pip.log") as log:
        run_logged([sys.executable, "-c", code], log=log, where="toy", tick=flag.touch)
    assert flag.exists()
    assert os.stat(tmp_path / "pip.log").st_size == 0
