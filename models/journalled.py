"""A model behind its journal: looks there first, asks the rest, records before it counts."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ..corpus.hashing import canonical_json
from ..corpus.journal import Answer, Failure
from ..corpus.text import encodable
from ..errors import InternalError, IsoglossError
from .budget import Budget
from .chat import Backend, Fault, Price, Reply
from .session import Session

__all__ = ["Asked", "Journalled"]


class Asked(Protocol):
    """What can be asked of a model, and found in a journal."""

    @property
    def purpose(self) -> str:
        """What it is for, for the journal; it can't change the answer."""

    def content(self) -> dict[str, Any]:
        """Everything in it that can change the answer, as JSON values."""


_Request = TypeVar("_Request", bound=Asked)


class Journalled(Generic[_Request]):
    """Answers requests of one kind from the journal, or by asking a model and recording it.

    Threads may ask at the same time; a request that is being answered is not sent twice.

    Args:
        backend: Makes the backend when the first request must really be asked, so that a
            run that finds everything in the journal loads no model and opens no connection.
        name: The model as ``backend:name``.
        identity: What can change an answer beside the request.
        price: Price of the model, if known.

    Attributes:
        kind: What the journal calls such requests.
    """

    kind: ClassVar[str]

    def __init__(
        self, backend: Callable[[], Backend[_Request]], name: str, identity: dict[str, object],
        price: Price | None,
    ) -> None:  # fmt: skip
        self.name, self.identity, self.price = name, identity, price
        self._make = backend
        self._backend: Backend[_Request] | None = None
        self._run: tuple[Session, Budget] | None = None
        self._lock = threading.Lock()
        self._coming: dict[bytes, Future[Reply | Fault]] = {}
        self._asked: set[bytes] = set()

    @contextmanager
    def open(self, session: Session) -> Iterator[None]:
        """Binds the model to a run's journal and budget."""
        prices = (self.price.input, self.price.output) if self.price else ()
        cost, tokens = session.journal.spent(*prices)
        budget = Budget(
            session.limits,
            self.price,
            spent_cost=cost,
            spent_tokens=tokens,
            model=self.name,
            usage=session.usage,
            stop=session.stop,
        )
        self._run = session, budget
        self._asked = set()
        try:
            yield
        finally:
            self._run = None
            if self._backend is not None:
                self._backend.close()
                self._backend = None
            # Attempts of requests that were given up when the run stopped: they are billed.
            if any(loose := budget.take_loose()):
                with suppress(IsoglossError):  # the journal's trouble has been told already
                    session.journal.book(*loose, budget.cost(*loose))

    def ask(
        self,
        requests: Sequence[_Request],
        *,
        unusable: Callable[[_Request, str], str] | None = None,
    ) -> list[Reply | Fault]:
        """Answers each request, in their order; equal requests are asked once.

        Args:
            requests: The requests.
            unusable: Says of an answer why nothing can be made of it (``refusal`` in words,
                ``empty``), or ""; that is recorded as a failure, which ``retry_failed``
                asks again.

        Raises:
            IsoglossError: If the run can't go on; what was received is in the journal.
        """
        keys = [self.key(request) for request in requests]
        by_key = dict(zip(keys, requests, strict=True))
        known = self._journalled(list(by_key))
        missing = [key for key in by_key if key not in known]
        if missing:
            known |= self._ask_missing(by_key, missing, unusable)
        return [known[key] for key in keys]

    def known(self, requests: Sequence[_Request]) -> list[Reply | Fault | None]:
        """What the journal has for each request; nothing outside a run."""
        if self._run is None:
            return [None] * len(requests)
        keys = [self.key(request) for request in requests]
        known = self._journalled(keys)
        return [known.get(key) for key in keys]

    def key(self, request: _Request) -> bytes:
        """SHA-256 of everything that can change the answer: the model and the request."""
        value = {"kind": self.kind, "model": self.identity, "request": request.content()}
        return hashlib.sha256(canonical_json(value).encode()).digest()

    def _journalled(self, keys: Sequence[bytes]) -> dict[bytes, Reply | Fault]:
        session, _ = self._bound()
        known: dict[bytes, Reply | Fault] = {
            key: Reply(str(entry.answer), entry.input_tokens, entry.output_tokens)
            for key, entry in session.journal.answers(keys).items()
        }
        for key, failure in session.journal.failures(keys).items():
            stays = not session.retry_failed or key in self._asked
            stays = stays or bool(session.retry_since and failure.at >= session.retry_since)
            if key not in known and stays:
                tokens = failure.input_tokens, failure.output_tokens
                known[key] = Fault(failure.reason, failure.detail, failure.attempts, *tokens)
        return known

    def _ask_missing(
        self,
        by_key: dict[bytes, _Request],
        missing: Sequence[bytes],
        unusable: Callable[[_Request, str], str] | None,
    ) -> dict[bytes, Reply | Fault]:
        """Asks what nobody else is asking, and waits for the rest."""
        with self._lock:
            backend = self._backend = self._backend or self._make()
            theirs = {key: self._coming[key] for key in missing if key in self._coming}
            # Another thread may have answered since we looked.
            come = self._journalled([key for key in missing if key not in theirs])
            ours = [key for key in missing if key not in theirs and key not in come]
            futures = {key: Future[Reply | Fault]() for key in ours}
            self._coming |= futures
        if backend.whole_batches:
            keys = list(by_key)
            batches = backend.batches([by_key[key] for key in keys])
            wanted = set(ours)
            asked = [
                keys[i] for batch in batches if wanted & {keys[i] for i in batch} for i in batch
            ]
        else:
            asked = ours
        try:
            if asked:
                self._send(backend, by_key, asked, futures, unusable)
        except BaseException as error:
            for future in futures.values():
                if not future.done():
                    future.set_exception(error)
            raise
        finally:
            with self._lock:
                for key in ours:
                    self._coming.pop(key)
        # A batch that was repeated whole may have met answers that stood there already:
        # the journal's answer is the one that counts.
        known = self._journalled(missing)
        known |= {key: future.result() for key, future in theirs.items() if key not in known}
        lost = [key for key in missing if key not in known]
        if lost:
            raise InternalError(f"{len(lost)} requests got no answer", where=self.name)
        return known

    def _send(
        self,
        backend: Backend[_Request],
        by_key: dict[bytes, _Request],
        asked: Sequence[bytes],
        futures: dict[bytes, Future[Reply | Fault]],
        unusable: Callable[[_Request, str], str] | None,
    ) -> None:
        session, budget = self._bound()

        def deliver(index: int, outcome: Reply | Fault) -> Future[None]:
            key = asked[index]
            if isinstance(outcome, Reply) and not outcome.text.isprintable():
                outcome = _storable(outcome)
            if isinstance(outcome, Reply) and unusable:
                outcome = _usable(outcome, unusable(by_key[key], outcome.text))
            entry = self._entry(key, by_key[key], outcome, budget)
            recorded = session.journal.record(entry)
            self._asked.add(key)
            if key in futures:
                recorded.add_done_callback(lambda done: _pass_on(done, futures[key], outcome))
            return recorded

        backend.answer([by_key[key] for key in asked], deliver, budget)

    def _entry(
        self, key: bytes, request: _Request, outcome: Reply | Fault, budget: Budget
    ) -> Answer | Failure:
        read, written = outcome.input_tokens, outcome.output_tokens
        cost = None if read is None or written is None else budget.cost(read, written)
        budget.recorded(read or 0, written or 0)
        content = request.content()
        if isinstance(outcome, Reply) and outcome.served_by:
            content["served_by"] = dict(outcome.served_by)
        head = (key, self.kind, self.name, request.purpose, content)
        if isinstance(outcome, Reply):
            return Answer(*head, outcome.text, "stop", read, written, cost)
        budget.usage.failed[outcome.reason] += 1
        return Failure(*head, outcome.reason, outcome.detail, outcome.attempts, read, written, cost)

    def _bound(self) -> tuple[Session, Budget]:
        if self._run is None:
            raise InternalError("the model was asked outside a run", where=self.name)
        return self._run


def _usable(outcome: Reply, reason: str) -> Reply | Fault:
    """The reply, unless there is a reason against it."""
    if not reason:
        return outcome
    tokens = outcome.input_tokens, outcome.output_tokens
    return Fault(reason, f"in words: {outcome.text[:200]}", 1, *tokens)


def _storable(outcome: Reply) -> Reply | Fault:
    """The reply; one with half a character in it can't be written anywhere."""
    if encodable(outcome.text):
        return outcome
    tokens = outcome.input_tokens, outcome.output_tokens
    return Fault("invalid_text", "half of a character", 1, *tokens)


def _pass_on(
    recorded: Future[None], waiting: Future[Reply | Fault], outcome: Reply | Fault
) -> None:
    error = recorded.exception()
    if error is not None:
        waiting.set_exception(error)
    else:
        waiting.set_result(outcome)
