"""A process that ends when the one that started it does, even if that is killed."""

from __future__ import annotations

import atexit
import ctypes
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable

__all__ = ["die_with_parent", "end_with"]

_PR_SET_PDEATHSIG = 1
_LOOK_SECONDS = 1.0
_parent = 0
_orphaned = threading.Event()


def end_with(parent: int) -> None:
    """Has the kernel hang up (SIGHUP) when the parent dies, which ends a process as it is.

    On Linux only; elsewhere the parent is remembered for :func:`die_with_parent`.

    Args:
        parent: Its process id, as the parent itself gave it.
    """
    global _parent
    _parent = parent
    if sys.platform == "linux":
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it would be ignored
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGHUP)
    if os.getppid() != parent:  # it died before the kernel was asked
        os._exit(1)


def die_with_parent(
    callback: Callable[[], object] | None = None, *, grace: float = 10.0, stdin: bool = True
) -> None:
    """Watches for the parent's death in a thread; then ends this process and what it started.

    ``callback`` asks for a clean end (it must be safe to call in a thread). Whatever this
    process leaves behind then, or is still there ``grace`` seconds later, is killed: the whole
    process group, if this process leads it. Call it in the main thread.

    Args:
        callback: Called once, when the parent has gone; without it, the end comes at once.
        grace: Seconds that a clean end may take.
        stdin: Whether the end of standard input means the parent's death as well; not for a
            process that reads its input.
    """

    def watch() -> None:
        while not _orphaned.is_set() and not _gone(stdin):
            pass
        _orphaned.set()
        if callback is not None:
            try:
                callback()
            finally:
                time.sleep(grace)
        _kill_group()

    if callback is not None:
        signal.signal(signal.SIGHUP, lambda *_: _orphaned.set())
        # Registered early, it runs late: after what the program itself does at its end.
        atexit.register(_leave_nothing)
    threading.Thread(target=watch, name="parent", daemon=True).start()


def _gone(stdin: bool) -> bool:
    """Waits up to a second; then whether the parent is no more."""
    if not stdin:
        time.sleep(_LOOK_SECONDS)
    elif select.select([0], [], [], _LOOK_SECONDS)[0] and not os.read(0, 65536):
        return True
    return os.getppid() != _parent


def _leave_nothing() -> None:
    # A dying parent's pipes and threads go before it is a parent no more, so it isn't asked for.
    if _orphaned.is_set():
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        _kill_group()


def _kill_group() -> None:
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
