"""Rows with named columns: every row is a record or refused, and columns are looked at once."""

from __future__ import annotations

import gc
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.corpus.reading import (
    Batch,
    Stream,
    csv_batches,
    jsonl_batches,
    open_stream,
    parquet_batches,
)
from isogloss.errors import SourceError


def stream_of(data: bytes) -> Stream:
    file = io.BytesIO(data)
    return Stream(file, "pairs.txt", file.tell)


def read_jsonl(data: bytes, rows: int = 100, shown: Sequence[str] = ()) -> list[Batch]:
    return list(jsonl_batches(stream_of(data), rows, require=lambda _: None, shown=shown))


def read_csv(
    data: bytes, rows: int = 100, delimiter: str = ",", shown: Sequence[str] = ()
) -> list[Batch]:
    found = csv_batches(stream_of(data), rows, delimiter, require=lambda _: None, shown=shown)
    return list(found)


def records(batches: list[Batch]) -> list[tuple[int, dict[str, Any]]]:
    return [(position, dict(row)) for batch in batches for position, row in batch.records]


def refused(batches: list[Batch]) -> list[tuple[int, str]]:
    return [(row.position, row.reason) for batch in batches for row in batch.refused]


# --- JSON lines -------------------------------------------------------------------------------


def test_an_object_is_a_record_and_nothing_else_is() -> None:
    data = b'{"a": 1, "b": {"c": [null]}}\n\n[1]\n"x"\n{"a": \n{"a": NaN}\n\xff\n' + b"[" * 99_999
    found = read_jsonl(data)
    assert records(found)[0] == (1, {"a": 1, "b": {"c": [None]}})
    assert [position for position, _ in records(found)] == [1, 6]
    assert sorted(refused(found)) == [
        (2, "blank_line"),
        *((n, "invalid_json") for n in (3, 4, 5)),
        (7, "not_utf8"),
        (8, "invalid_json"),
    ]


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_batches_have_the_rows_asked_for_and_count_on(rows: int) -> None:
    data = b"".join(b'{"n": %d}\n' % n for n in range(1, 6))
    found = read_jsonl(data, rows)
    assert records(found) == [(n, {"n": n}) for n in range(1, 6)]
    assert max(len(batch.records) for batch in found) == min(rows, 5)
    assert found[-1].consumed == len(data)


def test_columns_are_those_of_the_first_object_and_looked_at_once() -> None:
    looked: list[list[str]] = []
    data = b'\n7\n{"b": 1, "a": 2}\n{"c": 1}\n'
    list(jsonl_batches(stream_of(data), 1, require=looked.append, shown=()))
    assert looked == [["b", "a"]]


def test_of_a_broken_line_only_what_may_be_shown_is_kept() -> None:
    data = b'{"author": "Annabel", "text": "we \\"late\\"", "x": \n{"author": "Annabel"\n'
    first, second = (row for batch in read_jsonl(data, shown=["text"]) for row in batch.refused)
    assert first.text == r'"we \"late\""'
    assert second.text == "…"
    assert not any("Annabel" in row.text + row.detail for row in (first, second))


plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
values = (
    plain | st.lists(plain, max_size=2) | st.dictionaries(st.text(max_size=2), plain, max_size=1)
)


@settings(max_examples=40)
@given(st.lists(st.dictionaries(st.text(max_size=3), values, max_size=3)), st.integers(1, 4))
def test_whatever_was_written_is_read(rows: list[dict[str, Any]], size: int) -> None:
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    assert records(read_jsonl(data, size)) == list(enumerate(rows, start=1))


# --- Tables -----------------------------------------------------------------------------------


def test_a_quote_is_a_quote_behind_tabs_unless_the_header_is_quoted() -> None:
    plain = read_csv(b'a\tb\n"x\t""y"\n', delimiter="\t")
    assert records(plain) == [(1, {"a": '"x', "b": '""y"'})]
    quoted = read_csv(b'"a"\t"b"\n"x\ty"\t"""z"\n', delimiter="\t")
    assert records(quoted) == [(1, {"a": "x\ty", "b": '"z'})]


def test_a_header_has_no_spaces_and_may_stand_below_empty_lines() -> None:
    assert records(read_csv(b"\xef\xbb\xbf\n\n a , b\n1, 2\n")) == [(1, {"a": "1", "b": " 2"})]


