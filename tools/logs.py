"""Logs of processes: only their owner can read them, and the one before is kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from ..errors import ToolError

__all__ = ["last_lines", "open_log"]

_TAIL_BYTES = 16_384


def open_log(path: Path) -> IO[bytes]:
    """A new log, unbuffered; the one before stays as ``….old``.

    Raises:
        ToolError: It can't be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.replace(path.with_name(f"{path.name}.old"))
        return open(path, "ab", buffering=0, opener=_private)
    except OSError as error:
        raise ToolError(
            f"the log can't be written ({error.strerror})",
            where=str(path),
            remedy="free some space, change the folder's permissions, or choose another folder",
        ) from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def last_lines(path: Path, count: int = 1) -> str:
    """The log's last lines that say something, joined by ``|``; empty if there is none."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return " | ".join([line.strip() for line in lines if line.strip()][-count:])
