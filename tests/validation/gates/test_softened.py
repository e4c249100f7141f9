"""softened: strong words that are gone."""

from __future__ import annotations

import json
import tomllib
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.corpus.varieties import varieties
from isogloss.validation.gates import Context, Row, thresholds
from isogloss.validation.gates._strong_words import StrongWords, strong_words
from isogloss.validation.gates.softened import GATE

AAE, SAE = "african-american-english", "standard-american-english"
LISTS = tomllib.loads(
    resources.files("isogloss.validation.gates").joinpath("softened.toml").read_text("utf-8")
)


def verdict(source: str, target: str, *, dialect: str = AAE, standard: str = SAE) -> str | None:
    context = Context(dialect, standard, thresholds(GATE.code, dialect, standard))
    return GATE.check(Row.of(source, target), context)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("This damn bus late again", "This bus is late again."),
        ("DAYUM that was quick", "Goodness, that was quick."),
        ("What the hell she want", "What does she want?"),
        ("That movie was crap fr", "That movie was not good."),
        ("I hate this bus", "I am not fond of this bus."),
        ("I hate this bus", "This damn bus."),  # profanity is no emotion
        ("You a liar and a damn fool", "You are mistaken."),
        ("That boy wild as hell", "That boy is wild."),
        ("That boy wild as hell", "That boy is mean."),
        ("What the hell, he wild", "He is extremely wild."),
        ("That bitch tired", "That girl is tired."),
        ("He a son of a bitch", "He is a friend."),
    ],
)
def test_gone(source: str, target: str) -> None:
    assert verdict(source, target) is not None


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("This bus late again", "This bus is late again."),
        ("This damn bus late again", "This damn bus is late again."),
        ("daaaamn that was quick", "Damn, that was quick."),
        ("This dang bus late", "This bus is late."),  # too mild to be missed
        ("This damn bus late again", "This darn bus is late again."),
        ("This damn bus late again", "This crappy bus is late again."),
        ("I'm tired af", "I am extremely tired."),
        *((f"That boy wild as {word}", "That boy is extremely wild.") for word in ("hell", "fuck")),
        *(("He mad as hell", f"He is {word} mad.") for word in ("so", "very", "incredibly")),
        ("He fuckin wild", "He is wild as fuck."),
        ("What the hell", "As hell"),
        ("bitch I'm tired", "Girl, I am tired."),
        ("I hate this bus", "I despise this bus."),
        ("I'm damn near done", "I am nearly done."),
        ("My shell and my hello kitty", "My things."),  # nothing inside a word
        ("", ""),
    ],
)
def test_kept_or_never_there(source: str, target: str) -> None:
    assert verdict(source, target) is None


def test_only_something_as_strong_makes_up_for_it() -> None:
    stronger = StrongWords(
        [
            {"id": "a", "kind": "profanity", "strength": 1, "words": ["heckity"]},
            {"id": "b", "kind": "insult", "strength": 2, "words": ["nitwit*"]},
        ],
        apart=["nitwit darling"],
    )
    assert [(hit.text, hit.group.strength) for hit in stronger.find("Nitwits! Heckity")] == [
        ("nitwits", 2),
        ("heckity", 1),
    ]
    assert stronger.find("nitwit darling") == []
    assert [hit.text for hit in stronger.find("nitwiiiiit, h*ckity, nit wit")] == [
        "nitwiiiiit",
        "h*ckity",
    ]


@pytest.mark.parametrize("phrase", LISTS["apart"]["english"])
def test_terms_of_address_and_fixed_phrases_are_no_insults(phrase: str) -> None:
    assert verdict(f"You {phrase} me over here", "You, over here") is None


