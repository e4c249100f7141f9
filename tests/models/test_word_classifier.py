"""The word list: dialect grammar read as grammar, whatever stands beside a text."""

from __future__ import annotations

import tomllib
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.errors import ModelError
from isogloss.models import sentiment_list, word_classifier
from isogloss.models.classifier import LABELS, Labelled, load_classifier
from isogloss.models.sentiment_list import word_list
from isogloss.models.word_classifier import WordClassifier
from isogloss.tests.conftest import ROOT

ENGLISH, GERMAN = WordClassifier("english"), WordClassifier("german")
SOME_TEXTS = st.lists(
    st.text(max_size=40)
    | st.lists(
        st.sampled_from(
            "ain't nobody don't want nothing good bad damn , . 🔥 finna love no lie so".split()
        )
    ).map(" ".join)
)


def english(text: str) -> str | None:
    return ENGLISH.classify([text])[0].label


def german(text: str) -> str | None:
    return GERMAN.classify([text])[0].label


@pytest.mark.parametrize(
    ("text", "label"),
    [
        # African American English
        ("She be making the best greens in the family", "positive"),
        ("That show was lit af", "positive"),
        ("Them new songs fire, that song go hard 🔥", "positive"),
        ("She bad and she know it", "positive"),
        ("We had a good ass time at they house", "positive"),
        ("Lovin' this weather", "positive"),
        ("That cookout was hella fun", "positive"),
        ("I'm blessed fr fr", "positive"),
        ("We can't wait to see y'all", "positive"),
        ("It ain't bad at all", "positive"),
        ("Ain't nothing but love here", "positive"),
        ("This phone straight trash", "negative"),
        ("They was mad rude to my cousin", "negative"),
        ("He stay complaining bout the bus", "negative"),
        ("Ain't nobody happy bout them prices", "negative"),
        ("They ain't never did nothing nice for nobody", "negative"),
        ("Nobody don't like that old bus", "negative"),
        ("Ion like that one", "negative"),
        ("This ain't no good", "negative"),
        ("I can't stand this heat", "negative"),
        ("I finna go to the store", "neutral"),
        ("He tryna get home before the rain", "neutral"),
        ("They done finished the homework", "neutral"),
        ("My cousin stay at the library", "neutral"),
        ("I don't want nothing", "neutral"),
        ("You better call your mama", "neutral"),
        ("Ain't nobody at the house", "neutral"),
        # everyday English
        ("It was pretty bad", "negative"),
        ("Everything was terribly nice", "positive"),
        ("Everything went terribly", "negative"),
        ("No I love it", "positive"),
        ("The food was awful but the people were wonderful", "neutral"),
        ("I'm sooooo happyyyyy", "positive"),
        ("what a day :(", "negative"),
        ("Take out the trash, please", "neutral"),
        ("see https://love.example.com @happy_bob", "neutral"),
        ("10/10", "positive"),
    ],
)
def test_english(text: str, label: str) -> None:
    assert english(text) == label


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("De Suppn is guad", "positive"),
        ("De Suppn is ned guad", "negative"),
        ("I mog di", "positive"),
        ("I mog des ned", "negative"),
        ("Des gfoit ma überhaupt net", "negative"),
        ("Des is koa guads Essen ned", "negative"),
        ("Des hod nia neamd ned gfoin", "negative"),
        ("Des war sauguad", "positive"),
        ("Passt scho!", "positive"),
        ("Schee, ned wahr?", "positive"),
        ("Wia hoaß werds heid?", "neutral"),
        ("S isch mega schön gsi", "positive"),
        ("Es het mir nöd gfalle", "negative"),
        ("Mir händ e luschtige Abig gha", "positive"),
        ("Dat is en moi Dag", "positive"),
        ("Dat weer nich good", "negative"),
        ("Et Esse wor joot", "positive"),
        ("Das ist furchtbar nett", "positive"),
        ("Das Wetter ist furchtbar", "negative"),
        ("Nicht nur gut, sondern perfekt", "positive"),
        ("Der Film war nicht schlecht", "positive"),
        ("Ich mag das nicht", "negative"),
        ("Der Zug fährt um acht", "neutral"),
    ],
)
def test_german(text: str, label: str) -> None:
    assert german(text) == label


@pytest.mark.parametrize(
    ("once", "several"),
    [
        ("I want no trouble", "I don't never want no trouble, no"),
        ("He ain't do anything nice", "He ain't never do nothing nice for nobody"),
        ("They don't like it", "Nobody don't like it"),
        ("They don't have a good bus", "They don't have no good bus"),
    ],
)
def test_negative_concord_is_one_negation(once: str, several: str) -> None:
    assert ENGLISH.score(once) == ENGLISH.score(several) != 0


def test_negative_concord_is_one_negation_in_bavarian_too() -> None:
    assert GERMAN.score("Des is koa guads Essen") == GERMAN.score("Des is koa guads Essen ned") < 0


@pytest.mark.parametrize("word", ["damn", "dayummm", "goddamn", "hella", "freakin", "stupid"])
def test_what_makes_the_next_word_stronger_is_nothing_by_itself_there(word: str) -> None:
    assert ENGLISH.score(f"that's {word} good") == pytest.approx(3.0)
    assert ENGLISH.score(f"that's {word} rude") == pytest.approx(-3.0)


