"""Chat through any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .asker import Asker
from .budget import worst_case
from .chat import ChatRequest
from .config import ModelSettings
from .openai_address import address, key_of, openai_identity
from .openai_client import FIRST_PAUSE, OpenAIClient
from .openai_outcome import Outcome, of_response, of_status
from .parameters import Parameters

__all__ = ["ChatForm", "openai_asker"]

_FIRST_PAUSE = FIRST_PAUSE
#: Asked in place of a text, to find out whether the text or the server is to blame.
_HARMLESS = "Hello."


class ChatForm:
    """A chat on the wire.

    Args:
        model: The model's name there.
    """

    path = "/chat/completions"

    def __init__(self, model: str) -> None:
        self.parameters = Parameters(model)

    def body(self, request: ChatRequest) -> dict[str, Any]:
        """What is sent."""
        return self.parameters.body(request)

    def worst_case(self, request: ChatRequest) -> tuple[int, int]:
        """Most tokens that it can read and write."""
        return worst_case(request)

    def harmless(self, request: ChatRequest) -> ChatRequest:
        """The same with a harmless text at its end."""
        messages = (*request.messages[:-1], (request.messages[-1][0], _HARMLESS))
        return replace(request, messages=messages)

    def answered(self, body: bytes, request: ChatRequest) -> Outcome:
        """Reads a response with status 200."""
        return of_response(body, request)

    def refused(
        self,
        status: int,
        headers: Mapping[str, str],
        body: bytes,
        request: ChatRequest,
        secrets: Sequence[str],
    ) -> Outcome:
        """Reads a response with another status."""
        return of_status(status, headers, body, request, secrets=secrets)


def openai_asker(model: str, settings: ModelSettings) -> Asker:
    """An endpoint behind its journal.

    Raises:
        ModelError: If the environment has no key though one is needed.
    """
    url, key = address(settings), key_of(model, settings)
    return Asker(
        lambda: OpenAIClient(ChatForm(model), model, settings, url, key, first_pause=_FIRST_PAUSE),
        f"openai:{model}",
        openai_identity(model, url),
        settings.price,
    )
