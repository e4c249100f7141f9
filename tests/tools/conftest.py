"""A toy tool, and scripts that run as a tool's code would."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from isogloss.tools import catalogue
from isogloss.tools.processes import command

from .toys import Toy, make_wheel, write_catalogue, write_plugin

Script = Callable[..., list[str]]


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Toy]:
    """A tool ``toy`` of two packages, which pip finds in a folder and nowhere else."""
    made = Toy(tmp_path / "plugin", tmp_path / "index", tmp_path / "home")
    write_catalogue(made.plugin)
    write_plugin(made.plugin)
    make_wheel(made.index, "toy_tool", {"toy_tool": "NAME = 'toy'"})
    make_wheel(made.index, "toy_part", {"toy_part": ""})
    for name, value in {
        "ISOGLOSS_HOME": made.home,
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": made.index,
        "PYTHONPATH": made.plugin,
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.syspath_prepend(made.plugin)
    monkeypatch.delitem(sys.modules, "toy_catalogue", raising=False)
    catalogue.cache_clear()
    yield made
    catalogue.cache_clear()


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """What runs a text as a module of a package of its own, bound to this process."""

    def write(text: str, *arguments: object, **others: str) -> list[str]:
        package = tmp_path / "code"
        package.mkdir(exist_ok=True)
        for name, code in {"main": text, **others}.items():
            (package / f"{name}.py").write_text(textwrap.dedent(code), encoding="utf-8")
        return command(Path(sys.executable), "main", *arguments, package=package)

    return write