def test_profanity_alone_is_neither_good_nor_bad() -> None:
    assert english("Damn, we late") == english("Hell, where the bus at") == "neutral"
    assert german("Verdammt, der Bus") == "neutral"


def test_umlauts_may_be_written_as_two_characters() -> None:
    assert german(unicodedata.normalize("NFD", "S isch schön")) == "positive"


def test_a_negation_ends_with_its_clause() -> None:
    assert ENGLISH.score("I ain't going. Good food") == 2
    assert ENGLISH.score("I ain't going but good food") == 2
    assert ENGLISH.score("I ain't going 😊 good food") == 4
    assert ENGLISH.score("I ain't going for good food") == -1
    assert ENGLISH.score("I ain't going to that place by the lake with good food") == 2


def test_what_has_no_words_has_no_label_and_a_long_text_is_read_to_its_end() -> None:
    assert ENGLISH.classify(["", " \n\t", "...", "word " * 600 + "good"]) == [
        Labelled(None, "empty"),
        Labelled(None, "empty"),
        Labelled("neutral"),
        Labelled("positive"),
    ]
    assert ENGLISH.classify([]) == []


@pytest.mark.parametrize("text", ["ain't good ", "ned guad", "o", "nobody ", "a'", ":( ", "'"])
def test_a_cell_of_a_megabyte_takes_no_longer_than_many_small_ones(text: str) -> None:
    # Anything quadratic would take hours.
    assert ENGLISH.classify([text * (1_000_000 // len(text))])[0].label in LABELS


def test_it_says_that_it_is_no_model() -> None:
    said = dict(load_classifier("words:").describe())
    assert said == dict(load_classifier("words:english").describe())
    assert said["backend"] == "words"
    assert said["note"] == "a word list stands in for a sentiment model; its labels are rough"
    assert said["revision"].startswith("list-")
    assert load_classifier("words:german").describe()["model"] == "german"


def test_a_language_without_a_list_is_an_error() -> None:
    with pytest.raises(ModelError, match=r"no word list for 'finnish'.*words:english or words:"):
        load_classifier("words:finnish")


@given(SOME_TEXTS, st.randoms())
def test_a_label_depends_on_its_text_alone(texts: list[str], chance: object) -> None:
    order = list(range(len(texts)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    for classifier in (ENGLISH, GERMAN):
        found = classifier.classify(texts)
        assert [row for text in texts for row in classifier.classify([text])] == found
        assert classifier.classify([texts[at] for at in order]) == [found[at] for at in order]
        assert all((row.label is None) == (row.flag == "empty") for row in found)
        assert all(row.label in (None, *LABELS) for row in found)


@given(st.text(max_size=60))
def test_case_and_apostrophes_do_not_count(text: str) -> None:
    said = f"{text}, ain't it good"
    assert ENGLISH.score(said.replace("'", "’")) == ENGLISH.score(said)
    assert ENGLISH.score("IT AIN'T GOOD") == ENGLISH.score("it ain't good")


def test_no_word_stands_in_the_file_twice() -> None:
    data = tomllib.loads((ROOT / "models" / "sentiment_words.toml").read_text(encoding="utf-8"))
    for language in ("english", "german"):
        lists = data[language]
        valued = Counter(
            word
            for side in ("positive", "negative")
            for words in lists[side].values()
            for word in words.casefold().split()
        )
        negators = Counter((lists["negators"] + " " + lists["late_negators"]).casefold().split())
        assert [word for word, times in (valued + negators).items() if times > 1] == []
        assert max(map(len, word_list(language).beginnings)) <= sentiment_list._LONGEST
    assert sum(bool(entry.value) for entry in word_list("english").entries.values()) > 400
    assert sum(bool(entry.value) for entry in word_list("german").entries.values()) > 150


@given(
    st.text(max_size=40)
    | st.lists(
        st.sampled_from(
            "ain't got on you well done not good hits different www.good.com @bad mid lovinnn the "
            "wait, \n :) a good 10/10 !!! no cap very so pretty barely love hate trash".split(" ")
        )
    ).map(" ".join)
)
def test_many_texts_are_labelled_by_the_score_of_each(text: str) -> None:
    for classifier in (ENGLISH, GERMAN):
        score = classifier.score(text)
        label = "positive" if score >= 1 else "negative" if score <= -1 else "neutral"
        [found] = classifier.classify([text])
        assert found == (Labelled(label) if text.strip() else Labelled(None, "empty"))


@given(st.text(alphabet="ag!:) \n.\r\u2028\u0301@www/", max_size=40))
def test_words_do_not_go_beyond_white_space(text: str) -> None:
    plain = unicodedata.normalize("NFC", text).casefold()
    tokens = ENGLISH._tokens.findall(word_classifier._SKIPPED.sub(" ", plain))
    chunks = word_classifier._CHUNK.findall(plain)
    assert [pair for chunk in chunks for pair in ENGLISH._found[chunk]] == [
        word_list("english").find(token) for token in tokens
    ]
