"""Histograms with bins that don't depend on the data's order or on a plotting library."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Histogram", "Summary", "histogram", "summary"]

#: So much of a bin's width is rounding: a single-precision score of equal texts is 1.0000002.
_ROUNDING = 1e-4


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in bins of one width.

    Attributes:
        start: Left edge of the first bin.
        width: Of a bin.
        counts: Values in each bin; a value on an edge counts in the bin to its right, except
            the last edge. What lies beyond an end by rounding only counts as on it.
        above: Values beyond the last bin.
        below: Values before the first.
    """

    start: float
    width: float
    counts: tuple[int, ...]
    above: int
    below: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """How values are distributed; NaN where there are none.

    Attributes:
        n: Finite values.
        missing: Values that are missing or not finite.
        mean: Their mean.
        sd: Standard deviation, ddof 1; NaN for one value.
        low: Fifth percentile.
        median: Median.
        high: 95th percentile.
        least: Smallest.
        most: Largest.
    """

    n: int
    missing: int
    mean: float
    sd: float
    low: float
    median: float
    high: float
    least: float
    most: float


def histogram(
    values: npt.ArrayLike, *, bins: int = 30, start: float = 0.0, stop: float | None = None
) -> Histogram:
    """Counts values in bins.

    Args:
        values: Shape ``(n,)``; what is missing or infinite isn't counted.
        bins: How many bins at most.
        start: Left edge of the first.
        stop: Right edge of the last; None: bins of a round width that hold 99.5 % of the values.

    Example:
        >>> histogram([1, 2, 2, 900], bins=10, stop=10).counts
        (0, 1, 2, 0, 0, 0, 0, 0, 0, 0)
        >>> histogram([0.5, 1.0], bins=2, stop=1).counts
        (0, 2)
    """
    numbers = _finite(values)
    if stop is None:
        reach = float(np.quantile(numbers, 0.995)) - start if numbers.size else 1.0
        width = _round_width(max(reach, 1.0) / bins)
        bins = max(1, int(np.ceil(max(reach, 1.0) / width)))
        stop = start + bins * width
    slack = _ROUNDING * (stop - start) / bins
    held = (numbers >= start - slack) & (numbers <= stop + slack)
    numbers = np.where(held, np.clip(numbers, start, stop), numbers)
    counts, _ = np.histogram(numbers, bins=bins, range=(start, stop))
    return Histogram(
        start=start,
        width=(stop - start) / bins,
        counts=tuple(int(count) for count in counts),
        above=int((numbers > stop).sum()),
        below=int((numbers < start).sum()),
    )


def summary(values: npt.ArrayLike) -> Summary:
    """Mean, spread and quantiles.

    Example:
        >>> found = summary([1.0, 2.0, 6.0, float("nan")])
        >>> found.n, found.missing, found.mean, found.median
        (3, 1, 3.0, 2.0)
    """
    everything = np.asarray(values, dtype=np.float64)
    numbers = _finite(everything)
    if not numbers.size:
        nan = float("nan")
        return Summary(0, everything.size, nan, nan, nan, nan, nan, nan, nan)
    low, median, high = (float(value) for value in np.quantile(numbers, (0.05, 0.5, 0.95)))
    return Summary(
        n=numbers.size,
        missing=everything.size - numbers.size,
        mean=float(numbers.mean()),
        sd=float(numbers.std(ddof=1)) if numbers.size > 1 else float("nan"),
        low=low,
        median=median,
        high=high,
        least=float(numbers.min()),
        most=float(numbers.max()),
    )


def _finite(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    return numbers[np.isfinite(numbers)]


def _round_width(least: float) -> float:
    """The next of 1, 2, 5, 10, 20 and so on."""
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9)))
