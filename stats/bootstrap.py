"""The cluster bootstrap: clusters are drawn with replacement, with all their rows.

A resample is a vector of multinomial weights; times the per-cluster sums of some columns it
gives the columns' sums in the resample, and a statistic is a function of those. Everything we
report is of that form: means, ratios, differences, kappas.

Percentile intervals (Efron 1979; Davison and Hinkley 1997, 5.3.1) cover too little with few
clusters. Below :attr:`Bootstrap.few` the interval is the bootstrap-t (Davison and Hinkley 1997,
5.2.1; for clusters Cameron, Gelbach and Miller 2008) with the jackknife's standard error in
every resample.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import OptionError
from .clusters import Clustered
from .estimate import Estimate, Floats, Method

__all__ = ["Bootstrap", "Statistic", "interval", "intervals", "standard_error"]

#: Maps summed columns, shape ``(..., k)``, to values, shape ``(...,)``; NaN where undefined.
#: It must not depend on the scale of the sums: twice the data has the same value.
Statistic = Callable[[Floats], Floats]

# Numbers in one array of weights, and in one array of leave-one-out sums.
_WEIGHTS = 2**18
_LEFT_OUT = 2**20
# With more undefined resamples than this the others say little about the statistic.
_MOST_UNDEFINED = 0.05
# Spread or error below this share of the value is rounding.
_TINY = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """How intervals are made.

    Attributes:
        resamples: Number of resamples.
        seed: Same seed and same number of clusters, same resamples.
        level: Coverage aimed at.
        few: Below this number of clusters the interval is a bootstrap-t.

    Raises:
        OptionError: If a value is out of range.
    """

    resamples: int = 10_000
    seed: int = 0
    level: float = 0.95
    few: int = 50

    def __post_init__(self) -> None:
        if self.resamples < 1:
            raise OptionError("no resamples", where="resamples", remedy="ask for 1 or more")
        if not 0 < self.level < 1:
            raise OptionError(
                f"a level of {self.level}", where="level", remedy="give one between 0 and 1"
            )


DEFAULT = Bootstrap()


def interval(data: Clustered, statistic: Statistic, *, options: Bootstrap = DEFAULT) -> Estimate:
    """A statistic with its interval.

    Args:
        data: From :func:`isogloss.stats.cluster_sums`.
        statistic: The function of the summed columns.
        options: Resamples, seed, level.

    Returns:
        The estimate. Its value is NaN without rows, with infinities, or where the statistic is
        undefined; it has no interval if there is one cluster, if every resample gives the same
        value, or if the statistic is undefined on over 5 % of them. Limits may lie outside the
        statistic's range under few clusters: see :meth:`Estimate.within`.

    Example:
        >>> from isogloss.stats import cluster_sums
        >>> rng = np.random.default_rng(0)
        >>> data = cluster_sums([rng.normal(1, 1, 300), 1], clusters=np.repeat(np.arange(100), 3))
        >>> print(interval(data, lambda sums: sums[..., 0] / sums[..., 1]))
        0.964 [0.844, 1.084], n = 300
    """
    return intervals(data, [statistic], options=options)[0]


def intervals(
    data: Clustered, statistics: Sequence[Statistic], *, options: Bootstrap = DEFAULT
) -> list[Estimate]:
    """Several statistics on the same resamples, as :func:`interval` gives them."""
    clusters = len(data.sums)
    plain = Estimate(
        value=np.nan, n=data.n, clusters=clusters, excluded=data.excluded,
        few_clusters=clusters < options.few,
    )  # fmt: skip
    if not clusters:
        return [dataclasses.replace(plain, reason="no rows")] * len(statistics)
    infinite = int((~np.isfinite(data.sums)).any(axis=1).sum())
    if infinite:
        reason = f"{infinite} of {clusters} clusters hold a value that is not finite"
        return [dataclasses.replace(plain, reason=reason)] * len(statistics)
    total = data.sums.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = [float(statistic(total)) for statistic in statistics]
        draws, errors = _resample(data.sums, statistics, options)
        own = [
            standard_error(data, statistic) if plain.few_clusters else np.nan
            for statistic in statistics
        ]
        return [
            _limits(dataclasses.replace(plain, value=value), draw, error, scale, options)
            for value, draw, error, scale in zip(values, draws, errors, own, strict=True)
        ]


def standard_error(data: Clustered, statistic: Statistic) -> float:
    """The jackknife's standard error (Efron and Tibshirani 1993, eq. 11.5), over clusters.

    Returns:
        NaN for fewer than two clusters or an undefined leave-one-out value.

    Example:
        >>> from isogloss.stats import cluster_sums
        >>> data = cluster_sums([[1.0, 2.0, 4.0], 1])
        >>> round(standard_error(data, lambda sums: sums[..., 0] / sums[..., 1]), 4)
        0.8819
    """
    sums = data.sums
    if len(sums) < 2:
        return float("nan")
    once = np.ones((1, len(sums)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(_jackknife(once, once @ sums, sums, statistic)[0])


def _resample(
    sums: Floats, statistics: Sequence[Statistic], options: Bootstrap
) -> tuple[Floats, Floats]:
    """Values and standard errors, both ``(statistics, resamples)``; errors if there are few."""
    shape = (len(statistics), options.resamples)
    draws, errors = np.empty(shape), np.full(shape, np.nan)
    # Column by column, so that a sum doesn't depend, in its last bit, on the columns beside it.
    columns = np.ascontiguousarray(sums.T)
    start = 0
    for weights in _weights(len(sums), options):
        part = slice(start, start + len(weights))
        start = part.stop
        totals = np.stack([weights @ column for column in columns], axis=1)
        for row, statistic in enumerate(statistics):
            draws[row, part] = statistic(totals)
            if len(sums) < options.few:
                errors[row, part] = _jackknife(weights, totals, sums, statistic)
    return draws, errors


def _weights(clusters: int, options: Bootstrap) -> Iterator[Floats]:
    """How often each cluster is drawn: arrays ``(some resamples, clusters)`` of bounded size.

    Counting random integers gives the multinomial in a quarter of ``Generator.multinomial``'s time.
    """
    generator = np.random.Generator(np.random.PCG64(options.seed))
    step = max(1, _WEIGHTS // clusters)
    for start in range(0, options.resamples, step):
        number = min(step, options.resamples - start)
        drawn = generator.integers(clusters, size=(number, clusters))
        drawn += np.arange(number)[:, None] * clusters
        counts = np.bincount(drawn.ravel(), minlength=number * clusters)
        yield counts.reshape(number, clusters).astype(np.float64)


def _jackknife(weights: Floats, totals: Floats, sums: Floats, statistic: Statistic) -> Floats:
    """Standard error in each resample; leaving out either copy of a cluster is the same."""
    clusters = len(sums)
    step = max(1, _LEFT_OUT // sums.size)
    errors = np.empty(len(weights))
    for start in range(0, len(weights), step):
        part = slice(start, start + step)
        copies = weights[part]
        left_out = statistic(totals[part, None, :] - sums)
        left_out = np.where(copies > 0, left_out, 0)
        mean = (copies * left_out).sum(axis=1, keepdims=True) / clusters
        squares = (copies * (left_out - mean) ** 2).sum(axis=1)
        errors[part] = np.sqrt((clusters - 1) / clusters * squares)
    return errors


def _limits(
    plain: Estimate, draws: Floats, errors: Floats, scale: float, options: Bootstrap
) -> Estimate:
    """The estimate with its limits; ``scale`` is the standard error in the data themselves."""
    if not np.isfinite(plain.value):
        return dataclasses.replace(plain, value=np.nan, reason="not defined on these data")
    if plain.clusters == 1:
        return dataclasses.replace(plain, reason="one cluster")
    defined = np.isfinite(draws)
    draws, errors = draws[defined], errors[defined]
    plain = dataclasses.replace(plain, undefined=options.resamples - len(draws))
    if plain.undefined > _MOST_UNDEFINED * options.resamples:
        share = f"{plain.undefined} of {options.resamples}"
        return dataclasses.replace(plain, reason=f"not defined on {share} resamples")
    if np.ptp(draws) <= _TINY * abs(plain.value):
        return dataclasses.replace(plain, reason="the same value in every resample")
    tails = (1 - options.level) / 2, (1 + options.level) / 2
    method: Method = "percentile"
    reason: str | None = None
    low, high = np.quantile(draws, tails)
    if plain.few_clusters:
        deepest, highest = np.quantile(_studentised(draws - plain.value, errors, scale), tails)
        studentised = plain.value - highest * scale, plain.value - deepest * scale
        if np.isfinite(studentised).all() and scale > 0:
            method = "bootstrap-t"
            low, high = studentised
        else:
            reason = "too many resamples without spread for a bootstrap-t: likely too narrow"
    return dataclasses.replace(
        plain, low=float(low), high=float(high), method=method, reason=reason
    )


def _studentised(gaps: Floats, errors: Floats, scale: float) -> Floats:
    """Gaps in standard errors; infinite where a resample's error is nil or undefined."""
    infinite = np.where(gaps == 0, 0, np.copysign(np.inf, gaps))
    return np.divide(gaps, errors, out=infinite, where=errors > scale * _TINY)
