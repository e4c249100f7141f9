"""Sentiment preservation: counts that add up, and nothing undefined that looks like a zero."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.models.classifier import LABELS, Classifier, Labelled, load_classifier
from isogloss.validation.sentiment import Comparison, Sentiment, compare_labels, label_rows
from sklearn.metrics import cohen_kappa_score, confusion_matrix


class Says:
    """Labels a text by its own first word; ``long`` behind it marks it as cut."""

    labels = LABELS

    def __init__(self) -> None:
        self.calls: list[int] = []

    def describe(self) -> Mapping[str, Any]:
        return {"backend": "test"}

    def classify(self, texts: Sequence[str]) -> list[Labelled]:
        self.calls.append(len(texts))
        return [
            Labelled(text.split()[0], "cut" if text.endswith("long") else "")
            if text
            else Labelled(None, "empty")
            for text in texts
        ]


def sentiment(frame: pl.DataFrame, classifier: Classifier) -> Sentiment:
    """The first column is the dialect."""
    dialect, *others = frame.columns
    rows = label_rows(frame, classifier, frame.columns)
    return compare_labels(rows, classifier, dialect=dialect, others=others)


def compared(*pairs: tuple[str | None, str | None]) -> Comparison:
    schema = {"dialect": pl.String, "standard": pl.String}
    frame = pl.DataFrame(pairs, schema=schema, orient="row")
    return sentiment(frame, Says()).comparisons[0]


def test_the_numbers_of_a_small_corpus() -> None:
    found = compared(
        ("negative", "negative"),
        ("negative", "neutral"),
        ("positive", "positive"),
        ("positive", "positive"),
        ("neutral", "positive"),
        ("", "positive"),
        ("negative", None),
        ("positive long", "negative"),
        ("", "negative long"),
    )
    assert found.n == 5
    assert found.left_out == {"empty": 3, "cut": 1}
    assert found.confusion == ((1, 1, 0), (0, 0, 1), (0, 0, 2))
    assert found.agreement == 0.6
    assert found.per_class == {"negative": 0.5, "neutral": 0.0, "positive": 1.0}
    assert found.kappa == pytest.approx((0.6 - 0.36) / 0.64)  # chance: (2 * 1 + 1 * 1 + 2 * 3) / 25
    assert found.reason == ""


def test_one_label_only_has_no_kappa() -> None:
    found = compared(("neutral", "neutral"), ("neutral", "neutral"))
    assert math.isnan(found.kappa)
    assert found.reason == "all texts are neutral: agreement by chance is certain"
    assert found.agreement == 1.0
    assert math.isnan(found.per_class["negative"])
    plain = found.to_dict()
    assert plain["kappa"] is None
    assert plain["per_class"] == {"negative": None, "neutral": 1.0, "positive": None}


def test_one_label_on_each_side_that_differ_is_no_agreement() -> None:
    found = compared(("neutral", "positive"), ("neutral", "positive"))
    assert (found.agreement, found.kappa, found.reason) == (0.0, 0.0, "")


@pytest.mark.parametrize("pairs", [[], [("", "")], [("neutral", ""), (None, "positive")]])
def test_nothing_to_compare_is_no_zero(pairs: list[tuple[str | None, str | None]]) -> None:
    found = compared(*pairs)
    assert found.n == 0
    assert found.left_out["empty"] == len(pairs)
    assert all(map(math.isnan, (found.agreement, found.kappa, *found.per_class.values())))
    assert found.reason == "no pair has a label on both sides"
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["agreement"] is None


def test_the_back_translation_is_compared_too() -> None:
    frame = pl.DataFrame(
        {
            "aae": ["positive a", "negative b"],
            "sae": ["positive c", "neutral d"],
            "aae_back": ["positive e", "negative f"],
        }
    )
    found = sentiment(frame, Says())
    assert [one.column for one in found.comparisons] == ["sae", "aae_back"]
    assert [one.agreement for one in found.comparisons] == [0.5, 1.0]
    assert found.rows.columns == [
        f"{name}_{what}" for name in ("aae", "sae", "aae_back") for what in ("label", "flag")
    ]
    assert found.rows["sae_label"].to_list() == ["positive", "neutral"]
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["dialect"] == "aae"
    assert plain["labels"] == list(LABELS)
    assert plain["classifier"] == {"backend": "test"}


def test_blocks_behind_one_another_are_the_whole() -> None:
    texts = [LABELS[at % 3] for at in range(50)]
    frame = pl.DataFrame({"dialect": texts, "standard": texts[::-1]})
    classifier = Says()
    found = sentiment(frame, classifier)
    assert classifier.calls == [100]  # both sides of a row in one call
    columns = ["dialect", "standard"]
    rows = pl.concat(label_rows(part, classifier, columns) for part in frame.iter_slices(20))
    assert classifier.calls[1:] == [40, 40, 20]
    again = compare_labels(rows, classifier, dialect="dialect", others=["standard"])
    assert again.to_dict() == found.to_dict()
    assert again.rows.equals(found.rows)


LABEL = st.sampled_from(LABELS)


@given(st.lists(st.tuples(LABEL, LABEL), min_size=2))
def test_counts_are_those_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    found = compared(*pairs)
    a, b = zip(*pairs, strict=True)
    expected = confusion_matrix(a, b, labels=list(LABELS)).tolist()
    assert [list(row) for row in found.confusion] == expected
    assert sum(map(sum, found.confusion)) == found.n == len(pairs)
    if len({*a, *b}) > 1:
        assert found.kappa == pytest.approx(cohen_kappa_score(a, b))
    else:
        assert math.isnan(found.kappa)


def test_with_the_word_list() -> None:
    pairs = [
        ("She be making the best pie", "She always makes the best pie"),
        ("They ain't never on time, this bus trash", "They are never on time, this bus is bad"),
        ("He finna go to the store", "He is about to go to the store"),
        ("This song lit", "This song is playing"),
    ]
    frame = pl.DataFrame(pairs, schema=["dialect", "standard"], orient="row")
    found = sentiment(frame, load_classifier("words:"))
    assert found.comparisons[0].agreement == 0.75
    assert found.comparisons[0].per_class == {"negative": 1.0, "neutral": 1.0, "positive": 0.5}
    assert "word list" in found.to_dict()["classifier"]["note"]
