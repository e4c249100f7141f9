"""Histograms and summaries: values worked out by hand, and nothing missing counted as 0."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.validation.quality.histogram import Histogram, histogram, summary

NAN, INF = math.nan, math.inf


def test_a_value_on_an_edge_counts_to_the_right_but_at_the_end() -> None:
    found = histogram([0, 0.5, 1, 1.5, 2], bins=2, stop=2)
    assert found == Histogram(start=0, width=1, counts=(2, 3), above=0)


def test_values_beyond_the_axis_are_counted_apart() -> None:
    found = histogram([-3, -2, 0, 2, 2.1, INF, -INF, NAN], bins=2, start=-2, stop=2)
    assert found == Histogram(start=-2, width=2, counts=(1, 2), above=1, below=1)


def test_rounding_alone_puts_nothing_beyond_an_end() -> None:
    found = histogram([-1e-7, 1.0000002, 1.01], bins=40, stop=1)
    assert (found.counts[0], found.counts[-1]) == (1, 1)
    assert (found.below, found.above) == (0, 1)


@pytest.mark.parametrize("values", [[], [NAN], [NAN, INF, -INF]])
def test_nothing_is_in_no_bin(values: list[float]) -> None:
    assert sum(histogram(values, bins=4, stop=1).counts) == 0
    assert sum(histogram(values).counts) == 0
    found = summary(values)
    assert (found.n, found.missing) == (0, len(values))
    numbers = (found.mean, found.sd, found.low, found.median, found.high, found.least, found.most)
    assert all(map(math.isnan, numbers))


@pytest.mark.parametrize(
    ("most", "width", "bins"),
    [(0, 0.05, 20), (1, 0.05, 20), (30, 1, 30), (31, 2, 16), (150, 5, 30), (151, 10, 16),
     (280, 10, 28), (99_999, 5_000, 20)],
)  # fmt: skip
def test_the_width_is_round_and_all_values_are_held(most: int, width: float, bins: int) -> None:
    found = histogram([0, most])
    assert found.width == pytest.approx(width)
    assert len(found.counts) == bins


def test_the_longest_texts_dont_stretch_the_axis() -> None:
    found = histogram([10] * 999 + [1_000_000])
    assert found.above == 1
    assert found.start + found.width * len(found.counts) < 1_000


@given(
    st.lists(
        st.floats(-1e9, 1e9) | st.sampled_from([NAN, INF, -INF]) | st.integers(0, 300), max_size=40
    )
)
def test_every_finite_value_is_somewhere(values: list[float]) -> None:
    finite = sum(map(math.isfinite, values))
    found = histogram(values, bins=7, start=-1, stop=2)
    assert sum(found.counts) + found.above + found.below == finite
    told = summary(values)
    assert (told.n, told.missing) == (finite, len(values) - finite)


def test_a_summary_by_hand() -> None:
    found = summary([1, 2, 3, 4, NAN, 10])
    assert (found.n, found.missing, found.mean, found.median) == (5, 1, 4.0, 3.0)
    assert found.sd == pytest.approx(math.sqrt(50 / 4))
    assert [found.low, found.high] == pytest.approx([1.2, 8.8])
    assert (found.least, found.most) == (1.0, 10.0)


def test_one_value_has_no_spread() -> None:
    found = summary(np.array([0.0]))
    assert (found.n, found.mean, found.median) == (1, 0.0, 0.0)
    assert math.isnan(found.sd)
