"""Means, proportions, ratios and comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.stats import (
    Bootstrap,
    Clustered,
    cluster_sums,
    compare,
    compare_means,
    mean_interval,
    proportion_interval,
    ratio,
    ratio_interval,
    wilson,
)
from scipy import stats

QUICK = Bootstrap(resamples=1_000)


@pytest.mark.parametrize(("hits", "size"), [(0, 10), (10, 10), (3, 10), (1, 400), (77, 90)])
@pytest.mark.parametrize("level", [0.95, 0.9])
def test_wilson_is_scipys(hits: int, size: int, level: float) -> None:
    theirs = stats.binomtest(hits, size).proportion_ci(level, method="wilson")
    assert wilson(hits / size, size, level=level) == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize("share", [0, 1])
@pytest.mark.parametrize("size", [9, 300])
def test_all_or_nothing_gets_wilson(share: int, size: int) -> None:
    found = proportion_interval([share] * size, options=QUICK)
    theirs = stats.binomtest(share * size, size).proportion_ci(method="wilson")
    assert (found.value, found.method, found.reason) == (share, "wilson", None)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


@given(st.integers(1, 5_000), st.floats(0, 1))
def test_wilsons_limits_hold_the_share(size: int, part: float) -> None:
    for share in (0.0, 1.0, round(part * size) / size):
        low, high = wilson(share, size)
        assert 0 <= low <= share <= high <= 1


def test_wilson_counts_clusters_where_rows_repeat_each_other() -> None:
    found = proportion_interval([True] * 60, clusters=np.repeat(np.arange(20), 3))
    assert (found.low, found.high) == pytest.approx(wilson(1, 20))
    assert (found.n, found.clusters) == (60, 20)
    assert proportion_interval([True] * 3, clusters=["a"] * 3).reason == "one cluster"


def test_a_rare_event_in_few_clusters_gets_wilson_on_the_effective_size() -> None:
    found = proportion_interval([1] + [0] * 19)
    assert (found.method, found.few_clusters, found.reason) == ("wilson", True, None)
    assert (found.low, found.high) == pytest.approx(wilson(0.05, 19))
    # Where rows of a cluster repeat each other the clusters count.
    repeated = proportion_interval(
        np.repeat([1] + [0] * 19, 5), clusters=np.repeat(np.arange(20), 5)
    )
    assert (repeated.low, repeated.high) == pytest.approx((found.low, found.high))


def test_few_clusters_stay_within_0_and_1() -> None:
    rng = np.random.default_rng(1)
    for share in (0.2, 0.5, 0.8, 0.9):
        found = proportion_interval(rng.random(25) < share, options=QUICK)
        assert 0 <= found.low <= found.value <= found.high <= 1


def test_shares_are_proportions_too() -> None:
    found = proportion_interval(np.tile([0.0, 1 / 3, 1.0], 40), options=QUICK)
    assert found.value == pytest.approx(4 / 9)
    assert found.method == "percentile"
    with pytest.raises(ValueError, match="from 0 to 1"):
        proportion_interval([0.5, 1.5])
    constant = proportion_interval([0.5] * 9)
    assert (constant.value, constant.reason) == (0.5, "the same value in every resample")


def test_ratios_are_of_sums() -> None:
    rng = np.random.default_rng(0)
    words, hits = rng.integers(1, 30, size=100), rng.integers(0, 5, size=100)
    found = ratio_interval(hits, words)
    assert found.value == pytest.approx(hits.sum() / words.sum())
    assert found.low < found.value < found.high


def test_pairing_narrows_the_difference() -> None:
    rng = np.random.default_rng(0)
    first = rng.normal(size=200)
    second = first + rng.normal(0.1, 0.05, size=200)
    found = compare_means(first, second)
    assert found.difference.value == pytest.approx(found.first.value - found.second.value)
    assert found.difference.high < 0
    assert found.first.low < found.second.value < found.first.high
    alone = mean_interval(first - second)
    assert (found.difference.low, found.difference.high) == pytest.approx((alone.low, alone.high))


def test_equal_systems_do_not_differ() -> None:
    values = np.random.default_rng(0).normal(size=200)
    found = compare_means(values, values)
    assert found.difference.value == 0
    assert found.difference.reason == "the same value in every resample"


def test_a_gap_on_one_side_takes_the_row_from_both() -> None:
    found = compare_means([1, np.nan, 3, 4], [1, 2, np.nan, 5])
    assert (found.first.value, found.second.value) == (2.5, 3.0)
    assert (found.first.n, found.second.excluded) == (2, 2)


def test_groups_of_other_rows_in_the_same_clusters() -> None:
    rng = np.random.default_rng(4)
    labels = rng.integers(80, size=400)
    group = rng.random(400) < 0.3
    values = rng.normal(size=400) + group
    columns = [values * group, group, values * ~group, ~group]
    found = compare(cluster_sums(columns, clusters=labels), ratio(0, 1), ratio(2, 3))
    assert found.first.value == pytest.approx(values[group].mean())
    assert found.difference.value == pytest.approx(values[group].mean() - values[~group].mean())
    assert found.difference.low < found.difference.value < found.difference.high


def test_empty_data() -> None:
    for found in (
        proportion_interval([]),
        ratio_interval([], []),
        compare_means([], []).difference,
        compare(Clustered(sums=np.empty((0, 2)), n=0), ratio(), ratio(1, 0)).difference,
    ):
        assert (found.n, found.reason) == (0, "no rows")
