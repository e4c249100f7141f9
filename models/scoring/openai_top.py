"""First tokens through an OpenAI-compatible chat endpoint."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..config import ModelSettings
from ..openai_address import address, key_of, openai_identity
from ..openai_client import FIRST_PAUSE, OpenAIClient
from ..openai_outcome import Outcome, message_of, of_status, usage_of
from ..parameters import Parameters
from .top import TopAsker, TopRequest

__all__ = ["TopForm", "openai_top"]

_FIRST_PAUSE = FIRST_PAUSE
_OVERHEAD = 16
_LONGEST_SAID = 120
_MISSING = "the server gives no log-probabilities of an answer's tokens"
_REMEDY = "use a model or a server whose chat completions take logprobs and top_logprobs"
_ABOUT_LOGPROBS = re.compile(r"logprobs", re.IGNORECASE)


class TopForm:
    """A question for first tokens on the wire.

    Args:
        model: The model's name there.
    """

    path = "/chat/completions"

    def __init__(self, model: str) -> None:
        self._model = model
        self.parameters = Parameters(model)
        self._gives = False

    def body(self, request: TopRequest) -> dict[str, Any]:
        """What is sent."""
        return self.parameters.fitted(
            {
                "model": self._model,
                "messages": [{"role": role, "content": text} for role, text in request.messages],
                "max_tokens": 1,
                "temperature": 0.0,
                "logprobs": True,
                "top_logprobs": request.top,
            }
        )

    def worst_case(self, request: TopRequest) -> tuple[int, int]:
        """Most tokens that it can read and write: a token is at least one byte."""
        return sum(len(text.encode()) + _OVERHEAD for _, text in request.messages), 1

    def harmless(self, request: TopRequest) -> TopRequest:
        """The same with a text that can't be to blame."""
        return replace(request, messages=(*request.messages[:-1], ("user", "Hello.")))

    def answered(self, body: bytes, request: TopRequest) -> Outcome:
        """Reads a response with status 200."""
        del request
        try:
            data = json.loads(body)
            choice = data["choices"][0]
            filtered = choice.get("finish_reason") == "content_filter"
            content = (choice.get("logprobs") or {}).get("content")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            detail = "the response is cut or no JSON"
            return Outcome(reason="invalid_body", detail=detail, again=True)
        billed, served_by = usage_of(data)
        outcome = (
            Outcome(reason="content_filter", detail="finish reason content_filter")
            if filtered
            else self._read(content)
        )
        self._gives = self._gives or outcome.reply is not None
        return replace(outcome, answered=True, billed=billed, served_by=served_by)

    def _read(self, content: Any) -> Outcome:
        try:
            alternatives = [[one["token"], one["logprob"]] for one in content[0]["top_logprobs"]]
        except (LookupError, TypeError):
            alternatives = []
        if not alternatives:
            fatal = "" if self._gives else _MISSING
            return Outcome(
                reason="no_logprobs", detail=_MISSING, again=True, fatal=fatal, remedy=_REMEDY
            )
        if not all(
            isinstance(token, str) and isinstance(logprob, int | float) and not math.isnan(logprob)
            for token, logprob in alternatives
        ):
            detail = "the log-probabilities are none"
            return Outcome(reason="invalid_logprobs", detail=detail, again=True)
        return Outcome(reply=json.dumps(alternatives, separators=(",", ":")))

    def refused(
        self,
        status: int,
        headers: Mapping[str, str],
        body: bytes,
        request: TopRequest,
        secrets: Sequence[str],
    ) -> Outcome:
        """Reads a response with another status."""
        del request
        said, _ = message_of(body, secrets)
        if status >= 400 and status != 429 and _ABOUT_LOGPROBS.search(said) and not self._gives:
            why = f"{_MISSING} ({said[:_LONGEST_SAID]})"
            return Outcome(reason=f"http_{status}", fatal=why, remedy=_REMEDY)
        return of_status(status, headers, body, secrets=secrets)


def openai_top(model: str, settings: ModelSettings) -> TopAsker:
    """An endpoint behind its journal.

    Raises:
        ModelError: If the environment has no key though one is needed.
    """
    url, key = address(settings), key_of(model, settings)
    form = TopForm(model)  # it learns what the server gives
    return TopAsker(
        lambda: OpenAIClient(form, model, settings, url, key, first_pause=_FIRST_PAUSE),
        f"openai:{model}",
        openai_identity(model, url),
        settings.price,
    )
