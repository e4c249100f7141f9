"""Coefficients of agreement on nominal labels, as statistics of per-item columns.

With n items, q labels, and r_ik ratings of item i as label k, r_i in all, every coefficient is
(p_a - p_e) / (1 - p_e). Where ratings are missing we follow Gwet (2014, chapter 2 to 5): p_a is
the mean over items with two or more ratings of the share of agreeing pairs, and π_k, a label's
share, the mean of r_ik / r_i over items with any. With the same number of ratings for every item
that is Fleiss' (1971) own definition. Krippendorff's α (2018, 12.3) weighs items by their
ratings instead, and knows only items with two or more.

The columns add up over items, so that :func:`isogloss.stats.interval` can resample them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .estimate import Floats

__all__ = [
    "agreement_columns",
    "cohen_columns",
    "cohen_kappa",
    "fleiss_kappa",
    "gwet_ac1",
    "krippendorff_alpha",
    "pairwise_agreement",
    "randolph_kappa",
]

# Chance agreement this near to 1 differs from it by rounding only.
_TINY = 1e-12
# Columns before the labels' shares: pairable, pairwise, rated, coincidences.
_LEADING = 4


def agreement_columns(counts: npt.ArrayLike) -> Floats:
    """What the coefficients sum up, from a table of counts.

    Args:
        counts: Shape ``(items, q)``: how many raters gave an item each label. Every label that
            raters could choose has a column: Randolph's κ and AC1 depend on their number.

    Returns:
        Shape ``(items, 4 + 2 q)``: whether the item has two ratings or more; its share of
        agreeing pairs (0 if it has none); whether it has any rating; its coincidences
        Σ_k r_ik (r_ik - 1) / (r_i - 1); its shares r_ik / r_i; its counts r_ik if it has two
        ratings or more.

    Example:
        >>> print(agreement_columns([[2, 1], [1, 0]])[:, :4].round(2))
        [[1.   0.33 1.   1.  ]
         [0.   0.   1.   0.  ]]
    """
    table = np.asarray(counts, dtype=np.float64)
    ratings = table.sum(axis=1)
    pairable = ratings >= 2
    pairs = (table * (table - 1)).sum(axis=1)
    coincidences = pairs / np.maximum(ratings - 1, 1)
    leading = pairable, coincidences / np.maximum(ratings, 1), ratings >= 1, coincidences
    shares = table / np.maximum(ratings, 1)[:, None]
    return np.column_stack([*leading, shares, table * pairable[:, None]]).astype(np.float64)


def _beyond_chance(agreement: Floats, chance: Floats) -> Floats:
    """(p_a - p_e) / (1 - p_e), NaN where p_e is 1."""
    room = 1 - chance
    return np.asarray((agreement - chance) / np.where(room > _TINY, room, np.nan))


def _shares(sums: Floats) -> Floats:
    """π, shape ``(..., q)``."""
    labels = (sums.shape[-1] - _LEADING) // 2
    return np.asarray(sums[..., _LEADING : _LEADING + labels] / sums[..., 2, None])


def pairwise_agreement(sums: Floats) -> Floats:
    """p_a: the mean over items of the share of pairs of ratings that agree.

    Args:
        sums: Summed :func:`agreement_columns`, shape ``(..., 4 + 2 q)``; so for all below.

    Returns:
        Shape ``(...,)``; NaN if no item has two ratings.
    """
    return np.asarray(sums[..., 1] / sums[..., 0])


def fleiss_kappa(sums: Floats) -> Floats:
    """Fleiss' κ (1971, eq. 7): chance is Σ π_k².

    Returns:
        Shape ``(...,)``; NaN if only one label was used.

    Example:
        >>> counts = [[3, 0]] * 930 + [[2, 1]] * 70
        >>> print(fleiss_kappa(agreement_columns(counts).sum(axis=0)).round(4))
        -0.0239
    """
    return _beyond_chance(pairwise_agreement(sums), (_shares(sums) ** 2).sum(axis=-1))


def randolph_kappa(sums: Floats) -> Floats:
    """Randolph's free-marginal κ (2005; Brennan and Prediger 1981): chance is 1 / q.

    Returns:
        Shape ``(...,)``; NaN if there is one label to choose from.
    """
    labels = (sums.shape[-1] - _LEADING) // 2
    agreement = pairwise_agreement(sums)
    return _beyond_chance(agreement, np.full_like(agreement, 1 / labels))


def gwet_ac1(sums: Floats) -> Floats:
    """Gwet's AC1 (2008, eq. 9): chance is Σ π_k (1 - π_k) / (q - 1).

    Returns:
        Shape ``(...,)``; NaN if there is one label to choose from.
    """
    shares = _shares(sums)
    chance = (shares * (1 - shares)).sum(axis=-1) / np.asarray(shares.shape[-1] - 1, np.float64)
    return _beyond_chance(pairwise_agreement(sums), chance)


def krippendorff_alpha(sums: Floats) -> Floats:
    """Krippendorff's α for nominal data (2018, 12.3.3), from coincidences.

    Returns:
        Shape ``(...,)``; NaN if only one label was used on items with two ratings or more.
    """
    labels = (sums.shape[-1] - _LEADING) // 2
    counts = sums[..., _LEADING + labels :]
    size = counts.sum(axis=-1)
    chance = (counts * (counts - 1)).sum(axis=-1) / (size * (size - 1))
    return _beyond_chance(np.asarray(sums[..., 3] / size), chance)


def cohen_columns(first: npt.ArrayLike, second: npt.ArrayLike, *, labels: int) -> Floats:
    """What :func:`cohen_kappa` sums up, from the labels of two raters.

    Args:
        first: Shape ``(items,)``: each item's label by the first rater, from 0 to labels - 1.
        second: The same by the second rater.
        labels: q.

    Returns:
        Shape ``(items, 1 + 2 q)``: whether they agree; the first's label and the second's, each
        as q columns of 0 and 1.
    """
    one, other = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
    unit = np.eye(labels)
    return np.column_stack([one == other, unit[one], unit[other]]).astype(np.float64)


def cohen_kappa(sums: Floats) -> Floats:
    """Cohen's κ (1960, eq. 1): chance is the product of both raters' own label shares.

    Args:
        sums: Summed :func:`cohen_columns`, shape ``(..., 1 + 2 q)``.

    Returns:
        Shape ``(...,)``; NaN if both raters used the same single label, or there is no item.

    Example:
        >>> columns = cohen_columns([0, 0, 1, 1], [0, 0, 1, 0], labels=2)
        >>> print(cohen_kappa(columns.sum(axis=0)))
        0.5
    """
    labels = (sums.shape[-1] - 1) // 2
    first, second = sums[..., 1 : 1 + labels], sums[..., 1 + labels :]
    size = first.sum(axis=-1)
    chance = (first * second).sum(axis=-1) / size**2
    return _beyond_chance(np.asarray(sums[..., 0] / size), chance)
