"""dialect_lost: back-translations without dialect grammar."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from isogloss.corpus.lexicon import lexicon
from isogloss.validation.gates import Context, Row, thresholds
from isogloss.validation.gates._unwritten import leaves_out
from isogloss.validation.gates.dialect_lost import GATE

AAE, SAE = "african-american-english", "standard-american-english"


def verdict(original: str | None, standard: str, back: str) -> str | None:
    columns = {} if original is None else {"dialect": original}
    context = Context(SAE, AAE, thresholds(GATE.code, AAE, SAE), columns)
    return GATE.check(Row.of(standard, back), context)


STANDARD = "She has known that for years and is tired of it"
ORIGINAL = "She been knew that and she ain't having it"


@pytest.mark.parametrize(
    "back",
    [
        "She has known that for years and is tired of it",
        "She has known dat fo' years an' is tired of it",
        "She has known that for a long time, she is tired",
        "",
    ],
)
def test_nothing_left(back: str) -> None:
    assert verdict(ORIGINAL, STANDARD, back) is not None


@pytest.mark.parametrize(
    "back",
    [
        "She been knew that and ain't having it",
        "She ain't having it no more",
        "She be tired of it",  # another feature
        "She been knowing that for years and is tired of it",  # undecided, but the original's
        "She has known that for years and tired of it",  # zero copula
        "She has known that for year and is tired of it",  # zero plural
    ],
)
def test_something_left(back: str) -> None:
    assert verdict(ORIGINAL, STANDARD, back) is None


def test_an_undecided_pattern_of_another_feature_is_nothing() -> None:
    original, standard = "We was asking", "We were asking whether she can come"
    assert verdict(original, standard, "We were asking can she come") is not None


def test_says_what_is_missing() -> None:
    assert verdict("We was late, they was early", "We were late", "We were late") == (
        "nothing is left of the original's was/is levelling"
    )


def test_an_original_without_markers_loses_nothing() -> None:
    assert verdict("He tired", "He is tired", "He is tired") is None
    assert verdict("dat man tired", "That man is tired", "That man is tired") is None


def test_needs_the_original_and_a_lexicon() -> None:
    assert verdict(None, STANDARD, STANDARD) is None
    german = Context("standard-german", "bernese", columns={"dialect": ORIGINAL})
    assert GATE.check(Row.of(STANDARD, STANDARD), german) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He tired", True),
        ("He is tired", False),
        ("he’s tired", False),
        ("He's sister house is big", False),
        ("Is he tired", False),
        ("", False),
    ],
)
def test_leaves_out_a_copula(text: str, expected: bool) -> None:
    assert leaves_out(text, "He is tired") is expected


@pytest.mark.parametrize(
    ("text", "standard"),
    [
        ("She walk home", "She walks home"),
        ("My sister house", "My sister’s house"),
        ("They going home", "They're going home"),
        ("Two dog", "Two dogs"),
        ("We been there", "We have been there"),
        ("She watch it", "She watches it"),
    ],
)
def test_leaves_out_endings(text: str, standard: str) -> None:
    assert leaves_out(text, standard)
    assert not leaves_out(standard, standard)


def test_rates_on_what_people_wrote(shared: Path) -> None:
    """Recall on the bare standard, and alarms where two people wrote one sentence in dialect."""
    lines = (shared / "data/aae/redial_pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    marked = [pair for pair in pairs if lexicon().marked(pair["dialect"])]
    assert all(verdict(pair["dialect"], *[pair["standard"]] * 2) for pair in marked)
    seconds = [
        (pair, other["dialect"])
        for pair in marked
        for other in pairs
        if other["standard"] == pair["standard"] and other["dialect"] != pair["dialect"]
    ]
    alarms = sum(verdict(p["dialect"], p["standard"], other) is not None for p, other in seconds)
    assert len(seconds) >= 25
    assert alarms / len(seconds) < 0.35
