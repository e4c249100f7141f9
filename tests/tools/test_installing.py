"""Installing a toy tool with the real venv and pip: whole or not at all, killed and gone on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from isogloss import tools
from isogloss.errors import IsoglossError, OptionError, ToolError
from isogloss.tools.environment import READY
from isogloss.tools.guards import locked

from .toys import Told, Toy, make_wheel, pretend_environment

pytestmark = pytest.mark.slow
PROGRAM = "import sys; from isogloss import tools; print(tools.install('toy').folder)"
POINTS = {"tool_wheel:1": 1, "tool_packages": 2, "tool_checked": 2}


def in_a_process(program: str = PROGRAM, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def works(environment: tools.Environment) -> bool:
    done = subprocess.run(
        [environment.python, "-I", "-c", "import toy_tool, toy_part; print(toy_tool.NAME)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout == "toy\n"


def failure() -> IsoglossError:
    with pytest.raises(IsoglossError) as told:
        tools.install("toy")
    assert tools.installed() == ()
    return told.value


def test_it_is_installed_once_and_removed(
    toy: Toy, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told()
    monkeypatch.setenv("PIP_TARGET", str(toy.home / "elsewhere"))  # meant for another installation
    made = tools.install("toy", progress=told)
    assert works(made)
    assert tools.require("toy") == made
    assert tools.installed() == (made,)
    assert 1_000_000 < made.size < 100_000_000  # pip is in it
    assert told.phases == [
        ("toy: environment", None),
        ("toy: download", 2),
        ("toy: install", 2),
        ("toy: check", None),
    ]
    assert max(told.done) == 2
    assert "Successfully installed toy" in made.log.read_text()
    assert [path.name for path in made.folder.iterdir() if "wheels" in path.name] == []
    for wheel in toy.index.iterdir():
        wheel.unlink()
    assert tools.install("toy") == made  # nothing is fetched
    assert tools.remove("toy") > made.size
    assert not (toy.home / "tools" / "toy").exists()
    with pytest.raises(ToolError, match="not installed"):
        tools.require("toy")
    with pytest.raises(ToolError, match="there is nothing to remove"):
        tools.remove("toy")
    assert capfd.readouterr() == ("", "")


def killed(point: str, program: str = PROGRAM) -> bool:
    dead = in_a_process(program, ISOGLOSS_KILL_AT=point)
    dead.communicate()
    return dead.returncode == -signal.SIGKILL


def test_after_kills_at_any_point_the_same_call_goes_on(toy: Toy) -> None:
    for point, fetched in POINTS.items():
        assert killed(point)
        assert tools.installed() == ()
        wheels = list((toy.folder / "wheels").glob("*.whl"))
        assert len(wheels) == fetched
        for wheel in wheels:  # what is here isn't fetched again
            (toy.index / wheel.name).unlink(missing_ok=True)
    assert killed("tool_ready")
    (made,) = tools.installed()  # the marker is all that counts
    assert works(made)
    assert tools.install("toy") == made
    assert len(list(made.folder.glob("venv-*"))) == 1
    assert killed("tool_unmarked", "from isogloss import tools; tools.remove('toy')")
    assert tools.installed() == ()
    tools.remove("toy")
    assert not (toy.home / "tools" / "toy").exists()


@pytest.mark.usefixtures("toy")
def test_two_processes_don_t_disturb_each_other() -> None:
    both = [in_a_process() for _ in range(2)]
    said = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert said[0][0] == said[1][0]
    assert works(tools.require("toy"))


@pytest.mark.usefixtures("toy")
def test_who_waits_for_another_says_so_and_takes_what_it_made() -> None:
    told = Told()
    with locked(tools.catalogue()["toy"], told):
        waiting = threading.Thread(target=tools.install, args=("toy",), kwargs={"progress": told})
        waiting.start()
        while not told.notes:
            waiting.join(0.01)
        made = pretend_environment()
    waiting.join()
    assert told.notes == ["another process installs or removes toy: waiting for it"]
    assert told.phases == []
    assert tools.require("toy").folder == made


def test_a_tool_that_can_t_be_imported_is_not_installed(toy: Toy) -> None:
    make_wheel(toy.index, "toy_tool", {"toy_tool": "import toy_that_is_missing"})
    assert "No module named 'toy_that_is_missing'" in str(failure())
    assert list(toy.folder.glob("venv-*")) == []


def test_a_home_that_can_t_be_written(toy: Toy) -> None:
    toy.home.write_text("a file")
    error = failure()
    assert "the folder of tools can't be written" in str(error)
    assert "variable ISOGLOSS_HOME" in str(error)


def test_a_python_without_venv(toy: Toy, tmp_path: Path) -> None:
    python = tmp_path / "python"
    version = next(iter(tools.catalogue()["toy"].pythons))
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *run.py*) echo "No module named venv" >&2; exit 1;; esac\n'
        f'echo "{version} {python}"\n'
    )
    python.chmod(0o755)
    with pytest.raises(ToolError, match="Install the system's package python3-venv"):
        tools.install("toy", python=python)
    assert not (toy.folder / READY).exists()


@pytest.mark.usefixtures("toy")
def test_unknown_names() -> None:
    for call in (tools.install, tools.remove):
        with pytest.raises(OptionError, match="there is no tool of this name"):
            call("tyo")
