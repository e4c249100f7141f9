"""A scorer behind its journal: looks there first, computes the rest, records before it counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from typing import Any, Protocol

from ...corpus.journal import Answer, Journal
from ...errors import InternalError, ModelError
from ..config import Config
from .request import Score, ScoreRequest, score_key

__all__ = ["Deliver", "Notes", "ScoreBackend", "Scorer", "load_scorer"]

Deliver = Callable[[int, Score], Future[None]]


class Notes(Protocol):
    """What was found out about a model, kept over a kill."""

    def recall(self, about: str) -> Any:
        """What was noted, or None."""

    def remember(self, about: str, found: Any) -> None:
        """Notes it; it is on the disk when this returns."""


class ScoreBackend(Protocol):
    """What computes scores."""

    def answer(
        self,
        requests: Sequence[ScoreRequest],
        missing: AbstractSet[int],
        deliver: Deliver,
        notes: Notes,
    ) -> None:
        """Scores the requests whose numbers are in ``missing``, and what goes with them.

        Batches depend on all requests, so that a resumed run repeats them whole.
        """

    def close(self) -> None:
        """Lets go of the model."""


class Scorer:
    """Scores from the journal, or by asking a model and recording what it says.

    Args:
        name: The model as ``backend:name``.
        identity: What can change a score beside the request.
        make: Makes the backend when the first request must really be asked, so that a run
            that finds everything in the journal loads no model.
    """

    def __init__(
        self, name: str, identity: Mapping[str, Any], make: Callable[[], ScoreBackend]
    ) -> None:
        self.name, self.identity = name, dict(identity)
        self._make = make
        self._backend: ScoreBackend | None = None

    def known(self, requests: Sequence[ScoreRequest], journal: Journal) -> list[Score | None]:
        """What the journal has for each request."""
        keys = [score_key(self.identity, request) for request in requests]
        found = journal.answers(list(dict.fromkeys(keys)))
        return [Score.from_json(found[key].answer) if key in found else None for key in keys]

    def score(
        self,
        requests: Sequence[ScoreRequest],
        journal: Journal,
        *,
        done: Callable[[int], None] | None = None,
    ) -> list[Score]:
        """Scores each request, in their order; equal requests are computed once.

        Args:
            requests: The requests.
            journal: Where scores are looked for and recorded.
            done: Is told how many of the different requests have a score.

        Raises:
            ModelError: If the model can't be loaded or can't do it.
            OptionError: If a request doesn't fit into the model's window.
        """
        keys = [score_key(self.identity, request) for request in requests]
        by_key = dict(zip(keys, requests, strict=True))
        order = list(by_key)
        found = journal.answers(order)
        missing = {number for number, key in enumerate(order) if key not in found}
        if done:
            done(len(found))
        if missing:
            self._ask(list(by_key.values()), order, missing, journal, done)
            found = journal.answers(order)
        if len(found) < len(order):
            raise InternalError(f"{len(order) - len(found)} requests got no score", where=self.name)
        return [Score.from_json(found[key].answer) for key in keys]

    def close(self) -> None:
        """Lets go of the model."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None

    def _ask(
        self,
        requests: Sequence[ScoreRequest],
        keys: Sequence[bytes],
        missing: AbstractSet[int],
        journal: Journal,
        done: Callable[[int], None] | None,
    ) -> None:
        self._backend = self._backend or self._make()
        recorded = set(range(len(keys))) - set(missing)

        def deliver(number: int, score: Score) -> Future[None]:
            recorded.add(number)
            if done:
                done(len(recorded))
            request = requests[number]
            tokens = score.context_tokens + sum(one.tokens for one in score.scored)
            return journal.record(
                Answer(
                    keys[number], "score", self.name, "score", request.content(),
                    score.to_json(), "stop", tokens, 0, 0.0,
                )
            )  # fmt: skip

        self._backend.answer(requests, missing, deliver, _JournalNotes(self, journal))


class _JournalNotes:
    """Notes on a model as entries of the journal."""

    def __init__(self, scorer: Scorer, journal: Journal) -> None:
        self._scorer, self._journal = scorer, journal

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


def load_scorer(name: str, *, config: Config | None = None, overlong: str = "raise") -> Scorer:
    """Finds a scorer; its model is loaded when the first score must be computed.

    Args:
        name: ``hf:FOLDER_OR_HUB_ID`` or ``openai:MODEL``.
        config: Models' settings.
        overlong: ``raise``, or ``cut`` contexts that are too long from their left side.

    Raises:
        ModelError: If there is no such model.
    """
    settings = (config or Config()).settings(name)
    backend, _, rest = name.partition(":")
    if backend == "hf" and rest:
        from .hf_scorer import hf_scorer

        return hf_scorer(rest, settings, cut=overlong == "cut")
    raise ModelError(
        "that is no name of a model that can score",
        where=name or "--model",
        remedy="write hf:FOLDER_OR_HUB_ID",
    )
