"""What came of one attempt to ask an OpenAI-compatible server: pure functions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from .chat import ChatRequest

__all__ = ["Outcome", "of_error", "of_response", "of_status"]

_RETRIED = {408, 409, 425, 429}
_NOTHING = (0, 0)
#: Without a connection nothing can have been billed.
_NEVER_CONNECTED = {
    "ClientConnectorError",
    "ClientConnectorDNSError",
    "ConnectError",
    "ConnectionTimeoutError",
}
_TOO_LATE = {"ReadTimeout", "SocketTimeoutError", "TimeoutError", "WriteTimeout"}


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
    """

    reply: str | None = None
    reason: str = "stop"
    detail: str = ""
    again: bool = False
    overloaded: bool = False
    retry_after: float | None = None
    billed: tuple[int, int] | None = _NOTHING
    fatal: str = ""


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
    billed = _usage(data)
    if message.get("refusal"):
        return Outcome(reason="refusal", detail="the model refused", billed=billed)
    if finish in ("length", "content_filter"):
        return Outcome(reason=finish, detail=f"finish reason {finish}", billed=billed)
    if finish not in ("stop", "eos", "end_turn", None):
        return Outcome(reason="finish", detail=f"finish reason {finish!s:.40}", billed=billed)
    if not isinstance(content, str) or not content.strip():
        return Outcome(reason="empty", detail="an empty answer", again=True, billed=billed)
    if not _encodable(content):
        detail = "half of a character"
        return Outcome(reason="invalid_text", detail=detail, again=True, billed=billed)
    if request.schema is not None and not _is_object(content, request.schema):
        return Outcome(
            reason="invalid_json", detail="not JSON by the schema", again=True, billed=billed
        )
    return Outcome(reply=content, billed=billed)


def of_error(error: httpx2.HTTPError) -> Outcome:
    """Reads what the transport raised."""
    causes = _causes(error)
    if causes & _NEVER_CONNECTED:
        return Outcome(reason="unreachable", detail="no connection", again=True, billed=_NOTHING)
    if causes & _TOO_LATE:
        return Outcome(reason="timeout", detail="no answer in time", again=True, billed=None)
    return Outcome(reason="connection", detail="it broke off", again=True, billed=None)


def of_status(
    response: httpx2.Response, request: ChatRequest, *, secrets: Sequence[str] = ()
) -> Outcome:
    """Reads a response with another status than 200.

    Args:
        response: The response.
        request: What was asked.
        secrets: What must not be shown even if the server quotes it, such as the key.
    """
    status = response.status_code
    said = _message(response, secrets)
    if status in (401, 403):
        return Outcome(reason=f"http_{status}", fatal="the key is not accepted")
    if status == 404:
        return Outcome(reason="http_404", fatal=f"the server knows no such model or path ({said})")
    if status == 402 or (status == 429 and "quota" in said.lower()):
        return Outcome(reason=f"http_{status}", fatal=f"the account can't pay ({said})")
    if status in (400, 422) and request.schema is not None and _about_schema(said):
        return Outcome(reason="unsupported_schema", detail="the server takes no JSON schema")
    return Outcome(
        reason=f"http_{status}",
        detail=said,
        again=status in _RETRIED or status >= 500,
        overloaded=status in (429, 503, 529),
        retry_after=_retry_after(response.headers),
    )


def _causes(error: BaseException | None) -> set[str]:
    """Names of the errors that led to this one; the clients in between rename them freely."""
    names = set()
    while error is not None:
        names.add(type(error).__name__)
        error = error.__cause__
    return names


def _message(response: httpx2.Response, secrets: Sequence[str]) -> str:
    """What the server says of it, in one short line."""
    try:
        said = response.json()
        said = said.get("error", said)
        said = said.get("message") if isinstance(said, dict) else said
    except (ValueError, AttributeError, RecursionError):
        said = None
    text = " ".join(str(said or response.reason_phrase or "").split())
    for secret in secrets:
        text = text.replace(secret, "…")  # before the cut, which could leave a part of it
    return text[:120]


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


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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
