"""A Python that fits: the running one, the one that is named, or one on the path."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest
from isogloss.errors import OptionError, ToolError
from isogloss.tools import Tool, catalogue
from isogloss.tools.pythons import find_python

from .toys import RUNNING

TOOL = catalogue()["argilla-server"]


def needing(*versions: str) -> Tool:
    return dataclasses.replace(TOOL, pythons=versions)


def pretend(folder: Path, name: str, says: str) -> Path:
    """A program that answers as a Python would."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{says}\n")
    file.chmod(0o755)
    return file


def test_the_running_one_is_taken_if_it_fits() -> None:
    found = find_python(needing("3.99", RUNNING))
    assert (found.path, found.version) == (Path(sys.executable), RUNNING)


def test_one_on_the_path_is_taken_if_the_running_one_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    pretend(tmp_path, "python3.99", "exit 127")  # a shim for a version that isn't there
    pretend(tmp_path, "python3.98", "echo 3.7 /usr/bin/python")
    pretend(tmp_path, "python3.97", "echo 3.97 /opt/my python/bin/python3.97")
    found = find_python(needing("3.99", "3.98", "3.97"))
    assert (str(found.path), found.version) == ("/opt/my python/bin/python3.97", "3.97")


def test_none_that_fits_is_told_with_the_versions_that_do() -> None:
    with pytest.raises(ToolError) as told:
        find_python(needing("3.99", "3.98", "3.100"))
    assert str(told.value) == (
        f"error[tool]: argilla-server: it needs Python 3.98, 3.99 or 3.100; this is {RUNNING}, and "
        "no other is found. Install Python 3.98, 3.99 or 3.100 and name it with --python PATH."
    )


def test_a_named_one_counts_and_must_fit(tmp_path: Path) -> None:
    found = find_python(needing(RUNNING), sys.executable)
    assert (found.path, found.version) == (Path(sys.executable), RUNNING)
    with pytest.raises(OptionError, match=f"needs Python 3.99, and this is {RUNNING}"):
        find_python(needing("3.99"), sys.executable)
    for wrong in (tmp_path / "none", tmp_path, pretend(tmp_path, "cat", "echo meow")):
        with pytest.raises(OptionError, match="this is no Python that runs. Give the path of"):
            find_python(needing(RUNNING), wrong)
