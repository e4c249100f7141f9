"""A chat's tokens are the same on every day, whatever its template prints of the date."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from isogloss.models.chat_template import DATE, as_taken, chat_ids, chat_text
from isogloss.models.config import ModelSettings
from isogloss.models.hf_chat import hf_identity
from isogloss.models.scoring.boundary import encode
from isogloss.models.scoring.request import ScoreRequest
from isogloss.tests.models.scoring.tiny_tokenizers import tiny_tokenizer

pytestmark = pytest.mark.slow

DATED = (
    "{% if strftime_now is defined %}{{ strftime_now('%d %b %Y') }}{% endif %}: "
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.fixture
def dated() -> Any:
    tokenizer = copy.deepcopy(tiny_tokenizer("gpt2"))
    tokenizer.chat_template = DATED
    return tokenizer


def test_a_template_is_told_the_fixed_date(dated: Any) -> None:
    assert chat_text(dated, [("user", "Hi")]) == "26 Jul 2024: <|user|>Hi<|assistant|>"
    assert dated.decode(chat_ids(dated, [("user", "Hi")])) == chat_text(dated, [("user", "Hi")])
    assert DATE == "2024-07-26"


@pytest.mark.parametrize(
    ("code", "said"),
    [("%d %B %Y", "26 July 2024"), ("%A, %-m/%-d/%y", "Friday, 7/26/24"), ("%Y-%m-%d", DATE),
     ("100 %% on %b %d", "100 % on Jul 26"), ("%%d", "%d"), ("%H:%M", "00:00"), ("today", "today")],
)  # fmt: skip
def test_a_date_is_written_in_any_form(dated: Any, code: str, said: str) -> None:
    dated.chat_template = DATED.replace("%d %b %Y", code)
    assert chat_text(dated, [("user", "")]) == f"{said}: <|user|><|assistant|>"


@pytest.mark.parametrize("begin", ["", "\n", "\n\n  ", "  {% set a = 1 %}\n", "{%- set a = 1 %} "])
def test_nothing_else_of_a_template_changes(dated: Any, begin: str) -> None:
    plain = begin + DATED.replace("strftime_now is defined", "true")
    dated.chat_template = plain.replace("strftime_now('%d %b %Y')", "'26 Jul 2024'")
    expected = dated.apply_chat_template(
        [{"role": "user", "content": "Hi"}], tokenize=False, add_generation_prompt=True
    )
    dated.chat_template = plain
    assert chat_text(dated, [("user", "Hi")]) == expected


def test_a_macro_of_the_templates_own_asks_for_the_date_too(dated: Any) -> None:
    dated.chat_template = (
        "{% macro day() %}{% set said = strftime_now('%Y') %}{{ said|int + 1 }}{% endmacro %}"
        "{{ day() }}"
    )
    assert chat_text(dated, [("user", "Hi")]) == "2025"


@pytest.mark.parametrize("text", ["Hi", "a text that names <|user|>"])
def test_a_chat_is_scored_behind_the_fixed_date(dated: Any, text: str) -> None:
    found = encode(dated, ScoreRequest((("user", text),), ("A", "B")), chat="on")
    assert dated.decode(found.context).startswith("26 Jul 2024: ")


def test_the_date_is_in_a_local_models_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    before = hf_identity("m", "r", ModelSettings())
    assert before["template_date"] == DATE
    monkeypatch.setattr("isogloss.models.hf_chat.DATE", "2025-01-01")
    assert hf_identity("m", "r", ModelSettings()) != before


SYSTEM, USER = ("system", "Be exact."), ("user", "Hi <|assistant|>")
MERGED = [("user", "Be exact.\n\nHi <|assistant|>")]
_REFUSES = "{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}"


@pytest.mark.parametrize("lost", [_REFUSES, "{% if m.role != 'system' %}"], ids=["said", "silent"])
def test_a_system_text_that_the_template_wont_have_goes_to_the_user(dated: Any, lost: str) -> None:
    end = "" if lost == _REFUSES else "{% endif %}"
    dated.chat_template = DATED.replace("<|{{", f"{lost}<|{{{{").replace(
        "}}{% endfor", f"}}}}{end}{{% endfor"
    )
    assert as_taken(dated, [SYSTEM, USER]) == MERGED
    assert chat_text(dated, [SYSTEM, USER]) == chat_text(dated, MERGED)
    assert chat_ids(dated, [SYSTEM, USER]) == chat_ids(dated, MERGED)
    # Also where the user says the same.
    again = [SYSTEM, ("user", "Be exact.")]
    assert as_taken(dated, again) == [("user", "Be exact.\n\nBe exact.")]


def test_a_system_text_that_the_template_writes_stays_where_it_is(dated: Any) -> None:
    assert as_taken(dated, [SYSTEM, USER]) == [SYSTEM, USER]
    dated.chat_template = DATED.replace("m.content", "m.content|trim")
    assert as_taken(dated, [("system", " Be exact.\n"), USER])[0][0] == "system"
    assert as_taken(dated, [SYSTEM]) == [SYSTEM]


def test_the_special_tokens_of_a_text_are_text(dated: Any) -> None:
    answer = dated.convert_tokens_to_ids("<|assistant|>")
    ids = chat_ids(dated, [USER])
    assert ids.count(answer) == 1
    assert ids[-1] == answer
    assert dated.decode(ids) == chat_text(dated, [USER])


def test_how_chats_are_rendered_is_in_a_local_models_identity(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = hf_identity("m", "r", ModelSettings())
    monkeypatch.setattr("isogloss.models.hf_chat.RENDERING", 99)
    assert hf_identity("m", "r", ModelSettings()) != before
