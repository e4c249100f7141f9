"""What one attempt came to: a whole answer, or a reason with what can be done about it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from isogloss.models.openai_outcome import Outcome, of_response
from isogloss.tests.models.conftest import question

SCHEMA = {
    "type": "object",
    "properties": {"translation": {"type": "string"}},
    "required": ["translation"],
}
PLAIN, STRUCTURED = question("We was late"), question("We was late", schema=SCHEMA)
USAGE = {"prompt_tokens": 12, "completion_tokens": 4}


def body(content: Any = "We were late", finish: str | None = "stop", **more: Any) -> bytes:
    message = {"role": "assistant", "content": content} | more.pop("message", {})
    data = {"choices": [{"message": message, "finish_reason": finish}], "usage": USAGE}
    return json.dumps(data | more).encode()


@pytest.mark.parametrize("finish", ["stop", "eos_token"])
def test_a_whole_answer_is_a_reply_as_it_was_written(finish: str | None) -> None:
    assert of_response(body(" We were late\n", finish), PLAIN) == Outcome(
        reply=" We were late\n", billed=(12, 4), answered=True
    )


@pytest.mark.parametrize(
    ("data", "reason", "again"),
    [
        (body(finish="length"), "length", False),
        (body(finish="content_filter"), "content_filter", False),
        (body(finish="tool_calls"), "finish", False),
        (body(finish=None), "finish", False),
        (body(None, message={"refusal": "I can't."}), "refusal", False),
        (body("We were late", message={"refusal": "I can't."}), "refusal", False),
        (body(""), "empty", True),
        (body(" \n"), "empty", True),
        (body(None), "empty", True),
        (body([{"type": "text"}]), "empty", True),
    ],
)
def test_anything_else_is_no_reply_but_billed(data: bytes, reason: str, again: bool) -> None:
    outcome = of_response(data, PLAIN)
    assert (outcome.reply, outcome.reason, outcome.again) == (None, reason, again)
    assert outcome.billed == (12, 4)
    assert not outcome.fatal
    assert outcome.answered
    assert not outcome.transient


@pytest.mark.parametrize(
    "data",
    [body()[:-20], b"", b"<html>", b"[]", b"{}", b'{"choices": []}', b'{"choices": null}',
     b'{"choices": [{"message": null}]}', b"\xff\xfe\xfd", b"[" * 200_000],
    ids=lambda data: repr(data[:20]),
)  # fmt: skip
def test_a_cut_or_strange_body_is_asked_again(data: bytes) -> None:
    outcome = of_response(data, PLAIN)
    assert (outcome.reply, outcome.reason, outcome.again) == (None, "invalid_body", True)
    assert outcome.transient


def test_what_the_server_says_of_itself_is_kept() -> None:
    said = body(model="small-2025-01-01", system_fingerprint="fp_1")
    assert of_response(said, PLAIN).served_by == {
        "model": "small-2025-01-01",
        "system_fingerprint": "fp_1",
    }
    assert of_response(body(model=5, system_fingerprint=None), PLAIN).served_by == {}


@pytest.mark.parametrize(
    "content",
    ["We were late", '{"translation": "We were', "[]", '"x"', "null", '{"other": "x"}',
     '{"translation": 5}', '{"translation": null}', '```json\n{"translation": "x"}\n```'],
)  # fmt: skip
def test_what_does_not_follow_the_schema_is_asked_again(content: str) -> None:
    outcome = of_response(body(content), STRUCTURED)
    assert (outcome.reply, outcome.reason, outcome.again) == (None, "invalid_json", True)
    assert outcome.billed == (12, 4)


def test_what_follows_the_schema_is_a_reply() -> None:
    content = '{"translation": "We were late"}'
    assert of_response(body(content), STRUCTURED).reply == content


@pytest.mark.parametrize(
    "usage",
    [None, "x", {}, {"prompt_tokens": None, "completion_tokens": 1}, [1, 2],
     {"prompt_tokens": float("inf"), "completion_tokens": 1},
     {"prompt_tokens": -5, "completion_tokens": 1}],
    ids=str,
)  # fmt: skip
def test_tokens_that_are_not_said_are_not_known(usage: Any) -> None:
    outcome = of_response(body(usage=usage), PLAIN)
    assert outcome.reply == "We were late"
    assert outcome.billed is None


def test_half_a_character_never_gets_into_a_reply() -> None:
    outcome = of_response(body("We were late \ud83d"), PLAIN)
    assert (outcome.reply or "").encode() is not None  # can be written to a file
