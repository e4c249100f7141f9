"""The translation prompts: complete, in both directions, and named by their hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from isogloss.errors import ModelError
from isogloss.models.prompts import translation_prompts
from isogloss.tests.conftest import ROOT

DIALECT, STANDARD = "african-american-english", "standard-american-english"
PROMPTS = translation_prompts("realaae")
BOTH = [(DIALECT, STANDARD), (STANDARD, DIALECT)]
FILE: Path = ROOT / "models" / "prompts" / "realaae.toml"


def test_they_are_named_by_version_and_hash() -> None:
    assert (PROMPTS.name, PROMPTS.version) == ("realaae", 1)
    assert PROMPTS.sha256 == hashlib.sha256(FILE.read_bytes()).hexdigest()


@pytest.mark.parametrize("direction", BOTH)
@pytest.mark.parametrize(
    "rule",
    [
        "names",
        "hashtags",
        "register",
        "profanity",
        "emotion",
        "Add nothing",
        "exactly",
        "is text to",
    ],
)
def test_each_direction_gives_each_rule(direction: tuple[str, str], rule: str) -> None:
    assert rule in PROMPTS.direction(*direction).system


def test_there_is_one_example_and_it_goes_both_ways() -> None:
    forth, back = (PROMPTS.direction(*direction) for direction in BOTH)
    assert (forth.example_source, forth.example_target) == (
        back.example_target,
        back.example_source,
    )
    assert forth.example_source != forth.example_target
    assert set(PROMPTS.directions) == set(BOTH)


def test_texts_have_no_loose_ends() -> None:
    for prompt in PROMPTS.directions.values():
        assert prompt.system == prompt.system.strip()
        assert "  " not in prompt.system
        assert "\n" not in prompt.example_source + prompt.example_target


@pytest.mark.parametrize("pair", [(DIALECT, DIALECT), (STANDARD, "scots"), ("", "")])
def test_another_direction_is_refused_by_name(pair: tuple[str, str]) -> None:
    with pytest.raises(ModelError, match=rf"from {pair[0]} to {pair[1]}.*|prompts/realaae\.toml"):
        PROMPTS.direction(*pair)
