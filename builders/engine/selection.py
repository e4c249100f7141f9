"""The first half of a build: everything that happens before a model is asked.

The source is streamed once through the reader and the preparing steps; then duplicates
go and the sample is drawn. What is left is written as one file whose row groups are
the blocks of the second half. This half is quick and is done whole or not at all.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from ...corpus.hashing import seeded_hashes
from ...corpus.manifest import dump_json
from ...corpus.schema import REJECTED, Schema
from ...corpus.store import ShardWriter, write_atomic
from ...errors import SourceError
from ...failpoints import failpoint
from ..sources import CHUNK_ROWS, SOURCE_ROWS, UNREADABLE, Chunk, Source
from .duplicates import DuplicateIndex, sample_bound, sample_ranks
from .pipeline import Pipeline
from .progress import Progress
from .step import Step, apply_step

__all__ = ["BLOCK_ROWS", "prepared_schema", "read_count", "select_rows"]

#: Rows that pass the models together.
BLOCK_ROWS = 1024
#: From this many rows on, a file that is mostly unreadable is given up early.
_EARLY_ROWS = 10_000
_EARLY_SHARE = 0.2


def prepared_schema(pipeline: Pipeline) -> Schema:
    """Columns of a row that has passed the preparing steps."""
    schema: Schema = SOURCE_ROWS
    for step in pipeline.prepare:
        schema = step.output(schema)
    return schema


def read_count(folder: Path) -> int:
    """Rows read from the source, as the first half counted them."""
    return int(json.loads((folder / "counts.json").read_bytes())["read"])


def select_rows(
    pipeline: Pipeline, folder: Path, progress: Progress, *, frozen: Collection[str] = ()
) -> None:
    """Fills ``folder`` with ``selected-*.parquet``, ``rejected-*.parquet`` and ``counts.json``.

    Args:
        pipeline: What to build.
        folder: Where to; appears when all is done.
        progress: Told of the bytes read.
        frozen: Ids of rows in frozen splits, which no duplicate and no sample displaces.

    Raises:
        SourceError: If too much of the source can't be read.
    """
    if folder.exists():
        return
    temporary = folder.with_name(f"{folder.name}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    try:
        _select_rows(pipeline, temporary, progress, frozen)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    temporary.replace(folder)
    failpoint("selected")


def _select_rows(
    pipeline: Pipeline, temporary: Path, progress: Progress, frozen: Collection[str]
) -> None:
    schema = prepared_schema(pipeline)
    rejected = ShardWriter(
        temporary, "rejected", REJECTED, group_rows=CHUNK_ROWS, compression="lz4"
    )
    prepared = ShardWriter(temporary, "prepared", schema, group_rows=CHUNK_ROWS, compression="lz4")
    index = DuplicateIndex(frozen)
    read = _prepare(pipeline, prepared, rejected, index, progress)
    prepared.close()
    failpoint("prepared")
    _choose(pipeline, index, prepared.paths, schema, rejected, temporary, frozen)
    rejected.close()
    for path in prepared.paths:
        path.unlink()
    write_atomic(temporary / "counts.json", dump_json({"read": read}))


def _prepare(
    pipeline: Pipeline,
    prepared: ShardWriter,
    rejected: ShardWriter,
    index: DuplicateIndex,
    progress: Progress,
) -> int:
    source = pipeline.source
    progress.phase("read and clean", source.size)
    read = 0
    unreadable = Unreadable(source, pipeline.max_unreadable)
    for chunk in _ahead(source.chunks()):
        read += chunk.rows.height + chunk.rejected.height
        unreadable.count(chunk, read)
        rows = chunk.rows
        refused = [chunk.rejected]
        for step in pipeline.prepare:
            rows, more = _apply(step, rows)
            refused.append(more)
        rejected.write(pl.concat(refused).sort("position"))
        rows = rows.with_columns(_pseudonyms(rows["author"], pipeline.seed))
        prepared.write(rows)
        index.add(rows)
        progress.advance(chunk.consumed, read)
    message = unreadable.verdict(read)
    if message:
        progress.note(message)
    return read


def _pseudonyms(authors: pl.Series, seed: int) -> pl.Series:
    """Authors under a seeded hash: a raw user id is never written, not even to a work file.

    A hash can be searched through, so it stays in the work folder; the published corpus has
    no more than its rank among the authors.
    """
    names = authors.drop_nulls().unique()
    hashes = [digest.hex() for digest in seeded_hashes(names, seed=seed, purpose="author")]
    return authors.replace_strict(names, pl.Series(hashes, dtype=pl.String), default=None).cast(
        pl.String
    )


def _ahead(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Reads the next chunk while this one is worked on."""
    with ThreadPoolExecutor(1, thread_name_prefix="read") as pool:
        coming = pool.submit(next, chunks, None)
        while (chunk := coming.result()) is not None:
            coming = pool.submit(next, chunks, None)
            yield chunk