def test_rows_that_dont_fit_are_refused_with_their_place() -> None:
    found = read_csv(b"a,b\n1,2\n1\n\n1,2,3\n1,\xe9\n3,4\n", rows=2)
    assert [position for position, _ in records(found)] == [1, 6]
    assert refused(found) == [
        (2, "field_count"),
        (3, "blank_line"),
        (4, "field_count"),
        (5, "not_utf8"),
    ]


def test_a_cell_may_have_lines_and_ten_megabytes() -> None:
    cell = "x\n" * 5_000_000
    [(_, row)] = records(read_csv(f'a,b\n"{cell}",y\n'.encode()))
    assert (len(row["a"]), row["b"]) == (10_000_000, "y")


def test_a_table_that_ends_within_quotes_is_an_error() -> None:
    with pytest.raises(SourceError, match=r"pairs\.txt: line \d+ is not CSV .* Check its quotes"):
        read_csv(b'a,b\n1,"2\n3,4\n')


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=5)


@settings(max_examples=40)
@given(st.lists(st.lists(cells, min_size=2, max_size=2), max_size=6), st.sampled_from(",;"))
def test_quoted_cells_are_read_as_they_were(rows: list[list[str]], sign: str) -> None:
    lines = [["a", "b"], *rows]
    text = "".join(
        sign.join('"' + cell.replace('"', '""') + '"' for cell in line) + "\n" for line in lines
    )
    found = records(read_csv(text.encode(), 2, sign))
    assert found == [(n, {"a": a, "b": b}) for n, (a, b) in enumerate(rows, start=1)]


@pytest.mark.parametrize("name", ["pairs.csv"])
def test_who_stops_early_may_close_the_file(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(b"a,b\n" + b"1,2\n" * 10)

    def stop() -> None:
        with open_stream(path) as stream:
            for _ in csv_batches(stream, 2, ",", require=lambda _: None, shown=()):
                raise KeyError(name)

    with pytest.raises(KeyError):
        stop()
    gc.collect()
    assert capsys.readouterr().err == ""


# --- Parquet ----------------------------------------------------------------------------------


def read_parquet(path: Path, texts: Sequence[str] = ("a",), **more: Any) -> list[Batch]:
    given = {"require": lambda _: None, **more}
    return list(parquet_batches(path, 2, texts=texts, **given))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    frame = pl.DataFrame({"a": ["x", None, "z"], "n": [1, 2, 3], "big": ["y"] * 3})
    frame.write_parquet(tmp_path / "p")
    return tmp_path / "p"


def test_only_the_columns_asked_for_are_read(path: Path) -> None:
    found = read_parquet(path, columns=["n", "missing"])
    assert records(found) == [
        (1, {"a": "x", "n": 1}),
        (2, {"a": None, "n": 2}),
        (3, {"a": "z", "n": 3}),
    ]
    assert [len(batch.records) for batch in found] == [2, 1]
    assert found[-1].consumed == path.stat().st_size


def test_columns_may_be_named_once_the_header_is_known(path: Path) -> None:
    texts: list[str] = []
    wanted: list[str] = []

    def require(found: list[str]) -> None:
        assert found == ["a", "n", "big"]
        texts.append("a")
        wanted.append("big")

    found = read_parquet(path, texts, require=require, columns=wanted)
    assert records(found)[0] == (1, {"a": "x", "big": "y"})


def test_a_text_must_be_a_string(path: Path) -> None:
    with pytest.raises(SourceError, match="p: the column n has the type int64. Write it as a"):
        read_parquet(path, ["n"])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_strings_of_any_size_are_strings(kind: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array(["x"], kind)}), tmp_path / "p")
    assert records(read_parquet(tmp_path / "p")) == [(1, {"a": "x"})]


def test_a_file_without_rows_has_no_batches(tmp_path: Path) -> None:
    pl.DataFrame({"a": []}, schema={"a": pl.String}).write_parquet(tmp_path / "p")
    assert records(read_parquet(tmp_path / "p")) == []


@pytest.mark.parametrize("cut", [10, -10, -100])
def test_a_cut_file_is_an_error(cut: int, path: Path) -> None:
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(SourceError, match="p: the Parquet file is damaged") as caught:
        read_parquet(path)
    assert "\n" not in str(caught.value)
