"""How fast a server is asked: concurrency that adapts, limits per minute, and pauses."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

__all__ = ["Halted", "Pace", "PerMinute", "rest"]

Halted = Callable[[], bool]

_FIRST = 32
_MINUTE = 60.0
_SLICE = 0.2


async def rest(seconds: float, halted: Halted) -> None:
    """Sleeps, but not on once ``halted`` says that nobody needs what comes after."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0 and not halted():
        await asyncio.sleep(min(left, _SLICE))


class PerMinute:
    """A limit per minute, spread evenly: a bucket that fills at the limit's rate.

    Args:
        limit: Units per minute; None for no limit.
    """

    def __init__(self, limit: float | None) -> None:
        self._rate = None if limit is None else limit / _MINUTE
        # A bucket of a second's worth keeps bursts small enough for servers that count so.
        self._room = self._level = max(1.0, (limit or 0.0) / _MINUTE)
        self._at = time.monotonic()

    async def take(self, units: float, halted: Halted = lambda: False) -> None:
        """Waits until ``units`` may be used, or nobody needs them any more."""
        if self._rate is None:
            return
        now = time.monotonic()
        self._level = min(self._room, self._level + (now - self._at) * self._rate)
        self._at = now
        self._level -= units
        if self._level < 0:
            await rest(-self._level / self._rate, halted)


class Pace:
    """Decides when the next request may be sent.

    The number of requests in flight doubles with every round of successes until the
    server first complains; from then on it grows by one per round and is halved by a
    complaint (additive increase, multiplicative decrease).

    Args:
        concurrency: Most requests in flight.
        requests_per_minute: Limit of the server, None for none.
        tokens_per_minute: Likewise.
    """

    def __init__(
        self,
        concurrency: int,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
    ) -> None:
        self._most = concurrency
        self.window = float(min(_FIRST, concurrency))
        self._slow_start = True
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._requests = PerMinute(requests_per_minute)
        self._tokens = PerMinute(tokens_per_minute)
        self._paused_until = 0.0
        self._halved_at = 0.0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Holds one place in flight; who asked first gets one first."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self._admit()
        try:
            await place
            yield
        finally:
            if place.done() and not place.cancelled():
                self._in_flight -= 1
            self._admit()

    def _admit(self) -> None:
        while self._waiting and self._in_flight < int(self.window):
            place = self._waiting.popleft()
            if not place.cancelled():
                self._in_flight += 1
                place.set_result(None)

    async def turn(self, tokens: int, halted: Halted = lambda: False) -> None:
        """Waits for pauses that the server asked for and for the limits per minute.

        Args:
            tokens: Tokens that the request will take, roughly.
            halted: Ends the wait early.
        """
        while (wait := self._paused_until - time.monotonic()) > 0 and not halted():
            await rest(wait, halted)
        await self._requests.take(1, halted)
        await self._tokens.take(tokens, halted)

    def succeeded(self) -> None:
        """An answer came: grow."""
        step = 1.0 if self._slow_start else 1.0 / self.window
        self.window = min(float(self._most), self.window + step)

    def refused(self, retry_after: float | None, started: float) -> None:
        """The server complained about a request sent at ``started``: shrink, and pause.

        Complaints about requests that were sent before the last halving are not counted
        again: they tell nothing new.
        """
        self._slow_start = False
        if started >= self._halved_at:
            self.window = max(1.0, self.window / 2)
            self._halved_at = time.monotonic()
        if retry_after is not None:
            self._paused_until = max(self._paused_until, time.monotonic() + retry_after)
