"""Selection: the threshold is reached or not, NaN never reaches it, retweets go."""

from __future__ import annotations

import math

import polars as pl
import pytest
from isogloss.builders.engine.step import Outcome, apply_step
from isogloss.builders.sources.chunk import SOURCE_ROWS
from isogloss.builders.steps.select import select_step


def selected(texts: list[str], posteriors: list[float | None], threshold: float = 0.8) -> Outcome:
    count = len(texts)
    frame = pl.DataFrame(
        {
            "position": range(1, count + 1),
            "id": [str(n) for n in range(count)],
            "text": texts,
            "author": ["7"] * count,
            "posterior": posteriors,
        },
        schema=dict(SOURCE_ROWS),
    )
    return apply_step(select_step(min_posterior=threshold), frame)


@pytest.mark.parametrize(
    ("posterior", "threshold", "reason"),
    [
        (0.8, 0.8, None),
        (1.0, 0.8, None),
        (math.nextafter(0.8, 0), 0.8, "posterior_below"),
        (0.0, 0.8, "posterior_below"),
        (0.0, 0.0, None),
        (math.nan, 0.8, "posterior_nan"),
        (math.nan, 0.0, "posterior_nan"),
        (None, 0.8, None),
    ],
)
def test_the_threshold(posterior: float | None, threshold: float, reason: str | None) -> None:
    outcome = selected(["we was late"], [posterior], threshold)
    assert outcome.rejected["reason"].to_list() == ([] if reason is None else [reason])
    assert outcome.rows.height == (reason is None)


RETWEETS = [
    "RT @somebody: we was late",
    "rt @somebody we was late",
    "RT: @somebody we was late",
    "RT@somebody we was late",
    "MT @somebody: we was late",
    "so true RT @somebody: we was late",
    "so true\nRT @somebody: we was late",
    'so true "RT @somebody: we was late"',
    "so true “RT @somebody: we was late”",
    "so true (RT @somebody: we was late)",
    "so true!RT @somebody: we was late",
    "so true \U0001f602RT @somebody: we was late",
    "RT ＠somebody: we was late",
]
OWN_WORDS = [
    "we was late",
    "RT if you was late",
    "he support @somebody",
    "she like ART @somebody and them",
    "@somebody we was late",
    "my rt hurt, @somebody",
    "",
]


@pytest.mark.parametrize("text", RETWEETS)
def test_retweets_go(text: str) -> None:
    assert selected([text], [0.9]).rejected["reason"].to_list() == ["retweet"]


@pytest.mark.parametrize("text", OWN_WORDS)
def test_own_words_stay(text: str) -> None:
    assert selected([text], [0.9]).rows["text"].to_list() == [text]


def test_a_row_is_rejected_once_with_its_place_and_text() -> None:
    outcome = selected(["RT @a one", "two", "RT @a three"], [0.5, 0.9, math.nan])
    assert outcome.rows["text"].to_list() == ["two"]
    assert outcome.rejected.select("position", "stage", "reason", "text").rows() == [
        (1, "select", "posterior_below", "RT @a one"),
        (3, "select", "posterior_nan", "RT @a three"),
    ]
    assert "0.5" in outcome.rejected["detail"][0]


def test_the_threshold_is_part_of_the_key() -> None:
    keys = [select_step(min_posterior=at).describe() for at in (0.8, 0.9)]
    assert keys[0] != keys[1]
