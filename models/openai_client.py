"""Asks any OpenAI-compatible endpoint, whatever is asked.

Requests run side by side on an event loop in a thread of its own. Each is tried again
with growing pauses where trying again can help; what can't be helped for one request is
its fault, what can't be helped for any (a wrong key, an unknown model, a server that is
down) stops the run. A fault that leaves in doubt which of both it is waits until the server
has answered something else.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import aiohttp

from ..errors import IsoglossError
from .budget import Budget
from .chat import Deliver, Fault, Reply
from .config import ModelSettings
from .health import Health, Streak
from .openai_address import basic, openai_identity, proxy_of, trusted, without_credentials
from .openai_form import Form
from .openai_outcome import Outcome, of_error
from .pace import Pace, rest
from .wakeups import Wakeups

__all__ = ["FIRST_PAUSE", "OpenAIClient"]

_Request = TypeVar("_Request")

_OK = 200
_LONGEST_CONNECT = 30.0
_LONGEST_PAUSE = 60.0
#: Seconds of the first pause before a request is sent again.
FIRST_PAUSE = 0.5
_HARMLESS_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A fault that the server may be to blame for; ``answers`` it had given by then."""

    index: int
    fault: Fault
    streak: Streak
    answers: int


class OpenAIClient(Generic[_Request]):
    """An OpenAI-compatible endpoint.

    Args:
        form: What is sent there, and how answers are read.
        model: The model's name there.
        settings: Limits, timeout, attempts.
        url: Where the server is.
        key: The key; it goes into the requests' header and nowhere else.
        first_pause: Seconds before a request is sent again for the first time.
    """

    whole_batches = False

    def __init__(
        self,
        form: Form[_Request],
        model: str,
        settings: ModelSettings,
        url: str,
        key: str,
        *,
        first_pause: float = FIRST_PAUSE,
    ) -> None:
        self.name = f"openai:{model}"
        self.settings = settings
        self._form, self._first_pause = form, first_pause
        self._url, self._key = url, key
        self._endpoint = f"{without_credentials(url)}{form.path}"
        self._proxy = proxy_of(self._endpoint)
        credentials = basic(url) or {}
        # A server may quote the header it was sent.
        self._secrets = [value.partition(" ")[2] for value in credentials.values()]
        self._secrets += [key] if settings.key_variable else []
        self.identity: Mapping[str, Any] = openai_identity(model, url)
        self._loop = asyncio.new_event_loop()
        self._wakeups = Wakeups(self._loop)
        self._thread = threading.Thread(target=self._loop.run_forever, name="openai", daemon=True)
        self._thread.start()
        self._client = asyncio.run_coroutine_threadsafe(self._connect(), self._loop).result()
        self._stop: IsoglossError | None = None
        where = f"{self.name} at {self.identity['base_url']}"
        self._health = Health(where, settings.key_variable, max(3, min(settings.concurrency, 8)))

    async def _connect(self) -> aiohttp.ClientSession:
        self._pace = Pace(
            self.settings.concurrency,
            self.settings.requests_per_minute,
            self.settings.tokens_per_minute,
        )
        authorization = {"Authorization": f"Bearer {self._key}"}
        if not self.settings.key_variable:
            authorization = basic(self._url) or authorization
        total = self.settings.timeout
        return aiohttp.ClientSession(
            headers={"Content-Type": "application/json", **authorization},
            timeout=aiohttp.ClientTimeout(total, connect=min(_LONGEST_CONNECT, total / 2)),
            connector=aiohttp.TCPConnector(limit=0, ssl=trusted()),  # the pace is the limit
            proxy=self._proxy,
        )

    def close(self) -> None:
        """Closes the connections and the event loop."""
        asyncio.run_coroutine_threadsafe(self._client.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def batches(self, requests: Sequence[_Request]) -> list[list[int]]:
        """Every request by itself."""
        return [[index] for index in range(len(requests))]

    def answer(self, requests: Sequence[_Request], deliver: Deliver, budget: Budget) -> None:
        """Answers all requests, many at the same time."""
        work = self._answer_all(requests, deliver, budget)
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _answer_all(
        self, requests: Sequence[_Request], deliver: Deliver, budget: Budget
    ) -> None:
        again = await self._pass(range(len(requests)), requests, deliver, budget)
        if again:  # they met an outage that is over
            await self._pass(again, requests, deliver, budget, last=True)

    async def _pass(
        self,
        wanted: Sequence[int],
        requests: Sequence[_Request],
        deliver: Deliver,
        budget: Budget,
        *,
        last: bool = False,
    ) -> list[int]:
        """Answers the wanted requests; returns those that shall be asked once more."""
        indices = iter(wanted)
        doubts: deque[_Doubt] = deque()
        again: list[int] = []

        async def settle(doubt: _Doubt) -> None:
            if doubt.streak.outage and not last:
                again.append(doubt.index)
            else:
                await self._wakeups.wait(deliver(doubt.index, doubt.fault))

        async def work() -> None:
            for index in indices:
                async with self._pace.slot():
                    if self._stop is not None:
                        return
                    try:
                        outcome, streak = await self._answer(requests[index], budget)
                        if isinstance(outcome, Fault) and streak is not None:
                            doubts.append(_Doubt(index, outcome, streak, self._health.answers))
                            continue
                        await self._wakeups.wait(deliver(index, outcome))
                        while doubts and doubts[0].answers < self._health.answers:
                            await settle(doubts.popleft())
                    except IsoglossError as error:
                        self._halt(error)

        workers = min(self.settings.concurrency, len(wanted))
        await asyncio.gather(*(work() for _ in range(workers)))
        if self._stop is not None:
            raise self._stop
        if doubts and doubts[-1].answers == self._health.answers:
            await self._ask_harmless(requests[doubts[-1].index], budget)
        for doubt in doubts:
            await settle(doubt)
        return again

    async def _ask_harmless(self, request: _Request, budget: Budget) -> None:
        """Asks a harmless text in the same form; raises if that gets no answer either."""
        attempts = min(_HARMLESS_ATTEMPTS, self.settings.attempts)
        try:
            outcome, attempt, _ = await self._try(self._form.harmless(request), budget, attempts)
            self._health.judge(outcome, attempt)
        except IsoglossError as error:
            self._halt(error)
            raise

    def _halt(self, error: IsoglossError) -> None:
        """Nothing more is sent: the first error that no request can help stands for all."""
        self._stop = self._stop or error

    async def _answer(
        self, request: _Request, budget: Budget
    ) -> tuple[Reply | Fault, Streak | None]:
        """Tries until there is a reply or no hope; gives a streak to a fault that is in doubt."""
        outcome, attempts, tokens = await self._try(request, budget, self.settings.attempts)
        if outcome.reply is not None:
            without = {"without": list(left)} if (left := self._form.parameters.without) else {}
            return Reply(outcome.reply, *tokens, {**outcome.served_by, **without}), None
        streak = self._health.gave_up(outcome)
        if streak is not None and self._health.refuses_all:
            await self._ask_harmless(request, budget)
        return Fault(outcome.reason, outcome.detail, attempts, *tokens), streak

    async def _try(
        self, request: _Request, budget: Budget, attempts: int
    ) -> tuple[Outcome, int, tuple[int, int]]:
        """Tries so many times at most; books what each attempt may have cost.

        Returns:
            The last outcome, the number of attempts, tokens read and written in all of them.
        """
        reserved = self._form.worst_case(request)
        tokens = (0, 0)
        pause = self._first_pause
        attempt = 0

        def halted() -> bool:
            return self._stop is not None or budget.stopped

        while True:
            await self._pace.turn(sum(reserved) // 4, halted)
            while self._stop is None and not budget.try_reserve(*reserved):
                await asyncio.sleep(0.05)
            if self._stop is not None:
                raise self._stop
            attempt += 1
            started = time.monotonic()
            sent = self._form.body(request)
            outcome = await self._attempt(request, sent)
            budget.settle(reserved, outcome.billed)
            billed = reserved if outcome.billed is None else outcome.billed
            tokens = (tokens[0] + billed[0], tokens[1] + billed[1])
            if outcome.reply is not None:
                self._pace.succeeded()
            elif outcome.overloaded:
                self._pace.refused(outcome.retry_after, started)
            if outcome.parameter and self._form.parameters.learn(outcome.parameter, sent):
                done = self._form.parameters.described(outcome.parameter)
                budget.usage.note(f"{self.name} doesn't take {outcome.parameter}: sent {done}")
                attempt -= 1
                continue
            self._health.saw(outcome, attempt, attempts)
            if not outcome.again or attempt >= attempts:
                return outcome, attempt, tokens
            budget.usage.again[outcome.reason] += 1
            if outcome.transient:  # a model that answers badly needs no rest
                wait = max(outcome.retry_after or 0.0, pause * random.uniform(0.5, 1.0))
                await rest(min(wait, _LONGEST_PAUSE), halted)
                pause = min(pause * 2, _LONGEST_PAUSE)

    async def _attempt(self, request: _Request, sent: Mapping[str, Any]) -> Outcome:
        data = json.dumps(sent).encode()
        try:
            async with self._client.post(self._endpoint, data=data) as response:
                body = await response.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            return of_error(error)
        if response.status == _OK:
            return self._form.answered(body, request)
        return self._form.refused(response.status, response.headers, body, request, self._secrets)
