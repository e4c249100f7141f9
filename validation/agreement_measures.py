"""The measures of agreement on one question, each with its interval."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from ..stats import (
    Bootstrap,
    Clustered,
    Estimate,
    Floats,
    agreement_columns,
    cohen_columns,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    interval,
    intervals,
    krippendorff_alpha,
    proportion_interval,
    randolph_kappa,
)

__all__ = ["label_counts", "measures"]

_COEFFICIENTS = {
    "fleiss_kappa": fleiss_kappa,
    "randolph_kappa": randolph_kappa,
    "gwet_ac1": gwet_ac1,
    "krippendorff_alpha": krippendorff_alpha,
}


def label_counts(table: pl.DataFrame, labels: Sequence[str]) -> Floats:
    """How many raters gave each item each label.

    Args:
        table: Columns ``item``, ``label``: one question's ratings.
        labels: All labels.

    Returns:
        Shape ``(items, labels)``, items in the order of their ids.

    Example:
        >>> table = pl.DataFrame({"item": ["b", "a", "a"], "label": ["x", "y", "x"]})
        >>> label_counts(table, ["x", "y"]).tolist()
        [[1.0, 1.0], [1.0, 0.0]]
    """
    items = table["item"].rank("dense").cast(pl.Int64).to_numpy() - 1
    codes = _codes(table["label"], labels)
    size = (int(items.max(initial=-1)) + 1, len(labels))
    counts = np.bincount(items * size[1] + codes, minlength=size[0] * size[1])
    return counts.reshape(size).astype(np.float64)


def measures(table: pl.DataFrame, labels: Sequence[str], options: Bootstrap) -> dict[str, Estimate]:
    """All measures of one question.

    - ``exact``: the share of items, of those with two ratings or more, that all raters agree on;
    - ``pairwise``: the mean over those items of the share of pairs of ratings that agree;
    - ``fleiss_kappa``, ``randolph_kappa``, ``gwet_ac1``, ``krippendorff_alpha``: see
      :mod:`isogloss.stats.coefficients` for what they are where ratings are missing;
    - ``cohen_kappa``, if there are exactly two raters: on the items that both rated.

    Args:
        table: Columns ``item``, ``rater``, ``label``: one question's ratings, without gaps.
        labels: All labels.
        options: Items are resampled.

    Returns:
        Estimates by name. ``n`` counts the items with two ratings or more; with fewer such
        items than ``options.few`` the estimate is flagged. NaN with a reason where fewer than
        two raters rated an item, and for coefficients where one label only was used.
    """
    counts = label_counts(table, labels)
    pairable = counts.sum(axis=1) >= 2
    n = int(pairable.sum())
    raters = table["rater"].n_unique()
    reason = None
    if not n:
        reasons = {0: "no ratings", 1: "one rater only"}
        reason = reasons.get(raters, "no item has two ratings")
    elif table["label"].n_unique() == 1:
        reason = "one label only: chance agreement is complete"
    names = [*_COEFFICIENTS, *(["cohen_kappa"] if raters == 2 else [])]
    undefined = Estimate(value=math.nan, n=n, clusters=len(counts), reason=reason)
    found = dict.fromkeys(["exact", "pairwise", *names], undefined)
    if n:
        found |= _shares(counts[pairable], options)
    if reason is None:
        data = Clustered(sums=agreement_columns(counts), n=n)
        coefficients = intervals(data, list(_COEFFICIENTS.values()), options=options)
        found |= zip(_COEFFICIENTS, coefficients, strict=True)
        if raters == 2:
            found["cohen_kappa"] = _cohen(table, labels, options)
    return {
        # Bootstrap-t knows no upper bound; below, few pairs among many ratings have none either.
        name: dataclasses.replace(one, few_clusters=n < options.few).within(-math.inf, 1)
        for name, one in found.items()
    }


def _shares(counts: Floats, options: Bootstrap) -> dict[str, Estimate]:
    """Exact and pairwise agreement on items with two ratings or more."""
    whole = counts.max(axis=1) == counts.sum(axis=1)
    pairwise = agreement_columns(counts)[:, 1]
    return {
        "exact": proportion_interval(whole, options=options),
        "pairwise": proportion_interval(pairwise, options=options),
    }


def _cohen(table: pl.DataFrame, labels: Sequence[str], options: Bootstrap) -> Estimate:
    first, second = (part for _, part in sorted(table.group_by("rater"), key=lambda kv: kv[0][0]))
    both = first.join(second, on="item").sort("item")
    codes = _codes(both["label"], labels), _codes(both["label_right"], labels)
    columns = cohen_columns(*codes, labels=len(labels))
    return interval(Clustered(sums=columns, n=both.height), cohen_kappa, options=options)


def _codes(texts: pl.Series, labels: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    codes = texts.cast(pl.Enum(labels)).to_physical().cast(pl.Int64)
    return np.asarray(codes.to_numpy(), dtype=np.int64)
