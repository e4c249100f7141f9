"""A chat model behind its journal: looks there first, asks the rest, records before it counts."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from ..corpus.hashing import canonical_json
from ..corpus.journal import Answer, Failure, Journal
from ..corpus.text import encodable
from ..errors import InternalError, IsoglossError
from .budget import Budget, Limits
from .chat import ChatBackend, ChatRequest, Fault, Price, Reply, request_key
from .stop import Stop
from .usage import Usage

__all__ = ["Asker", "Session", "Unusable"]

Unusable = Callable[[ChatRequest, str], str]


@dataclass(frozen=True, slots=True)
class Session:
    """What a run gives to its models.

    Attributes:
        journal: Where answers are looked for and recorded.
        limits: What may be spent.
        retry_failed: Ask failed requests again, each once.
        retry_since: When that was begun, in an earlier run that was killed perhaps: what
            has failed since then is not asked a second time; "" for now.
        usage: Counts what the run takes.
        stop: Keeps the models from sending anything once it is set.
    """

    journal: Journal
    limits: Limits
    retry_failed: bool = False
    retry_since: str = ""
    usage: Usage = field(default_factory=Usage)
    stop: Stop = field(default_factory=Stop)


class Asker:
    """Answers chat requests from the journal, or by asking a model and recording it.

    Threads may ask at the same time; a request that is being answered is not sent twice.

    Args:
        backend: Makes the backend when the first request must really be asked, so that a
            run that finds everything in the journal loads no model and opens no connection.
        name: The model as ``backend:name``.
        identity: What can change an answer beside the request.
        price: Price of the model, if known.
    """

    def __init__(
        self, backend: Callable[[], ChatBackend], name: str, identity: dict[str, object],
        price: Price | None,
    ) -> None:  # fmt: skip
        self.name, self.identity, self.price = name, identity, price
        self._make = backend
        self._backend: ChatBackend | None = None
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
        self, requests: Sequence[ChatRequest], *, unusable: Unusable | None = None
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
        keys = [request_key(self.identity, request) for request in requests]
        by_key = dict(zip(keys, requests, strict=True))
        known = self._journalled(list(by_key))
        missing = [key for key in by_key if key not in known]
        if missing:
            known |= self._ask_missing(by_key, missing, unusable)
        return [known[key] for key in keys]

    def known(self, requests: Sequence[ChatRequest]) -> list[Reply | Fault | None]:
        """What the journal has for each request; nothing outside a run."""
        if self._run is None:
            return [None] * len(requests)
        keys = [request_key(self.identity, request) for request in requests]
        known = self._journalled(keys)
        return [known.get(key) for key in keys]

    def recall(self, about: str) -> str | None:
        """What an earlier run has found out about the model; nothing outside a run."""
        if self._run is None:
            return None
        key = self._note_key(about)
        found = self._run[0].journal.answers([key]).get(key)
        return None if found is None else str(found.answer)

    def remember(self, about: str, found: str) -> None:
        """Writes into the journal what was found out, so that a later run needn't."""
        session, _ = self._bound()
        asked = {"system": "", "messages": [["note", about]]}
        entry = Answer(
            self._note_key(about), "note", self.name, about, asked, found, "stop", 0, 0, 0.0
        )
        session.journal.record(entry).result()

    def _note_key(self, about: str) -> bytes:
        value = {"kind": "note", "model": self.identity, "about": about}
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
        self, by_key: dict[bytes, ChatRequest], missing: Sequence[bytes], unusable: Unusable | None
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
        backend: ChatBackend,
        by_key: dict[bytes, ChatRequest],
        asked: Sequence[bytes],
        futures: dict[bytes, Future[Reply | Fault]],
        unusable: Unusable | None,
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
        self, key: bytes, request: ChatRequest, outcome: Reply | Fault, budget: Budget
    ) -> Answer | Failure:
        read, written = outcome.input_tokens, outcome.output_tokens
        cost = None if read is None or written is None else budget.cost(read, written)
        budget.recorded(read or 0, written or 0)
        content = request.content()
        if isinstance(outcome, Reply) and outcome.served_by:
            content["served_by"] = dict(outcome.served_by)
        head = (key, "chat", self.name, request.purpose, content)
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
