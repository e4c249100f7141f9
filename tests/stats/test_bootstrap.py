"""The cluster bootstrap: resamples, intervals, degenerate data."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.errors import OptionError
from isogloss.stats import (
    Bootstrap,
    Clustered,
    Floats,
    cluster_sums,
    interval,
    intervals,
    mean_interval,
    ratio,
    standard_error,
)
from scipy import stats

QUICK = Bootstrap(resamples=500)


def clustered(clusters: int, *, rows: int = 3, seed: int = 0) -> tuple[Floats, list[str]]:
    """Values with a mean of 0 that differ between clusters, and labels."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=clusters)[:, None] + rng.normal(size=(clusters, rows))
    return values.ravel(), [f"c{i // rows}" for i in range(clusters * rows)]


def naive(values: Floats, labels: list[str], *, resamples: int, seed: int) -> Floats:
    """Means of resamples, row by row."""
    rng = np.random.default_rng(seed)
    names = sorted(set(labels))
    rows = {name: [v for v, label in zip(values, labels, strict=True) if label == name]
            for name in names}  # fmt: skip
    return np.array([
        np.mean(np.concatenate([rows[names[k]] for k in rng.integers(len(names), size=len(names))]))
        for _ in range(resamples)
    ])  # fmt: skip


def test_limits_are_those_of_a_resampling_row_by_row() -> None:
    values, labels = clustered(60)
    values, labels = values[:-2], labels[:-2]
    found = mean_interval(values, clusters=labels)
    draws = naive(values, labels, resamples=10_000, seed=5)
    assert found.method == "percentile"
    assert (found.n, found.clusters, found.few_clusters) == (178, 60, False)
    assert [found.low, found.high] == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.015)


def test_unclustered_limits_are_scipys() -> None:
    values = np.random.default_rng(3).gamma(2, size=200)
    found = mean_interval(values)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert [found.low, found.high] == pytest.approx([theirs.low, theirs.high], abs=0.02)


def test_few_clusters_get_a_bootstrap_t() -> None:
    values, labels = clustered(20)
    found = mean_interval(values, clusters=labels)
    plain = mean_interval(values, clusters=labels, options=Bootstrap(few=0))
    assert (found.method, found.few_clusters) == ("bootstrap-t", True)
    assert (plain.method, plain.few_clusters) == ("percentile", False)
    assert found.low < plain.low < plain.value < plain.high < found.high
    means = values.reshape(20, 3).mean(axis=1)
    theirs = stats.ttest_1samp(means, 0).confidence_interval()
    assert [found.low, found.high] == pytest.approx([theirs.low, theirs.high], abs=0.08)


def test_bootstrap_t_is_the_textbooks() -> None:
    # Equal clusters: the jackknife's error of a mean is the usual one.
    values = np.random.default_rng(2).exponential(size=15)
    found = mean_interval(values, options=Bootstrap(resamples=20_000))
    rng = np.random.default_rng(9)
    drawn = values[rng.integers(15, size=(20_000, 15))]
    t = (drawn.mean(axis=1) - values.mean()) / (drawn.std(axis=1, ddof=1) / np.sqrt(15))
    error = values.std(ddof=1) / np.sqrt(15)
    expected = values.mean() - np.quantile(t, [0.975, 0.025]) * error
    assert [found.low, found.high] == pytest.approx(expected, abs=0.06)
    assert standard_error(cluster_sums([values, 1]), ratio()) == pytest.approx(error)


def test_same_seed_same_resamples_whatever_the_columns() -> None:
    values, labels = clustered(70)
    other = values**2
    both = cluster_sums([values, other, 1], clusters=labels)
    found = intervals(both, [ratio(0, 2), ratio(1, 2)], options=QUICK)
    assert found == [
        mean_interval(values, clusters=labels, options=QUICK),
        mean_interval(other, clusters=labels, options=QUICK),
    ]
    other_seed = mean_interval(values, clusters=labels, options=Bootstrap(resamples=500, seed=1))
    assert other_seed != found[0]


@pytest.mark.parametrize("clusters", [12, 80])
def test_the_order_of_rows_does_not_matter(clusters: int) -> None:
    values, labels = clustered(clusters)
    order = np.random.default_rng(1).permutation(len(values))
    found = mean_interval(values, clusters=labels, options=QUICK)
    shuffled = mean_interval(values[order], clusters=[labels[i] for i in order], options=QUICK)
    assert [shuffled.low, shuffled.high] == pytest.approx([found.low, found.high], abs=1e-9)


def test_labels_of_any_kind() -> None:
    values, labels = clustered(60)
    numbers = [int(label[1:]) for label in labels]
    found = mean_interval(values, clusters=np.array(numbers), options=QUICK)
    assert found.clusters == 60
    assert found == mean_interval(values, clusters=numbers, options=QUICK)


@pytest.mark.parametrize("label", [None, float("nan")])
def test_a_missing_label_is_the_users_error(label: float | None) -> None:
    with pytest.raises(OptionError, match="clusters, row 2: a row without a cluster"):
        mean_interval([1, 2, 3], clusters=["a", label, "b"])


