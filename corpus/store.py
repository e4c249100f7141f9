"""Parquet as a corpus stores it: the same rows give the same bytes.

What would break that is kept out: rows come sorted, chunks are combined before
they are written, row groups have a fixed number of rows, and one writer writes
(polars' own sink depends on the number of threads). Files appear whole: written
under a temporary name, flushed to the disk, then renamed.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import OutputError, StorageError
from .schema import Schema, arrow_schema

__all__ = [
    "ROW_GROUP_ROWS",
    "ShardWriter",
    "made_folder",
    "read_parquet",
    "storage_errors",
    "to_arrow",
    "write_atomic",
    "write_parquet",
]

#: Rows in a row group; fewer where that many would pass 100 MB.
ROW_GROUP_ROWS = 10_000
_ROW_GROUP_BYTES = 100 * 1024 * 1024
_FULL = "free some space and run the same command again: what was finished is kept"
_CLOSED = "change its permissions or choose another folder"
_REMEDIES = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EIO: "check the disk: it could not read or write",
    errno.EROFS: "choose a folder on a disk that can be written to",
    errno.EACCES: _CLOSED,
    errno.EPERM: _CLOSED,
}


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turns a full or failing disk into a StorageError that names the file."""
    try:
        yield
    except OSError as error:
        number = error.errno or (errno.ENOSPC if "No space left" in str(error) else 0)
        if number not in _REMEDIES:
            raise
        raise StorageError(
            f"the disk refused the data ({os.strerror(number)})",
            where=str(error.filename or path),
            remedy=_REMEDIES[number],
        ) from error


def made_folder(path: Path) -> None:
    """Makes a folder that a command writes into, if it isn't there.

    Raises:
        OutputError: If a file is in its place, or there can be no folder there.
        StorageError: If the disk refuses.
    """
    try:
        with storage_errors(path):
            path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise OutputError(
            "this is a file, not a folder", where=str(path), remedy="choose another --out"
        ) from None
    except OSError as error:
        raise OutputError(
            f"no folder can be made there ({error.strerror})",
            where=str(path),
            remedy="choose another --out",
        ) from error


def write_atomic(path: Path, data: bytes) -> None:
    """Writes a file so that it is there whole or not at all, also after a power cut."""
    temporary = path.with_name(f".{path.name}.tmp")
    with storage_errors(path):
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def to_arrow(frame: pl.DataFrame, schema: Schema) -> pa.Table:
    """The frame's columns of ``schema`` as one Arrow table in one chunk."""
    table = cast(pa.Table, frame.select(list(schema)).to_arrow())
    return table.cast(arrow_schema(schema)).combine_chunks()


def _group_rows(table: pa.Table) -> int:
    """Rows per group, halved until no group of the table passes 100 MB."""
    rows = ROW_GROUP_ROWS
    while rows > 1 and any(
        table.slice(at, rows).nbytes > _ROW_GROUP_BYTES for at in range(0, table.num_rows, rows)
    ):
        rows //= 2
    return rows


def _open_writer(path: Path, schema: Schema, compression: str = "zstd") -> pq.ParquetWriter:
    return pq.ParquetWriter(
        path, arrow_schema(schema), compression=compression, write_page_index=True, version="2.6"
    )


def write_parquet(
    frame: pl.DataFrame, path: Path, schema: Schema, *, group_rows: int | None = None
) -> None:
    """Writes ``frame`` as one Parquet file, whole or not at all."""
    table = to_arrow(frame, schema)
    temporary = path.with_name(f".{path.name}.tmp")
    with storage_errors(path):
        try:
            with _open_writer(temporary, schema) as writer:
                writer.write_table(table, row_group_size=group_rows or _group_rows(table))
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def read_parquet(paths: Iterable[Path], schema: Schema) -> pl.DataFrame:
    """Reads the files in the given order, with exactly the columns of ``schema``."""
    tables = [pq.read_table(path, schema=arrow_schema(schema)) for path in paths]
    table = pa.concat_tables(tables) if tables else arrow_schema(schema).empty_table()
    return cast(pl.DataFrame, pl.from_arrow(table, schema=dict(schema)))


class ShardWriter:
    """Writes rows in the order they come to ``<folder>/<name>-00000.parquet``, ….

    Row groups and shards are cut by row counts alone, so the bytes don't depend on
    how the rows were handed over. Memory: one row group.

    Args:
        folder: Where the shards go; it exists.
        name: Their common name.
        schema: The columns.
        group_rows: Rows per row group.
        shard_rows: Rows per file.
        compression: Parquet's name for it; ``lz4`` for files that don't stay.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        schema: Schema,
        *,
        group_rows: int = ROW_GROUP_ROWS,
        shard_rows: int = 1_000_000,
        compression: str = "zstd",
    ) -> None:
        self.rows = 0
        self.paths: list[Path] = []
        self._folder, self._name, self._schema = folder, name, schema
        self._group_rows, self._shard_rows = group_rows, shard_rows
        self._compression = compression
        self._waiting: list[pl.DataFrame] = []
        self._waiting_rows = 0
        self._writer: pq.ParquetWriter | None = None
        self._in_shard = 0

    def write(self, frame: pl.DataFrame) -> None:
        """Adds rows; they reach the disk a whole row group at a time."""
        if frame.height == 0:
            return
        self._waiting.append(frame.select(list(self._schema)))
        self._waiting_rows += frame.height
        if self._waiting_rows < self._group_rows:
            return
        rows = pl.concat(self._waiting)
        at = 0
        while rows.height - at >= self._group_rows:
            self._write_group(rows.slice(at, self._group_rows))
            at += self._group_rows
        self._waiting, self._waiting_rows = [rows.slice(at)], rows.height - at

    def write_empty(self) -> None:
        """Begins a file without rows, where one must be there."""
        self._write_group(pl.DataFrame(schema=dict(self._schema)))

    def close(self) -> None:
        """Writes what waits and finishes the last file; without rows there is no file."""
        if self._waiting_rows:
            self._write_group(pl.concat(self._waiting))
            self._waiting, self._waiting_rows = [], 0
        self._close_shard()

    def _write_group(self, rows: pl.DataFrame) -> None:
        if self._writer is None:
            self.paths.append(self._folder / f"{self._name}-{len(self.paths):05d}.parquet")
        with storage_errors(self.paths[-1]):
            self._writer = self._writer or _open_writer(
                self.paths[-1], self._schema, self._compression
            )
            self._writer.write_table(to_arrow(rows, self._schema), row_group_size=self._group_rows)
        self.rows += rows.height
        self._in_shard += rows.height
        if self._in_shard >= self._shard_rows:
            self._close_shard()

    def _close_shard(self) -> None:
        if self._writer is not None:
            with storage_errors(self.paths[-1]):
                self._writer.close()
                with self.paths[-1].open("rb") as file:
                    os.fsync(file.fileno())
            self._writer, self._in_shard = None, 0
