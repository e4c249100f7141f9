"""Intervals of means, proportions, ratios, and their paired differences."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .bootstrap import DEFAULT, Bootstrap, Statistic, interval, intervals, standard_error
from .clusters import Clustered, Labels, cluster_sums
from .estimate import Estimate, Floats

__all__ = [
    "Comparison",
    "compare",
    "compare_means",
    "mean_interval",
    "proportion_interval",
    "ratio",
    "ratio_interval",
    "wilson",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two estimates and their difference, first minus second, on the same resamples."""

    first: Estimate
    second: Estimate
    difference: Estimate


def ratio(top: int = 0, bottom: int = 1) -> Statistic:
    """The statistic that divides one summed column by another.

    Example:
        >>> print(ratio()(np.array([[1.0, 4.0], [3.0, 2.0]])))
        [0.25 1.5 ]
    """

    def statistic(sums: Floats) -> Floats:
        return np.asarray(sums[..., top] / sums[..., bottom])

    return statistic


def mean_interval(
    values: npt.ArrayLike, *, clusters: Labels = None, options: Bootstrap = DEFAULT
) -> Estimate:
    """The mean over rows.

    Args:
        values: Shape ``(rows,)``; NaN is missing: left out and counted, never 0.
        clusters: Labels, shape ``(rows,)``; None: rows are independent.
        options: Resamples, seed, level.

    Example:
        >>> print(mean_interval(np.arange(100.0)))
        49.500 [43.910, 55.160], n = 100
        >>> print(mean_interval([]))
        nan (no rows), n = 0
    """
    return interval(cluster_sums([values, 1], clusters=clusters), ratio(), options=options)


def ratio_interval(
    tops: npt.ArrayLike,
    bottoms: npt.ArrayLike,
    *,
    clusters: Labels = None,
    options: Bootstrap = DEFAULT,
) -> Estimate:
    """The sum of one column over the sum of another; rows with NaN in either are left out.

    Example:
        >>> round(ratio_interval([1, 2, 3], [2, 2, 8]).value, 3)
        0.5
    """
    return interval(cluster_sums([tops, bottoms], clusters=clusters), ratio(), options=options)


def proportion_interval(
    hits: npt.ArrayLike, *, clusters: Labels = None, options: Bootstrap = DEFAULT
) -> Estimate:
    """The mean of values from 0 to 1, with limits that stay between 0 and 1.

    A proportion of exactly 0 or 1 has no spread to resample: it gets Wilson's interval on the
    number of clusters, as if rows of a cluster repeated each other. The same interval on the
    effective number of rows (Korn and Graubard 1998; Dean and Pagano 2015) stands in where a
    bootstrap-t degenerates.

    Args:
        hits: Shape ``(rows,)``: truth values, or shares; NaN is missing.
        clusters: Labels, shape ``(rows,)``; None: rows are independent.
        options: Resamples, seed, level.

    Raises:
        ValueError: If a value lies outside 0 to 1.

    Example:
        >>> print(proportion_interval([True] * 10))
        1.000 [0.722, 1.000], n = 10
        >>> print(proportion_interval([True] * 80 + [False] * 20))
        0.800 [0.720, 0.880], n = 100
    """
    data = cluster_sums([hits, 1], clusters=clusters)
    numbers = np.asarray(hits, dtype=np.float64)
    if ((numbers < 0) | (numbers > 1)).any():
        raise ValueError("a proportion needs values from 0 to 1")
    estimate = interval(data, ratio(), options=options).within(0, 1)
    if estimate.clusters < 2 or estimate.method == "bootstrap-t":
        return estimate
    share = estimate.value
    if share in (0.0, 1.0):
        size: float = estimate.clusters
    elif estimate.few_clusters and estimate.method == "percentile":
        size = min(data.n, share * (1 - share) / standard_error(data, ratio()) ** 2)
    else:
        return estimate
    low, high = wilson(share, size, level=options.level)
    return dataclasses.replace(estimate, low=low, high=high, method="wilson", reason=None)


def wilson(share: float, size: float, *, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval (1927) of a proportion; ``size`` may be an effective, fractional one.

    ``scipy.stats.binomtest(…).proportion_ci(method="wilson")`` gives the same for whole numbers.

    Example:
        >>> [round(limit, 4) for limit in wilson(0.9, 10)]
        [0.5958, 0.9821]
    """
    from scipy.special import ndtri  # half a second that not every command takes

    z2 = float(ndtri((1 - level) / 2)) ** 2
    centre = (share + z2 / (2 * size)) / (1 + z2 / size)
    half = np.sqrt(z2 * (share * (1 - share) / size + z2 / (4 * size**2))) / (1 + z2 / size)
    # At 0 and 1 a limit is the share itself, but for rounding.
    return max(0.0, min(share, float(centre - half))), min(1.0, max(share, float(centre + half)))


def compare(
    data: Clustered, first: Statistic, second: Statistic, *, options: Bootstrap = DEFAULT
) -> Comparison:
    """Two statistics of the same clusters, and the interval of their difference.

    Groups of different rows compare this way too: columns that are 0 outside their group.

    Example:
        >>> score, dialect = np.arange(8.0), np.array([0, 1] * 4)
        >>> columns = [score * dialect, dialect, score * (1 - dialect), 1 - dialect]
        >>> data = cluster_sums(columns, clusters=["a", "a", "b", "b", "c", "c", "d", "d"])
        >>> found = compare(data, ratio(0, 1), ratio(2, 3))
        >>> found.first.value, found.second.value, found.difference.value
        (4.0, 3.0, 1.0)
    """

    def difference(sums: Floats) -> Floats:
        return np.asarray(first(sums) - second(sums))

    one, other, gap = intervals(data, [first, second, difference], options=options)
    return Comparison(first=one, second=other, difference=gap)


def compare_means(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    clusters: Labels = None,
    options: Bootstrap = DEFAULT,
) -> Comparison:
    """The means of paired values; a row with NaN on either side is left out of both.

    Example:
        >>> found = compare_means([1, 2, 3, 9], [0, 2, 1, np.nan])
        >>> found.difference.value, found.difference.n, found.difference.excluded
        (1.0, 3, 1)
    """
    data = cluster_sums([first, second, 1], clusters=clusters)
    return compare(data, ratio(0, 2), ratio(1, 2), options=options)
