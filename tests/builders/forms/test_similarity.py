"""When a text made from a tweet is the tweet: no disguise gets past, and others do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.builders.forms.similarity import (
    RUN_WORDS,
    THRESHOLD,
    quotes,
    reason_to_withhold,
    similarity,
)

TWEET = "My auntie been had that couch since before y'all moved in, ain't nobody sat on it"
DISGUISES = {
    "the same": TWEET,
    "case": TWEET.upper(),
    "punctuation": TWEET.replace("'", "").replace(",", " --").replace(" ", "... "),
    "signs between letters": ".".join(TWEET),
    "spaces": TWEET.replace(" ", "   "),
    "no spaces": TWEET.replace(" ", ""),
    "parted words": " ".join(TWEET.replace(" ", "")),
    "full-width letters": TWEET.translate({ord("a") + n: ord("ａ") + n for n in range(26)}),
    "hidden signs": TWEET.replace("a", "a\u200b"),
    "another word": TWEET.replace("couch", "upholstered-sitting-furniture-for-three"),
    "a word more": TWEET.replace("couch", "unbelievably uncomfortable couch"),
    "a word less": TWEET.replace("nobody ", ""),
    "another order": " ".join([*TWEET.split()[9:], *TWEET.split()[:9]]),
    "within a longer text": f"She told us this, and I quote it: {TWEET}. That was all she said.",
    "the first half": TWEET[:40],
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_disguised_tweet_is_the_tweet(disguise: str) -> None:
    assert similarity(TWEET, DISGUISES[disguise]) >= THRESHOLD
    assert reason_to_withhold(TWEET, DISGUISES[disguise]) == "similar"


@pytest.mark.parametrize(
    "text",
    [
        "For years, long before you all came here, my aunt has owned that sofa. It is never used.",
        "Nobody has sat on it.",
        "",
    ],
)
def test_a_rewritten_text_is_not(text: str) -> None:
    assert similarity(TWEET, text) < THRESHOLD
    assert reason_to_withhold(TWEET, text) is None


def test_eight_words_in_a_row_are_a_quotation_and_seven_are_not() -> None:
    words = TWEET.split()
    for start in range(len(words) - RUN_WORDS):
        eight = " ".join(words[start : start + RUN_WORDS])
        rest = "and then a good many other words that are not by the same author at all"
        assert quotes(TWEET, f"I say {eight} {rest}")
        assert quotes(TWEET, f"I say {eight.upper()}s, {rest}")
        seven = " ".join(words[start : start + RUN_WORDS - 1])
        assert not quotes(TWEET, f"I say {seven} {rest}")


def test_a_text_of_signs_alone_is_not_taken_for_another() -> None:
    assert similarity("!!! ???", "!!! ???") == 1.0
    assert similarity("we was there all of us", "!?") < THRESHOLD


@given(st.text(max_size=60), st.text(max_size=60))
def test_it_is_a_share_and_one_of_a_text_with_itself(one: str, other: str) -> None:
    assert 0.0 <= similarity(one, other) <= 1.0
    assert similarity(one, one) == 1.0


def test_human_pairs_that_are_identical_or_nearly_so_are_withheld(shared: Path) -> None:
    lines = (shared / "data" / "aae" / "redial_pairs.jsonl").read_text().splitlines()
    pairs = [(row["dialect"], row["standard"]) for row in map(json.loads, lines)]
    reasons = [reason_to_withhold(*pair) for pair in pairs]
    same = [reason for (a, b), reason in zip(pairs, reasons, strict=True) if a == b]
    assert same == ["similar"] * 53
    assert (len(pairs), reasons.count("similar"), reasons.count("quotes")) == (1272, 584, 98)
