"""What a scorer is asked, and what it answers: log P(continuation | context), token by token."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...corpus.hashing import canonical_json
from ...errors import OptionError
from ..chat import PLAIN_TEXT, plain_text

__all__ = [
    "AS_TEXT",
    "CHAT",
    "Context",
    "Score",
    "ScoreRequest",
    "Scored",
    "as_text",
    "moved_space",
    "natural",
    "score_key",
]

#: Raw text, or the messages of a chat as (role, text), rendered by the model's own template.
Context = str | tuple[tuple[str, str], ...]
CHAT = ("auto", "on", "off")
"""How a chat is asked: by the model's template if it has one, in any case, or as plain text."""
AS_TEXT = PLAIN_TEXT
"""Version of the wording of :func:`as_text`, in the key of every chat's score."""
#: vLLM writes no infinity, but this.
_NEVER = -9999.0


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """One context and what may follow it.

    Attributes:
        context: Raw text, or a chat.
        continuations: What may follow. A space between context and continuation belongs to the
            continuation; white space at the end of a raw context is moved there.
        item: Requests of one item are computed together, as far as their contexts begin alike;
            it can't change an answer and is in no key.

    Raises:
        OptionError: If there is no continuation, or one is empty.
    """

    context: Context
    continuations: tuple[str, ...]
    item: str = ""

    def __post_init__(self) -> None:
        if not self.continuations or not all(self.continuations):
            raise OptionError(
                "a continuation is empty, so it has no probability",
                where=f"item {self.item!r}" if self.item else "the request",
                remedy="leave the row out, or give each continuation a text",
            )

    def content(self) -> dict[str, Any]:
        """Everything in it that can change the answer, as JSON values."""
        context: Any = self.context
        if not isinstance(context, str):
            context = [list(message) for message in context]
        return {"context": context, "continuations": list(self.continuations)}


@dataclass(frozen=True, slots=True)
class Scored:
    """One continuation's score.

    Attributes:
        logprobs: Natural log-probability of each token, given all before it.
        characters: Length of the continuation as it was scored.
        bytes: Its length in UTF-8.
        ends: Where each token ends, in characters of the continuation; empty if that isn't known.
    """

    logprobs: tuple[float, ...]
    characters: int
    bytes: int
    ends: tuple[int, ...] = ()

    @property
    def tokens(self) -> int:
        """How many tokens it has."""
        return len(self.logprobs)

    @property
    def total(self) -> float:
        """Log P(continuation | context): the sum over tokens; NaN if one is NaN."""
        return math.fsum(self.logprobs) if not any(map(math.isnan, self.logprobs)) else math.nan


@dataclass(frozen=True, slots=True)
class Score:
    """What a scorer says of one request.

    Attributes:
        scored: One entry for each continuation.
        context_tokens: Tokens that all continuations were scored behind.
        shortened: Tokens at the context's end that belong to continuations, since a token lay
            across the boundary.
        cut: Tokens cut from the context's left side to fit into the model's window.
    """

    scored: tuple[Scored, ...]
    context_tokens: int
    shortened: int = 0
    cut: int = 0

    def to_json(self) -> dict[str, Any]:
        """As the journal keeps it; NaN becomes null."""
        return {
            "scored": [
                {
                    "logprobs": [None if math.isnan(p) else p for p in one.logprobs],
                    "characters": one.characters,
                    "bytes": one.bytes,
                    **({"ends": list(one.ends)} if one.ends else {}),
                }
                for one in self.scored
            ],
            "context_tokens": self.context_tokens,
            "shortened": self.shortened,
            "cut": self.cut,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The score that :meth:`to_json` wrote."""
        scored = tuple(
            Scored(
                tuple(math.nan if p is None else float(p) for p in one["logprobs"]),
                one["characters"],
                one["bytes"],
                tuple(one.get("ends", ())),
            )
            for one in value["scored"]
        )
        return cls(scored, value["context_tokens"], value["shortened"], value["cut"])


def score_key(identity: Mapping[str, Any], request: ScoreRequest) -> bytes:
    """SHA-256 of everything that can change the answer: the model and the request."""
    value = {"kind": "score", "model": dict(identity), "request": request.content()}
    return hashlib.sha256(canonical_json(value).encode()).digest()


def as_text(request: ScoreRequest) -> ScoreRequest:
    r"""A request that needs no chat template: its messages, then ``Answer:`` and what may follow.

    Example:
        >>> as_text(ScoreRequest((("user", "A or B?"),), ("A", "B")))
        ScoreRequest(context='A or B?\n\nAnswer:', continuations=(' A', ' B'), item='')
    """
    if isinstance(request.context, str):
        return request
    texts = [text for _, text in request.context]
    continuations = tuple(f" {continuation}" for continuation in request.continuations)
    return ScoreRequest(plain_text(texts), continuations, request.item)


def moved_space(context: str, continuations: Sequence[str]) -> tuple[str, list[str]]:
    r"""White space at a context's end, moved to the beginning of what follows.

    Example:
        >>> moved_space("We was \n", ["late", "early"])
        ('We was', [' \nlate', ' \nearly'])
    """
    bare = context.rstrip()
    space = context[len(bare) :]
    return bare, [space + continuation for continuation in continuations]


def natural(logprob: float | None) -> float:
    """What a server says of a token, as a number: NaN for nothing."""
    if logprob is None:
        return math.nan
    return -math.inf if logprob <= _NEVER else logprob
