"""Waits on an event loop for what another thread finishes, many at a time."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from contextlib import suppress

__all__ = ["Wakeups"]


class Wakeups:
    """Wakes an event loop once for all that another thread has finished meanwhile.

    ``asyncio.wrap_future`` wakes it for every single future, which takes the threads longer
    than the work they tell each other of.

    Args:
        loop: The loop that waits.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = threading.Lock()
        self._done: list[asyncio.Future[None]] = []

    async def wait(self, work: Future[None]) -> None:
        """Waits until the work is done; raises what it raised."""
        waiting = self._loop.create_future()
        work.add_done_callback(lambda _: self._note(waiting))
        await waiting
        work.result()

    def _note(self, waiting: asyncio.Future[None]) -> None:
        """Runs in the thread that has finished the work."""
        with self._lock:
            self._done.append(waiting)
            first = len(self._done) == 1
        if first:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        with self._lock:
            done, self._done = self._done, []
        for waiting in done:
            if not waiting.done():  # else whoever waited was cancelled
                waiting.set_result(None)
