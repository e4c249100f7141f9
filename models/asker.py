"""A chat model behind its journal."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from ..corpus.hashing import canonical_json
from ..corpus.journal import Answer
from .chat import ChatRequest, request_key
from .journalled import Journalled
from .session import Session

__all__ = ["Asker", "Session", "Unusable"]

Unusable = Callable[[ChatRequest, str], str]


class Asker(Journalled[ChatRequest]):
    """Answers chat requests from the journal, or by asking a model and recording it."""

    kind = "chat"

    def key(self, request: ChatRequest) -> bytes:
        """SHA-256 of everything that can change the answer: the model and the request."""
        return request_key(self.identity, request)

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
