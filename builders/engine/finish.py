"""Puts the finished blocks together into a version of the corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from ...corpus.hashing import seeded_hashes
from ...corpus.readme import SplitFiles
from ...corpus.schema import COMMON, REJECTED, Schema, check_columns
from ...corpus.splits import REST, draw_splits
from ...corpus.store import ShardWriter, read_parquet
from ...corpus.version import CONFIG, DataFiles, written_files
from ...errors import InternalError
from .blocks import BLOCK_PARTS, block_folders
from .pipeline import Pipeline
from .progress import Progress

__all__ = ["Assembled", "assemble", "corpus_schema"]

#: What the pipeline says of a row for the splits.
_SAID = {"marked": pl.Boolean, "eligible": pl.Boolean}
#: Rows per Parquet file, and in memory at once.
_FILE_ROWS = 200_000


@dataclass(frozen=True, slots=True)
class Assembled:
    """What was written.

    Attributes:
        kept: Rows in ``data/``.
        rejected: Rows in ``rejected/`` by (stage, reason).
        splits: The splits with rows and sizes, in their order.
        assignments: Ids by drawn split, earlier builds' included.
        files: ``path -> {"sha256", "bytes", "rows"}``, sorted by path.
    """

    kept: int
    rejected: dict[tuple[str, str], int]
    splits: list[SplitFiles]
    assignments: dict[str, list[str]]
    files: dict[str, dict[str, str | int]]


def corpus_schema(pipeline: Pipeline) -> Schema:
    """The published columns: the common ones, then the corpus' own."""
    return {**COMMON, **pipeline.columns}


