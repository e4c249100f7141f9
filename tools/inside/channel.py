"""The way back to the process that started this one: a JSON object a line.

It is the process' standard output as it was at the start. File descriptor 1 is turned to
standard error before anything else is imported, so that whatever prints, in Python or in C,
prints to the log.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping

__all__ = ["keep_clear", "say"]

_lock = threading.Lock()
_descriptor = 1


def keep_clear() -> None:
    """Keeps standard output for :func:`say` and gives everybody else standard error."""
    global _descriptor
    _descriptor = os.dup(1)
    os.dup2(2, 1)


def say(message: Mapping[str, object]) -> None:
    """Sends one object, whole.

    ASCII only: neither a lone surrogate nor an odd line end can break a line.

    Raises:
        TypeError: JSON has no word for something in it.
        ValueError: It refers to itself.
        BrokenPipeError: Nobody listens any more.
    """
    left = memoryview(json.dumps(dict(message)).encode("ascii") + b"\n")
    with _lock:
        while left:
            left = left[os.write(_descriptor, left) :]
