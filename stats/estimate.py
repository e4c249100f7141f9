"""A number with its interval, and all that a reader needs to judge it."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate", "Floats", "Method"]

Floats = NDArray[np.float64]
Method = Literal["percentile", "bootstrap-t", "wilson", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value and the limits of its interval.

    Attributes:
        value: The statistic of the data; NaN where it isn't defined.
        low: Lower limit; NaN where there is no interval.
        high: Upper limit.
        n: Rows that the value rests on.
        clusters: Clusters that were resampled.
        method: How the limits were found; "none" if they are NaN.
        few_clusters: Whether there were too few clusters for a percentile interval.
        excluded: Rows left out because a value was missing (NaN).
        undefined: Resamples left out because the statistic isn't defined on them.
        reason: Why a number is NaN, or why another method had to stand in; None if neither.

    Example:
        >>> estimate = Estimate(value=0.25, low=-0.1, high=0.5, n=4, clusters=4)
        >>> print(estimate.within(0, 1))
        0.250 [0.000, 0.500], n = 4
        >>> print(Estimate(value=float("nan"), n=0, clusters=0, reason="no rows"))
        nan (no rows), n = 0
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    n: int
    clusters: int
    method: Method = "none"
    few_clusters: bool = False
    excluded: int = 0
    undefined: int = 0
    reason: str | None = None

    def __str__(self) -> str:
        if math.isnan(self.low):
            return f"{self.value:.3f} ({self.reason}), n = {self.n}"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}], n = {self.n}"

    def within(self, least: float, most: float) -> Estimate:
        """The same with limits that keep to the statistic's range.

        A bootstrap-t interval knows nothing of the range; cutting it there loses no coverage.
        """
        low, high = (float(np.clip(limit, least, most)) for limit in (self.low, self.high))
        return dataclasses.replace(self, low=low, high=high)

    def to_dict(self) -> dict[str, float | int | str | bool | None]:
        """Plain data for JSON: NaN and infinity become None, and ``reason`` says why.

        Example:
            >>> Estimate(value=0.5, n=1, clusters=1, reason="one cluster").to_dict()["low"]
        """
        return {
            field.name: None if isinstance(value, float) and not math.isfinite(value) else value
            for field in dataclasses.fields(self)
            for value in [getattr(self, field.name)]
        }
