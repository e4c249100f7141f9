"""Detection: what a source is shows in its shape, whatever its name, packing or line ends."""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard
from isogloss.builders.sources import open_source
from isogloss.errors import SourceError

FULL = b'1\t"when"\t"7"\t[0, 0]\t"0"\t"she been ready"\t0.9\t0\t0\t0.1'
LIMITED = b'1\t"when"\t0.9\t0\t0\t0.1\n'
JSON = b'{"id": "1", "text": "she been ready"}'
BOM = b"\xef\xbb\xbf"
ROW = (1, "1", "she been ready")


def rows(source: str, size: int) -> list[tuple[Any, ...]]:
    chunks = list(open_source(source).chunks(size))
    return [row[:3] for chunk in chunks for row in chunk.rows.rows()]


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        (FULL, "twitteraae"),
        (BOM + FULL + b"\r\n", "twitteraae"),
        (FULL + b"\n" + FULL[:20], "twitteraae"),
        (JSON, "jsonl"),
        (BOM + b" " + JSON + b"\r\n", "jsonl"),
        (b"id,text\n1,she been ready", "csv"),
        (BOM + b'"id";"text"\r\n"1";"she been ready"\r\n', "csv"),
        (b"author\ttext\tid\n7\tshe been ready\t1\n", "csv"),
    ],
)
def test_the_shape_is_found_and_read(tmp_path: Path, data: bytes, shape: str) -> None:
    path = tmp_path / "source.dat"
    path.write_bytes(data)
    source = open_source(str(path))
    assert (source.shape, source.name, source.size) == (shape, "source.dat", len(data))
    assert source.sha256 == hashlib.sha256(data).hexdigest()
    assert rows(str(path), 10) == [ROW]


def test_the_first_line_may_be_damaged_or_empty(tmp_path: Path) -> None:
    path = tmp_path / "source"
    for first in (FULL[30:], b"", b"\xff"):
        path.write_bytes(first + b"\n" + FULL + b"\n")
        assert open_source(str(path)).shape == "twitteraae"
        assert rows(str(path), 10) == [(2, *ROW[1:])]


@pytest.mark.parametrize("packing", ["gz", "zst", "zip", "parquet"])
def test_packed_sources_are_read_from_the_start_each_time(tmp_path: Path, packing: str) -> None:
    data = b"".join(b'{"id": "%d", "text": "row %d"}\n' % (n, n) for n in range(10))
    expected = [(n + 1, str(n), f"row {n}") for n in range(10)]
    path = tmp_path / "source"
    if packing == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("tweets.jsonl", data)
    elif packing == "parquet":
        pl.read_ndjson(io.BytesIO(data)).write_parquet(path)
    else:
        pack = {"gz": gzip.compress, "zst": zstandard.ZstdCompressor().compress}[packing]
        path.write_bytes(pack(data))
    for size in (1, 3, 10, 11):
        assert rows(str(path), size) == expected
    source = open_source(str(path))
    assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    chunks = list(source.chunks(4))
    assert [chunk.rows.height for chunk in chunks] == [4, 4, 2]
    consumed = [chunk.consumed for chunk in chunks]
    assert 0 < consumed[0] <= consumed[-1] <= source.size


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"\n \r\n", "nothing but empty lines"),
        (LIMITED * 3, "limited file"),
        (b"one\ttwo\n", "2 tab-separated fields"),
        (b"[" + JSON + b"]", "shape"),
        (b"some prose, and more of it\n", "shape"),
        (b"text,author\na,b\n", "no column 'id'"),
        (FULL.replace(b"\t", b" "), "shape"),
        (bytes(range(128, 256)) * 9, "shape"),
    ],
)
def test_another_shape_says_what_to_give(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "source.tsv"
    path.write_bytes(data)
    with pytest.raises(SourceError) as caught:
        rows(str(path), 10)
    message = str(caught.value)
    assert said in message
    assert "source.tsv" in message
    assert "\n" not in message
    assert caught.value.remedy


def test_members_are_for_archives_only(tmp_path: Path) -> None:
    path = tmp_path / "source.parquet"
    pl.DataFrame({"id": ["1"], "text": ["a"]}).write_parquet(path)
    with pytest.raises(SourceError, match="only a zip"):
        rows(f"{path}::other.parquet", 10)
