"""Edit-distance alignment against a plain search, and what always holds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.models.align_monotone import (
    Costs,
    MonotoneAligner,
    cheapest_links,
    spelling_distance,
)
from isogloss.models.align_units import units
from isogloss.models.segmenter import project

ALIGNER = MonotoneAligner()
WORD = st.one_of(st.text(min_size=1, max_size=6).filter(lambda word: len(word.split()) == 1),
                 st.sampled_from(["we", "We,", "was", "is.", ".", "😀", "goin'"]))  # fmt: skip
SENTENCE = st.lists(WORD, max_size=9).map(lambda words: " ".join(words).split())


def least(costs: Costs, first: Costs, second: Costs) -> float:
    """The cost of the cheapest path, by trying every move."""
    n, m = costs.shape

    @cache
    def rest(i: int, j: int) -> float:
        ways = []
        if i < n:
            ways.append(float(first[i]) + rest(i + 1, j))
        if j < m:
            ways.append(float(second[j]) + rest(i, j + 1))
        if i < n and j < m:
            ways.append(float(costs[i, j]) + rest(i + 1, j + 1))
        return min(ways, default=0.0)

    return rest(0, 0)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=5), st.integers(0, 99))
def test_paths_are_the_cheapest(shapes: list[tuple[int, int]], seed: int) -> None:
    draw = np.random.default_rng(seed)
    costs = [draw.random(shape, dtype=np.float32) for shape in shapes]
    gaps = [tuple(draw.random(size, dtype=np.float32) for size in shape) for shape in shapes]
    for links, cost, (first, second) in zip(cheapest_links(costs, gaps), costs, gaps, strict=True):
        rows, columns = [i for i, _ in links], [j for _, j in links]
        paid = sum(cost[link] for link in links)
        paid += np.delete(first, rows).sum() + np.delete(second, columns).sum()
        assert paid == pytest.approx(least(cost, first, second), abs=1e-4)


@settings(deadline=None)
@given(st.lists(st.tuples(SENTENCE, SENTENCE), max_size=6))
def test_links_never_cross_and_pairs_stand_alone(
    pairs: list[tuple[list[str], list[str]]],
) -> None:
    found = ALIGNER.align(pairs)
    for (first, second), alignment in zip(pairs, found, strict=True):
        assert ALIGNER.align([(first, second)]) == [alignment]
        assert list(alignment.links) == sorted(set(alignment.links))
        assert all(0 <= i < len(first) and 0 <= j < len(second) for i, j in alignment.links)
        for i, j in alignment.links:
            assert not any(a < i and b > j for a, b in alignment.links)


PAIRS = [
    ("Wird es heute regnen?", "Werds heid regna?", [(0, 0), (2, 1), (3, 2)]),
    ("She is working late.", "She be working late.", [(0, 0), (1, 1), (2, 2), (3, 3)]),
    ("We were waiting", "WE WAITING", [(0, 0), (2, 1)]),
    ("eins zwei", "", []),
    ("", "", []),
    ("😀", "😀", [(0, 0)]),
]


@pytest.mark.parametrize(("first", "second", "links"), PAIRS)
def test_links(first: str, second: str, links: list[tuple[int, int]]) -> None:
    assert list(ALIGNER.align([(first.split(), second.split())])[0].links) == links


def test_a_sentence_without_an_end_ends_where_its_counterpart_does() -> None:
    standard = "Lösche alle Wecker Wird es regnen?".split()
    dialect = "Schteu aui Wecker ab . Wirds rägne ?".split()
    links = ALIGNER.align([(standard, dialect)])[0].links
    assert project(links, 3, len(standard), dialect) == (5, 0)


def test_six_hundred_words() -> None:
    words = [f"w{n}" for n in range(600)]
    assert ALIGNER.align([(words, words)])[0].links == tuple((n, n) for n in range(600))


def test_spelling_distance_has_its_ends() -> None:
    found = spelling_distance(units(["wir", "xyz"]), units(["Wir"]))
    assert found[0, 0] == 0
    assert found[1, 0] > 0.8
    assert spelling_distance(units([]), units(["a"])).shape == (0, 1)


@pytest.mark.parametrize(
    ("first", "second"),
    [("cup bell fish moon", "😂 🔥 💯"), ("cup bell", "zzz qqq www"), ("cup", "😂")],
)
def test_sentences_with_nothing_in_common_have_no_links(first: str, second: str) -> None:
    assert ALIGNER.align([(first.split(), second.split())])[0].links == ()


def test_an_unlike_word_between_like_ones_keeps_its_place() -> None:
    found = ALIGNER.align(
        [("we was cooking yesterday".split(), "we xyz cooking yesterday".split())]
    )
    assert found[0].links == ((0, 0), (1, 1), (2, 2), (3, 3))
