"""The key of a request: all that can change the answer, and nothing else."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.corpus.manifest import package_versions
from isogloss.models.chat import ChatRequest, Price, Sampling, request_key
from isogloss.models.config import LOCAL_PACKAGES, ModelSettings
from isogloss.models.hf_chat import hf_identity
from isogloss.models.openai_chat import openai_asker

IDENTITY = {"backend": "openai", "base_url": "https://a.example/v1", "model": "m", "revision": "1"}
SCHEMA = {
    "type": "object",
    "properties": {"note": {"type": "string"}, "translation": {"type": "string"}},
    "required": ["note"],
}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
MESSAGES = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), TEXT), max_size=3)
SAMPLING = st.builds(
    Sampling,
    max_tokens=st.integers(1, 500),
    temperature=st.floats(0, 2),
    top_p=st.floats(0, 1),
    top_k=st.none() | st.integers(1, 100),
    repetition_penalty=st.none() | st.floats(1, 2),
    seed=st.none() | st.integers(0, 9),
)
REQUEST = st.builds(
    ChatRequest,
    purpose=TEXT,
    system=TEXT,
    messages=MESSAGES.map(tuple),
    sampling=SAMPLING,
    schema=st.none() | st.just(SCHEMA),
    repeat=st.integers(0, 3),
)
BASE = ChatRequest("a to b", "Be exact.", (("user", "We was late"),), Sampling(20))


def key(request: ChatRequest, **identity: str) -> bytes:
    return request_key({**IDENTITY, **identity}, request)


@given(REQUEST, REQUEST)
def test_keys_are_equal_exactly_when_all_but_the_purpose_is(a: ChatRequest, b: ChatRequest) -> None:
    assert (key(a) == key(b)) == (replace(a, purpose="") == replace(b, purpose=""))


@given(REQUEST, TEXT)
def test_the_purpose_changes_nothing(request: ChatRequest, purpose: str) -> None:
    assert key(request) == key(replace(request, purpose=purpose))


@pytest.mark.parametrize(
    "change",
    [
        {"system": "Be exact"},
        {"messages": (("user", "We was late "),)},
        {"messages": (("assistant", "We was late"),)},
        {"messages": (("user", "We was"), ("user", " late"))},
        {"messages": (*BASE.messages, ("assistant", ""))},
        {"system": "", "messages": (("system", "Be exact."), *BASE.messages)},
        {"schema": SCHEMA},
        {"schema": {}},
        {"repeat": 1},
    ],
    ids=str,
)
def test_each_part_of_the_request_changes_the_key(change: dict[str, Any]) -> None:
    assert key(replace(BASE, **change)) != key(BASE)


CHANGED = {
    "max_tokens": 21,
    "temperature": 0.1,
    "top_p": 0.9,
    "top_k": 5,
    "repetition_penalty": 1.1,
    "seed": 1,
}


@pytest.mark.parametrize("name", [field.name for field in fields(Sampling)])
def test_each_sampling_value_changes_the_key(name: str) -> None:
    sampling = Sampling(**{**asdict(BASE.sampling), name: CHANGED[name]})
    assert key(replace(BASE, sampling=sampling)) != key(BASE)


@pytest.mark.parametrize("name", IDENTITY)
def test_each_part_of_the_model_changes_the_key(name: str) -> None:
    assert key(BASE, **{name: "other"}) != key(BASE)


def test_the_order_of_a_schemas_properties_changes_the_key() -> None:
    # Servers write an object's keys in the schema's order, and what is written first
    # changes what follows.
    properties = dict(reversed(SCHEMA["properties"].items()))  # type: ignore[attr-defined]
    turned = {**SCHEMA, "properties": properties}
    assert key(replace(BASE, schema=SCHEMA)) != key(replace(BASE, schema=turned))


def test_the_key_is_the_same_in_every_process() -> None:
    assert key(BASE).hex()[:16] == "8584fe94c7115e4c"


SPEED = {
    "key_variable": "OTHER_KEY",
    "input_price": 3.0,
    "output_price": 9.0,
    "currency": "EUR",
    "requests_per_minute": 10.0,
    "tokens_per_minute": 10.0,
    "concurrency": 3,
    "timeout": 5.0,
    "attempts": 2,
}


@pytest.mark.parametrize("name", SPEED)
def test_how_fast_or_dear_a_model_is_changes_no_identity(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    monkeypatch.setenv("OTHER_KEY", "sk-other")
    plain, changed = ModelSettings(), ModelSettings(**{name: SPEED[name]})  # type: ignore[arg-type]
    assert openai_asker("m", plain).identity == openai_asker("m", changed).identity
    assert hf_identity("m", "r", plain) == hf_identity("m", "r", changed)


@pytest.mark.parametrize(("name", "value"), [("dtype", "float16"), ("batch_size", 7)])
def test_what_changes_a_local_models_bits_is_in_its_identity(name: str, value: object) -> None:
    changed = ModelSettings(**{name: value})  # type: ignore[arg-type]
    assert hf_identity("m", "r", changed) != hf_identity("m", "r", ModelSettings())
    assert hf_identity("m", "r2", changed) != hf_identity("m", "r", changed)


def test_the_libraries_that_run_a_local_model_are_in_its_identity() -> None:
    identity = hf_identity("m", "r", ModelSettings())
    assert identity.items() >= package_versions(LOCAL_PACKAGES).items()
    assert set(LOCAL_PACKAGES) == {"torch", "transformers"}


def test_a_price_is_per_million_tokens() -> None:
    assert Price(2.0, 8.0).of(500_000, 250_000) == pytest.approx(3.0)