def assemble(
    pipeline: Pipeline,
    selection: Path,
    blocks: Path,
    target: Path,
    *,
    frozen: dict[str, list[str]] | None,
    progress: Progress,
) -> Assembled:
    """Writes ``data/`` and ``rejected/`` into ``target``.

    Args:
        pipeline: What is built.
        selection: Folder of the first half, with its rejections.
        blocks: Folder of the finished blocks.
        target: The staged version.
        frozen: Ids by split, as an earlier build drew them; None without one.
        progress: Told of the parts written.
    """
    folders = block_folders(blocks)
    closed = _close(pipeline, folders)
    rows = _assign(pipeline, folders, closed["id"], frozen)
    names = [*(rule.name for rule in pipeline.splits), REST]
    progress.phase("write the corpus", len(names) + 1)
    (target / "rejected").mkdir()
    refused = _Rejections(target / "rejected")
    for path in sorted(selection.glob("rejected-*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches():
            refused.write(pl.DataFrame(pl.from_arrow(batch), schema=dict(REJECTED)))
    refused.write(closed)
    by_split = rows.filter(pl.col("split").is_null())
    for number, folder in enumerate(folders):
        refused.write(read_parquet([folder / BLOCK_PARTS[1]], REJECTED))
        refused.write(_refused_by_split(folder, by_split.filter(pl.col("block") == number)))
    refused.close()
    progress.advance(1, refused.counts.total())
    data, splits = DataFiles(target, corpus_schema(pipeline)), []
    for done, name in enumerate(names, start=2):
        chosen = rows.filter(pl.col("split") == name)
        splits.append(_write_split(pipeline, name, chosen, folders, data))
        progress.advance(done, refused.counts.total() + sum(split.rows for split in splits))
    return Assembled(
        sum(split.rows for split in splits),
        dict(sorted(refused.counts.items())),
        splits,
        _assignments(pipeline, rows, frozen),
        dict(written_files(target)),
    )


def _close(pipeline: Pipeline, folders: Sequence[Path]) -> pl.DataFrame:
    """What the step over all blocks rejects."""
    if pipeline.closing is None:
        return pl.DataFrame(schema=dict(REJECTED))

    def frames() -> Iterator[pl.DataFrame]:
        return (pl.read_parquet(folder / BLOCK_PARTS[0]) for folder in folders)

    rejected = pipeline.closing.run(frames)
    check_columns(rejected, REJECTED, stage=pipeline.closing.name)
    if rejected["position"].n_unique() != rejected.height:
        raise InternalError("a row was rejected twice", where=f"step {pipeline.closing.name}")
    return rejected


def _assign(
    pipeline: Pipeline,
    folders: Sequence[Path],
    closed: pl.Series,
    frozen: dict[str, list[str]] | None,
) -> pl.DataFrame:
    """Columns ``id``, ``split`` (null: refused), ``author`` (ordinal), ``block``, sorted by id.

    The rows that the closing step rejected (ids ``closed``) are not among them.
    """
    # What can't be said of a row doesn't hold.
    said = [
        pipeline.marked.fill_null(False).alias("marked"),
        pipeline.eligible.fill_null(False).alias("eligible"),
    ]
    columns = {name for expression in said for name in expression.meta.root_names()}
    light = [
        pl.read_parquet(folder / BLOCK_PARTS[0], columns=["id", "author", *sorted(columns)])
        .with_columns(*said)
        .select("id", pl.col("author").alias("key"), *_SAID, pl.lit(number).alias("block"))
        for number, folder in enumerate(folders)
    ]
    empty = pl.DataFrame(schema={"id": pl.String, "key": pl.String, **_SAID, "block": pl.Int32})
    rows = pl.concat([empty, *light]).filter(~pl.col("id").is_in(closed.implode())).sort("id")
    group = (
        pl.when(pl.col("key").is_null())
        .then("row " + pl.col("id"))
        .otherwise("author " + pl.col("key"))
    )
    rows = rows.with_columns(group.alias("group"))
    split_of = None
    if frozen is not None:
        split_of = {row_id: name for name, ids in frozen.items() for row_id in ids}
    rows = rows.with_columns(
        draw_splits(rows, pipeline.splits, seed=pipeline.seed, frozen=split_of)
    )
    ordinals = _ordinals(rows.filter(pl.col("split").is_not_null())["key"], pipeline)
    author = pl.Series("author", [ordinals.get(key) for key in rows["key"]], dtype=pl.Int64)
    return rows.select("id", "split", author, "block")


def _ordinals(keys: pl.Series, pipeline: Pipeline) -> dict[str, int]:
    """Numbers the authors in the order of a seeded hash."""
    names = keys.drop_nulls().unique().sort().to_list()
    hashes = seeded_hashes(names, seed=pipeline.seed, purpose="author")
    order = sorted(zip(hashes, names, strict=True))
    return {name: number for number, (_, name) in enumerate(order)}


class _Rejections:
    """Sorts rejections into one series of files per stage, and counts them."""

    def __init__(self, folder: Path) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._folder = folder
        self._writers: dict[str, ShardWriter] = {}

    def write(self, rows: pl.DataFrame) -> None:
        """Takes rows with the columns ``REJECTED``."""
        counts = rows.group_by("stage", "reason").len()
        for stage, reason, count in counts.iter_rows():
            self.counts[stage, reason] += count
        for stage in sorted(counts["stage"].unique()):
            if stage not in self._writers:
                self._writers[stage] = ShardWriter(self._folder, stage, REJECTED)
            self._writers[stage].write(rows.filter(pl.col("stage") == stage))

    def close(self) -> None:
        for writer in self._writers.values():
            writer.close()


def _refused_by_split(folder: Path, refused: pl.DataFrame) -> pl.DataFrame:
    """The rows of one block that could go to no split, as rejections."""
    if refused.height == 0:
        return pl.DataFrame(schema=dict(REJECTED))
    block = pl.read_parquet(folder / BLOCK_PARTS[0], columns=["position", "id", "dialect"])
    return (
        block.join(refused.select("id"), on="id", how="semi")
        .sort("position")
        .select(
            "position",
            "id",
            pl.lit("split").alias("stage"),
            pl.lit("author_in_frozen_split").alias("reason"),
            pl.lit("the author's earlier rows sit in a split that is frozen").alias("detail"),
            pl.col("dialect").alias("text"),
        )
    )


def _write_split(
    pipeline: Pipeline, name: str, rows: pl.DataFrame, folders: Sequence[Path], data: DataFiles
) -> SplitFiles:
    count = -(-rows.height // _FILE_ROWS)
    for number in range(count):
        part = rows.slice(number * _FILE_ROWS, _FILE_ROWS)
        path = f"data/{CONFIG}/{name}-{number:05d}-of-{count:05d}.parquet"
        data.write(path, _gather(pipeline, part, folders).select(list(data.schema)))
    return data.splits.get(name, SplitFiles(name, 0, 0, 0))


def _gather(pipeline: Pipeline, wanted: pl.DataFrame, folders: Sequence[Path]) -> pl.DataFrame:
    """The wanted rows from their blocks, sorted by id."""
    variety = pl.lit(pipeline.variety).alias("variety")
    parts = [
        pl.read_parquet(folders[number] / BLOCK_PARTS[0])
        .drop("author")
        .join(wanted.drop("block"), on="id", how="inner")
        .with_columns(variety)
        for number in sorted(wanted["block"].unique())
    ]
    return pl.concat(parts).sort("id")


def _assignments(
    pipeline: Pipeline, rows: pl.DataFrame, frozen: dict[str, list[str]] | None
) -> dict[str, list[str]]:
    drawn = {
        rule.name: rows.filter(pl.col("split") == rule.name)["id"].to_list()
        for rule in pipeline.splits
    }
    return {name: sorted({*ids, *(frozen or {}).get(name, [])}) for name, ids in drawn.items()}
