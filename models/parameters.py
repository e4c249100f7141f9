"""What is sent to an OpenAI-compatible server, and which parameters it has said it doesn't take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from .chat import ChatRequest

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
    from openai.types.shared_params.response_format_json_schema import JSONSchema

__all__ = ["Parameters", "refused_parameter"]

_LENGTH, _NEWER_LENGTH = "max_tokens", "max_completion_tokens"
#: What may be left out where a server doesn't take it. Longer names stand first.
_OPTIONAL = ("repetition_penalty", "temperature", "top_p", "top_k", "seed")
_REFUSED = re.compile(
    r"unsupported|(?:not|n't) (?:\w+ )?(?:support|allow|permit|accept)|unknown|unrecogni[sz]ed|"
    r"unexpected|extra (?:inputs|fields|keys)|cannot find field|cannot both|deprecated|"
    r"no longer supported",
    re.IGNORECASE,
)


def refused_parameter(said: str, named: str) -> str:
    """The parameter that a server says it doesn't take, or "".

    Args:
        said: The message of a status 400 or 422.
        named: What the message's own field ``param`` names, or "".

    Example:
        >>> refused_parameter('Unknown name "seed": Cannot find field.', "")
        'seed'
        >>> refused_parameter("max_tokens is too large: 9000", "max_tokens")
        ''
    """
    if not _REFUSED.search(said):
        return ""
    known = (_LENGTH, *_OPTIONAL)
    if named in known:
        return named
    found = {name: at for name in known if (at := re.search(rf"\b{name}\b", said))}
    return min(found, key=lambda name: found[name].start(), default="")


class Parameters:
    """Makes the body of a request, without what the server doesn't take.

    Args:
        model: The model's name there.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        #: Parameters that are left out or, ``max_tokens``, sent by its newer name.
        self.without: list[str] = []

    def body(self, request: ChatRequest) -> dict[str, Any]:
        """What openai's own client would send, and what some servers take besides."""
        sampling = request.sampling
        messages = [{"role": role, "content": text} for role, text in request.messages]
        if request.system:
            messages.insert(0, {"role": "system", "content": request.system})
        body: CompletionCreateParamsNonStreaming = {
            "model": self._model,
            "messages": cast("list[ChatCompletionMessageParam]", messages),
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
        }
        if sampling.seed is not None:
            body["seed"] = sampling.seed + request.repeat
        if request.schema is not None:
            schema: JSONSchema = {"name": "answer", "strict": True, "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        extra = {"top_k": sampling.top_k, "repetition_penalty": sampling.repetition_penalty}
        return self.fitted(
            {**body, **{name: value for name, value in extra.items() if value is not None}}
        )

    def fitted(self, sent: dict[str, Any]) -> dict[str, Any]:
        """A body without what the server doesn't take."""
        for name in self.without:
            value = sent.pop(name, None)
            if name == _LENGTH:
                sent[_NEWER_LENGTH] = value
        return sent

    def learn(self, name: str, sent: Mapping[str, Any]) -> bool:
        """Leaves a parameter out from now on; False if it wasn't sent, so that is no help."""
        if name not in sent:
            return False
        if name not in self.without:
            self.without.append(name)
        return True

    def described(self, name: str) -> str:
        """What is done about a parameter, in words."""
        return f"{_NEWER_LENGTH} for {_LENGTH}" if name == _LENGTH else f"no {name}"
