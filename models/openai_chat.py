"""Chat through any OpenAI-compatible endpoint.

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
from dataclasses import dataclass, replace
from typing import Any

import aiohttp

from ..errors import IsoglossError
from .asker import Asker
from .budget import Budget, worst_case
from .chat import ChatRequest, Deliver, Fault, Reply
from .config import ModelSettings
from .health import Health, Streak
from .openai_address import address, basic, key_of, proxy_of, trusted, without_credentials
from .openai_outcome import Outcome, of_error, of_response, of_status
from .pace import Pace, rest
from .parameters import Parameters
from .wakeups import Wakeups

__all__ = ["OpenAIChat", "openai_asker"]

_OK = 200
_LONGEST_CONNECT = 30.0
_LONGEST_PAUSE = 60.0
_FIRST_PAUSE = 0.5
#: Asked in place of a text, to find out whether the text or the server is to blame.
_HARMLESS = "Hello."
_HARMLESS_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A fault that the server may be to blame for; ``answers`` it had given by then."""

    index: int
    fault: Fault
    streak: Streak
    answers: int


class OpenAIChat:
    """An OpenAI-compatible chat endpoint.

    Args:
        model: The model's name there.
        settings: Limits, timeout, attempts.
        url: Where the server is.
        key: The key; it goes into the requests' header and nowhere else.
    """

    whole_batches = False

    def __init__(self, model: str, settings: ModelSettings, url: str, key: str) -> None:
        self.name = f"openai:{model}"
        self.settings = settings
        self._url, self._key = url, key
        self._endpoint = f"{without_credentials(url)}/chat/completions"
        self._proxy = proxy_of(self._endpoint)
        credentials = basic(url) or {}
        # A server may quote the header it was sent.
        self._secrets = [value.partition(" ")[2] for value in credentials.values()]
        self._secrets += [key] if settings.key_variable else []
        self.identity: Mapping[str, Any] = _identity(model, url)
        self._loop = asyncio.new_event_loop()
        self._wakeups = Wakeups(self._loop)
        self._thread = threading.Thread(target=self._loop.run_forever, name="openai", daemon=True)
        self._thread.start()
        self._client = asyncio.run_coroutine_threadsafe(self._connect(), self._loop).result()
        self._stop: IsoglossError | None = None
        self._parameters = Parameters(model)
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

    def batches(self, requests: Sequence[ChatRequest]) -> list[list[int]]:
        """Every request by itself."""
        return [[index] for index in range(len(requests))]

    def answer(self, requests: Sequence[ChatRequest], deliver: Deliver, budget: Budget) -> None:
        """Answers all requests, many at the same time."""
        work = self._answer_all(requests, deliver, budget)
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _answer_all(
        self, requests: Sequence[ChatRequest], deliver: Deliver, budget: Budget
    ) -> None:
        again = await self._pass(range(len(requests)), requests, deliver, budget)
        if again:  # they met an outage that is over
            await self._pass(again, requests, deliver, budget, last=True)

    async def _pass(
        self,
        wanted: Sequence[int],
        requests: Sequence[ChatRequest],
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

    async def _ask_harmless(self, request: ChatRequest, budget: Budget) -> None:
        """Asks a harmless text in the same form; raises if that gets no answer either."""
        messages = (*request.messages[:-1], (request.messages[-1][0], _HARMLESS))
        attempts = min(_HARMLESS_ATTEMPTS, self.settings.attempts)
        try:
            outcome, attempt, _ = await self._try(
                replace(request, messages=messages), budget, attempts
            )
            self._health.judge(outcome, attempt)
        except IsoglossError as error:
            self._halt(error)
            raise

    def _halt(self, error: IsoglossError) -> None:
        """Nothing more is sent: the first error that no request can help stands for all."""
        self._stop = self._stop or error

    async def _answer(
        self, request: ChatRequest, budget: Budget
    ) -> tuple[Reply | Fault, Streak | None]:
        """Tries until there is a reply or no hope; gives a streak to a fault that is in doubt."""
        outcome, attempts, tokens = await self._try(request, budget, self.settings.attempts)
        if outcome.reply is not None:
            without = {"without": list(left)} if (left := self._parameters.without) else {}
            return Reply(outcome.reply, *tokens, {**outcome.served_by, **without}), None
        streak = self._health.gave_up(outcome)
        if streak is not None and self._health.refuses_all:
            await self._ask_harmless(request, budget)
        return Fault(outcome.reason, outcome.detail, attempts, *tokens), streak

    async def _try(
        self, request: ChatRequest, budget: Budget, attempts: int
    ) -> tuple[Outcome, int, tuple[int, int]]:
        """Tries so many times at most; books what each attempt may have cost.

        Returns:
            The last outcome, the number of attempts, tokens read and written in all of them.
        """
        reserved = worst_case(request)
        tokens = (0, 0)
        pause = _FIRST_PAUSE
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
            sent = self._parameters.body(request)
            outcome = await self._attempt(request, sent)
            budget.settle(reserved, outcome.billed)
            billed = reserved if outcome.billed is None else outcome.billed
            tokens = (tokens[0] + billed[0], tokens[1] + billed[1])
            if outcome.reply is not None:
                self._pace.succeeded()
            elif outcome.overloaded:
                self._pace.refused(outcome.retry_after, started)
            if outcome.parameter and self._parameters.learn(outcome.parameter, sent):
                done = self._parameters.described(outcome.parameter)
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

    async def _attempt(self, request: ChatRequest, sent: Mapping[str, Any]) -> Outcome:
        data = json.dumps(sent).encode()
        try:
            async with self._client.post(self._endpoint, data=data) as response:
                body = await response.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            return of_error(error)
        if response.status == _OK:
            return of_response(body, request)
        return of_status(response.status, response.headers, body, request, secrets=self._secrets)


def openai_asker(model: str, settings: ModelSettings) -> Asker:
    """An endpoint behind its journal.

    Raises:
        ModelError: If the environment has no key though one is needed.
    """
    url, key = address(settings), key_of(model, settings)
    return Asker(
        lambda: OpenAIChat(model, settings, url, key),
        f"openai:{model}",
        _identity(model, url),
        settings.price,
    )


def _identity(model: str, url: str) -> dict[str, Any]:
    return {"backend": "openai", "base_url": without_credentials(url), "model": model}
