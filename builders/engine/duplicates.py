"""Finds duplicate rows over a whole source, and draws the sample.

This is the only thing whose memory grows with the source: 40 bytes for each row that the
steps before it kept (position, hash of the id, 128-bit hash of the text, rank value), and
about four times that at the peak, while it is sorted and joined. A sample takes 8 bytes
a row more. ``benchmarks/bench_read_clean.py`` measures it.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl

from ...corpus.hashing import seeded_hashes

__all__ = ["VERSION", "DuplicateIndex", "sample_bound", "sample_ranks"]

#: Raised when the same rows would be kept differently.
VERSION = 1

Ranks = np.ndarray[tuple[int], np.dtype[np.uint64]]

_NOT_WORD = r"[^\p{L}\p{M}\p{N}]+"


class DuplicateIndex:
    """Collects what decides over duplicates, then says which rows stay.

    Of rows with one id the one with the highest posterior stays, the earliest of
    equals; then likewise of rows whose texts differ in nothing but case, spaces and
    punctuation. Rows in frozen splits stay before all others.

    Args:
        frozen: Ids of rows that sit in frozen splits.
    """

    def __init__(self, frozen: Collection[str] = ()) -> None:
        self._frozen = pl.Series(sorted(frozen), dtype=pl.String).implode()
        self._parts: list[pl.DataFrame] = []

    def add(self, rows: pl.DataFrame) -> None:
        """Takes rows with ``position``, ``id``, ``posterior`` and ``dialect``."""
        words = (
            pl.col("dialect").str.to_lowercase().str.replace_all(_NOT_WORD, " ").str.strip_chars()
        )
        text = pl.when(words == "").then(pl.col("dialect")).otherwise(words)
        self._parts.append(
            rows.select(
                "position",
                pl.col("id").hash(1).alias("id"),
                text.hash(2).alias("text_1"),
                text.hash(3).alias("text_2"),
                (
                    pl.col("posterior").fill_null(-1.0)
                    + pl.when(pl.col("id").is_in(self._frozen)).then(3.0).otherwise(0.0)
                ).alias("rank"),
            )
        )

    def decide(self) -> pl.DataFrame:
        """Decides over all rows added.

        Returns:
            Columns ``position``, ``reason`` (null: stays) and ``original`` (position of
            the row that stays instead), in the order of the positions.
        """
        if not self._parts:
            schema = {"position": pl.Int64, "reason": pl.String, "original": pl.Int64}
            return pl.DataFrame(schema=schema)
        rows = pl.concat(self._parts).sort(["rank", "position"], descending=[True, False])
        self._parts = []
        by_id = _originals(rows, ["id"])
        left = by_id.filter(pl.col("original").is_null()).drop("original")
        by_text = _originals(left, ["text_1", "text_2"])
        stays = by_text.select("position", pl.col("original").alias("stays"))
        by_id = (
            by_id.join(stays, left_on="original", right_on="position", how="left")
            .with_columns(pl.coalesce("stays", "original").alias("original"))
            .drop("stays")
        )
        dropped = pl.concat(
            [
                part.filter(pl.col("original").is_not_null()).select(
                    "position", pl.lit(reason).alias("reason"), "original"
                )
                for part, reason in ((by_id, "duplicate_id"), (by_text, "duplicate_text"))
            ]
        )
        return (
            rows.select("position")
            .sort("position")
            .join(dropped, on="position", how="left", maintain_order="left")
        )


def _originals(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Adds ``original``: position of the first row with the same keys, null for that row itself."""
    first = pl.col("position").first().over(keys)
    return rows.with_columns(pl.when(first != pl.col("position")).then(first).alias("original"))


def sample_ranks(ids: pl.Series, *, seed: int, frozen: Collection[str] = ()) -> Ranks:
    """Ranks in the sampling order, 0 to 2**64 - 1, from the seeded hashes of the ids.

    Args:
        ids: Row ids.
        seed: The user's seed.
        frozen: Ids of rows in frozen splits: they are sampled before all others.
    """
    digests = seeded_hashes(ids, seed=seed, purpose="sample")
    ranks = np.frombuffer(b"".join(digests), dtype=">u8")[::2].astype(np.uint64)
    if frozen:
        ranks[[row_id in frozen for row_id in ids]] = 0
    return ranks


def sample_bound(ranks: Ranks, limit: int) -> int | None:
    """The largest rank that still belongs to a sample of ``limit`` rows; None if all do."""
    if ranks.size <= limit:
        return None
    return int(np.partition(ranks, limit - 1)[limit - 1])
