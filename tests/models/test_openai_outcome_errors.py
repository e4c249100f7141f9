"""What one attempt came to without an answer: another status, or a lost connection."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from isogloss.models.chat import ChatRequest
from isogloss.models.openai_outcome import Outcome, of_error, of_status
from isogloss.tests.models.test_openai_outcome import PLAIN, STRUCTURED
from multidict import CIMultiDict


def status(
    code: int,
    said: str = "no",
    headers: dict[str, str] | None = None,
    request: ChatRequest = PLAIN,
) -> Outcome:
    body = json.dumps({"error": {"message": said}}).encode()
    return of_status(code, CIMultiDict(headers or {}), body, request)


@pytest.mark.parametrize(
    ("code", "said", "fatal"),
    [
        (401, "Incorrect API key", "key"),
        (403, "No access", "key"),
        (404, "The model x does not exist", "model"),
        (402, "Payment required", "pay"),
        (429, "You exceeded your current quota", "pay"),
    ],
)
def test_what_no_request_can_help_is_fatal(code: int, said: str, fatal: str) -> None:
    outcome = status(code, said)
    assert fatal in outcome.fatal
    assert outcome.reason == f"http_{code}"
    assert not outcome.again


@pytest.mark.parametrize(
    ("code", "again", "overloaded"),
    [(400, False, False), (422, False, False), (408, True, False), (409, True, False),
     (429, True, True), (500, True, False), (502, True, False), (503, True, True),
     (529, True, True)],
)  # fmt: skip
def test_other_statuses(code: int, again: bool, overloaded: bool) -> None:
    outcome = status(code)
    assert (outcome.again, outcome.overloaded, outcome.fatal) == (again, overloaded, "")
    assert (outcome.reason, outcome.detail, outcome.billed) == (f"http_{code}", "no", (0, 0))


@pytest.mark.parametrize("code", [400, 422])
def test_a_server_without_schemas_is_known_by_what_it_says(code: int) -> None:
    said = "response_format is not supported"
    assert status(code, said, request=STRUCTURED).reason == "unsupported_schema"
    assert status(code, said).reason == f"http_{code}"
    assert status(code, "too long", request=STRUCTURED).reason == f"http_{code}"


@pytest.mark.parametrize(
    ("headers", "wait"),
    [({}, None), ({"Retry-After": "2"}, 2.0), ({"retry-after": "0.5"}, 0.5),
     ({"retry-after-ms": "250", "retry-after": "9"}, 0.25), ({"Retry-After": "soon"}, None),
     ({"Retry-After": "-3"}, 0.0)],
)  # fmt: skip
def test_the_pause_that_the_server_asks_for(headers: dict[str, str], wait: float | None) -> None:
    assert status(429, headers=headers).retry_after == wait


def test_the_pause_may_be_given_as_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    wait = status(429, headers={"Retry-After": date}).retry_after
    assert wait is not None
    assert 20 < wait <= 31


def test_details_are_one_short_line() -> None:
    outcome = status(500, "a\nb " * 500)
    assert len(outcome.detail) <= 120
    assert "\n" not in outcome.detail


@pytest.mark.parametrize(
    ("code", "body", "detail"),
    [
        (500, b"<html>secret</html>", "Internal Server Error"),
        (500, b"", "Internal Server Error"),
        (529, b"\xff\xfe\xfd", ""),
        (500, b"[" * 200_000, "Internal Server Error"),
        (500, b"null", "Internal Server Error"),
        (500, b'{"error": null}', "Internal Server Error"),
        (500, b'{"error": "no"}', "no"),
        (500, b'{"message": "no"}', "no"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_server_may_say_it_otherwise_or_not_at_all(code: int, body: bytes, detail: str) -> None:
    assert of_status(code, {}, body, PLAIN).detail == detail


def test_what_is_secret_is_not_repeated_in_part_either() -> None:
    body = json.dumps({"message": "." * 112 + "sk-secret"}).encode()
    detail = of_status(500, {}, body, PLAIN, secrets=["sk-secret"]).detail
    assert detail == "." * 112 + "…"


KEY_OF_HOST: Any = SimpleNamespace(host="a", port=1, ssl=True, is_ssl=False)
REQUEST: Any = SimpleNamespace(real_url="http://a/", headers={})


@pytest.mark.parametrize(
    ("error", "reason", "billed"),
    [
        (aiohttp.ClientConnectorError(KEY_OF_HOST, OSError(111, "refused")), "unreachable", (0, 0)),
        (aiohttp.ClientConnectorDNSError(KEY_OF_HOST, OSError(8, "no")), "unreachable", (0, 0)),
        (aiohttp.ClientConnectorSSLError(KEY_OF_HOST, OSError(1, "no")), "unreachable", (0, 0)),
        (aiohttp.ClientProxyConnectionError(KEY_OF_HOST, OSError(111)), "unreachable", (0, 0)),
        (aiohttp.ClientHttpProxyError(REQUEST, (), status=407), "unreachable", (0, 0)),
        (aiohttp.ConnectionTimeoutError("slow"), "unreachable", (0, 0)),
        (aiohttp.SocketTimeoutError("slow"), "timeout", None),
        (TimeoutError(), "timeout", None),
        (aiohttp.ServerDisconnectedError(), "connection", None),
        (aiohttp.ClientOSError(104, "reset"), "connection", None),
        (aiohttp.ClientPayloadError("cut"), "connection", None),
        (aiohttp.ClientResponseError(REQUEST, (), message="no HTTP"), "connection", None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_lost_connections(
    error: aiohttp.ClientError | TimeoutError, reason: str, billed: tuple[int, int] | None
) -> None:
    outcome = of_error(error)
    assert (outcome.reason, outcome.again, outcome.billed) == (reason, True, billed)
