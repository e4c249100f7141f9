"""Environments: there once they are whole, and gone with the Python they were made with."""

from __future__ import annotations

import pytest
from isogloss import tools
from isogloss.errors import OptionError, ToolError
from isogloss.tools.environment import READY, require

from .toys import RUNNING, Toy, pretend_environment, write_catalogue

OTHER = "3.11" if RUNNING != "3.11" else "3.12"


def test_what_is_not_installed_says_how_to_install_it(toy: Toy) -> None:
    with pytest.raises(ToolError) as told:
        tools.require("toy")
    assert str(told.value) == (
        "error[tool]: toy: this tool is not installed. Run isogloss tools install toy (about 1 MB)."
    )
    assert not toy.home.exists()
    with pytest.raises(OptionError, match="no tool of this name"):
        tools.require("tyo")


def test_an_environment_with_its_marker_is_installed(toy: Toy) -> None:
    folder = pretend_environment()
    found = tools.require("toy")
    assert tools.installed() == (found,)
    assert folder.is_relative_to(toy.home / "tools" / "toy")
    assert (found.folder, found.size, found.python_version) == (folder, 12, RUNNING)
    assert found.python.is_file()
    assert found.log == folder / "install.log"
    assert found.log_for("a") != found.log_for("a")


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("marker", [None, "", "{", "[]", '{"venv": "venv-2", "bytes": 1}'])
def test_without_a_marker_that_fits_it_is_not_installed(marker: str | None) -> None:
    file = pretend_environment() / READY
    file.unlink()
    if marker is not None:
        file.write_text(marker)
    assert tools.installed() == ()


@pytest.mark.usefixtures("toy")
def test_it_is_gone_when_its_python_has_gone() -> None:
    link = pretend_environment() / "venv-1" / "bin" / "python"
    link.unlink()
    link.symlink_to("/nowhere/python")
    with pytest.raises(ToolError, match="not installed"):
        tools.require("toy")


def test_other_pins_are_another_environment(toy: Toy) -> None:
    pretend_environment()
    write_catalogue(toy.plugin, pins=["toy_tool==1.1"])
    tools.catalogue.cache_clear()
    assert tools.installed() == ()


def test_the_running_version_comes_first(toy: Toy) -> None:
    write_catalogue(toy.plugin, pythons=[OTHER, RUNNING])
    tools.catalogue.cache_clear()
    pretend_environment(OTHER)
    assert tools.require("toy").python_version == OTHER
    pretend_environment(RUNNING)
    assert tools.require("toy").python_version == RUNNING
    assert require("toy", python_version=OTHER).python_version == OTHER
