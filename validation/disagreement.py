"""Where raters disagree: who with whom, and about which items."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ..stats import cohen_kappa

__all__ = ["DisputedItem", "RaterPair", "disputed_items", "rater_pairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPair:
    """Two raters on the items that both rated.

    Attributes:
        first: For example "rater 1".
        second: The other, with a higher number.
        n: Items that both rated.
        agreement: The share of them with the same label.
        kappa: Cohen's κ; NaN if both gave one and the same label throughout.
    """

    first: str
    second: str
    n: int
    agreement: float
    kappa: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        undefined = math.isnan(self.kappa)
        return dataclasses.asdict(self) | {
            "kappa": None if undefined else self.kappa,
            "reason": "one label only" if undefined else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputedItem:
    """An item that raters disagree on.

    Attributes:
        item: Its id.
        ratings: How many it has.
        disagreement: The share of pairs of its ratings that differ.
        labels: How often it got each label, the commonest first.
    """

    item: str
    ratings: int
    disagreement: float
    labels: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return dataclasses.asdict(self)


def rater_pairs(table: pl.DataFrame, labels: Sequence[str]) -> tuple[RaterPair, ...]:
    """All pairs of raters that have an item in common.

    Args:
        table: Columns ``item``, ``rater`` (numbers), ``label``: one question's ratings.
        labels: All labels.

    Returns:
        Sorted by the raters' numbers.

    Example:
        >>> table = pl.DataFrame({"item": list("aabbcc"), "rater": [1, 2] * 3,
        ...                       "label": ["x", "x", "y", "y", "x", "y"]})
        >>> [pair] = rater_pairs(table, ["x", "y"])
        >>> pair.n, round(pair.agreement, 3), round(pair.kappa, 3)
        (3, 0.667, 0.4)
    """
    coded = table.select(
        "item", "rater", pl.col("label").cast(pl.Enum(labels)).to_physical().cast(pl.Int64)
    )
    cells = (
        coded.join(coded, on="item")
        .filter(pl.col("rater") < pl.col("rater_right"))
        .group_by("rater", "rater_right", "label", "label_right")
        .len()
    )
    pairs = cells.group_by("rater", "rater_right").agg(pl.col("len").sum()).sort(pl.all())
    cells = cells.join(pairs.drop("len").with_row_index("pair"), on=["rater", "rater_right"])
    place, first, second, size = (
        cells[name].cast(pl.Int64).to_numpy() for name in ("pair", "label", "label_right", "len")
    )
    # Summed columns as isogloss.stats.cohen_columns has them.
    width = 1 + 2 * len(labels)
    columns = [np.zeros_like(first), 1 + first, 1 + len(labels) + second]
    sums = np.bincount(
        np.concatenate([place * width + column for column in columns]),
        weights=np.concatenate([size * (first == second), size, size]),
        minlength=pairs.height * width,
    ).astype(np.float64)
    sums = sums.reshape(pairs.height, width)
    return tuple(
        RaterPair(
            first=f"rater {one}", second=f"rater {other}", n=n,
            agreement=float(agreed) / n, kappa=float(kappa),
        )
        for (one, other, n), agreed, kappa in zip(
            pairs.iter_rows(), sums[:, 0], cohen_kappa(sums), strict=True
        )
    )  # fmt: skip


def disputed_items(table: pl.DataFrame, *, most: int) -> tuple[DisputedItem, ...]:
    """The items with most disagreement.

    Args:
        table: Columns ``item``, ``label``: one question's ratings.
        most: How many to give.

    Returns:
        By the share of differing pairs, then by ratings, then by id; items in full agreement
        are never among them.

    Example:
        >>> table = pl.DataFrame({"item": list("aaabbcc"), "label": list("xxyxyzz")})
        >>> [(one.item, round(one.disagreement, 2)) for one in disputed_items(table, most=5)]
        [('b', 1.0), ('a', 0.67)]
    """
    count = pl.col("count")
    cells = table.group_by("item", "label").agg(pl.len().cast(pl.Int64).alias("count"))
    items = (
        cells.sort("count", "label", descending=[True, False])
        .group_by("item", maintain_order=True)
        .agg(
            count.sum().alias("ratings"),
            (count * (count - 1)).sum().alias("same"),
            "label",
            count.alias("counts"),
        )
        .filter(pl.col("counts").list.len() > 1)
        .with_columns(
            disagreement=1 - pl.col("same") / (pl.col("ratings") * (pl.col("ratings") - 1))
        )
        .sort("disagreement", "ratings", "item", descending=[True, True, False])
        .head(most)
    )
    return tuple(
        DisputedItem(
            item=row["item"],
            ratings=row["ratings"],
            disagreement=row["disagreement"],
            labels=dict(zip(row["label"], row["counts"], strict=True)),
        )
        for row in items.iter_rows(named=True)
    )
