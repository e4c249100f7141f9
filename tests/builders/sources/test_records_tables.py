"""CSV and Parquet: every row is kept or refused, and a damaged file is never half a file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from isogloss.builders.sources.chunk import Chunk
from isogloss.builders.sources.records import read_csv, read_parquet_rows
from isogloss.corpus.reading.stream import Stream
from isogloss.errors import SourceError

HEADER = b"id,text,author\n"
Rows = list[tuple[Any, ...]]


def both(chunks: Iterator[Chunk]) -> tuple[Rows, Rows]:
    found = list(chunks)
    kept = [row for chunk in found for row in chunk.rows.rows()]
    return kept, [row for chunk in found for row in chunk.rejected.rows()]


def csv(data: bytes, rows: int = 100, delimiter: str = ",") -> tuple[Rows, Rows]:
    stream = Stream(io.BytesIO(data), "tweets.txt", lambda: 0)
    return both(read_csv(stream, rows, delimiter))


def reasons(rejected: Rows) -> list[tuple[int, str]]:
    return [(row[0], row[3]) for row in rejected]


def test_csv_has_quotes_line_ends_and_a_byte_order_mark() -> None:
    data = '\ufeffid,author,text\r\n1,,"She said ""hey"",\nthen left"\r\n\r\n2,7,ok\r\n'.encode()
    kept, rejected = csv(data, rows=2)
    assert kept == [(1, "1", 'She said "hey",\nthen left', None, None), (3, "2", "ok", "7", None)]
    assert reasons(rejected) == [(2, "blank_line")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"2,gr\xe9ens,7", "not_utf8"),
        (b"2,greens", "field_count"),
        (b"2,greens,7,0", "field_count"),
        (b",greens,7", "no_id"),
        (b"2, ,7", "no_text"),
    ],
)
def test_a_bad_csv_row_is_rejected_and_the_next_one_read(line: bytes, reason: str) -> None:
    kept, rejected = csv(HEADER + b"1,greens,7\n" + line + b"\n3,greens,7\n", rows=1)
    assert [row[0] for row in kept] == [1, 3]
    assert reasons(rejected) == [(2, reason)]


def test_a_quote_that_never_closes_swallows_no_rows() -> None:
    with pytest.raises(SourceError, match=r"tweets\.txt: line \d+ is not CSV .*quotes"):
        csv(HEADER + b'1,"she been ready,7\n2,we was late,7\n3,he done ate,7\n')


def test_columns_may_stand_below_empty_lines_and_behind_tabs() -> None:
    assert csv(b"\n\nid\ttext\n1\tok\n", delimiter="\t")[0] == [(1, "1", "ok", None, None)]


@pytest.mark.parametrize("author", ["90210777", "sunny_gardener", "Rosa of the Garden Club"])
@pytest.mark.parametrize("line", ["1,a,AUTHOR,0", "1,caf\xe9,AUTHOR", ",a,AUTHOR", "AUTHOR"])
def test_a_rejected_csv_row_does_not_name_its_author(line: str, author: str) -> None:
    data = HEADER + line.replace("AUTHOR", author).encode("latin-1")
    rejected = csv(data)[1]
    assert len(rejected) == 1
    assert author not in str(rejected)


def test_parquet_rows_are_counted_over_batches(tmp_path: Path) -> None:
    path = tmp_path / "tweets.parquet"
    ids = [345678901234567890, 2, None, 4]
    pl.DataFrame({"id": ids, "text": ["a", None, "c", "d"], "user": [1, 2, 3, 4]}).write_parquet(
        path
    )
    kept, rejected = both(read_parquet_rows(path, 3))
    assert kept == [(1, "345678901234567890", "a", None, None), (4, "4", "d", None, None)]
    assert reasons(rejected) == [(2, "no_text"), (3, "no_id")]


def test_parquet_text_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    text = pa.array([b"a", b"caf\xe9"]).view(pa.string())
    pq.write_table(pa.table({"id": ["1", "2"], "text": text}), tmp_path / "tweets.parquet")
    try:
        kept, rejected = both(read_parquet_rows(tmp_path / "tweets.parquet", 10))
    except SourceError:
        return  # the file as a whole may be refused
    assert ([row[0] for row in kept], reasons(rejected)) == ([1], [(2, "not_utf8")])


@pytest.mark.parametrize("kept", [4, 100, -1], ids=["magic", "part", "almost all"])
def test_a_cut_parquet_file_is_an_error(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "tweets.parquet"
    pl.DataFrame({"id": ["1"], "text": ["a"]}).write_parquet(path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(SourceError, match=r"tweets\.parquet: .*damaged"):
        both(read_parquet_rows(path, 10))


def test_columns_that_are_not_there_are_named(tmp_path: Path) -> None:
    path = tmp_path / "tweets.parquet"
    pl.DataFrame({"tweet": ["1"]}).write_parquet(path)
    said = r"no column 'id' and no column 'text'.*found: tweet"
    with pytest.raises(SourceError, match=said):
        csv(b"tweet\n1\n")
    with pytest.raises(SourceError, match=said):
        both(read_parquet_rows(path, 10))