def _apply(step: Step, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    outcome = apply_step(step, rows)
    return outcome.rows, outcome.rejected


def _choose(
    pipeline: Pipeline,
    index: DuplicateIndex,
    paths: list[Path],
    schema: Schema,
    rejected: ShardWriter,
    folder: Path,
    frozen: Collection[str],
) -> None:
    """Drops duplicates and what the sample leaves out; writes the rest in blocks."""
    decisions = index.decide()
    bound, seed = None, pipeline.seed
    if pipeline.limit is not None:
        ranks = [
            sample_ranks(part.filter(pl.col("reason").is_null())["id"], seed=seed, frozen=frozen)
            for part in _with_decisions(paths, decisions, schema)
        ]
        bound = sample_bound(np.concatenate([*ranks, np.empty(0, np.uint64)]), pipeline.limit)
    selected = ShardWriter(
        folder,
        "selected",
        schema,
        group_rows=BLOCK_ROWS,
        shard_rows=1 << 40,
        compression="lz4",
    )
    for part in _with_decisions(paths, decisions, schema):
        part = part.with_columns(
            pl.when(pl.col("reason").is_not_null())
            .then(pl.lit("deduplicate"))
            .otherwise(pl.lit("sample"))
            .alias("stage"),
            pl.format("row {} stays", "original").alias("detail"),
        )
        if bound is not None:
            over = pl.Series(sample_ranks(part["id"], seed=seed, frozen=frozen) > bound)
            part = part.with_columns(
                pl.when(pl.col("reason").is_null() & over)
                .then(pl.lit("not_sampled"))
                .otherwise("reason")
                .alias("reason")
            )
        dropped = pl.col("reason").is_not_null()
        rejected.write(
            part.filter(dropped).select(
                "position", "id", "stage", "reason", "detail", pl.col("dialect").alias("text")
            )
        )
        selected.write(part.filter(~dropped).select(list(schema)))
    selected.close()


def _with_decisions(
    paths: list[Path], decisions: pl.DataFrame, schema: Schema
) -> Iterator[pl.DataFrame]:
    at = 0
    for path in paths:
        for batch in pq.ParquetFile(path).iter_batches(batch_size=CHUNK_ROWS):
            rows = pl.DataFrame(pl.from_arrow(batch), schema=dict(schema))
            part = decisions.slice(at, rows.height)
            at += rows.height
            yield rows.with_columns(part["reason"], part["original"])


class Unreadable:
    """Keeps count of rows that can't be read; too many mean that the file is damaged."""

    def __init__(self, source: Source, tolerance: float) -> None:
        self._source = source
        self._tolerance = tolerance
        self._reasons: Counter[str] = Counter()
        self._where = self._what = ""

    def count(self, chunk: Chunk, read: int) -> None:
        """Counts a chunk's unreadable rows; gives up early on a file that has hardly any other."""
        bad = chunk.rejected.filter(pl.col("reason").is_in(list(UNREADABLE)))
        if bad.height and not self._what:
            row = bad.row(0, named=True)
            self._where = f"{self._source.name}, row {row['position']}"
            self._what = row["detail"]
        self._reasons.update(bad["reason"].to_list())
        if read >= _EARLY_ROWS and self._share(read) > max(_EARLY_SHARE, self._tolerance):
            raise self._damaged(read)

    def verdict(self, read: int) -> str:
        """A line about the rows that can't be read, or ""; an error if they are too many."""
        if self._share(read) > self._tolerance:
            raise self._damaged(read)
        total = self._reasons.total()
        if not total:
            return ""
        return (
            f"{total:,} of {read:,} rows can't be read and are set aside in rejected/; the "
            f"first is {self._where}: {self._what}"
        )

    def _share(self, read: int) -> float:
        return self._reasons.total() / read if read else 0.0

    def _damaged(self, read: int) -> SourceError:
        remedy = "mend the file, or allow more with --max-unreadable"
        total = self._reasons.total()
        if self._reasons["not_utf8"] * 2 > total:
            remedy = f"turn it into UTF-8 (iconv -f LATIN1 -t UTF-8), or {remedy}"
        return SourceError(
            f"{self._what}; {total:,} of {read:,} rows can't be read",
            where=self._where,
            remedy=remedy,
        )
