"""Verdicts: the votes of several people, merged as a reader would count them by hand."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.annotation.verdicts import corrections, verdict_schema, verdicts
from isogloss.tests.annotation.made import YES_NO, answers, project, question

VOTES = st.dictionaries(st.sampled_from(["r1", "r2", "r3"]), st.text("yn", min_size=1, max_size=5))


def merged(kind: str, votes: dict[str, Any], min_labels: int = 1, **more: Any) -> list[Any]:
    asked = project(question("q", kind, **more))
    found = verdicts(answers("q", votes), asked, min_labels=min_labels)
    assert dict(found.schema) == {"id": pl.String(), **verdict_schema(asked)}
    return found.rows()


@given(VOTES)
def test_yes_and_no_are_counted_as_by_hand(votes: dict[str, str]) -> None:
    expected = []
    for item, said in sorted(votes.items()):
        yes, no = said.count("y"), said.count("n")
        majority = None if yes == no else yes > no
        expected.append((item, majority, no == 0, yes > 0, yes + no))
    assert merged("yes_no", votes) == expected


@given(VOTES, st.integers(1, 6))
def test_too_few_answers_make_no_verdict(votes: dict[str, str], least: int) -> None:
    for row in merged("yes_no", votes, least):
        assert (row[1:4] == (None, None, None)) or len(votes[row[0]]) >= least
        assert row[4] == len(votes[row[0]])


def test_a_question_that_does_not_apply_has_no_answer() -> None:
    labels = {**YES_NO, "not_applicable": "Doesn't apply"}
    votes: dict[str, Any] = {"a": ["y", "not_applicable"], "b": ["not_applicable"]}
    assert merged("yes_no", votes, labels=labels) == [
        ("a", True, True, True, 1),
        ("b", None, None, None, 0),
    ]


@given(st.dictionaries(st.sampled_from(["r1", "r2"]), st.text("kda", min_size=1, max_size=6)))
def test_the_choice_made_most_often_counts(votes: dict[str, str]) -> None:
    words = {"k": "keep", "d": "drop", "a": "ask"}
    expected = []
    for item, said in sorted(votes.items()):
        (first, most), *others = Counter(said).most_common()
        tied = any(count == most for _, count in others)
        expected.append((item, None if tied else words[first], not others, len(said)))
    assert merged("choice", votes) == expected


@given(st.dictionaries(st.sampled_from(["r1", "r2"]), st.text("12345", min_size=1, max_size=6)))
def test_numbers_have_a_mean_and_a_median(votes: dict[str, str]) -> None:
    found = merged("scale", votes)
    for (item, mean, median, count), (name, said) in zip(found, sorted(votes.items()), strict=True):
        numbers = [int(number) for number in said]
        assert (item, median, count) == (name, statistics.median(numbers), len(numbers))
        assert mean == pytest.approx(statistics.mean(numbers))


def test_an_item_with_another_answer_only_has_no_verdict() -> None:
    asked = project(question("p"), question("q"))
    found = verdicts(answers("p", {"a": "y"}), asked)
    assert found.rows() == [("a", True, True, True, 1, None, None, None, 0)]


def test_nothing_answered_gives_columns_without_rows() -> None:
    found = verdicts(answers("q", {}), project(question("q")))
    assert found.height == 0
    assert list(found.columns) == ["id", "q_majority", "q_unanimous", "q_any", "q_labels"]


CORRECTIONS = {
    "all the same": (["b", "b"], "b"),
    "most of them": (["b", "c", "b"], "b"),
    "one alone": (["b"], "b"),
    "half of them": (["b", "c"], None),
    "most often, but not most of them": (["b", "b", "c", "d"], None),
    "the same but for spaces round it": ([" b", "b\n"], "b"),
    "the same letters, written otherwise": (["u\u0308", "ü"], "ü"),
}


@pytest.mark.parametrize("case", CORRECTIONS)
def test_a_correction_needs_more_than_half_of_the_texts(case: str) -> None:
    texts, expected = CORRECTIONS[case]
    asked = question("q", "text", replaces="standard")
    found = corrections(answers("q", {"a": texts}), asked)  # type: ignore[dict-item]
    assert found.rows() == [("a", expected)]


def test_texts_that_are_empty_or_too_few_correct_nothing() -> None:
    asked = question("q", "text", replaces="standard")
    given: Any = {"a": ["", " "], "b": ["x"]}
    assert corrections(answers("q", given), asked).rows() == [("b", "x")]
    assert corrections(answers("q", given), asked, min_labels=2).rows() == []
