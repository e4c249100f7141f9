"""Splits: drawn once, in the order of a seeded hash of the row's group, then frozen.

Groups (an author, a source question, an article) never straddle two splits. Rows
that a later build adds go to ``rest``; a new row whose group already sits in a
frozen split can go neither there nor to ``rest`` and is handed back as such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from .hashing import seeded_hashes

__all__ = ["REST", "SplitRule", "draw_splits"]

#: The split of every row that no rule takes.
REST = "rest"


@dataclass(frozen=True, slots=True)
class SplitRule:
    """One split to be drawn.

    Attributes:
        name: The split's name.
        share: Wanted rows as a share of ``of``; with fewer rows the same proportion.
        of: Rows that the published corpus has.
        marked: Take only groups whose rows all have a true ``marked`` column.
    """

    name: str
    share: int
    of: int
    marked: bool = False

    def wanted(self, rows: int) -> int:
        """Rows wanted of a corpus with ``rows`` rows: never more than ``share``."""
        return min(self.share, round(rows * self.share / self.of))


def draw_splits(
    rows: pl.DataFrame,
    rules: Sequence[SplitRule],
    *,
    seed: int,
    frozen: Mapping[str, str] | None = None,
) -> pl.Series:
    """Assigns each row its split.

    Rules are filled in their order, each with the groups that still fit, taken in
    the order of the seeded hash of the group. An earlier rule thus keeps its fair
    share of marked rows before a rule that takes marked groups only.

    Args:
        rows: Columns ``id``, ``group`` (strings), ``marked`` (bool) and ``eligible`` (bool:
            whether the row can serve in any split but ``rest``; a group goes by its rows).
        rules: The splits to draw; what is left over is ``rest``.
        seed: The user's seed.
        frozen: Split by row id from an earlier build, only splits named by ``rules``; None
            if there was no earlier build.

    Returns:
        A string series ``split`` in the order of ``rows``; null where a new row's
        group already sits in a frozen split.

    Example:
        >>> rows = pl.DataFrame({"id": ["1", "2", "3", "4"], "group": ["a", "a", "b", "c"],
        ...                      "marked": [True, False, True, True],
        ...                      "eligible": True})
        >>> drawn = draw_splits(rows, [SplitRule("evaluation", 2, 4)], seed=1)
        >>> drawn.value_counts(sort=True)["count"].to_list()
        [2, 2]
    """
    if frozen is not None:
        return _keep_frozen(rows, frozen)
    groups = rows.group_by("group").agg(
        pl.len().alias("size"), pl.col("marked").all(), pl.col("eligible").all()
    )
    groups = groups.filter("eligible")
    names = groups["group"].to_list()
    order = seeded_hashes(names, seed=seed, purpose="split")
    table = sorted(zip(order, names, groups["size"], groups["marked"], strict=True))
    split_of: dict[str, str] = {}
    for rule in rules:
        room = rule.wanted(rows.height)
        for _, name, size, marked in table:
            if room == 0:
                break
            if name in split_of or size > room or (rule.marked and not marked):
                continue
            split_of[name] = rule.name
            room -= size
    return pl.Series("split", [split_of.get(g, REST) for g in rows["group"]], dtype=pl.String)


def _keep_frozen(rows: pl.DataFrame, frozen: Mapping[str, str]) -> pl.Series:
    taken = {
        group for row_id, group in zip(rows["id"], rows["group"], strict=True) if row_id in frozen
    }
    splits = [
        frozen.get(row_id) or (None if group in taken else REST)
        for row_id, group in zip(rows["id"], rows["group"], strict=True)
    ]
    return pl.Series("split", splits, dtype=pl.String)
