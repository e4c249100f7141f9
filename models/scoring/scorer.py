"""A scorer behind its journal: looks there first, computes the rest, records before it counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from typing import Any, Protocol

from ...corpus.journal import Answer, Failure, Journal
from ...errors import InternalError, ModelError
from ..chat import Fault
from ..config import Config
from ..session import Session, session_of
from .request import AS_TEXT, Score, ScoreRequest, score_key

__all__ = [
    "OVERLONG",
    "TOO_LONG",
    "Deliver",
    "Notes",
    "ScoreBackend",
    "Scorer",
    "Work",
    "load_scorer",
    "unserved",
]

OVERLONG = ("raise", "cut", "skip")
"""What is done with a request beyond the model's window."""
TOO_LONG = "too_long"
"""Why such a request failed, where it was skipped."""

Deliver = Callable[[int, Score | Fault], Future[None]]


class Notes(Protocol):
    """What was found out about a model, kept over a kill."""

    def recall(self, about: str) -> Any:
        """What was noted, or None."""

    def remember(self, about: str, found: Any) -> None:
        """Notes it; it is on the disk when this returns."""


class Work(Notes, Protocol):
    """What a backend gets of the run that it works for."""

    @property
    def session(self) -> Session:
        """The run's journal and limits."""


class ScoreBackend(Protocol):
    """What computes scores."""

    def answer(
        self,
        requests: Sequence[ScoreRequest],
        missing: AbstractSet[int],
        deliver: Deliver,
        notes: Work,
    ) -> None:
        """Scores the requests whose numbers are in ``missing``, and what goes with them.

        Batches depend on all requests, so that a resumed run repeats them whole.
        """

    def describe(self) -> Mapping[str, Any]:
        """What a reader of the run wants to know of the model, found out by loading it."""

    def close(self) -> None:
        """Lets go of the model."""


class Scorer:
    """Scores from the journal, or by asking a model and recording what it says.

    Args:
        name: The model as ``backend:name``.
        identity: What can change a score beside the request.
        make: Makes the backend when the first request must really be asked, so that a run
            that finds everything in the journal loads no model.
        books: Whether a score's tokens are booked with it; no where the backend journals what
            it was answered, and books that.
        chat: How the backend asks for what follows in a chat; it is in the key of such requests.
        unserved: Reasons of failures that are asked again, see :func:`unserved`.
    """

    def __init__(
        self,
        name: str,
        identity: Mapping[str, Any],
        make: Callable[[], ScoreBackend],
        *,
        books: bool = True,
        chat: str = "auto",
        unserved: AbstractSet[str] = frozenset(),
    ) -> None:
        self.name, self.identity = name, dict(identity)
        self._make, self._books, self._chat = make, books, chat
        self._unserved = unserved
        self._backend: ScoreBackend | None = None
        self._described: Mapping[str, Any] | None = None
        self._failed: set[bytes] = set()

    def score(
        self,
        requests: Sequence[ScoreRequest],
        journal: Journal | Session,
        *,
        done: Callable[[int], None] | None = None,
        phase: Callable[[str, int | None], None] | None = None,
    ) -> list[Score | Fault]:
        """Scores each request, in their order; equal requests are computed once.

        Args:
            requests: The requests.
            journal: Where scores are looked for and recorded; or a run with its limits, which
                may want to ask again what has failed.
            done: Is told how many of the different requests have a score or have failed.
            phase: Is told what begins and of how many steps: loading the model, if that must
                be, and scoring.

        Returns:
            A score for each, or why there is none.

        Raises:
            ModelError: If the model can't be loaded or can't do it.
            OptionError: If a request doesn't fit into the model's window.
        """
        session = session_of(journal)
        keys = list(map(self._key, requests))
        by_key = dict(zip(keys, requests, strict=True))
        order = list(by_key)
        found = self._found(order, session)
        missing = {number for number, key in enumerate(order) if key not in found}
        backend = self._loaded(phase) if missing else None
        if phase:
            phase(f"scores, {self.name}", len(order))
        if done:
            done(len(found))
        if backend is not None:
            self._ask(backend, list(by_key.values()), order, missing, session, done)
            found = self._found(order, session)
        if len(found) < len(order):
            raise InternalError(f"{len(order) - len(found)} requests got no score", where=self.name)
        return [found[key] for key in keys]

    def _key(self, request: ScoreRequest) -> bytes:
        is_text = isinstance(request.context, str)
        chat = {} if is_text else {"chat": self._chat, "as_text": AS_TEXT}
        return score_key({**self.identity, **chat}, request)

    def describe(self) -> Mapping[str, Any] | None:
        """What is known of the model once it was loaded; None before."""
        return self._described if self._backend is None else self._backend.describe()

    def close(self) -> None:
        """Lets go of the model; a later request loads it again."""
        if self._backend is not None:
            self._described = self._backend.describe()
            self._backend.close()
            self._backend = None

    def _loaded(self, phase: Callable[[str, int | None], None] | None) -> ScoreBackend:
        if self._backend is None:
            if phase:
                phase(f"loading {self.name}", None)
            self._backend = self._make()
        return self._backend

    def _ask(
        self,
        backend: ScoreBackend,
        requests: Sequence[ScoreRequest],
        keys: Sequence[bytes],
        missing: AbstractSet[int],
        session: Session,
        done: Callable[[int], None] | None,
    ) -> None:
        recorded = set(range(len(keys))) - set(missing)

        def deliver(number: int, outcome: Score | Fault) -> Future[None]:
            recorded.add(number)
            if done:
                done(len(recorded))
            if isinstance(outcome, Fault):
                self._failed.add(keys[number])
            return session.journal.record(self._entry(keys[number], requests[number], outcome))

        backend.answer(requests, missing, deliver, _Work(self, session))

    def _entry(self, key: bytes, request: ScoreRequest, outcome: Score | Fault) -> Answer | Failure:
        head = (key, "score", self.name, "score", request.content())
        if isinstance(outcome, Fault):
            why = (outcome.reason, outcome.detail, outcome.attempts)
            return Failure(*head, *why, 0, 0, 0.0)
        tokens = outcome.context_tokens + sum(one.tokens for one in outcome.scored)
        return Answer(*head, outcome.to_json(), "stop", tokens if self._books else 0, 0, 0.0)

    def _found(self, keys: Sequence[bytes], session: Session) -> dict[bytes, Score | Fault]:
        """What stands in the journal; without the failures that shall be asked again."""
        found: dict[bytes, Score | Fault] = {
            key: Score.from_json(entry.answer)
            for key, entry in session.journal.answers(keys).items()
        }
        for key, failure in session.journal.failures(keys).items():
            stays = not session.retry_failed or key in self._failed
            stays = stays or bool(session.retry_since and failure.at >= session.retry_since)
            if key not in found and stays and failure.reason not in self._unserved:
                found[key] = Fault(failure.reason, failure.detail, failure.attempts)
        return found


