"""The words of many texts at once."""

from __future__ import annotations

from functools import reduce
from operator import or_

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from isogloss.corpus.lexicon import lexicon
from isogloss.corpus.words import WordBits, Words
from isogloss.models.word_classifier import WordClassifier, _label

SPACED = st.text(st.sampled_from("ab \t\n\x1c\u00a0\u2028\u3000é"), max_size=12)
TEXTS = st.lists(SPACED, max_size=5)


@given(TEXTS)
def test_words_are_those_of_split(texts: list[str]) -> None:
    words = Words.of(pl.Series(texts, dtype=pl.String))
    assert len(set(words.different)) == len(words.different)
    for number, text in enumerate(texts):
        own = words.ids[words.starts[number] : words.starts[number + 1]]
        assert [word for at in own if (word := words.different[at])] == text.split()
        assert (words.owners == number).sum() == len(own)


@given(TEXTS, st.integers(1, 130))
def test_bits_and_sums_are_those_of_the_words(texts: list[str], bits: int) -> None:
    def of(word: str) -> int:
        return sum(1 << ord(letter) * 31 % bits for letter in set(word))

    words = Words.of(pl.Series(texts, dtype=pl.String))
    found = WordBits(bits, of).of(words)
    assert [int.from_bytes(row.tobytes(), "little") for row in found] == [
        reduce(or_, map(of, text.split()), 0) for text in texts
    ]
    sums = words.sums(np.array(list(map(len, words.different)), dtype=np.uint64))
    assert sums.tolist() == [sum(map(len, text.split())) for text in texts]


def test_null_is_no_word_and_slices_are_texts_of_their_own() -> None:
    words = Words.of(pl.Series(["a b", None, "b", "c"])[1:3])
    assert (words.different, words.starts.tolist()) == (["", "b"], [0, 1, 2])


PIECES = """we was finna She be ain't Ain’t nobody done told been BIN it's goin' the good bad isn't
not great trash 😂 :) !! \n . don't want no trouble damn lovinnn K ſ İ""".split(" ")
MIXED = st.lists(
    st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join) | st.text(max_size=9), max_size=4
)


@given(MIXED)
def test_what_is_found_in_all_texts_is_what_is_found_in_each(texts: list[str]) -> None:
    found = lexicon().find_all(pl.Series(texts, dtype=pl.String))
    assert [list(matches) for matches in found] == [lexicon().find(text) for text in texts]


@given(MIXED, st.sampled_from(["english", "german"]))
def test_sentiment_of_all_texts_is_that_of_each(texts: list[str], language: str) -> None:
    classifier = WordClassifier(language)
    given_ones = [*texts, "\ud800 good"]
    for several in (texts, given_ones):
        found = [row.label for row in classifier.classify(several)]
        assert found == [_label(classifier.score(t)).label if t.strip() else None for t in several]
