"""Chat through any OpenAI-compatible endpoint.

Requests run side by side on an event loop in a thread of its own. Each is tried again
with growing pauses where trying again can help; what can't be helped for one request is
its fault, what can't be helped for any (a wrong key, an unknown model, no server) stops
the run at once.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import threading
import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import httpx2
import openai

from ..errors import IsoglossError, ModelError, ServiceError
from .asker import Asker
from .budget import Budget, worst_case
from .chat import ChatRequest, Deliver, Fault, Reply
from .config import ModelSettings, is_url
from .openai_outcome import Outcome, of_error, of_response, of_status
from .pace import Pace

__all__ = ["OpenAIChat", "openai_asker", "without_credentials"]

_DEFAULT_URL = "https://api.openai.com/v1"
_OK = 200
_LONGEST_PAUSE = 60.0
_FIRST_PAUSE = 0.5
_FIRST_CONTACT = 3
_CHECK_SERVER = "check base_url and that the server runs; the same command goes on from here"


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
        self._model, self._url, self._key = model, url, key
        self._endpoint = httpx2.URL(f"{without_credentials(url)}/chat/completions")
        basic = _basic(url) or {}
        # A server may quote the header it was sent.
        self._secrets = [value.partition(" ")[2] for value in basic.values()]
        self._secrets += [key] if settings.key_variable else []
        self.identity: Mapping[str, Any] = _identity(model, url)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="openai", daemon=True)
        self._thread.start()
        self._client = asyncio.run_coroutine_threadsafe(self._connect(), self._loop).result()
        self._stop: IsoglossError | None = None
        self._answered = False

    async def _connect(self) -> httpx2.AsyncClient:
        self._pace = Pace(
            self.settings.concurrency,
            self.settings.requests_per_minute,
            self.settings.tokens_per_minute,
        )
        authorization = {"Authorization": f"Bearer {self._key}"}
        if not self.settings.key_variable:
            authorization = _basic(self._url) or authorization
        return openai.DefaultAioHttpClient(
            timeout=self.settings.timeout,
            headers={"Content-Type": "application/json", **authorization},
            follow_redirects=True,
        )

    def close(self) -> None:
        """Closes the connections and the event loop."""
        asyncio.run_coroutine_threadsafe(self._client.aclose(), self._loop).result()
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
        stops: list[IsoglossError] = []

        async def one(index: int) -> None:
            async with self._pace.slot():
                if self._stop is not None:
                    return
                try:
                    outcome = await self._answer(requests[index], budget)
                    await asyncio.wrap_future(deliver(index, outcome))
                except IsoglossError as error:
                    stops.append(error)
                    self._stop = stops[0]

        await asyncio.gather(*(one(index) for index in range(len(requests))))
        if self._stop is not None:
            raise self._stop

    async def _answer(self, request: ChatRequest, budget: Budget) -> Reply | Fault:
        """Tries until there is a reply or no hope; books what each attempt may have cost."""
        tokens = (0, 0)
        pause = _FIRST_PAUSE
        attempt = 0
        while True:
            if self._stop is not None:
                raise self._stop
            attempt += 1
            reserved = worst_case(request)
            while not budget.try_reserve(*reserved):
                await asyncio.sleep(0.05)
            await self._pace.turn(sum(reserved) // 4)
            started = time.monotonic()
            outcome = await self._attempt(request)
            budget.settle(reserved, outcome.billed)
            billed = reserved if outcome.billed is None else outcome.billed
            tokens = (tokens[0] + billed[0], tokens[1] + billed[1])
            if outcome.reply is not None:
                self._answered = True
                self._pace.succeeded()
                return Reply(outcome.reply, *tokens)
            if outcome.overloaded:
                self._pace.refused(outcome.retry_after, started)
            self._stop_if_hopeless(outcome, attempt)
            if not outcome.again or attempt >= self.settings.attempts:
                return Fault(outcome.reason, outcome.detail, attempt, *tokens)
            wait = max(outcome.retry_after or 0.0, pause * random.uniform(0.5, 1.0))
            await asyncio.sleep(min(wait, _LONGEST_PAUSE))
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _stop_if_hopeless(self, outcome: Outcome, attempt: int) -> None:
        """Raises if no request can succeed, or if another one has found that out."""
        where = f"{self.name} at {self.identity['base_url']}"
        if outcome.fatal:
            remedy = "check the model's name and base_url in isogloss.toml"
            if outcome.reason in ("http_401", "http_403"):
                remedy = f"check the key in {self.settings.key_variable}"
            raise ServiceError(outcome.fatal, where=where, remedy=remedy)
        spent = attempt >= self.settings.attempts
        silent = not self._answered and outcome.again
        if outcome.reason == "unreachable" and (spent or (silent and attempt >= _FIRST_CONTACT)):
            raise ServiceError(
                f"the server can't be reached ({outcome.detail})", where=where, remedy=_CHECK_SERVER
            )
        if silent and spent:
            raise ServiceError(
                f"the server has not answered anything ({outcome.reason} after {attempt} attempts)",
                where=where,
                remedy=_CHECK_SERVER,
            )

    async def _attempt(self, request: ChatRequest) -> Outcome:
        try:
            # openai's transport without its typed calls, which take more time than all the rest.
            response = await self._client.post(
                self._endpoint, content=json.dumps(self._body(request)).encode()
            )
        except httpx2.HTTPError as error:
            return of_error(error)
        if response.status_code == _OK:
            return of_response(response.content, request)
        return of_status(response, request, secrets=self._secrets)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        sampling = request.sampling
        messages = [{"role": role, "content": text} for role, text in request.messages]
        if request.system:
            messages.insert(0, {"role": "system", "content": request.system})
        body: dict[str, Any] = {
            "model": self._model,
            "messages": messages,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
        }
        if sampling.seed is not None:
            body["seed"] = sampling.seed + request.repeat
        if request.schema is not None:
            schema = {"name": "answer", "strict": True, "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        extra = {"top_k": sampling.top_k, "repetition_penalty": sampling.repetition_penalty}
        return body | {name: value for name, value in extra.items() if value is not None}


def openai_asker(model: str, settings: ModelSettings) -> Asker:
    """An endpoint behind its journal.

    Raises:
        ModelError: If the environment has no key though one is needed.
    """
    url, key = _address(settings), _key(model, settings)
    return Asker(
        lambda: OpenAIChat(model, settings, url, key),
        f"openai:{model}",
        _identity(model, url),
        settings.price,
    )


def _address(settings: ModelSettings) -> str:
    url = settings.base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_URL
    if not is_url(url):
        raise ModelError(
            "the address of the server is no http:// or https:// URL",
            where=without_credentials(url) if url.startswith("http") else url,
            remedy="mend base_url in isogloss.toml or OPENAI_BASE_URL",
        )
    return url


def _identity(model: str, url: str) -> dict[str, Any]:
    return {"backend": "openai", "base_url": without_credentials(url), "model": model}


def _key(model: str, settings: ModelSettings) -> str:
    key = os.environ.get(settings.key_variable) if settings.key_variable else "none"
    if not key:
        raise ModelError(
            f"the environment variable {settings.key_variable} has no key",
            where=f"openai:{model}",
            remedy=f'set it, or name another one with key_variable under [models."openai:{model}"] '
            "in isogloss.toml",
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelError(
            f"the key in {settings.key_variable} has a space, a line end or another sign that no "
            "key has",
            where=f"openai:{model}",
            remedy="set it again, without what was copied along with it",
        )
    return key


def _basic(url: str) -> dict[str, str] | None:
    """The header for user and password in the URL, for servers without a key."""
    parts = urlsplit(url)
    if parts.username is None:
        return None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def without_credentials(url: str) -> str:
    """The URL without user, password and query, as it may stand in a journal.

    Example:
        >>> without_credentials("https://me:secret@models.example/v1?key=secret")
        'https://models.example/v1'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
