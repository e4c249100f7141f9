"""A text's own log-probabilities, asked of an OpenAI-compatible completions endpoint.

The text is sent as a prompt that shall be echoed, with one token behind it, since not every server
writes none. What comes back goes into the journal as it is, so that reading it anew asks nobody.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from ..journalled import Journalled
from ..openai_outcome import Outcome, message_of, of_status, usage_of
from ..parameters import Parameters
from .alignment import spans
from .request import natural

__all__ = ["Echo", "EchoAsker", "EchoForm", "EchoRequest"]

#: A beginning of text and what a server may count besides.
_OVERHEAD = 16
_MISSING = "the server gives no log-probabilities of the prompt"
_REMEDY = (
    "serve the model with vLLM, SGLang or llama-cpp-python, whose completions take echo together "
    "with logprobs, or use hf:"
)
_WRONG_ENDPOINT = re.compile(r"\becho|logprobs|chat model", re.IGNORECASE)
_LONGEST_SAID = 120


@dataclass(frozen=True, slots=True)
class EchoRequest:
    """A text whose tokens' log-probabilities are wanted."""

    prompt: str

    @property
    def purpose(self) -> str:
        """What it is for, for the journal."""
        return "echo"

    def content(self) -> dict[str, Any]:
        """Everything in it that can change the answer."""
        return {"prompt": self.prompt}


class EchoAsker(Journalled[EchoRequest]):
    """Answers from the journal, or by asking a server."""

    kind = "echo"


@dataclass(frozen=True, slots=True)
class Echo:
    """The tokens of a text.

    Attributes:
        tokens: Each as the server prints it, a special one at the beginning included.
        logprobs: Natural log-probability of each, given all before it; NaN where the server
            gives none, as for the very first.
        spans: Start and end of each in bytes of the text.
    """

    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]
    spans: tuple[tuple[int, int], ...]

    @property
    def special(self) -> int:
        """How many tokens stand before the text."""
        return int(self.spans[0] == (0, 0))

    @classmethod
    def of(cls, prompt: str, reply: str) -> Self | None:
        """Reads what the journal has; None if the tokens can't be those of the prompt."""
        said = json.loads(reply)
        tokens, logprobs = said["tokens"], said["logprobs"]
        # One token was written behind the prompt; an end of text may be left out.
        ends = [len(tokens) - 1, len(tokens)]
        if said["prompt_tokens"] in ends:
            ends = [said["prompt_tokens"]]
        found = {
            end: places
            for end in ends
            if (places := spans(prompt, tokens[:end], special=logprobs[0] is None)) is not None
        }
        if len(found) != 1:
            return None
        [(end, places)] = found.items()
        return cls(tuple(tokens[:end]), tuple(map(natural, logprobs[:end])), tuple(places))


class EchoForm:
    """Such a request on the wire.

    Args:
        model: The model's name there.
    """

    path = "/completions"

    def __init__(self, model: str) -> None:
        self._model = model
        self.parameters = Parameters(model)
        self._gives = False

    def body(self, request: EchoRequest) -> dict[str, Any]:
        """What is sent."""
        return self.parameters.fitted(
            {
                "model": self._model,
                "prompt": request.prompt,
                "echo": True,
                "logprobs": 1,
                "max_tokens": 1,
                "temperature": 0.0,
            }
        )

    def worst_case(self, request: EchoRequest) -> tuple[int, int]:
        """Most tokens that it can read and write: a token is at least one byte."""
        return len(request.prompt.encode()) + _OVERHEAD, 1

    def harmless(self, _: EchoRequest) -> EchoRequest:
        """A text that can't be to blame."""
        return EchoRequest("Hello to all of you.")

    def answered(self, body: bytes, request: EchoRequest) -> Outcome:
        """Reads a response with status 200.

        A server that knows nothing of echo or logprobs mostly ignores them in silence. If that
        is its first answer, no other will be better.
        """
        try:
            data = json.loads(body)
            logprobs = data["choices"][0].get("logprobs") or {}
            tokens, values = logprobs.get("tokens"), logprobs.get("token_logprobs")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            detail = "the response is cut or no JSON"
            return Outcome(reason="invalid_body", detail=detail, again=True)
        billed, served_by = usage_of(data)
        outcome = replace(
            self._read(request, tokens, values, data), answered=True, billed=billed,
            served_by=served_by,
        )  # fmt: skip
        self._gives = self._gives or outcome.reply is not None
        return outcome

    def _read(self, request: EchoRequest, tokens: Any, values: Any, data: Any) -> Outcome:
        if _is_missing(request.prompt, tokens, values):
            fatal = "" if self._gives else _MISSING
            return Outcome(
                reason="no_logprobs", detail=_MISSING, again=True, fatal=fatal, remedy=_REMEDY
            )
        if not (
            len(tokens) == len(values)
            and all(isinstance(token, str) for token in tokens)
            and all(value is None or isinstance(value, int | float) for value in values)
        ):
            detail = "the log-probabilities are none"
            return Outcome(reason="invalid_logprobs", detail=detail, again=True)
        counted = (data.get("usage") or {}).get("prompt_tokens")
        reply = {"tokens": tokens, "logprobs": values, "prompt_tokens": counted}
        return Outcome(reply=json.dumps(reply, separators=(",", ":")))

    def refused(
        self,
        status: int,
        headers: Mapping[str, str],
        body: bytes,
        request: EchoRequest,
        secrets: Sequence[str],
    ) -> Outcome:
        """Reads a response with another status."""
        del request
        said, _ = message_of(body, secrets)
        if status >= 400 and status != 429 and _WRONG_ENDPOINT.search(said) and not self._gives:
            why = f"{_MISSING} ({said[:_LONGEST_SAID]})"
            return Outcome(reason=f"http_{status}", fatal=why, remedy=_REMEDY)
        return of_status(status, headers, body, secrets=secrets)


def _is_missing(prompt: str, tokens: Any, values: Any) -> bool:
    """Whether an answer is one of a server that has ignored what it was asked."""
    if not (isinstance(tokens, list) and isinstance(values, list) and tokens and values):
        return True
    if len(tokens) == 1:  # the one written behind the prompt
        return tokens != [prompt]
    return all(value is None for value in values[:-1])
