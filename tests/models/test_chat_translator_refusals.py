"""Refusals in words: never taken for a translation, and never seen in a text that says so."""

from __future__ import annotations

import pytest
from isogloss.corpus.journal import Journal
from isogloss.models.asker import Session
from isogloss.models.budget import Limits
from isogloss.models.chat import Reply
from isogloss.models.translator import Translation
from isogloss.tests.models.test_chat_translator import as_json, translate

REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I’m sorry, but I can’t assist with that request.",
    "I cannot fulfill this request.",
    "Sorry, I can't translate this tweet.",
    "I am unable to translate this text.",
    "I'm not able to help with that.",
    "I won't translate this.",
    "I can't comply with that.",
    "Unfortunately, I cannot assist with this request.",
    "As an AI language model, I cannot generate that.",
    "I apologize, but I must decline to translate this.",
    "I'm sorry, I can't do that.",
    "Sorry, I can't help with this one.",
    "I won't translate this because it contains slurs.",
    "I'm not comfortable translating this tweet.",
    "Sorry, but I can't translate that, as it contains a slur.",
    "I apologize, but I cannot provide that.",
    "I'm unable to produce this translation.",
    'I can\'t translate "we was late", as it makes fun of people.',
]


@pytest.mark.parametrize("structured", [False, True])
@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_refusal_in_words_is_a_failure(refusal: str, structured: bool, journal: Journal) -> None:
    said = as_json(refusal) if structured else refusal
    session = Session(journal, Limits())
    answer = translate(lambda _: Reply(said), ["We was late"], session, structured=structured)[0]
    assert (answer.text, answer.finish) == (None, "refusal")
    assert journal.summary().answers == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I can't help you with that today", "I can't help you with that today"),
        ("I cant help it, she stay on my mind", "I can't help it, she is always on my mind"),
        ("I cain't help nobody rn", "I can't help anybody right now"),
        ("Sorry I can’t provide no ride", "Sorry, I can't provide a ride"),
        ("I ain't gon help y'all move", "I won't help you all move"),
        ("I ain't able to support nobody", "I am not able to support anybody"),
        ("He say he can't help", "He says he can't help"),
        ("We was helping", "We were helping"),
        (
            "I keep textin my ex erry time I get drunk",
            "I can't help but text my ex every time I get drunk",
        ),
        (
            "My phone always die fore I finish the text",
            "My phone won't complete the text before it dies",
        ),
        (
            "I aint messin wit her text messages no mo today",
            "I can't engage with her text messages any more today",
        ),
        ("Ion do dat no mo", "I can't do that any more"),
    ],
)
def test_a_text_that_says_so_itself_is_no_refusal(text: str, said: str, session: Session) -> None:
    assert translate(lambda _: Reply(said), [text], session) == [Translation(said)]
