"""t-tests with their effect sizes, and Holm's correction."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .estimate import Floats

__all__ = ["TTest", "cohens_d", "holm", "independent_test", "one_sample_test"]

# A standard deviation below this share of the mean is rounding.
_TINY = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class TTest:
    """A t-test, two-sided.

    Attributes:
        difference: The mean less what it is tested against, or less the other mean.
        statistic: Student's t.
        degrees: Degrees of freedom; fractional in Welch's test.
        p_value: Two-sided and uncorrected: see :func:`holm`.
        d: Cohen's d.
        n: Rows of each sample.
        excluded: Rows left out because they are NaN.
        reason: Why numbers are NaN; None if they aren't.
    """

    difference: float = np.nan
    statistic: float = np.nan
    degrees: float = np.nan
    p_value: float = np.nan
    d: float = np.nan
    n: tuple[int, ...]
    excluded: int = 0
    reason: str | None = None


def one_sample_test(values: npt.ArrayLike, *, against: float = 0.0) -> TTest:
    """Student's test whether a mean differs from ``against``.

    Args:
        values: Shape ``(rows,)``; NaN is missing: left out and counted.
        against: The mean under the null hypothesis.

    Example:
        >>> found = one_sample_test([0.5, 0.1, 0.4, 0.2])
        >>> f"t({found.degrees:.0f}) = {found.statistic:.2f}, p = {found.p_value:.3f}"
        't(3) = 3.29, p = 0.046'
        >>> one_sample_test([1.0]).reason
        'fewer than two values'
    """
    sample = _present(values)
    excluded = np.size(values) - len(sample)
    if reason := _unfit(sample):
        return TTest(n=(len(sample),), excluded=excluded, reason=reason)
    from scipy.stats import ttest_1samp  # a second that not every command takes

    found = ttest_1samp(sample, against)
    return TTest(
        difference=float(sample.mean() - against),
        statistic=float(found.statistic),
        degrees=float(found.df),
        p_value=float(found.pvalue),
        d=cohens_d(sample, against=against),
        n=(len(sample),),
        excluded=excluded,
    )


def independent_test(first: npt.ArrayLike, second: npt.ArrayLike) -> TTest:
    """Welch's test (1947) whether two means differ; variances may differ too.

    Args:
        first: Shape ``(rows,)``; NaN is missing.
        second: Shape ``(other rows,)``.

    Example:
        >>> found = independent_test([1, 2, 3, 4], [3, 4, 5, 6, 7])
        >>> f"d = {found.d:.2f}, p = {found.p_value:.3f}"
        'd = -1.71, p = 0.035'
    """
    a, b = _present(first), _present(second)
    n = len(a), len(b)
    excluded = np.size(first) + np.size(second) - sum(n)
    if reason := _unfit(a, b):
        return TTest(n=n, excluded=excluded, reason=reason)
    from scipy.stats import ttest_ind

    with warnings.catch_warnings():
        # One sample without spread is no trouble beside another with some.
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)
        found = ttest_ind(a, b, equal_var=False)
    return TTest(
        difference=float(a.mean() - b.mean()),
        statistic=float(found.statistic),
        degrees=float(found.df),
        p_value=float(found.pvalue),
        d=cohens_d(a, b),
        n=n,
        excluded=excluded,
    )


def cohens_d(
    first: npt.ArrayLike, second: npt.ArrayLike | None = None, *, against: float = 0.0
) -> float:
    """Cohen's d (1988, 2.2): a difference of means in standard deviations (ddof 1).

    Args:
        first: Shape ``(rows,)``; NaN is missing.
        second: The other sample, and the deviation is pooled over both; None for one sample.
        against: What one sample's mean is compared with; unused for two.

    Returns:
        NaN if a sample has fewer than two values, an infinity, or there is no spread.

    Example:
        >>> round(cohens_d([1, 2, 3, 4], [3, 4, 5, 6, 7]), 3)
        -1.708
        >>> cohens_d([2, 2, 2])
        nan
    """
    samples = [_present(values) for values in (first, second) if values is not None]
    if _unfit(*samples):
        return float("nan")
    squares = sum(((sample - sample.mean()) ** 2).sum() for sample in samples)
    deviation = np.sqrt(squares / (sum(map(len, samples)) - len(samples)))
    gap = samples[0].mean() - (samples[1].mean() if len(samples) > 1 else against)
    return float(gap / deviation)


def holm(p_values: npt.ArrayLike) -> Floats:
    """Holm's step-down correction (1979) over a table.

    Args:
        p_values: Any shape; NaN stays NaN and doesn't count as a test.

    Returns:
        Corrected p-values in the same shape, at most 1.

    Raises:
        ValueError: If a value lies outside 0 to 1.

    Example:
        >>> print(holm([0.01, 0.04, np.nan, 0.03]))
        [0.03 0.06  nan 0.06]
    """
    table = np.asarray(p_values, dtype=np.float64)
    if ((table < 0) | (table > 1)).any():
        raise ValueError("a p-value lies between 0 and 1")
    corrected = np.full(table.shape, np.nan)
    known = ~np.isnan(table)
    raw = table[known]
    order = np.argsort(raw, kind="stable")
    steps = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1))
    found = np.empty(len(raw))
    found[order] = np.minimum(steps, 1)
    corrected[known] = found
    return corrected


def _present(values: npt.ArrayLike) -> Floats:
    numbers = np.asarray(values, dtype=np.float64).ravel()
    return numbers[~np.isnan(numbers)]


def _unfit(*samples: Floats) -> str | None:
    """Why there can be no test, or None."""
    if any(len(sample) < 2 for sample in samples):
        return "fewer than two values"
    if not all(np.isfinite(sample).all() for sample in samples):
        return "a value is infinite"
    if all(np.ptp(sample) <= _TINY * np.abs(sample).max() for sample in samples):
        return "all values are the same"
    return None
