"""What stands around every change of a tool's folder: a lock, and errors in a line."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from ..errors import StorageError, ToolError
from .catalogue import Tool
from .environment import tool_folder
from .home import HOME
from .progress import Progress

__all__ = ["home_errors", "locked"]

_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def locked(tool: Tool, progress: Progress) -> Iterator[None]:
    """One process at a time; the others wait, and say so."""
    folder = tool_folder(tool)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # It stays: a lock that is removed is no lock to those who wait for it.
    lock = FileLock(folder.with_name(f".{tool.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress.note(f"another process installs or removes {tool.name}: waiting for it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def home_errors(tool: Tool) -> Iterator[None]:
    """Turns a folder that can't be written, or a full disk, into an error of ours."""
    try:
        yield
    except OSError as error:
        where = str(error.filename or tool_folder(tool))
        if error.errno in _FULL:
            raise StorageError(
                "the disk is full",
                where=where,
                remedy="free some space and run the same command again",
            ) from error
        raise ToolError(
            f"the folder of tools can't be written ({error.strerror})",
            where=where,
            remedy=f"change its permissions, or name another one with the variable {HOME}",
        ) from error
