"""Where the tools' environments lie, and which of them are whole."""

from __future__ import annotations

import itertools
import json
import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from ..errors import ToolError
from .catalogue import Tool, catalogue, tool_named
from .home import home_folder
from .processes import command

__all__ = [
    "READY",
    "Environment",
    "environment_at",
    "installed",
    "key_of",
    "require",
    "tool_folder",
]

#: Written last; an environment without it is not there.
READY = "READY"
_logs = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Environment:
    """A tool that is installed."""

    tool: Tool
    folder: Path  # all of it; logs of its processes may go there too
    python: Path  # the interpreter that has the tool's packages
    python_version: str  # "3.11"
    size: int  # bytes on the disk

    @property
    def log(self) -> Path:
        """What pip printed when it was installed."""
        return self.folder / "install.log"

    def log_for(self, what: str) -> Path:
        """A log for one process of this one; no two get the same while both live."""
        return self.folder / "logs" / f"{what}-{os.getpid()}-{next(_logs)}.log"

    def command(self, package: Path, module: str, *arguments: object) -> list[str]:
        """What runs a module of a package folder of ours in this environment.

        The environment has no Isogloss. The folder's modules are importable under the folder's
        dotted name (``isogloss.annotation.embedded``; outside of Isogloss just the folder's own
        name), and so is :mod:`isogloss.tools.inside`; packages above are empty. They may import
        what the tool brings, and nothing else of ours. The process dies with this one.

        Args:
            package: The folder.
            module: The module in it, which runs as ``__main__``.
            arguments: What it finds in ``sys.argv[1:]``.
        """
        return command(self.python, module, *arguments, package=package)


def tool_folder(tool: Tool) -> Path:
    """Everything of a tool, in all its versions."""
    return home_folder() / "tools" / tool.name


def key_of(tool: Tool, python_version: str) -> str:
    """The name of an environment's folder: what it depends on."""
    return f"{tool.fingerprint}-py{python_version}-{sysconfig.get_platform()}"


def installed() -> tuple[Environment, ...]:
    """The tools that are installed, with exactly the packages that this Isogloss asks for."""
    return tuple(found for tool in catalogue().values() for found in [_found(tool)] if found)


def require(name: str, *, python_version: str | None = None) -> Environment:
    """The environment of a tool.

    Args:
        name: The tool.
        python_version: "3.13" and so on; by default the running one before all others.

    Raises:
        OptionError: There is no tool of this name.
        ToolError: It isn't installed.
    """
    tool = tool_named(name)
    found = environment_at(tool, python_version) if python_version else _found(tool)
    if found is None:
        raise ToolError(
            "this tool is not installed",
            where=name,
            remedy=f"run isogloss tools install {name} (about {tool.megabytes} MB)",
        )
    return found


def environment_at(tool: Tool, python_version: str) -> Environment | None:
    """The environment for one Python, if it is there and whole."""
    folder = tool_folder(tool) / key_of(tool, python_version)
    try:
        told = json.loads((folder / READY).read_text(encoding="utf-8"))
        python = folder / told["venv"] / "bin" / "python"
        size = int(told["bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # It is a link, and the Python it leads to may have gone.
    return Environment(tool, folder, python, python_version, size) if python.exists() else None


def _found(tool: Tool) -> Environment | None:
    ours = f"{sys.version_info[0]}.{sys.version_info[1]}"
    versions = sorted(tool.pythons, key=lambda version: version != ours)
    places = (environment_at(tool, version) for version in versions)
    return next((found for found in places if found), None)
