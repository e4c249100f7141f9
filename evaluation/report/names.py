"""What the two sides of a corpus are called in a report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

__all__ = ["Names", "names_of"]

#: The paper's own names for its two varieties.
_PAPER = "african-american-english"


@dataclass(frozen=True, slots=True)
class Names:
    """What the two sides are called.

    Attributes:
        dialect: The short name of the dialect side.
        standard: And of the standard side.
        variety: The variety's id; empty if it isn't known or there are several.
    """

    dialect: str = "dialect"
    standard: str = "standard"
    variety: str = ""

    def side(self, side: str) -> str:
        """The name of a side.

        Example:
            >>> Names("AAE", "SAE").side("standard")
            'SAE'
        """
        return self.dialect if side == "dialect" else self.standard


def names_of(items: Iterable[Path]) -> Names:
    """Named by the variety that items say they are of, where all say the same.

    Args:
        items: Files of items; those that can't be read say nothing.
    """
    varieties: set[str] = set()
    for path in items:
        try:
            if "variety" in pl.read_parquet_schema(path):
                found = pl.read_parquet(path, columns=["variety"])["variety"]
                varieties |= set(found.drop_nulls().unique())
        except (OSError, pl.exceptions.PolarsError):
            continue  # whoever needs the items says so
    if len(varieties) != 1:
        return Names()
    (variety,) = varieties
    return Names("AAE", "SAE", variety) if variety == _PAPER else Names(variety=variety)
