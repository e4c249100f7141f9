"""A chat model behind its journal: looks there first, asks the rest, records before it counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass

from ..corpus.journal import Answer, Failure, Journal
from ..errors import InternalError
from .budget import Budget, Limits
from .chat import ChatBackend, ChatRequest, Fault, Price, Reply, request_key

__all__ = ["Asker", "Refused", "Session"]

Refused = Callable[[ChatRequest, str], bool]


@dataclass(frozen=True, slots=True)
class Session:
    """What a run gives to its models.

    Attributes:
        journal: Where answers are looked for and recorded.
        limits: What may be spent.
        retry_failed: Ask failed requests again, each once.
    """

    journal: Journal
    limits: Limits
    retry_failed: bool = False


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
        cost, tokens = session.journal.spent()
        budget = Budget(
            session.limits, self.price, spent_cost=cost, spent_tokens=tokens, model=self.name
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

    def ask(
        self, requests: Sequence[ChatRequest], *, refused: Refused | None = None
    ) -> list[Reply | Fault]:
        """Answers each request, in their order; equal requests are asked once.

        Args:
            requests: The requests.
            refused: Says of an answer whether the model refuses in words; that is
                recorded as a failure, which ``retry_failed`` asks again.

        Raises:
            IsoglossError: If the run can't go on; what was received is in the journal.
        """
        keys = [request_key(self.identity, request) for request in requests]
        by_key = dict(zip(keys, requests, strict=True))
        known = self._journalled(list(by_key))
        missing = [key for key in by_key if key not in known]
        if missing:
            known |= self._ask_missing(by_key, missing, refused)
        return [known[key] for key in keys]

    def _journalled(self, keys: Sequence[bytes]) -> dict[bytes, Reply | Fault]:
        session, _ = self._bound()
        known: dict[bytes, Reply | Fault] = {
            key: Reply(str(entry.answer), entry.input_tokens, entry.output_tokens)
            for key, entry in session.journal.answers(keys).items()
        }
        for key, failure in session.journal.failures(keys).items():
            if key not in known and (not session.retry_failed or key in self._asked):
                tokens = failure.input_tokens, failure.output_tokens
                known[key] = Fault(failure.reason, failure.detail, failure.attempts, *tokens)
        return known

    def _ask_missing(
        self, by_key: dict[bytes, ChatRequest], missing: Sequence[bytes], refused: Refused | None
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
                self._send(backend, by_key, asked, futures, refused)
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
        refused: Refused | None,
    ) -> None:
        session, budget = self._bound()

        def deliver(index: int, outcome: Reply | Fault) -> Future[None]:
            key = asked[index]
            if isinstance(outcome, Reply) and not outcome.text.isprintable():
                outcome = _storable(outcome)
            if refused and isinstance(outcome, Reply) and refused(by_key[key], outcome.text):
                detail = f"in words: {outcome.text[:200]}"
                outcome = Fault("refusal", detail, 1, outcome.input_tokens, outcome.output_tokens)
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
        head = (key, "chat", self.name, request.purpose, request.content())
        if isinstance(outcome, Reply):
            return Answer(*head, outcome.text, "stop", read, written, cost)
        return Failure(*head, outcome.reason, outcome.detail, outcome.attempts, read, written, cost)

    def _bound(self) -> tuple[Session, Budget]:
        if self._run is None:
            raise InternalError("the model was asked outside a run", where=self.name)
        return self._run


def _storable(outcome: Reply) -> Reply | Fault:
    """The reply; one with half a character in it can't be written anywhere."""
    try:
        outcome.text.encode()
    except UnicodeEncodeError:
        tokens = outcome.input_tokens, outcome.output_tokens
        return Fault("invalid_text", "half of a character", 1, *tokens)
    return outcome


def _pass_on(
    recorded: Future[None], waiting: Future[Reply | Fault], outcome: Reply | Fault
) -> None:
    error = recorded.exception()
    if error is not None:
        waiting.set_exception(error)
    else:
        waiting.set_result(outcome)