@pytest.mark.parametrize(
    ("source", "target", "caught"),
    [
        ("So a verdammta Schmarrn", "So ein Unsinn", True),
        ("So a verdammta Schmarrn", "So ein verdammter Unsinn", False),
        ("Du bisd a Depp", "Du bist ein Idiot", False),
        ("Du bisch e Löli", "Du bist nett", True),
        ("Gopfertami, scho wider z spaat", "Schon wieder zu spät", True),
        ("Gopfertami, scho wider z spaat", "Verdammt, schon wieder zu spät", False),
        ("Es wird heute hell", "Heute scheint die Sonne", False),  # no English in German
    ],
)
def test_german_dialects(source: str, target: str, caught: bool) -> None:
    found = verdict(source, target, dialect="bavarian", standard="standard-german")
    assert (found is not None) is caught


def test_words_inside_a_phrase_count_where_asked() -> None:
    english = strong_words("english")
    assert english is not None
    assert [hit.text for hit in english.find("wild as fuck")] == ["as fuck", "fuck"]
    assert [hit.text for hit in english.find("wild as fuck, damn", inside=False)] == [
        "as fuck",
        "damn",
    ]
    # What only keeps a group hides nothing.
    assert [hit.text for hit in english.find("be quiet, shit", inside=False)] == [
        "be quiet",
        "shit",
    ]


def test_a_language_without_a_list() -> None:
    assert strong_words("finnish") is None
    assert verdict("damn", "", dialect="kainuu-finnish", standard="finnish") is None


def test_the_weakest_words_can_be_left_to_others() -> None:
    row = Row.of("This damn bus", "This bus")
    assert GATE.check(row, Context(AAE, SAE, {"weakest": 1})) is not None
    assert GATE.check(row, Context(AAE, SAE, {"weakest": 2})) is None
    row = Row.of("This shit bus", "This bus")
    assert GATE.check(row, Context(AAE, SAE, {"weakest": 2})) is not None


def test_the_list_is_well_formed() -> None:
    seen: set[tuple[str, str]] = set()
    for group in LISTS["group"]:
        assert group["language"] in varieties().clusters
        assert group["kind"] in {"profanity", "insult", "emotion"}
        assert group["strength"] in {1, 2, 3}
        assert set(group) <= {"language", "id", "kind", "strength", "words", "kept_by"}
        for word in group["words"]:
            key = group["language"], word.casefold()
            assert key not in seen, key
            seen.add(key)
    ids = [(group["language"], group["id"]) for group in LISTS["group"]]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("language", ["english", "german"])
def test_every_listed_word_is_found_and_missed(language: str) -> None:
    dialect, standard = {"english": (AAE, SAE), "german": ("bavarian", "standard-german")}[language]
    listed = strong_words(language)
    assert listed is not None
    apart = set(LISTS["apart"][language])
    for word, group in listed.words():
        assert group in [hit.group for hit in listed.find(f"zzz {word} zzz")]
        assert verdict(f"zzz {word} zzz", "zzz zzz", dialect=dialect, standard=standard), word
        assert verdict(*[f"zzz {word} zzz"] * 2, dialect=dialect, standard=standard) is None
        assert word not in apart


words = st.lists(st.sampled_from(["damn", "the", "h*ll", "*", "crappp", "bus", "’", "ß", ""]))


@given(words.map(" ".join) | st.text(max_size=40))
def test_a_text_keeps_what_it_says(text: str) -> None:
    assert verdict(text, text) is None
    assert verdict(text, f"{text}, damn") is None


def test_no_alarm_on_what_people_wrote(shared: Path) -> None:
    for name, dialect, standard in (
        ("aae/redial_pairs", AAE, SAE),
        ("german/xsid_pairs", "bavarian", "standard-german"),
        ("german/wikidir_pairs_350", "bavarian", "standard-german"),
    ):
        lines = (shared / f"data/{name}.jsonl").read_text(encoding="utf-8").splitlines()
        pairs = [json.loads(line) for line in lines]
        alarms = sum(
            verdict(pair["dialect"], pair["standard"], dialect=dialect, standard=standard)
            is not None
            for pair in pairs
        )
        assert alarms / len(pairs) < 0.005, name
