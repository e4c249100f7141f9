"""Named points at which a test can kill the process, to prove that nothing is lost.

``ISOGLOSS_KILL_AT=name:n`` kills the process with SIGKILL, as the operating system would,
when the point ``name`` is passed for the ``n``-th time (``n`` from 1, default 1);
``ISOGLOSS_KILL_BY`` names another signal. Unset, a point costs one look-up.
"""

from __future__ import annotations

import os
import signal
import threading

__all__ = ["failpoint"]

_passed: dict[str, int] = {}
_lock = threading.Lock()


def failpoint(name: str) -> None:
    """Dies here if ``ISOGLOSS_KILL_AT`` says so; otherwise does nothing."""
    wanted = os.environ.get("ISOGLOSS_KILL_AT")
    if not wanted:
        return
    target, _, nth = wanted.partition(":")
    if target != name:
        return
    with _lock:
        _passed[name] = _passed.get(name, 0) + 1
        if _passed[name] == int(nth or 1):
            name_of_signal = os.environ.get("ISOGLOSS_KILL_BY", "SIGKILL")
            os.kill(os.getpid(), signal.Signals[name_of_signal])
