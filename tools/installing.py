"""Makes a tool's environment: all of it, or nothing that counts.

A download keeps whole wheels, so that a later call goes on where this one ended. The
environment itself is made in a folder that no earlier call has touched, and is there once
its marker is written, last of all.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO

from ..errors import ToolError
from ..failpoints import failpoint
from .catalogue import Tool, tool_named
from .environment import READY, Environment, environment_at, key_of, require, tool_folder
from .guards import home_errors, locked
from .logs import open_log
from .pip import EXACTLY, run_logged
from .processes import command
from .progress import Progress, Silent
from .pythons import find_python
from .wheels import download

__all__ = ["install", "remove"]

_INSIDE = Path(__file__).with_name("inside")


def install(
    name: str, *, python: str | Path | None = None, progress: Progress | None = None
) -> Environment:
    """Installs a tool, or finds that it is installed.

    Where packages come from is pip's business: its configuration and variables count.

    Args:
        name: The tool.
        python: The Python to use; see :func:`.pythons.find_python`.
        progress: Is told how it goes on.

    Raises:
        OptionError: There is no tool of this name.
        ToolError: It can't be installed; the same call goes on where this one ended.
        StorageError: The disk is full.
    """
    tool, progress = tool_named(name), progress or Silent()
    interpreter = find_python(tool, python)
    if done := environment_at(tool, interpreter.version):
        return done
    folder = tool_folder(tool) / key_of(tool, interpreter.version)
    with home_errors(tool), locked(tool, progress):
        if done := environment_at(tool, interpreter.version):
            return done  # another process was at it
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        venv = Path(tempfile.mkdtemp(prefix="venv-", dir=folder))
        try:
            with open_log(folder / "install.log") as log:
                _make(tool, interpreter.path, venv, log, progress)
            _mark_ready(folder, venv)
        except BaseException:
            shutil.rmtree(venv, ignore_errors=True)
            raise
        failpoint("tool_ready")
        shutil.rmtree(folder / "wheels", ignore_errors=True)
    return require(name, python_version=interpreter.version)


def remove(name: str) -> int:
    """Removes a tool with all that was made for it; gives the bytes that this frees.

    Raises:
        OptionError: There is no tool of this name.
        ToolError: There is nothing to remove, or it can't be removed.
    """
    tool = tool_named(name)
    folder = tool_folder(tool)
    with home_errors(tool):
        if not folder.is_dir():
            raise ToolError(
                "there is nothing to remove", where=name, remedy="see isogloss tools list"
            )
        with locked(tool, Silent()):
            size = _size(folder)
            for marker in folder.glob(f"*/{READY}"):  # half removed is not installed
                marker.unlink()
            failpoint("tool_unmarked")
            shutil.rmtree(folder)
    return size


def _make(tool: Tool, base: Path, venv: Path, log: IO[bytes], progress: Progress) -> None:
    """Fills an environment: Python and pip, wheels, packages; then imports what it is for."""
    progress.phase(f"{tool.name}: environment", None)
    run_logged(command(base, "venv", venv), log=log, where=tool.name)
    failpoint("tool_venv")
    python = venv / "bin" / "python"
    wheels = venv.parent / "wheels"
    download(tool, python, wheels, log, progress)
    progress.phase(f"{tool.name}: install", len(tool.pins))

    def tell() -> None:
        done = min(sum(1 for _ in venv.glob("lib/*/site-packages/*.dist-info")), len(tool.pins))
        progress.advance(done, done)

    # Isolated: from the wheels alone, whatever pip is configured to do elsewhere.
    local = ("--isolated", "--no-index", "--find-links", wheels, "--no-warn-script-location")
    run_logged(
        command(python, "pip", "install", *local, *EXACTLY, *tool.pins),
        log=log,
        where=tool.name,
        tick=tell,
    )
    failpoint("tool_packages")
    progress.phase(f"{tool.name}: check", None)
    with tempfile.TemporaryDirectory(prefix="home-", dir=venv.parent) as home:
        # Some programs write to the home folder when they are imported.
        checked = command(python, "check", *tool.imports, package=_INSIDE)
        run_logged(checked, log=log, where=tool.name, variables={"HOME": home})


def _mark_ready(folder: Path, venv: Path) -> None:
    failpoint("tool_checked")
    told = json.dumps({"venv": venv.name, "bytes": _size(venv)})
    temporary = folder / f".{READY}"
    with temporary.open("w", encoding="utf-8") as file:
        file.write(told + "\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(folder / READY)


def _sweep(folder: Path) -> None:
    """Takes away what killed calls left half made."""
    for pattern in ("venv-*", "home-*", "wheels/part-*"):
        for left in folder.glob(pattern):
            shutil.rmtree(left, ignore_errors=True)


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
