"""The store: the same rows give the same bytes, and a file is there whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.corpus import store
from isogloss.corpus.hashing import json_sha256
from isogloss.corpus.schema import Schema
from isogloss.errors import OutputError, StorageError

SCHEMA: Schema = {
    "id": pl.String(),
    "author": pl.Int64(),
    "posterior": pl.Float64(),
    "kept": pl.Boolean(),
    "markers": pl.List(pl.String()),
}


def frame(rows: int) -> pl.DataFrame:
    numbers = range(rows)
    data = {
        "id": [f"é{n:06d}" for n in numbers],
        "author": [None if n % 3 == 0 else n for n in numbers],
        "posterior": [n / 7 for n in numbers],
        "kept": [None if n % 5 == 0 else n % 2 == 0 for n in numbers],
        "markers": [None if n % 11 == 0 else ["be"] * (n % 4) for n in numbers],
    }
    return pl.DataFrame(data, schema=dict(SCHEMA))


def cut(rows: pl.DataFrame, at: list[int]) -> list[pl.DataFrame]:
    edges = [0, *sorted(at), rows.height]
    return [rows.slice(start, stop - start) for start, stop in pairwise(edges)]


def shards(folder: Path, parts: list[pl.DataFrame], **settings: Any) -> dict[str, bytes]:
    folder.mkdir()
    writer = store.ShardWriter(folder, "rest", SCHEMA, **settings)
    for part in parts:
        writer.write(part)
    writer.close()
    assert writer.rows == sum(part.height for part in parts)
    assert writer.paths == sorted(folder.iterdir())
    return {path.name: path.read_bytes() for path in writer.paths}


def groups(path: Path) -> list[int]:
    metadata = pq.read_metadata(path)
    return [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)]


@settings(max_examples=25, deadline=None)
@given(at=st.lists(st.integers(0, 100), max_size=6))
def test_bytes_do_not_depend_on_how_rows_are_handed_over(
    tmp_path_factory: pytest.TempPathFactory, at: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("store")
    rows = frame(140).slice(20, 100)  # cut out of a longer frame: offsets into its buffers
    whole = pl.DataFrame(rows.to_dicts(), schema=dict(SCHEMA))
    chunked = pl.concat(cut(rows, at), rechunk=False)
    store.write_parquet(whole, folder / "whole.parquet", SCHEMA)
    store.write_parquet(chunked, folder / "chunked.parquet", SCHEMA)
    assert (folder / "chunked.parquet").read_bytes() == (folder / "whole.parquet").read_bytes()
    size = {"group_rows": 16, "shard_rows": 40}
    expected = shards(folder / "one", [whole], **size)
    assert shards(folder / "parts", cut(rows, at), **size) == expected
    read = store.read_parquet([folder / "one" / name for name in expected], SCHEMA)
    assert read.equals(whole, null_equal=True)
    assert dict(read.schema) == dict(SCHEMA)


def test_pages_of_long_texts_do_not_depend_on_chunks(tmp_path: Path) -> None:
    # Where a row group spans several pages, the writer cuts them at the chunks it is given.
    schema: Schema = {"text": pl.String()}
    rows = pl.DataFrame({"text": [json_sha256(n) * 14 for n in range(3_000)]})
    store.write_parquet(rows, tmp_path / "whole.parquet", schema)
    chunked = pl.concat(cut(rows, [1_700, 1_733]), rechunk=False)
    store.write_parquet(chunked, tmp_path / "chunked.parquet", schema)
    written = [(tmp_path / f"{name}.parquet").read_bytes() for name in ("whole", "chunked")]
    assert written[0] == written[1]


def test_shards_and_row_groups_are_cut_by_row_counts(tmp_path: Path) -> None:
    written = shards(tmp_path / "out", [frame(100)], group_rows=16, shard_rows=40)
    assert list(written) == ["rest-00000.parquet", "rest-00001.parquet", "rest-00002.parquet"]
    assert [groups(tmp_path / "out" / name) for name in written] == [[16] * 3, [16] * 3, [4]]


def test_a_file_has_plain_types_a_page_index_and_fixed_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    store.write_parquet(frame(25_000), path, SCHEMA)
    assert groups(path) == [10_000, 10_000, 5_000]
    types = [str(kind) for kind in pq.read_schema(path).types]
    assert types == ["string", "int64", "double", "bool", "list<element: string>"]
    metadata = pq.read_metadata(path)
    columns = [metadata.row_group(2).column(n) for n in range(metadata.num_columns)]
    assert all(column.has_offset_index and column.has_column_index for column in columns)


def test_row_groups_stay_under_the_limit_of_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_ROW_GROUP_BYTES", 50_000)
    path = tmp_path / "long.parquet"
    long = pl.DataFrame({"text": [f"{n} " * 300 for n in range(1_000, 1_200)]})
    store.write_parquet(long, path, {"text": pl.String()})
    metadata = pq.read_metadata(path)
    sizes = [metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups)]
    assert len(sizes) > 1
    assert max(sizes) <= 50_000


def test_no_rows(tmp_path: Path) -> None:
    assert shards(tmp_path / "out", [frame(0)]) == {}
    store.write_parquet(frame(0), tmp_path / "none.parquet", SCHEMA)
    for paths in ([], [tmp_path / "none.parquet"]):
        read = store.read_parquet(paths, SCHEMA)
        assert (read.height, dict(read.schema)) == (0, dict(SCHEMA))


@pytest.mark.parametrize("what", ["write_atomic", "write_parquet"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    writes: dict[str, Callable[[], None]] = {
        "write_atomic": lambda: store.write_atomic(path, b"new"),
        "write_parquet": lambda: store.write_parquet(frame(3), path, SCHEMA),
    }
    with pytest.raises(StorageError, match=r"^error\[storage\]: \S*file: .*again"):
        writes[what]()
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"file": b"old"}


@pytest.mark.parametrize("code", ["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EACCES", "EPERM"])
def test_a_refusing_disk_is_a_storage_error(code: str) -> None:
    with pytest.raises(StorageError, match="rows"), store.storage_errors(Path("rows")):
        raise OSError(getattr(errno, code), "refused")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_disk_that_is_full_from_the_first_byte(tmp_path: Path) -> None:
    (tmp_path / "rest-00000.parquet").symlink_to("/dev/full")
    writer = store.ShardWriter(tmp_path, "rest", SCHEMA, group_rows=2)
    with pytest.raises(StorageError):
        writer.write(frame(5))


@pytest.mark.parametrize("path", ["/proc/x", "x" * 300])
def test_where_no_folder_can_be_is_said_in_a_line(tmp_path: Path, path: str) -> None:
    with pytest.raises(OutputError, match="no folder can be made there") as caught:
        store.made_folder(tmp_path / path)
    assert "--out" in caught.value.remedy
    assert caught.value.exit_status == 2
