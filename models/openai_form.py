"""What one kind of request to an OpenAI-compatible server looks like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from .openai_outcome import Outcome
from .parameters import Parameters

__all__ = ["Form"]

_Request = TypeVar("_Request")


class Form(Protocol[_Request]):
    """What one kind of request looks like on the wire.

    Attributes:
        path: Where it is sent, below the server's address.
        parameters: What the server has said it doesn't take.
    """

    path: str
    parameters: Parameters

    def body(self, request: _Request) -> dict[str, Any]:
        """What is sent."""

    def worst_case(self, request: _Request) -> tuple[int, int]:
        """Most tokens that it can read and write."""

    def harmless(self, request: _Request) -> _Request:
        """The same with a text that can't be to blame."""

    def answered(self, body: bytes, request: _Request) -> Outcome:
        """Reads a response with status 200."""

    def refused(
        self,
        status: int,
        headers: Mapping[str, str],
        body: bytes,
        request: _Request,
        secrets: Sequence[str],
    ) -> Outcome:
        """Reads a response with another status."""
