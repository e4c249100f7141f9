"""Words of a corpus that may be cut short: the same as counting by hand, in bounded memory."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.validation import vocabulary
from isogloss.validation.gates import Text
from isogloss.validation.gates.column import Column
from isogloss.validation.vocabulary import MAX_LONGER, Vocabulary


def longer(*texts: str) -> dict[str, dict[str, int]]:
    counted = Vocabulary()
    counted.add(Column(pl.Series(texts, dtype=pl.String)))
    return {word: dict(found) for word, found in counted.longer().items()}


def test_what_a_last_word_begins() -> None:
    texts = ["Tomorrow, tomorrow: ToMorrow tomato.", "see you tom", "in the mor", "Mornings."]
    assert longer(*texts) == {"mor": {"mornings": 1}, "tom": {"tomorrow": 3, "tomato": 1}}


@pytest.mark.parametrize("letter", ["\U00031350", "\U0002ebf0", "\U000105c0", "\ua7da"])
def test_a_letter_newer_than_pythons_tables_is_no_trouble(letter: str) -> None:
    assert longer(f"they was {letter}", letter, "tomorrow", "tom")["tom"] == {"tomorrow": 1}


@pytest.mark.parametrize("again", ["tom is late", "with tom", "Tom.", "TOM"])
def test_a_word_that_stands_twice_is_a_word(again: str) -> None:
    assert longer("see tomorrow", "see you tom", again) == {}
    assert longer(again, "see tomorrow", "see you tom") == {}


def test_the_most_frequent_are_kept() -> None:
    names = [f"tomorrow{letter * n}" for n in range(1, 6) for letter in "abcdefghijk"]
    found = longer("tom", *names, f"{names[-1]}!")["tom"]
    assert len(found) == MAX_LONGER
    assert [*found][:2] == [names[-1], names[0]]


def test_words_beyond_the_limit_are_neither_caught_nor_evidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vocabulary, "MAX_WORDS", 3)
    assert longer("tomorrow mornings tom", "a mor", "tomato tom tomorrow") == {}
    assert longer("tomorrow mornings tom", "tomato mor") == {"tom": {"tomorrow": 1}}


words = st.sampled_from(["to", "tom", "tomorrow", "tomorrows", "To", "mor", "a", "."])
texts = st.lists(st.lists(words, max_size=5).map(" ".join), max_size=8)


@given(texts, st.integers(1, 9))
def test_the_same_as_counting_by_hand(given_texts: list[str], size: int) -> None:
    counted = Vocabulary()
    for at in range(0, len(given_texts), size):
        counted.add(Column(pl.Series(given_texts[at : at + size], dtype=pl.String)))
    times = Counter(word for text in given_texts for word in Text(text).tokens)
    ends = {text.split()[-1].lower() for text in given_texts if text.rstrip()[-1:].isalpha()}
    expected = {
        end: {word: n for word, n in times.items() if word.startswith(end) and word != end}
        for end in ends
        if times[end] == 1 and len(end) > 1
    }
    assert counted.longer() == {end: found for end, found in expected.items() if found}
