"""t-tests, effect sizes, Holm's correction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.stats import cohens_d, holm, independent_test, one_sample_test
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW


def test_one_sample_against_statsmodels() -> None:
    values = np.random.default_rng(0).normal(0.3, 1, size=40)
    found = one_sample_test(values)
    t, p, degrees = DescrStatsW(values).ttest_mean(0)
    assert (found.statistic, found.p_value, found.degrees) == pytest.approx((t, p, degrees))
    assert found.d == pytest.approx(values.mean() / values.std(ddof=1))
    assert found.d == pytest.approx(found.statistic / np.sqrt(40))
    assert found.n == (40,)


def test_welch_against_statsmodels() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=30), rng.normal(0.5, 3, size=55)
    found = independent_test(first, second)
    theirs = CompareMeans(DescrStatsW(first), DescrStatsW(second)).ttest_ind(usevar="unequal")
    assert (found.statistic, found.p_value, found.degrees) == pytest.approx(theirs)
    assert found.difference == pytest.approx(first.mean() - second.mean())
    pooled = np.sqrt((29 * first.var(ddof=1) + 54 * second.var(ddof=1)) / 83)
    assert found.d == pytest.approx((first.mean() - second.mean()) / pooled)
    assert found.n == (30, 55)


def test_missing_values_are_counted() -> None:
    found = one_sample_test([1, np.nan, 2, 4])
    assert (found.n, found.excluded) == ((3,), 1)
    assert found.p_value == pytest.approx(stats.ttest_1samp([1, 2, 4], 0).pvalue)
    two = independent_test([1, np.nan, 2], [3, 5, np.nan, np.nan])
    assert (two.n, two.excluded) == ((2, 2), 3)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "fewer than two values"),
        ([1, np.nan], "fewer than two values"),
        ([1, np.inf, 2], "a value is infinite"),
        ([0.1] * 10, "all values are the same"),
        ([0] * 10, "all values are the same"),
    ],
)
def test_no_test_without_spread(values: list[float], reason: str) -> None:
    for found in (one_sample_test(values), independent_test(values, values)):
        assert found.reason == reason
        assert np.isnan([found.statistic, found.p_value, found.d, found.difference]).all()
    assert np.isnan(cohens_d(values))


def test_a_constant_sample_beside_one_with_spread() -> None:
    found = independent_test([1, 1, 1], [2, 3, 4])
    assert found.reason is None
    assert found.p_value == pytest.approx(2 * stats.t.sf(2 / np.sqrt(1 / 3), 2))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)  # the peer is slow
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_nan_does_not_count_as_a_test() -> None:
    table = np.array([[0.01, np.nan], [0.04, 0.03]])
    found = holm(table)
    assert found.shape == table.shape
    assert found == pytest.approx(np.array([[0.03, np.nan], [0.06, 0.06]]), nan_ok=True)
    assert holm([]).size == 0
    assert np.isnan(holm([np.nan])).all()


def test_what_is_no_p_value() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, 1.5])
