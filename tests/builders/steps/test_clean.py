"""Cleaning: nothing left of names, links and entities, no words glued, nothing to clean twice."""

from __future__ import annotations

import html.entities
import re
import unicodedata

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.builders.engine.step import apply_step
from isogloss.builders.steps.clean import clean_step, clean_texts

MENTION = re.compile(r"[@＠]\w")
LINK = re.compile(r"(?i)(?:https?|ftp)://|\bwww\.\w|\b(?:t\.co|bit\.ly|youtu\.be)/")
ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|(\w+));")

words = st.sampled_from(["she", "been", "goin", "ain’t", "café", "naïve", "ß", "日本", "R&B", "5"])
links = st.sampled_from(["http://t.co/aB1", "HTTPS://x.example/a?b=1", "www.x.example", "t.co/x"])
names = st.sampled_from(["@somebody", "＠somebody", "me@mail.example", "@", "@@a_b", "@é"])
entities = st.sampled_from(["&amp;", "&#64;", "&lt;3", "&amp;amp;quot;", "&#x1F602;", "&mdash;"])
signs = st.sampled_from(list("\n\r\t …—–“”‘`\u2028\u200d\u00ad\u0301\u200b\xa0\x00()!#'.:;&/-😂❤"))
tweets = st.lists(words | links | names | entities | signs, max_size=10).map("".join)


def clean(text: str, *, keep_unicode: bool = False) -> str:
    return str(clean_texts(pl.Series([text]), keep_unicode=keep_unicode).item())


def decodes(entity: re.Match[str]) -> bool:
    return entity[1] is None or f"{entity[1]};" in html.entities.html5


@settings(max_examples=200, deadline=None)
@given(text=tweets | st.text(max_size=12), keep=st.booleans())
def test_what_is_cleaned_is_clean(text: str, keep: bool) -> None:
    cleaned = clean(text, keep_unicode=keep)
    assert clean(cleaned, keep_unicode=keep) == cleaned, "cleaning twice changes it"
    assert cleaned == " ".join(cleaned.split())
    assert not MENTION.search(cleaned)
    assert not LINK.search(cleaned)
    assert not any(map(decodes, ENTITY.finditer(cleaned)))
    assert not any(sign < " " for sign in cleaned)
    assert cleaned.isascii() or keep
    assert unicodedata.is_normalized("NFC", cleaned)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "hey @\u00adsomebody",  # a soft hyphen, dropped after names were looked for
        "look h日ttp://t.co/x",
        "look 日t.co/x",
        "R&ämp;B",
        "R&amp\u037eB",  # the Greek question mark is a semicolon in NFC
        "&amp;amp;amp;amp;amp;lt;3",
        "&#0000000064;somebody hey",
        "www…example",
    ],
)
def test_nothing_hides_from_cleaning(text: str, keep: bool) -> None:
    cleaned = clean(text, keep_unicode=keep)
    assert not MENTION.search(cleaned.replace("\u00ad", ""))
    assert not LINK.search(cleaned)
    assert not any(map(decodes, ENTITY.finditer(cleaned)))
    assert clean(cleaned, keep_unicode=keep) == cleaned


BREAKS = ["\n", "\r\n", "\r", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\t", "\xa0", "\u3000"]
BREAKS += ["\u200b", "—", "&#10;", "@somebody ", " http://t.co/x ", "\x00", "\x1c"]
EMOJI = ["😂", "😂😂", "❤️", "👩‍👩‍👧", "👍🏾", "🇺🇸", "™", "→"]


AFTER = ["day", "5", "#day", "(day)", '"day"', "'cause", "$5", "*day*", "éclair"]


@pytest.mark.parametrize("after", AFTER)
@settings(max_examples=30, deadline=None)
@given(between=st.lists(st.sampled_from(BREAKS + EMOJI), min_size=1, max_size=3).map("".join))
def test_words_are_never_glued(between: str, after: str) -> None:
    words = clean(f"good{between}{after}").replace(" - ", " ").split()
    assert (words[0], words[-1]) == ("good", after.replace("é", "e"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I ain’t goin", "I ain't goin"),
        ("‘so’ “true”", "'so' \"true\""),
        ("wait—what", "wait - what"),
        ("well–known", "well-known"),
        ("wait…", "wait..."),
        ("naïve café Beyoncé", "naive cafe Beyonce"),
        ("so good😂.", "so good."),
        ("so good 😂 !", "so good !"),
        ("R&amp;B &amp;lt;3", "R&B <3"),
        ("&#64;somebody hey", "hey"),
        ("me @ 5", "me @ 5"),
        ("mail me@mail.example now", "mail now"),
        ("see https://t.co/aB1… ok", "see ok"),
        ("pic.twitter.com/aB1 ok", "ok"),
        ("tea &cake; &c", "tea &cake; &c"),
        ("so  many\t\tspaces ", "so many spaces"),
        ("😂", ""),
        ("", ""),
    ],
)
def test_examples(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_unicode_stays_where_it_is_wanted_and_is_nfc() -> None:
    text = "e\u0301 日本 😂 ain’t\n@somebody"
    assert clean(text, keep_unicode=True) == "é 日本 😂 ain't"


@pytest.mark.parametrize("keep", [False, True])
def test_a_text_does_not_depend_on_its_neighbours(keep: bool) -> None:
    texts = ["@a hey", "plain", "good😂day", "R&amp;B", "http://t.co/x", "", "ain’t", "h日ttp://x"]
    texts += ["she\u00ad\u0301", "tea &cake;", "www…example", "&#0000000064;a"]
    together = clean_texts(pl.Series(texts), keep_unicode=keep).to_list()
    assert together == [clean(text, keep_unicode=keep) for text in texts]
    assert clean_texts(pl.Series([], dtype=pl.String)).len() == 0


def test_the_step_counts_words_after_cleaning() -> None:
    texts = ["one two three", "@a two 😂 three", "one two http://t.co/x", "one\ntwo’s&#10;three"]
    frame = pl.DataFrame({"position": [1, 2, 3, 4], "id": list("abcd"), "text": texts})
    outcome = apply_step(clean_step(min_words=3, keep_unicode=False), frame)
    assert outcome.rows.rows() == [(1, "a", "one two three"), (4, "d", "one two's three")]
    assert outcome.rejected.select("position", "reason", "detail", "text").rows() == [
        (2, "too_short", "2 words", texts[1]),
        (3, "too_short", "2 words", texts[2]),
    ]


def test_its_settings_are_part_of_the_key() -> None:
    keys = [
        str(clean_step(min_words=words, keep_unicode=keep).describe())
        for words in (9, 10)
        for keep in (False, True)
    ]
    assert len(set(keys)) == 4
