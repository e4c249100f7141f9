"""Fetches a tool's wheels, and no wheel twice."""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
from functools import partial
from pathlib import Path
from typing import IO

from ..failpoints import failpoint
from .catalogue import Tool
from .pip import EXACTLY, run_logged
from .processes import command
from .progress import Progress

__all__ = ["download"]

#: Packages that one call of pip fetches: a kill loses at most so many.
_BATCH = 12


def download(tool: Tool, python: Path, wheels: Path, log: IO[bytes], progress: Progress) -> None:
    """Fetches the wheels that aren't there yet; each one appears whole.

    Args:
        tool: What its pins name is fetched.
        python: Its pip is used; the wheels are for this version.
        wheels: The folder they go to.
        log: pip's; it is open.
        progress: Is told the number of packages that are there.

    Raises:
        ToolError: pip fails.
        StorageError: The disk is full.
    """
    wheels.mkdir(exist_ok=True)
    have = {_pin(wheel) for wheel in wheels.glob("*.whl") if zipfile.is_zipfile(wheel)}
    missing = [pin for pin in tool.pins if _normal(pin) not in have]
    total = len(tool.pins)
    progress.phase(f"{tool.name}: download", total)
    for start in range(0, len(missing), _BATCH):
        done = total - len(missing) + start
        with tempfile.TemporaryDirectory(prefix="part-", dir=wheels) as part:
            fetch = ("download", "--dest", part, *EXACTLY, *missing[start : start + _BATCH])
            run_logged(
                command(python, "pip", *fetch),
                log=log,
                where=tool.name,
                # Constraints are meant for other environments.
                variables={"PIP_CONSTRAINT": os.devnull},
                tick=partial(progress.advance, done, done),
                explain=command(python, "pip", *fetch, "-vv"),
            )
            for wheel in sorted(Path(part).iterdir()):
                with wheel.open("rb") as file:
                    os.fsync(file.fileno())
                wheel.replace(wheels / wheel.name)
                failpoint("tool_wheel")
    progress.advance(total, total)


def _pin(wheel: Path) -> str:
    name, version, *_ = wheel.name.split("-")
    return _normal(f"{name}=={version}")


def _normal(pin: str) -> str:
    name, _, version = pin.partition("==")
    return f"{re.sub('[-_.]+', '-', name).lower()}=={version.lower()}"
