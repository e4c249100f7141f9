"""What one attempt came to where the client raised: a status, or a lost connection."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import aiohttp
import httpx2
import pytest
from isogloss.models.openai_outcome import of_error, of_status
from isogloss.tests.models.test_openai_outcome import PLAIN, STRUCTURED


def status(code: int, said: str = "no", headers: dict[str, str] | None = None) -> Any:
    request = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")
    body = {"error": {"message": said}}
    return httpx2.Response(code, headers=headers, request=request, json=body)


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
    outcome = of_status(status(code, said), PLAIN)
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
    outcome = of_status(status(code), PLAIN)
    assert (outcome.again, outcome.overloaded, outcome.fatal) == (again, overloaded, "")
    assert (outcome.reason, outcome.detail, outcome.billed) == (f"http_{code}", "no", (0, 0))


@pytest.mark.parametrize("code", [400, 422])
def test_a_server_without_schemas_is_known_by_what_it_says(code: int) -> None:
    error = status(code, "response_format is not supported")
    assert of_status(error, STRUCTURED).reason == "unsupported_schema"
    assert of_status(error, PLAIN).reason == f"http_{code}"
    assert of_status(status(code, "too long"), STRUCTURED).reason == f"http_{code}"


@pytest.mark.parametrize(
    ("headers", "wait"),
    [({}, None), ({"Retry-After": "2"}, 2.0), ({"retry-after": "0.5"}, 0.5),
     ({"retry-after-ms": "250", "retry-after": "9"}, 0.25), ({"Retry-After": "soon"}, None),
     ({"Retry-After": "-3"}, 0.0)],
)  # fmt: skip
def test_the_pause_that_the_server_asks_for(headers: dict[str, str], wait: float | None) -> None:
    assert of_status(status(429, headers=headers), PLAIN).retry_after == wait


def test_the_pause_may_be_given_as_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    wait = of_status(status(429, headers={"Retry-After": date}), PLAIN).retry_after
    assert wait is not None
    assert 20 < wait <= 31


def test_details_are_one_short_line() -> None:
    outcome = of_status(status(500, "a\nb " * 500), PLAIN)
    assert len(outcome.detail) <= 120
    assert "\n" not in outcome.detail


def caused(error: Exception, by: Exception) -> Exception:
    error.__cause__ = by
    return error


KEY_OF_HOST: Any = SimpleNamespace(host="a", port=1, ssl=True, is_ssl=False)
REFUSED = caused(
    httpx2.ConnectTimeout("Cannot connect"),
    aiohttp.ClientConnectorError(KEY_OF_HOST, OSError(111, "refused")),
)
DROPPED = caused(httpx2.ConnectTimeout("Server disconnected"), aiohttp.ServerDisconnectedError())


@pytest.mark.parametrize(
    ("cause", "reason", "billed"),
    [
        (httpx2.ReadTimeout("slow"), "timeout", None),
        (REFUSED, "unreachable", (0, 0)),
        # openai's aiohttp transport calls this a ConnectTimeout, though the request was sent.
        (DROPPED, "connection", None),
        (httpx2.ReadError("cut"), "connection", None),
        (httpx2.RemoteProtocolError("cut"), "connection", None),
    ],
)
def test_lost_connections(
    cause: httpx2.HTTPError, reason: str, billed: tuple[int, int] | None
) -> None:
    outcome = of_error(cause)
    assert (outcome.reason, outcome.again, outcome.billed) == (reason, True, billed)