class _Work:
    """A run, and notes on a model as entries of its journal."""

    def __init__(self, scorer: Scorer, session: Session) -> None:
        self._scorer, self.session = scorer, session
        self._journal = session.journal

    def recall(self, about: str) -> Any:
        """What was noted, or None."""
        key = self._key(about)
        found = self._journal.answers([key]).get(key)
        return None if found is None else found.answer

    def remember(self, about: str, found: Any) -> None:
        """Notes it."""
        entry = Answer(
            self._key(about), "note", self._scorer.name, "note", {"about": about}, found,
            "stop", 0, 0, 0.0,
        )  # fmt: skip
        self._journal.record(entry).result()

    def _key(self, about: str) -> bytes:
        return score_key(self._scorer.identity, ScoreRequest(f"\0note\0{about}", ("\0",)))


def unserved(overlong: str) -> AbstractSet[str]:
    """Reasons of failures that a journal may hold and that don't count under this option.

    What was skipped under ``skip`` is asked again under ``raise``, and raises.
    """
    return frozenset({TOO_LONG} if overlong == "raise" else ())


def load_scorer(
    name: str, *, config: Config | None = None, overlong: str = "raise", chat: str = "auto"
) -> Scorer:
    """Finds a scorer; its model is loaded when the first score must be computed.

    Args:
        name: ``hf:FOLDER_OR_HUB_ID``, ``wheel:DISTRIBUTION`` for a GGUF model inside an installed
            package, or ``openai:MODEL``.
        config: Models' settings.
        overlong: One of :data:`OVERLONG`: what is too long raises, or ``cut`` contexts from their
            left side, or ``skip`` it and count it as failed.
        chat: One of :data:`~isogloss.models.scoring.request.CHAT`.

    Raises:
        ModelError: If there is no such model, or a server needs a key and there is none.
        OptionError: If a server's model shall cut contexts, which only ``hf:`` can.
    """
    settings = (config or Config()).settings(name)
    backend, _, rest = name.partition(":")
    if backend in ("hf", "wheel") and rest:
        from .hf_scorer import hf_scorer

        return hf_scorer(rest if backend == "hf" else name, settings, overlong=overlong, chat=chat)
    if backend == "openai" and rest:
        from .openai_scorer import openai_scorer

        return openai_scorer(rest, settings, cut=overlong == "cut", chat=chat)
    raise ModelError(
        "that is no name of a model that can score",
        where=name or "--model",
        remedy="write hf:FOLDER_OR_HUB_ID, wheel:DISTRIBUTION or openai:MODEL",
    )
