"""Chat requests and what comes back, whatever backend answers them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..corpus.hashing import canonical_json

if TYPE_CHECKING:
    from .budget import Budget

__all__ = [
    "PLAIN_TEXT",
    "Backend",
    "ChatBackend",
    "ChatRequest",
    "Deliver",
    "Fault",
    "Price",
    "Reply",
    "Sampling",
    "plain_text",
    "request_key",
]

PLAIN_TEXT = 1
"""Version of the wording of :func:`plain_text`."""
_ANSWER = "Answer:"


def plain_text(messages: Sequence[str]) -> str:
    r"""How a model without a chat template is asked: the messages, then ``Answer:``.

    Example:
        >>> plain_text(["A or B?"])
        'A or B?\n\nAnswer:'
    """
    return "\n\n".join([*messages, _ANSWER])


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is drawn.

    Attributes:
        max_tokens: Most tokens written.
        temperature: 0 for the likeliest token each time.
        top_p: Share of the probability that is sampled from.
        top_k: Tokens that are sampled from; None for all. Not every server takes it.
        repetition_penalty: Over 1, repeated tokens get less likely; None for none.
        seed: Seed for servers and backends that take one.
    """

    max_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int | None = None
    repetition_penalty: float | None = None
    seed: int | None = 0


_SAMPLING = tuple(entry.name for entry in fields(Sampling))


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a chat model.

    Attributes:
        purpose: What it is for, for the journal; it can't change the answer.
        system: The system text, or "".
        messages: (role, text) in their order, ending with the user's.
        sampling: How the answer is drawn.
        schema: JSON schema that the answer must follow, or None for plain text.
        repeat: Which of several samples of the same request this is.
        whole: Whether an answer that ends for want of ``max_tokens`` is none; if not, what there
            is of it counts.
    """

    purpose: str
    system: str
    messages: tuple[tuple[str, str], ...]
    sampling: Sampling
    schema: Mapping[str, Any] | None = None
    repeat: int = 0
    whole: bool = True

    def content(self) -> dict[str, Any]:
        """Everything in it that can change the answer, as JSON values."""
        return {
            "system": self.system,
            "messages": [list(message) for message in self.messages],
            "sampling": {name: getattr(self.sampling, name) for name in _SAMPLING},
            "schema": None if self.schema is None else dict(self.schema),
            "repeat": self.repeat,
            # Said only where it is so, for the keys of older journals.
            **({} if self.whole else {"whole": False}),
        }


def request_key(identity: Mapping[str, Any], request: ChatRequest) -> bytes:
    """SHA-256 of everything that can change the answer: the model and the request.

    Args:
        identity: The backend's ``identity``.
        request: The request.
    """
    # A schema's order counts: servers write the keys of an answer in it.
    schema = None if request.schema is None else json.dumps(request.schema)
    content = request.content() | {"schema": schema}
    value = {"kind": "chat", "model": dict(identity), "request": content}
    return hashlib.sha256(canonical_json(value).encode()).digest()


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer.

    Attributes:
        text: What the model wrote.
        input_tokens: Tokens read, None if the backend doesn't say.
        output_tokens: Tokens written, likewise.
        served_by: What the server says of itself: the version of the model that answered,
            the fingerprint of its system, and what it was asked without; it is no part of
            the answer.
    """

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    served_by: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Fault:
    """A request without a usable answer, after all attempts.

    Attributes:
        reason: A code: ``refusal``, ``length``, ``content_filter``, ``invalid_json``,
            ``timeout``, ``connection``, ``http_500``, ….
        detail: More, in words; never a key or a header.
        attempts: How often it was asked.
        input_tokens: Tokens billed over all attempts, as far as known.
        output_tokens: Likewise.
    """

    reason: str
    detail: str = ""
    attempts: int = 1
    input_tokens: int | None = None
    output_tokens: int | None = None


Deliver = Callable[[int, Reply | Fault], Future[None]]


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost."""

    input: float
    output: float
    currency: str = "USD"

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Price of so many tokens."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


_Asked = TypeVar("_Asked", contravariant=True)


class Backend(Protocol[_Asked]):
    """What answers requests of one kind.

    Attributes:
        identity: What can change an answer beside the request: backend, base URL without
            credentials, model, resolved revision.
        name: ``backend:name``, for messages and the journal.
        whole_batches: True if an answer can depend on the requests asked with it, so that
            a call whose answers are partly journalled must be repeated whole.
    """

    identity: Mapping[str, Any]
    name: str
    whole_batches: bool

    def batches(self, requests: Sequence[_Asked]) -> list[list[int]]:
        """Indices of requests that are answered together; depends on the requests alone."""

    def answer(self, requests: Sequence[_Asked], deliver: Deliver, budget: Budget) -> None:
        """Answers each request once, in any order, through ``deliver(index, outcome)``.

        The future that ``deliver`` returns is done when the answer is on the disk.

        Raises:
            IsoglossError: If no request can be answered: a wrong key, an unknown model, a
                server that can't be reached, a budget that is spent.
        """

    def close(self) -> None:
        """Lets go of connections and memory."""


class ChatBackend(Backend[ChatRequest], Protocol):
    """What answers chat requests."""
