"""Scores by models: each pair its own number, in blocks of one variety; nothing where none is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from isogloss.models.classifier import LABELS, Labelled
from isogloss.tests.validation.quality.made import BAVARIAN, BERNESE, SENTENCES, WORDS, pairs_of
from isogloss.validation.bertscore import Scores
from isogloss.validation.quality import scores
from isogloss.validation.quality.progress import Silent
from isogloss.validation.quality.scores import bertscores, sentiments, with_similarities
from isogloss.validation.similarity import Floats, similarities

QUIET = Silent()


def embed(texts: Sequence[str]) -> Floats:
    """Letters as directions."""
    counts = np.array([[text.count(letter) + 0.01 for letter in "aeinrst"] for text in texts])
    vectors: Floats = (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)
    return vectors


class FakeBERTScore:
    def __init__(self) -> None:
        self.asked: list[tuple[list[str], list[str]]] = []

    def measure(self, candidates: Sequence[str], references: Sequence[str]) -> Scores:
        self.asked.append((list(candidates), list(references)))
        return Scores(
            [0.5 if text else 0.0 for text in candidates],
            ["cut" if text else "empty" for text in candidates],
        )

    def describe(self) -> Mapping[str, Any]:
        return {"backend": "hf", "model": "fake", "revision": "r", "layer": 3}


def test_similarities_are_those_of_the_module_for_each_variety_apart() -> None:
    rows = [
        {"variety": BERNESE if n % 2 else BAVARIAN, "dialect": f"{a} {n}", "standard": f"{b} {n}",
         "back": a}
        for n, (a, b) in enumerate(SENTENCES * 3)
    ]  # fmt: skip
    found = with_similarities(pairs_of(rows), embed, QUIET).frame
    for variety in (BERNESE, BAVARIAN):
        mine = [row for row in rows if row["variety"] == variety]
        sides = [[row[name] for row in mine] for name in ("dialect", "standard", "back")]
        kept = found.filter(found["variety"] == variety)
        for name, source, target in [("similarity", 0, 1), ("back_similarity", 1, 2)]:
            expected = similarities(sides[source], sides[target], embed)
            assert kept[name].to_list() == pytest.approx(expected.tolist())


def test_a_block_is_seen_against_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "_BLOCK", 4)
    rows = [(f"{a} {n}", f"{b} {n}") for n, (a, b) in enumerate(SENTENCES * 2)]
    found = with_similarities(pairs_of(rows), embed, QUIET).frame["similarity"].to_list()
    for at in (0, 4):
        sources, targets = (list(side) for side in zip(*rows[at : at + 4], strict=True))
        part = similarities(sources, targets, embed)
        assert found[at : at + 4] == pytest.approx(part.tolist())


def test_what_has_no_similarity_has_null_and_not_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "similarities", lambda *_: np.array([0.5, np.nan, 0.0, 1.0]))
    found = with_similarities(pairs_of(SENTENCES), embed, QUIET).frame
    assert found["similarity"].to_list() == [0.5, None, 0.0, 1.0]


@pytest.mark.parametrize("back", [True, False])
def test_bertscore_is_of_the_back_translation_if_there_is_one(back: bool) -> None:
    model = FakeBERTScore()
    rows = [("d1", "s1", "b1"), ("d2", "s2", "")] if back else [("d1", "s1"), ("d2", "")]
    found = bertscores(pairs_of(rows), model, QUIET)  # type: ignore[arg-type]
    assert found is not None
    first = "b1" if back else "s1"
    assert model.asked == [([first, ""], ["d1", "d2"])]
    assert found.pair == ("back" if back else "standard", "dialect")
    assert (found.values.mean, found.values.n, found.empty, found.cut) == (0.25, 2, 1, 1)
    assert found.model == model.describe()


def test_scores_of_the_corpus_itself_are_told_without_a_model() -> None:
    rows: list[dict[str, Any]] = [
        {"dialect": "We late", "standard": "We are late", "bertscore": 0.5},
        {"dialect": "We late", "standard": "", "bertscore": 0.0},
        {"dialect": "We late", "standard": "We are late", "bertscore": None},
    ]
    found = bertscores(pairs_of(rows), None, QUIET)
    assert found is not None
    assert (found.values.mean, found.values.n, found.values.missing) == (0.25, 2, 1)
    assert (found.model, found.empty, found.cut) == (None, 1, 0)
    assert sum(found.values_histogram.counts) == 2
    assert bertscores(pairs_of(SENTENCES), None, QUIET) is None


class Loud:
    """A classifier that goes by the first letter."""

    labels = LABELS

    def describe(self) -> Mapping[str, Any]:
        return {"backend": "hf", "model": "loud", "revision": "r", "labels": list(LABELS)}

    def classify(self, texts: Sequence[str]) -> list[Labelled]:
        known = {"n": LABELS[0], "p": LABELS[2]}
        return [Labelled(known.get(text[:1], LABELS[1])) for text in texts]


def test_sentiment_by_hand() -> None:
    loud = Loud()
    rows = [("n", "n", "p"), ("n", "p", "n"), ("p", "p", "p"), ("x", "x", "x")]
    [(names, found)] = sentiments(pairs_of(rows), lambda _: loud, QUIET)
    assert names == "african-american-english"
    standard, back = found.comparisons
    assert (standard.column, back.column) == ("standard", "back")
    assert standard.confusion == ((1, 0, 1), (0, 1, 0), (0, 0, 1))
    assert standard.agreement == back.agreement == 0.75
    assert back.per_class == {LABELS[0]: 0.5, LABELS[1]: 1.0, LABELS[2]: 1.0}


def test_varieties_of_one_language_are_labelled_together() -> None:
    rows = [
        {"variety": variety, "dialect": "Mia san do", "standard": "Wir sind da"}
        for variety in (BERNESE, BAVARIAN, "african-american-english")
    ]
    found = sentiments(pairs_of(rows), WORDS.classifier, QUIET)
    names = {name: one.comparisons[0].n for name, one in found}
    assert len(names) == 2
    [german] = [name for name in names if "bavarian" in name]
    assert set(german.split(", ")) == {BERNESE, BAVARIAN}
    assert (names[german], names["african-american-english"]) == (2, 1)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pairs_of(SENTENCES * 3)
    [(_, whole)] = sentiments(pairs, WORDS.classifier, QUIET)
    monkeypatch.setattr(scores, "BLOCK", 5)
    [(_, parts)] = sentiments(pairs, WORDS.classifier, QUIET)
    assert parts.to_dict() == whole.to_dict()
