"""The label parser: forty shapes of an answer and more, each with its verdict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.evaluation.labels import LABELS, parse_label

SHAPES: list[tuple[str, str | None]] = [
    # a word alone
    ("positive", "positive"),
    ("Negative.", "negative"),
    (" NEUTRAL\n", "neutral"),
    ("Pos", "positive"),
    ("neg.", "negative"),
    ("Neutral!", "neutral"),
    # dressed up
    ("**Positive**", "positive"),
    ("*negative*", "negative"),
    ("`neutral`", "neutral"),
    ('"Positive"', "positive"),
    ("“negative”", "negative"),
    ("### Neutral", "neutral"),
    ("[positive]", "positive"),
    ("- negative", "negative"),
    ("Sentiment: positive", "positive"),
    ("**Sentiment:** Negative", "negative"),
    ("Answer: neutral", "neutral"),
    ("Label = positive", "positive"),
    # JSON
    ('{"sentiment": "positive"}', "positive"),
    ('```json\n{"label": "Negative"}\n```', "negative"),
    ('{"answer": "neutral", "reason": "no positive or negative words"}', "neutral"),
    ('Here it is: {"sentiment": "negative"}', "negative"),
    ('"positive"', "positive"),
    ('["neutral"]', "neutral"),
    ('{"sentiment": ["positive", "negative"]}', None),
    ('{"sentiment": null}', None),
    # prose
    ("The sentiment of this text is positive.", "positive"),
    ("This text is negative, since the speaker is tired of the bus.", "negative"),
    ("I would say it is neutral.", "neutral"),
    ("It has a somewhat positive tone.", "positive"),
    ("Positive. Though being late is a negative thing, the speaker laughs.", "positive"),
    ("The text expresses negativity", "negative"),
    ("Negative, not positive", "negative"),
    ("It is not negative. It is neutral.", "neutral"),
    ("Of positive, negative and neutral, the answer is neutral.", "neutral"),
    ("<think>It may be negative or positive.</think>Positive", "positive"),
    # German
    ("Positiv", "positive"),
    ("Die Stimmung ist negativ.", "negative"),
    ("Eher neutral.", "neutral"),
    ("Der Text hat einen positiven Ton.", "positive"),
    ("Weder positiv noch negativ.", "neutral"),
    ("Nicht negativ, sondern positiv", "positive"),
    # neither, both, none
    ("neither", "neutral"),
    ("It is neither positive nor negative.", "neutral"),
    ("not positive or negative", "neutral"),
    ("positive and negative", None),
    ("Positive/negative", None),
    ("It is both positive and negative.", None),
    ("mixed", None),
    ("It could be positive, but I can't tell.", None),
    ("not positive", None),
    ("non-negative", None),
    ("I am a language model.", None),
    ("", None),
    ("I cannot classify this text as positive, negative or neutral.", None),
    ("Sentiment: positive\nSentiment: negative", None),
    ("positivenegative", None),
]


def test_there_are_forty_shapes() -> None:
    assert len(SHAPES) >= 40
    assert len(dict(SHAPES)) == len(SHAPES)


@pytest.mark.parametrize(("answer", "label"), SHAPES)
def test_shapes(answer: str, label: str | None) -> None:
    assert parse_label(answer) == label


@given(st.text(max_size=80))
def test_any_text_has_a_label_or_none(text: str) -> None:
    assert parse_label(text) in (None, *LABELS)


@given(
    st.sampled_from(LABELS), st.sampled_from(["", "*", "**", '"', "`"]), st.sampled_from(" .!\n")
)
def test_dress_changes_no_label(label: str, dress: str, end: str) -> None:
    assert parse_label(f"{dress}{label.upper()}{dress}{end}") == label
