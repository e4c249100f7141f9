"""A Python that a tool's pins fit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ..errors import OptionError, ToolError
from .catalogue import Tool

__all__ = ["Interpreter", "find_python"]

_PROBE = "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)"
_PROBE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python on this machine."""

    path: Path  # what it calls itself
    version: str  # "3.13"


def find_python(tool: Tool, python: str | Path | None = None) -> Interpreter:
    """The Python to make a tool's environment with.

    Args:
        tool: The tool, which says what versions fit.
        python: The path or the name of one; by default the running one if it fits, else the
            first of the tool's versions that is found.

    Raises:
        OptionError: What is named is no Python or doesn't fit.
        ToolError: None is found that does.
    """
    fitting = f"Python {_listed(tool.pythons)}"
    if python is not None:
        found = _probe(str(python))
        if found is None:
            raise OptionError(
                "this is no Python that runs",
                where=f"--python {python}",
                remedy=f"give the path of {fitting}",
            )
        if found.version not in tool.pythons:
            raise OptionError(
                f"{tool.name} needs {fitting}, and this is {found.version}",
                where=f"--python {python}",
                remedy="give the path of another one",
            )
        return found
    running = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if running in tool.pythons:
        return Interpreter(Path(sys.executable), running)
    for version in tool.pythons:
        # A name on the path may be a shim for a version that is not there.
        named = _probe(f"python{version}")
        if named is not None and named.version == version:
            return named
    raise ToolError(
        f"it needs {fitting}; this is {running}, and no other is found",
        where=tool.name,
        remedy=f"install {fitting} and name it with --python PATH",
    )


def _probe(python: str) -> Interpreter | None:
    program = shutil.which(python)
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - a list, no shell
            [program, "-I", "-c", _PROBE],
            capture_output=True,
            text=True,
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=_PROBE_SECONDS,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    version, _, path = done.stdout.strip().partition(" ")
    return Interpreter(Path(path), version) if path else None


def _listed(versions: tuple[str, ...]) -> str:
    *others, last = sorted(versions, key=lambda version: [int(part) for part in version.split(".")])
    return f"{', '.join(others)} or {last}" if others else last
