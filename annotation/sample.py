"""Draws items from every stratum of a corpus, the same ones whatever the order of its rows."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ..corpus.hashing import canonical_json, seeded_hashes

__all__ = ["sample_items", "strata_of"]


def strata_of(frame: pl.DataFrame, strata: Sequence[str]) -> pl.Series:
    """The stratum of each row: the values of some columns, as text."""
    if not strata:
        return pl.repeat("", frame.height, dtype=pl.String, eager=True).alias("stratum")
    rows = frame.select(pl.col(list(strata)).cast(pl.String)).iter_rows()
    names = {row: " / ".join(value or "" for value in row) for row in set(rows)}
    if len(set(names.values())) < len(names):
        names = {row: canonical_json(list(row)) for row in names}
    rows = frame.select(pl.col(list(strata)).cast(pl.String)).iter_rows()
    return pl.Series("stratum", [names[row] for row in rows], dtype=pl.String)


def sample_items(frame: pl.DataFrame, *, strata: Sequence[str], n: int, seed: int) -> pl.DataFrame:
    """Draws ``n`` rows so that strata keep their shares, each with one row at least if n allows.

    Within a stratum rows come in the order of a seeded hash of their ids. Seats go to strata
    by Webster's method (Sainte-Laguë, divisors 1, 3, 5, …) after the first one of each; unlike
    with the largest remainder a larger sample then holds every smaller one of the same seed,
    so that a project can grow.

    Args:
        frame: Columns ``id`` (unique) and the strata, in any order of rows.
        strata: Columns whose values make a stratum; none for a plain draw.
        n: Rows wanted, 1 or more; with more than there are, all are taken.
        seed: Of the hash.

    Returns:
        The rows drawn, sorted by id.

    Example:
        >>> frame = pl.DataFrame({"id": list("abcdef"), "variety": ["x"] * 5 + ["y"]})
        >>> drawn = sample_items(frame, strata=["variety"], n=3, seed=0)
        >>> drawn["variety"].to_list()
        ['x', 'x', 'y']
    """
    hashes = seeded_hashes(frame["id"], seed=seed, purpose="annotation")
    ranked = (
        pl.DataFrame({"id": frame["id"], "hash": hashes, "stratum": strata_of(frame, strata)})
        .sort("hash")
        .with_columns(
            pl.int_range(pl.len()).over("stratum").alias("rank"),
            pl.len().cast(pl.Int64).over("stratum").alias("size"),
        )
    )
    # The quotient decides among later seats; among first seats the larger stratum comes first.
    first = pl.col("rank") == 0
    wait = pl.when(first).then(-pl.col("size")).otherwise((2 * pl.col("rank") + 1) / pl.col("size"))
    drawn = ranked.sort(~first, wait, "hash").head(n)["id"]
    return frame.filter(pl.col("id").is_in(drawn.implode())).sort("id")
