"""The likeliest first tokens of a chat model's answer, with their log-probabilities.

Chat endpoints give no log-probability of a text of ours, only of the tokens that the model would
write next, and only of the likeliest. That is enough where an answer is one letter.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...corpus.journal import Journal
from ...errors import ModelError, OptionError
from ..chat import Fault, Reply
from ..config import Config
from ..journalled import Journalled
from ..session import Session, session_of
from .request import natural

__all__ = ["Top", "TopAsker", "TopRequest", "TopScorer", "load_top"]


@dataclass(frozen=True, slots=True)
class TopRequest:
    """A chat, and how many alternatives are wanted for the first token of its answer.

    Attributes:
        messages: (role, text) in their order, ending with the user's.
        top: How many; servers have limits, OpenAI's and vLLM's is 20.

    Raises:
        OptionError: If there is no message, or nothing is wanted.
    """

    messages: tuple[tuple[str, str], ...]
    top: int = 20

    def __post_init__(self) -> None:
        if not self.messages or self.top < 1:
            raise OptionError(
                "a request for first tokens needs a message and at least one alternative",
                where=f"{len(self.messages)} messages, top {self.top}",
                remedy="give both",
            )

    @property
    def purpose(self) -> str:
        """What it is for, for the journal."""
        return "top"

    def content(self) -> dict[str, Any]:
        """Everything in it that can change the answer."""
        return {"messages": [list(message) for message in self.messages], "top": self.top}


@dataclass(frozen=True, slots=True)
class Top:
    """The likeliest first tokens.

    Attributes:
        alternatives: Tokens as the server prints them, with natural log-probabilities, the
            likeliest first. What is not among them is less likely than the last, and its
            log-probability is not known.
    """

    alternatives: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, reply: str) -> Self:
        """Reads what the journal has."""
        found = [(token, natural(logprob)) for token, logprob in json.loads(reply)]
        return cls(tuple(sorted(found, key=lambda entry: -entry[1])))

    def logprob(self, token: str) -> float:
        """A token's log-probability, over all tokens that are printed so; -inf if none is there."""
        found = [logprob for other, logprob in self.alternatives if other == token]
        most = max(found, default=-math.inf)
        if most == -math.inf:
            return most
        return most + math.log(math.fsum(math.exp(logprob - most) for logprob in found))


class TopAsker(Journalled[TopRequest]):
    """Answers from the journal, or by asking a server."""

    kind = "score"


class TopScorer:
    """First tokens from the journal, or by asking a server and recording what it says.

    Args:
        asker: Asks the endpoint.
    """

    def __init__(self, asker: TopAsker) -> None:
        self._asker = asker
        self.name, self.identity = asker.name, asker.identity

    def ask(self, requests: Sequence[TopRequest], journal: Journal | Session) -> list[Top | Fault]:
        """The first tokens for each request, in their order; equal requests are asked once.

        Args:
            requests: The requests.
            journal: Where answers are looked for and recorded; or a run with its limits.

        Raises:
            ServiceError: If the server can't be asked, or gives no log-probabilities.
        """
        with self._asker.open(session_of(journal)):
            return [
                Top.of(reply.text) if isinstance(reply, Reply) else reply
                for reply in self._asker.ask(requests)
            ]


def load_top(name: str, *, config: Config | None = None) -> TopScorer:
    """Finds a model that gives the likeliest first tokens of its answers.

    Args:
        name: ``openai:MODEL``.
        config: Models' settings.

    Raises:
        ModelError: If there is no such model, or no key for it.
    """
    backend, _, model = name.partition(":")
    if backend != "openai" or not model:
        raise ModelError(
            "that is no name of a model whose first tokens can be asked for",
            where=name or "--model",
            remedy="write openai:MODEL",
        )
    from .openai_top import openai_top

    return TopScorer(openai_top(model, (config or Config()).settings(name)))
