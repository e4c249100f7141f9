"""What came of one attempt to ask an OpenAI-compatible server: pure functions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import responses
from typing import Any

import aiohttp

from ..corpus.text import encodable
from .chat import ChatRequest
from .parameters import refused_parameter

__all__ = ["Outcome", "message_of", "of_error", "of_response", "of_status", "usage_of"]

_RETRIED = {408, 409, 425, 429}
_NOTHING = (0, 0)
_WHOLE = ("stop", "eos", "eos_token", "stop_sequence", "end_turn")
_LONGEST_NAME = 100
_LONGEST_DETAIL = 120
#: Without a connection nothing can have been billed.
_NEVER_CONNECTED = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One attempt.

    Attributes:
        reply: The whole answer, None if there is none.
        reason: Why not, as a code.
        detail: More, in words; no key, header or text of the request.
        again: Whether trying again can help.
        overloaded: Whether the server complained about the load.
        retry_after: Seconds the server asked us to wait.
        billed: Tokens read and written that are billed; None if that is not known.
        fatal: What makes every further request hopeless, or "".
        remedy: What to do about that, where it is not the key's or the address's fault.
        answered: Whether a model has answered, be it nothing that can be used.
        refused: Whether the server refused the request as it is; ``detail`` quotes it.
        parameter: The parameter that the server doesn't take, or "".
        served_by: What the server says of itself.
    """

    reply: str | None = None
    reason: str = "stop"
    detail: str = ""
    again: bool = False
    overloaded: bool = False
    retry_after: float | None = None
    billed: tuple[int, int] | None = _NOTHING
    fatal: str = ""
    remedy: str = ""
    answered: bool = False
    refused: bool = False
    parameter: str = ""
    served_by: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def transient(self) -> bool:
        """Whether the server, or the way to it, may do better at another time."""
        return self.again and not self.answered


def of_response(body: bytes, request: ChatRequest) -> Outcome:
    """Reads a response with status 200."""
    try:
        data = json.loads(body)
        choice = data["choices"][0]
        message = choice["message"]
        content = message.get("content")
        finish = choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Outcome(reason="invalid_body", detail="the response is cut or no JSON", again=True)
    outcome = _of_message(message, content, finish, request)
    billed, served_by = usage_of(data)
    return replace(outcome, answered=True, billed=billed, served_by=served_by)


def usage_of(data: Mapping[str, Any]) -> tuple[tuple[int, int] | None, dict[str, str]]:
    """Tokens read and written, None if not known, and what the server says of itself."""
    served_by = {
        name: said[:_LONGEST_NAME]
        for name in ("model", "system_fingerprint")
        if isinstance(said := data.get(name), str) and said
    }
    return _usage(data), served_by


def _of_message(
    message: Mapping[str, Any], content: Any, finish: Any, request: ChatRequest
) -> Outcome:
    if message.get("refusal"):
        return Outcome(reason="refusal", detail="the model refused")
    if finish == "length" and not request.whole and isinstance(content, str) and content.strip():
        finish = "stop"
    if finish in ("length", "content_filter"):
        return Outcome(reason=finish, detail=f"finish reason {finish}")
    if finish not in _WHOLE:  # none at all is none too: nothing says that the answer is whole
        return Outcome(reason="finish", detail=f"finish reason {finish!s:.40}")
    if not isinstance(content, str) or not content.strip():
        return Outcome(reason="empty", detail="an empty answer", again=True)
    if not encodable(content):
        return Outcome(reason="invalid_text", detail="half of a character", again=True)
    if request.schema is not None and not _is_object(content, request.schema):
        return Outcome(reason="invalid_json", detail="not JSON by the schema", again=True)
    return Outcome(reply=content)


def of_error(error: aiohttp.ClientError | TimeoutError) -> Outcome:
    """Reads what the client raised."""
    if isinstance(error, _NEVER_CONNECTED):
        return Outcome(reason="unreachable", detail="no connection", again=True, billed=_NOTHING)
    if isinstance(error, TimeoutError):
        return Outcome(reason="timeout", detail="no answer in time", again=True, billed=None)
    return Outcome(reason="connection", detail="it broke off", again=True, billed=None)


def of_status(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    request: ChatRequest | None = None,
    *,
    secrets: Sequence[str] = (),
) -> Outcome:
    """Reads a response with another status than 200.

    Args:
        status: The status.
        headers: The headers, found by their names in whatever case.
        body: What the server says of it.
        request: What was asked, of a chat.
        secrets: What must not be shown even if the server quotes it, such as the key.
    """
    whole, named = message_of(body, secrets)
    said = (whole or responses.get(status, ""))[:_LONGEST_DETAIL]
    if status in (401, 403):
        return Outcome(reason=f"http_{status}", fatal="the key is not accepted")
    if status == 404:
        return Outcome(reason="http_404", fatal=f"the server knows no such model or path ({said})")
    if status == 402 or (status == 429 and "quota" in said.lower()):
        return Outcome(reason=f"http_{status}", fatal=f"the account can't pay ({said})")
    again = status in _RETRIED or status >= 500
    parameter = refused_parameter(whole, named) if status in (400, 422) else ""
    if (
        status in (400, 422)
        and not parameter
        and request
        and request.schema
        and _about_schema(said)
    ):
        return Outcome(reason="unsupported_schema", detail="the server takes no JSON schema")
    return Outcome(
        reason=f"http_{status}",
        detail=said,
        again=again,
        overloaded=status in (429, 503, 529),
        retry_after=_retry_after(headers),
        refused=not again,
        parameter=parameter,
    )


def message_of(body: bytes, secrets: Sequence[str]) -> tuple[str, str]:
    """What the server says of it, in one line, and the parameter it names; "" if nothing."""
    try:
        said = json.loads(body)
        said = said.get("error") or said
        named = said.get("param") if isinstance(said, dict) else None
        if isinstance(said, dict):
            said = said.get("message") or _details(said.get("detail"))
    except (ValueError, AttributeError, RecursionError):
        return "", ""
    text = " ".join(str(said or "").split())
    for secret in secrets:
        text = text.replace(secret, "…")  # before any cut, which could leave a part of it
    return text, named if isinstance(named, str) else ""


def _details(details: Any) -> Any:
    """The places and messages of a list of mistakes, without the values that they quote."""
    if not isinstance(details, list):
        return details
    entries = [entry for entry in details if isinstance(entry, dict)]
    places = [entry.get("loc") or [""] for entry in entries]
    return "; ".join(
        f"{place[-1] if isinstance(place, list) else place}: {entry.get('msg', '')}"
        for place, entry in zip(places, entries, strict=True)
    )


def _about_schema(said: str) -> bool:
    return any(word in said.lower() for word in ("response_format", "json_schema", "schema"))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        then = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, (then - datetime.now(UTC)).total_seconds())
    except (KeyError, TypeError, ValueError):
        return None


def _usage(data: Mapping[str, Any]) -> tuple[int, int] | None:
    usage = data.get("usage")
    if not isinstance(usage, Mapping):
        return None
    try:
        counts = int(usage["prompt_tokens"]), int(usage["completion_tokens"])
    except (LookupError, TypeError, ValueError, OverflowError):
        return None
    return counts if min(counts) >= 0 else None


def _is_object(content: str, schema: Mapping[str, Any]) -> bool:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return False
    wanted = schema.get("properties", {})
    return isinstance(value, dict) and all(
        name in value
        and (wanted.get(name, {}).get("type") != "string" or isinstance(value[name], str))
        for name in schema.get("required", ())
    )
