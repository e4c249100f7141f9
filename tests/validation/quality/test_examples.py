"""Examples: the same ones every time, cut where they are long, with their differences."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.tests.validation.quality.made import AAE, SENTENCES, pairs_of
from isogloss.validation.quality import Pairs
from isogloss.validation.quality.examples import differences, examples
from isogloss.validation.quality.screening import screen_pairs


@pytest.fixture(scope="module")
def faulty() -> Pairs:
    return pairs_of([(f"We {n} late", "" if n % 2 else "We <unk>", "We late") for n in range(60)])


def picked(pairs: Pairs, **options: int) -> dict[str, list[tuple[int, str]]]:
    found = examples(pairs, screen_pairs(pairs).caught, **{"most": 3, **options})
    return {gate: [(one.position, one.pair) for one in rows] for gate, rows in found.items()}


def test_the_same_rows_are_shown_every_time_and_others_by_another_seed(faulty: Pairs) -> None:
    first = picked(faulty)
    assert first == picked(faulty)
    assert all(len(rows) == 3 for rows in first.values())
    assert {"empty", "unknown_token"} <= first.keys()
    assert len({str(picked(faulty, seed=seed)) for seed in range(4)}) > 1


def test_they_are_not_simply_the_first_ones(faulty: Pairs) -> None:
    assert picked(faulty)["empty"] != [(2, "standard"), (4, "standard"), (6, "standard")]


def test_a_choice_of_more_begins_with_that_of_fewer(faulty: Pairs) -> None:
    few, many = picked(faulty), picked(faulty, most=9)
    assert {gate: rows[:3] for gate, rows in many.items()} == few
    assert len(picked(faulty, most=1_000)["empty"]) == 30


def test_none_are_none(faulty: Pairs) -> None:
    assert picked(faulty, most=0) == {}
    assert picked(pairs_of(SENTENCES)) == {}


def test_an_example_is_its_row() -> None:
    pairs = pairs_of([*((*pair, pair[0]) for pair in SENTENCES), ("We late", "We are late", "")])
    [found] = examples(pairs, screen_pairs(pairs).caught, most=3)["empty"]
    assert (found.position, found.id, found.variety, found.pair) == (5, "r5", AAE, "back")
    assert (found.source, found.target, found.hidden) == ("We are late", "", 0)
    assert found.detail
    assert found.to_dict() == {name: getattr(found, name) for name in found.__slots__}


def test_a_long_text_is_cut_and_what_is_hidden_is_counted() -> None:
    pairs = pairs_of([("a " * 400, "b " * 350 + "<unk>")])
    [found] = examples(pairs, screen_pairs(pairs).caught, most=1)["unknown_token"]
    assert (len(found.source), len(found.target)) == (600, 600)
    assert found.hidden == 200 + 105


def marks(source: str, target: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    ours, theirs = differences(source, target)
    return ([(piece.text, piece.state) for piece in ours],
            [(piece.text, piece.state) for piece in theirs])  # fmt: skip


def test_differences_by_hand() -> None:
    assert marks("She late", "She is late") == (
        [("She late", "same")],
        [("She ", "same"), ("is ", "alone"), ("late", "same")],
    )
    assert marks("WE was late", "We were late") == (
        [("WE ", "same"), ("was ", "changed"), ("late", "same")],
        [("We ", "same"), ("were ", "changed"), ("late", "same")],
    )
    assert marks("We late", "") == ([("We late", "alone")], [])
    assert marks("", "") == ([], [])
    assert marks(" \n", "a") == ([], [("a", "alone")])


def test_words_that_only_cling_to_another_stand_alone() -> None:
    ours, theirs = marks("How much Mr.", "If he paid for all of it, how much is Mr.")
    assert ours == [("How much Mr.", "same")]
    assert theirs == [
        ("If he paid for all of it, ", "alone"),
        ("how much ", "same"),
        ("is ", "alone"),
        ("Mr.", "same"),
    ]
    # A mark of its own belongs to the word before it all the same.
    assert marks("Mir gaa .", "Wir gehen.")[0] == [("Mir gaa .", "changed")]


words = st.text(st.sampled_from("ab <&\n\tß\u202e"), max_size=20)


@given(words, words)
def test_pieces_put_together_are_the_text(source: str, target: str) -> None:
    for text, pieces in zip((source, target), differences(source, target), strict=True):
        assert "".join(piece.text for piece in pieces) == (text if text.strip() else "")
        states = [piece.state for piece in pieces]
        assert all(one != other for one, other in pairwise(states))


@given(words)
def test_a_text_beside_itself_has_no_differences(text: str) -> None:
    assert {piece.state for piece in differences(text, text)[0]} <= {"same"}
