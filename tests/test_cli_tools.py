"""``isogloss tools``: what its commands print, and how they leave."""

from __future__ import annotations

import pytest

from .conftest import Command
from .tools.conftest import toy as toy
from .tools.toys import Toy


@pytest.mark.slow
def test_a_tool_is_installed_listed_and_removed(toy: Toy, command: Command) -> None:
    made = command("tools", "install", "toy")
    assert made.returncode == 0, made
    assert made.stdout.startswith("toy 1.0 is installed: ")
    assert str(toy.folder) in made.stdout
    listed = command("tools", "list").stdout
    row = next(line for line in listed.splitlines() if "a toy" in line)
    assert "Python 3." in row
    assert "MIT" in row
    removed = command("tools", "remove", "toy")
    assert removed.stdout.startswith("toy is removed: ")
    again = command("tools", "remove", "toy")
    assert again.returncode == 1
    assert again.stderr.startswith("error[tool]: toy: there is nothing to remove.")


@pytest.mark.usefixtures("toy")
def test_the_list_says_what_is_not_installed(command: Command) -> None:
    listed = command("tools", "list").stdout
    row = next(line for line in listed.splitlines() if "argilla-server" in line)
    assert "no" in row.split()
    assert "Apache-2.0" in row
    assert "(220 MB)" in row


def test_mistakes_are_told_in_a_line(command: Command) -> None:
    told = command("tools", "install", "argilla")
    assert told.returncode == 2
    assert told.stderr == (
        "error[option]: argilla: there is no tool of this name. Choose argilla-server.\n"
    )
    told = command("tools", "install", "argilla-server", "--python", "no-such-python")
    assert told.returncode == 2
    assert told.stderr.count("\n") == 1
    assert "3.11, 3.12 or 3.13" in told.stderr
