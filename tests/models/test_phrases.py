"""Needed words and parts of phrases save time and change nothing."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from isogloss.models.phrases import Phrases
from isogloss.models.refusal import REFUSALS
from isogloss.validation.gates.added_explanation import _NOTES, _OTHERS

ALL = [phrase for phrases in (REFUSALS, _NOTES, _OTHERS) for phrase in phrases._phrases]
PIECES = sorted(
    {word for needed, parts, _ in ALL for word in (*needed, *parts)}
    | set("i this your to me with the a in that of for text , . : ; ' \" e ed ing if you".split())
)


@given(st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from(["", " "]))
def test_a_match_has_one_of_the_parts(pieces: list[str], space: str) -> None:
    text = re.sub(r" (e|ed|ing|s)\b", r"\1", " ".join(pieces)) + space
    for _, parts, pattern in ALL:
        if parts and (found := pattern.search(text)):
            assert any(part in found[0] for part in parts)


def test_without_a_needed_part_nothing_is_found() -> None:
    phrases = Phrases([("not never", r"\b(?:not|never) (?:\w+ )?(?:heard|seen)", "heard seen")])
    assert phrases.search("never once seen") is not None
    assert phrases.search("not done") is None
    assert phrases.search("heard") is None
