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
    # turned by a word further off
    ("not particularly positive", None),
    ("I don't think it's positive.", None),
    ("I wouldn't say positive.", None),
    ("It doesn't sound positive.", None),
    ("The text does not express a positive sentiment. It is negative.", "negative"),
    ("It is anything but positive.", None),
    ("This is far from positive; it's negative.", "negative"),
    ("It's hardly positive.", None),
    ("Barely positive", None),
    ("It lacks positive sentiment", None),
    ("The opposite of positive", None),
    ("This does not convey a negative sentiment.", None),
    ("devoid of negative sentiment", None),
    ("nicht besonders positiv", None),
    ("kaum positiv", None),
    ("alles andere als positiv", None),
    ("Ich würde nicht sagen, dass das positiv ist.", None),
    ("Von positiv kann keine Rede sein.", None),
    ("It is not neutral or positive", None),
    ("Positiv ist das nicht.", None),
    ("Positive it is not.", None),
    # several options, with or without numbers
    ("Positive: 10%\nNegative: 80%", None),
    ("positive: 0.1\nnegative: 0.8\nneutral: 0.1", None),
    ("Positive: No\nNegative: Yes\nNeutral: No", None),
    ("- [ ] positive\n- [x] negative\n- [ ] neutral", None),
    ("positive\nnegative\nneutral", None),
    ("Positive: 0.1", None),
    ("negative = no", None),
    ("Positive? No, negative.", None),
    ("The text starts positive. Then it gets negative.", None),
    ("The text starts positive. Then it gets negative. Overall negative.", "negative"),
    ("Sentiment: positive, negative, or neutral?", None),
    ("Sentiment: positive or negative", None),
    ('{"sentiment": "positive", "label": "negative"}', None),
    ('{"sentiment": "positive", "label": "positive"}', "positive"),
    # cut off
    ("The sentiment is neither positive", None),
    ("Der Text ist weder positiv", None),
    ("<think>\nOkay, the user wants me to determine if the sentiment is positive", None),
    # doubt, refusals, grammar
    ("I'm not sure if it's positive", None),
    ("Ich weiß nicht, ob das positiv ist.", None),
    ("Could be positive.", None),
    ("Please provide the text so I can tell if it's positive.", None),
    ("As an AI, I have to remain neutral.", None),
    ("I'm sorry, but I won't rate content with negative stereotypes.", None),
    ("It contains a double negative.", None),
    ("The text uses negative concord.", None),
    ("The text uses a double negative. The feeling is positive.", "positive"),
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
