"""Words as units, and what clings to what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.models.align_units import skeleton, units, word_links

WORDS = st.lists(st.sampled_from(["so", "So,", "ja.", ".", "?", "😀", "''", "'em", "$40"]))


@pytest.mark.parametrize(
    ("text", "forms", "marks", "breaks", "glued"),
    [
        ("Straße, 'em?", ("strasse", "", "em", ""), (0, 1, 0, 3), (1, 3), (False, False)),
        ("ja . nein", ("ja", "", "nein"), (0, 3, 0), (0, 3, 0), (False, True, False)),
        (". ja", ("", "ja"), (3, 0), (3, 0), (False, False)),
        ("😀 \" don't", ("😀", '"', "don't"), (0, 0, 0), (0, 0, 0), (False,) * 3),
        ("so; !", ("so", "", ""), (0, 2, 3), (0, 3), (False, True)),
        ("", (), (), (), ()),
    ],
)
def test_units(
    text: str,
    forms: tuple[str, ...],
    marks: tuple[int, ...],
    breaks: tuple[int, ...],
    glued: tuple[bool, ...],
) -> None:
    found = units(text.split())
    assert found.forms == forms
    assert tuple(found.marks) == marks
    assert found.breaks == breaks
    assert found.glued == glued


@given(WORDS)
def test_every_word_has_a_unit_and_units_are_in_order(words: list[str]) -> None:
    found = units(words)
    assert set(found.owners.tolist()) == set(range(len(words)))
    assert found.owners.tolist() == sorted(found.owners.tolist())


@pytest.mark.parametrize(
    ("one", "other"),
    [("weck", "wegga"), ("bitte", "bidde"), ("musik", "musig"), ("täglich", "däglich")],
)
def test_spellings_with_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one)[:2] == skeleton(other)[:2]


def test_a_word_of_vowels_keeps_them() -> None:
    assert skeleton("ei") == "ei"


CLINGING = [
    # links of words without any, in "eins zwei . drei": up to the full stop they go left
    ("eins drei", "eins zwei . drei", [(0, 0), (1, 3)], ((0, 0), (0, 1), (0, 2), (1, 3))),
    # after it they go right
    ("eins. drei", "eins. zwei drei", [(0, 0), (2, 3)], ((0, 0), (1, 1), (1, 2))),
    # without punctuation they stay alone
    ("eins drei", "eins zwei drei", [(0, 0), (1, 2)], ((0, 0), (1, 2))),
    # a full stop divides more than a comma
    ("eins drei", "eins a, b. c, drei", [(0, 0), (1, 7)], ((0, 0), (0, 1), (0, 2), (1, 3), (1, 4))),
    # what stands before the first and after the last link goes with it
    ("eins", "so eins halt", [(0, 1)], ((0, 0), (0, 1), (0, 2))),
    ("eins", "zwei drei", [], ()),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "links", "expected"), CLINGING)
def test_words_without_a_link_cling_to_others(
    first: str, second: str, links: list[tuple[int, int]], expected: tuple[tuple[int, int], ...]
) -> None:
    assert word_links(links, units(first.split()), units(second.split())) == expected
