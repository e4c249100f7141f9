"""Rows gathered into the clusters that are resampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import OptionError
from .estimate import Floats

__all__ = ["Clustered", "Labels", "cluster_sums"]

#: A label per row; None makes every row a cluster.
Labels = Sequence[Any] | npt.ArrayLike | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustered:
    """Data ready for resampling.

    Attributes:
        sums: Shape ``(clusters, k)``: the sum of each of k columns over a cluster's rows.
        n: Rows behind them.
        excluded: Rows that were left out.
    """

    sums: Floats
    n: int
    excluded: int = 0


def cluster_sums(columns: Sequence[npt.ArrayLike], *, clusters: Labels = None) -> Clustered:
    """Sums columns over clusters, which come in the order of their labels.

    A row with NaN in any column counts as missing: it is left out of all columns and counted,
    so that what is compared rests on the same rows. Infinities stay, and make the statistic
    NaN with a reason.

    Args:
        columns: k columns, each of shape ``(rows,)``; a single number stands for a column of it.
        clusters: The rows' labels, shape ``(rows,)``; None makes every row a cluster.

    Raises:
        OptionError: If a label is missing.
        ValueError: If lengths differ.

    Example:
        >>> data = cluster_sums([[1, 2, np.nan, 4], 1], clusters=["b", "a", "a", "a"])
        >>> print(data.sums)
        [[6. 2.]
         [1. 1.]]
        >>> data.n, data.excluded
        (3, 1)
    """
    table = np.stack(np.broadcast_arrays(*(np.asarray(c, dtype=np.float64) for c in columns)), 1)
    complete = ~np.isnan(table).any(axis=1)
    kept = table[complete]
    n, excluded = len(kept), len(table) - len(kept)
    if clusters is None:
        return Clustered(sums=kept, n=n, excluded=excluded)
    labels = _labels(clusters)
    if len(labels) != len(table):
        raise ValueError(f"{len(labels)} cluster labels for {len(table)} rows")
    names, place = np.unique(labels[complete], return_inverse=True)
    sums = [np.bincount(place, weights=column, minlength=len(names)) for column in kept.T]
    return Clustered(sums=np.stack(sums, axis=1), n=n, excluded=excluded)


def _labels(clusters: Sequence[Any] | npt.ArrayLike) -> npt.NDArray[Any]:
    labels = np.asarray(clusters)
    if labels.dtype.kind in "iub":
        return labels
    # numpy writes None and NaN among strings as words: look at the labels as they came.
    given = list(clusters) if isinstance(clusters, Sequence) else labels.tolist()
    missing = [row for row, label in enumerate(given, 1) if label is None or label != label]
    if missing:
        raise OptionError(
            "a row without a cluster",
            where=f"clusters, row {missing[0]}",
            remedy="give it a label, or a label of its own if it belongs to none",
        )
    return np.asarray([str(label) for label in given], dtype=np.str_)