def test_labels_and_rows_must_be_as_many() -> None:
    with pytest.raises(ValueError, match="2 cluster labels for 3 rows"):
        mean_interval([1, 2, 3], clusters=["a", "b"])


def test_missing_values_are_left_out_and_counted() -> None:
    values, labels = clustered(60)
    gaps = values.copy()
    gaps[::7] = np.nan
    found = mean_interval(gaps, clusters=labels, options=QUICK)
    present = ~np.isnan(gaps)
    expected = mean_interval(values[present], clusters=np.array(labels)[present], options=QUICK)
    assert found == replace(expected, excluded=int((~present).sum()))
    assert found.n + found.excluded == len(values)


@pytest.mark.parametrize(
    ("values", "clusters", "value", "reason"),
    [
        ([], None, np.nan, "no rows"),
        ([np.nan, np.nan], None, np.nan, "no rows"),
        ([1.0, np.inf, 2.0], None, np.nan, "1 of 3 clusters hold a value that is not finite"),
        ([np.inf, -np.inf], "aa", np.nan, "1 of 1 clusters hold a value that is not finite"),
        ([1.0], None, 1.0, "one cluster"),
        ([1.0, 2.0], "aa", 1.5, "one cluster"),
        ([0.1] * 7, None, 0.1, "the same value in every resample"),
        ([0.1] * 77, None, 0.1, "the same value in every resample"),
        ([0.0] * 77, None, 0.0, "the same value in every resample"),
    ],
)
def test_degenerate_data_have_no_interval_but_a_reason(
    values: list[float], clusters: str | None, value: float, reason: str
) -> None:
    found = mean_interval(values, clusters=clusters and list(clusters))
    assert found.value == pytest.approx(value, nan_ok=True)
    assert np.isnan([found.low, found.high]).all()
    assert (found.method, found.reason) == ("none", reason)
    assert found.to_dict()["low"] is None


def test_undefined_resamples_are_left_out_and_counted() -> None:
    rare = np.zeros(100)
    rare[:4] = 1
    data = cluster_sums([np.arange(100) * rare, rare])
    found = interval(data, ratio())
    assert found.method == "percentile"
    assert 0.01 < found.undefined / 10_000 < 0.03
    rare[2:] = 0
    hardly = interval(cluster_sums([np.arange(100) * rare, rare]), ratio())
    assert hardly.value == 0.5
    assert hardly.method == "none"
    assert str(hardly.reason).startswith("not defined on 1")
    never = interval(cluster_sums([np.arange(100), 0]), ratio())
    assert np.isnan(never.value)
    assert never.reason == "not defined on these data"


def test_a_degenerate_bootstrap_t_falls_back_and_says_so() -> None:
    found = mean_interval([0.0] * 10 + [1.0])
    assert (found.method, found.few_clusters) == ("percentile", True)
    assert "too narrow" in str(found.reason)


def test_memory_stays_bounded() -> None:
    data = Clustered(sums=np.random.default_rng(0).normal(size=(100_000, 3)) + 5, n=100_000)
    tracemalloc.start()
    found = interval(data, ratio(), options=Bootstrap(resamples=20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.low < found.value < found.high
    assert peak < 100e6


@pytest.mark.parametrize("options", [{"resamples": 0}, {"level": 95.0}, {"level": 0.0}])
def test_options_out_of_range(options: dict[str, float]) -> None:
    with pytest.raises(OptionError):
        Bootstrap(**options)  # type: ignore[arg-type]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6)), min_size=0, max_size=70),
    st.integers(1, 5),
)
def test_no_input_gives_a_wrong_zero(values: list[float], per_cluster: int) -> None:
    labels = [str(i // per_cluster) for i in range(len(values))]
    found = mean_interval(values, clusters=labels, options=Bootstrap(resamples=200))
    present = [v for v in values if v == v]
    assert found.n == len(present)
    assert found.n + found.excluded == len(values)
    assert np.isnan(found.value) == (not present)
    assert np.isnan(found.low) == np.isnan(found.high) == (found.method == "none")
    assert found.method != "none" or found.reason
    if found.method == "percentile":
        span = max(map(abs, present)) * 1e-9
        assert min(present) - span <= found.low <= found.high <= max(present) + span


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clusters", "skewed", "least", "most"),
    [(206, False, 0.92, 0.98), (20, False, 0.92, 0.98), (20, True, 0.88, 0.98)],
)
def test_coverage(clusters: int, skewed: bool, least: float, most: float) -> None:
    rng = np.random.default_rng(11)
    covered = 0
    for seed in range(400):
        effects = rng.normal(size=clusters)
        if skewed:
            effects = np.exp(effects) - np.exp(0.5)
        values = effects[:, None] + rng.normal(size=(clusters, 3))
        found = mean_interval(
            values.ravel(),
            clusters=np.repeat(np.arange(clusters), 3),
            options=Bootstrap(resamples=1_000, seed=seed),
        )
        covered += found.low <= 0 <= found.high
    assert least <= covered / 400 <= most
