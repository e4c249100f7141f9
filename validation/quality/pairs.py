"""A parallel corpus to be validated: one of ours, or anybody's file with two columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from ...corpus.varieties import varieties
from ...errors import OptionError
from .people import Labels

__all__ = ["Columns", "Pairs", "Refusals", "VarietyNames", "readable", "standard_of"]


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a source are looked at; None where the usual name is meant.

    Attributes:
        dialect: The dialect text; of a TMX file, its language code.
        standard: The same in the standard.
        back: The back-translation, if there is one.
        id: What a row is called; its position if there is no such column.
        variety: What says the row's variety, where that differs from row to row.
    """

    dialect: str | None = None
    standard: str | None = None
    back: str | None = None
    id: str | None = None
    variety: str | None = None


@dataclass(slots=True)
class Refusals:
    """Rows that can't be looked at: how many for each reason, and where the first one is."""

    counts: dict[str, int] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)

    def add(self, reason: str, position: int) -> None:
        """Notes one row."""
        self.counts[reason] = self.counts.get(reason, 0) + 1
        self.first.setdefault(reason, position)

    @property
    def total(self) -> int:
        """Rows in all."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of texts in memory.

    Attributes:
        name: The file's or folder's name, without the folders above it.
        shape: ``corpus``, ``parquet``, ``jsonl``, ``csv`` or ``tmx``.
        sha256: Of the file, or of the corpus' manifest.
        frame: Columns ``position`` (row of the source, from 1), ``id``, ``variety`` (registry
            id), ``dialect``, ``standard``; ``back``, ``similarity``, ``back_similarity`` and
            ``bertscore`` where the source has them. Texts are never null.
        refused: Rows of the source that are not in ``frame``.
        columns: What each text column is called in the source.
        notes: What a reader must know of the source.
        labels: What people said of the rows, where a corpus folder has it.
    """

    name: str
    shape: str
    sha256: str
    frame: pl.DataFrame
    refused: Refusals
    columns: Mapping[str, str]
    notes: Sequence[str] = ()
    labels: Labels | None = None

    @property
    def varieties(self) -> list[str]:
        """Registry ids of the dialects, in the registry's order."""
        here = set(self.frame["variety"].unique().to_list())
        return [variety.id for variety in varieties() if variety.id in here]

    @property
    def has_back(self) -> bool:
        """Whether there are back-translations."""
        return "back" in self.frame.columns


class VarietyNames:
    """Resolves what a source calls its varieties.

    Args:
        given: ``VALUE=NAME`` for rows that say VALUE, and ``NAME`` for all rows, or beside
            ``VALUE=NAME`` for all other rows.

    Raises:
        OptionError: If a name is not known, or two are given for the same rows.

    Example:
        >>> names = VarietyNames(["gsw=bernese"])
        >>> names.resolve("gsw"), names.resolve("bar"), names.resolve("klingon")
        ('bernese', 'bavarian', None)
        >>> names = VarietyNames(["gsw=bernese", "aae"])
        >>> names.values, names.whole
        ({'gsw': 'bernese'}, 'african-american-english')
    """

    def __init__(self, given: Sequence[str] = ()) -> None:
        self.whole: str | None = None
        self.values: dict[str, str] = {}
        for entry in given:
            value, equals, name = entry.rpartition("=")
            if name not in varieties():
                raise OptionError(
                    f"no variety is called {name!r}",
                    where="--variety",
                    remedy="`isogloss varieties` lists them",
                )
            found = varieties()[name].id
            if varieties()[name].standard:
                raise OptionError(
                    f"{found} is the standard of its cluster, not a dialect",
                    where="--variety",
                    remedy="name the dialect; its standard is found by itself",
                )
            if self.values.get(value, found) != found if equals else self.whole is not None:
                rows = f"the value {value!r}" if equals else "all rows"
                raise OptionError(
                    f"two varieties are given for {rows}",
                    where="--variety",
                    remedy="give VALUE=NAME for rows whose column of varieties says VALUE",
                )
            if equals:
                self.values[value] = found
            else:
                self.whole = found

    def resolve(self, value: str) -> str | None:
        """The dialect that a name means by itself, or None."""
        if value in self.values:
            return self.values[value]
        if value in varieties() and not varieties()[value].standard:
            return varieties()[value].id
        return None


def standard_of(variety: str) -> str:
    """Registry id of the standard that a dialect is compared with.

    Example:
        >>> standard_of("bernese")
        'standard-german'
    """
    cluster = varieties()[variety].cluster
    return next(member.id for member in varieties().cluster(cluster) if member.standard)


def readable(name: str) -> str:
    r"""A file's name as it can be written down, also where its bytes are no UTF-8.

    Example:
        >>> readable("caf\udce9.tsv")
        'caf�.tsv'
    """
    return name.encode(errors="surrogateescape").decode(errors="replace")
