"""Lengths, tokens, duplicates and near-identical pairs of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from rapidfuzz import fuzz, process

from ...corpus.words import Words
from .histogram import Histogram, Summary, histogram, summary
from .pairs import Pairs

__all__ = ["Duplicates", "Lengths", "Likeness", "Side", "duplicates", "lengths", "likeness"]

#: Words and numbers; an apostrophe within a word belongs to it.
_WORD = r"[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*"
#: Comparing two texts takes time by the product of their lengths.
_REACH = 5_000
NEAR = 0.9
"""Pairs at least this alike in spelling are nearly identical."""


@dataclass(frozen=True, slots=True)
class Side:
    """The texts of one column.

    Attributes:
        characters: Their number per text.
        words: Parts between white space per text.
        tokens: Words without punctuation, in all texts.
        types: Different ones of them, in lower case.
        characters_histogram: Characters per text.
    """

    characters: Summary
    words: Summary
    tokens: int
    types: int
    characters_histogram: Histogram


@dataclass(frozen=True, slots=True)
class Lengths:
    """Lengths of all columns, and the ratio of a pair's.

    Attributes:
        sides: By column: ``dialect``, ``standard``, ``back``.
        ratio: Characters of the standard over those of the dialect; pairs with an empty
            side have none.
        ratio_histogram: Of its binary logarithm, from -2 (a quarter) to 2.
        only_dialect: Types of the dialect side that the standard side never has.
    """

    sides: Mapping[str, Side]
    ratio: Summary
    ratio_histogram: Histogram
    only_dialect: int


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Rows that repeat an earlier one.

    Attributes:
        pairs: Both texts are those of an earlier row of the variety.
        dialect: The dialect text is, the standard isn't.
        standard: The standard text is, the dialect isn't.
        ids: The id is.
    """

    pairs: int
    dialect: int
    standard: int
    ids: int


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much of their spelling the two sides of a pair share.

    Attributes:
        identical: Pairs with the same text on both sides.
        near: Others with a ratio of ``NEAR`` or more.
        ratios: The ratios: 1 less insertions and deletions over the length of both.
        ratios_histogram: From 0 to 1.
        cut: Pairs of which only the first 5,000 characters were compared.
    """

    identical: int
    near: int
    ratios: Summary
    ratios_histogram: Histogram
    cut: int


def lengths(pairs: Pairs) -> Lengths:
    """Counts characters, words and tokens."""
    types: dict[str, set[str]] = {}
    sides = {}
    # One scale for all sides, so that their pictures can be compared.
    every = pl.concat([pairs.frame[column].str.len_chars() for column in pairs.columns])
    scale = histogram(every.to_numpy())
    for column in pairs.columns:
        texts = pairs.frame[column]
        characters = texts.str.len_chars().to_numpy()
        words = texts.str.count_matches(r"\S+")
        tokens, types[column] = _tokens(texts)
        sides[column] = Side(
            characters=summary(characters),
            words=summary(words.to_numpy()),
            tokens=tokens,
            types=len(types[column]),
            characters_histogram=histogram(
                characters, bins=len(scale.counts), stop=scale.width * len(scale.counts)
            ),
        )
    both = pairs.frame.select(
        dialect=pl.col("dialect").str.strip_chars().str.len_chars(),
        standard=pl.col("standard").str.strip_chars().str.len_chars(),
    )
    full = both.filter(pl.all_horizontal(pl.all() > 0))
    ratios = np.full(both.height, np.nan)
    ratios[: full.height] = (full["standard"] / full["dialect"]).to_numpy()
    with np.errstate(divide="ignore"):
        logarithms = np.log2(ratios)
    return Lengths(
        sides=sides,
        ratio=summary(ratios),
        ratio_histogram=histogram(logarithms, bins=40, start=-2, stop=2),
        only_dialect=len(types["dialect"] - types["standard"]),
    )


def _tokens(texts: pl.Series) -> tuple[int, set[str]]:
    """How many tokens there are, and the different ones; no token goes beyond white space."""
    words = Words.of(texts)
    found = pl.Series(words.different, dtype=pl.String).str.to_lowercase().str.extract_all(_WORD)
    times = np.bincount(words.ids, minlength=len(words.different))
    number = int((times * found.list.len().to_numpy()).sum())
    return number, set(found.explode().drop_nulls().to_list())


def duplicates(pairs: Pairs) -> Duplicates:
    """Counts rows whose texts, in any case and spacing, an earlier row of the variety has."""
    plain = pairs.frame.select(
        "variety",
        "id",
        *(
            pl.col(name).str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
            for name in ("dialect", "standard")
        ),
    )
    again = plain.select(
        pair=~pl.struct("variety", "dialect", "standard").is_first_distinct(),
        dialect=~pl.struct("variety", "dialect").is_first_distinct(),
        standard=~pl.struct("variety", "standard").is_first_distinct(),
        id=~pl.struct("variety", "id").is_first_distinct(),
    )
    one_side = ~pl.col("pair")
    counts = again.select(
        pl.col("pair").sum(),
        (one_side & pl.col("dialect")).sum().alias("dialect"),
        (one_side & pl.col("standard") & ~pl.col("dialect")).sum().alias("standard"),
        pl.col("id").sum(),
    ).row(0, named=True)
    return Duplicates(
        pairs=counts["pair"],
        dialect=counts["dialect"],
        standard=counts["standard"],
        ids=counts["id"],
    )


def likeness(pairs: Pairs) -> Likeness:
    """Compares the spelling of both sides of every pair."""
    frame = pairs.frame
    sides = [
        frame[name].str.slice(0, _REACH).str.to_lowercase() for name in ("dialect", "standard")
    ]
    percent = process.cpdist(*(side.to_list() for side in sides), scorer=fuzz.ratio)
    ratios = np.asarray(percent, dtype=np.float64) / 100
    identical = (frame["dialect"] == frame["standard"]).to_numpy()
    longest = frame.select(pl.max_horizontal(pl.col("dialect", "standard").str.len_chars()))
    return Likeness(
        identical=int(identical.sum()),
        near=int(((ratios >= NEAR) & ~identical).sum()),
        ratios=summary(ratios),
        ratios_histogram=histogram(ratios, bins=40, stop=1),
        cut=int((longest.to_series() > _REACH).sum()),
    )
