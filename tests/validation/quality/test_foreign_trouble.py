"""Files that can't be a corpus of pairs: one line says what is wrong and what to do."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from isogloss.errors import IsoglossError, OptionError, SourceError
from isogloss.tests.validation.quality.made import AAE, SENTENCES, jsonl, opened, tsv, zipped
from isogloss.validation.quality import validate, write_report
from isogloss.validation.quality.ratings_file import read_ratings_file

Make = Callable[[Path], object]


def holds(data: bytes) -> Make:
    return lambda path: path.write_bytes(data)


def parquet(*columns: tuple[str, Any]) -> Make:
    names, values = zip(*columns, strict=True)
    return lambda path: pq.write_table(pa.table(list(map(pa.array, values)), list(names)), path)


PAIR = tsv(*SENTENCES)
TEXT = {"dialect": "We late", "standard": "We are late"}
CASES: dict[str, tuple[Make, dict[str, Any], str]] = {
    "nothing": (lambda _: None, {}, "there is no such file"),
    "empty": (holds(b""), {}, "the file is empty"),
    "blank": (holds(b"\n \n\n"), {}, "nothing but empty lines"),
    "a byte order mark": (holds(b"\xef\xbb\xbf"), {}, "nothing but empty lines"),
    "a header alone": (holds(tsv()), {}, "there are no rows in it. Give a file"),
    "an empty Parquet": (
        lambda path: pl.DataFrame(schema=dict.fromkeys(TEXT, pl.String)).write_parquet(path),
        {},
        "there are no rows in it",
    ),
    "rows without text": (
        holds(tsv(("", "x"), ("x",), ("", "y"))),
        {},
        "there are no pairs in it (field_count 1, no_dialect 2)",
    ),
    "one column": (holds(b"dialect\nWe late\n"), {}, "the first line has one column only"),
    "an array": (holds(b'[{"dialect": 1}]'), {}, "this is one JSON array. Write one object"),
    "no header": (
        holds(tsv(*SENTENCES[1:], header=SENTENCES[0])),
        {},
        "no column 'dialect'; the columns are 'We was late, so she mad', 'We were late, so she",
    ),
    "a column that isn't there": (
        holds(tsv(("a", "b"), header=("dialekt", "standart"))),
        {"dialect": "dialekt", "standard": "standard"},
        "there is no column 'standard'. Did you mean 'standart'? The columns are 'dialekt', "
        "'standart'.",
    ),
    "one that nothing is near to": (
        holds(PAIR),
        {"dialect": "zzz"},
        "there is no column 'zzz'. The columns are 'dialect', 'standard'.",
    ),
    "no back": (holds(PAIR), {"back": "again"}, "there is no column 'again'"),
    "no id": (holds(PAIR), {"id": "key"}, "there is no column 'key'"),
    "one column for both": (
        holds(PAIR),
        {"standard": "Dialect"},
        "dialect 'dialect', standard 'dialect': two sides are the same column",
    ),
    "the standard as back-translation": (
        holds(PAIR),
        {"back": "standard"},
        "standard 'standard', back 'standard': two sides are the same column",
    ),
    "two columns of one name": (
        holds(tsv(("a", "b", "c"), header=("dialect", "dialect", "standard"))),
        {},
        "the column 'dialect' is there twice",
    ),
    "two of Parquet": (
        parquet(("dialect", ["a"]), ("standard", ["b"]), ("standard", ["c"])),
        {},
        "the column 'standard' is there twice",
    ),
    "two ids": (
        parquet(("dialect", ["a"]), ("standard", ["b"]), ("id", ["c"]), ("id", ["c"])),
        {},
        "the column 'id' is there twice",
    ),
    "two columns of varieties": (
        holds(tsv(("a", "b", "bar", "bar"), header=("dialect", "standard", "variety", "variety"))),
        {"variety": ()},
        "the column 'variety' is there twice",
    ),
    "numbers in Parquet": (
        parquet(("dialect", [1]), ("standard", ["b"])),
        {},
        "the column dialect has the type int64. Write it as a column of strings.",
    ),
    "a damaged Parquet": (holds(b"PAR1 and nothing else"), {}, "the Parquet file is damaged"),
    "a header in another encoding": (
        holds("Mundart ä\tstandard\na\tb\n".encode("latin-1")),
        {"dialect": os.fsdecode("Mundart ä".encode("latin-1"))},
        "the header is not UTF-8",
    ),
    "UTF-16": (holds("dialect\tstandard\n".encode("utf-16")), {}, "this is UTF-16 text"),
    "a quote that never closes": (holds(b'dialect,standard\n"a,b\nc,d\n'), {}, "is not CSV"),
    "a cut zip": (holds(zipped(PAIR)[:-60]), {}, "the archive is damaged or cut off"),
    "no variety": (
        holds(PAIR),
        {"variety": ()},
        "which dialect stands in the column 'dialect' isn't said. Give --variety NAME",
    ),
    "an unknown variety in a row": (
        holds(jsonl({**TEXT, "variety": "bar"}, {**TEXT, "variety": "klingon"})),
        {"variety": ()},
        "row 2: no dialect is called 'klingon'. Say which it is with --variety klingon=NAME.",
    ),
    "a standard in a row": (
        holds(jsonl({**TEXT, "variety": "standard-german"})),
        {"variety": ()},
        "row 1: no dialect is called 'standard-german'",
    ),
    "no column of varieties": (
        holds(PAIR),
        {"variety_column": "lang", "variety": ()},
        "there is no column 'lang'. The columns are 'dialect', 'standard'.",
    ),
    "nearly a column of varieties": (
        holds(jsonl({**TEXT, "language": "bar"})),
        {"variety_column": "langage", "variety": ()},
        "'langage'. Did you mean 'language'? The columns are 'dialect', 'standard', 'language'.",
    ),
    "a text as variety": (
        holds(PAIR),
        {"variety_column": "Standard", "variety": ()},
        "--variety-column: the column 'standard' holds texts, and no names of varieties",
    ),
    "a column that nothing is asked of": (
        holds(jsonl({**TEXT, "language": "bar"})),
        {"variety_column": "language"},
        "all rows are african-american-english, and the column is of no use",
    ),
    "a name for a value, and no column": (
        holds(PAIR),
        {"variety": ["gsw=bernese", "aae"]},
        "a name is given for rows that say 'gsw', and no column says it. Name the column with "
        "--variety-column, or give --variety NAME alone.",
    ),
    "a name for the column's own name, and one for all": (
        holds(PAIR),
        {"variety": ["dialect=bernese", "aae"]},
        "a name is given for rows that say 'dialect', and no column says it",
    ),
    "two names for a value": (
        holds(jsonl({**TEXT, "variety": "x"})),
        {"variety": ["x=bernese", "x=aae"]},
        "--variety: two varieties are given for the value 'x'",
    ),
    "an unknown variety": (holds(PAIR), {"variety": ["aaee"]}, "--variety: no variety is called"),
    "a standard": (holds(PAIR), {"variety": ["x=sae"]}, "is the standard of its cluster"),
    "two varieties": (holds(PAIR), {"variety": ["aae", "bar"]}, "two varieties are given"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_that_cant_be_read_says_why_in_a_line(case: str, tmp_path: Path) -> None:
    make, options, message = CASES[case]
    path = tmp_path / "pairs.x"
    make(path)
    with pytest.raises((SourceError, OptionError)) as caught:
        opened(path, **options)
    said = str(caught.value)
    assert message in said
    assert "\n" not in said
    if caught.value.where.startswith("pairs.x"):
        assert str(tmp_path) not in said


@pytest.mark.parametrize(
    "data",
    [b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", PAIR, b"PAR", zipped(PAIR)],
)
@pytest.mark.parametrize("name", ["pairs.parquet", "PAIRS.Parquet"])
def test_a_file_that_is_only_called_parquet_says_so(name: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(SourceError, match="no Parquet file, though its name says so") as caught:
        opened(path)
    assert caught.value.where == name
    with pytest.raises(SourceError, match="no Parquet file, though its name says so"):
        read_ratings_file(str(path))


def test_a_header_of_megabytes_is_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(tsv(("a", "b"), header=("x" * 1_000_000, "y" * 1_000_000)))
    with pytest.raises(OptionError) as caught:
        opened(path)
    assert len(str(caught.value)) < 600


def test_a_name_that_is_no_utf8_is_written_as_far_as_it_can_be(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.tsv"))
    path.write_bytes(PAIR)
    found = validate(opened(path))
    assert found.pairs.name == "caf\ufffd.tsv"
    write_report(found, tmp_path / "out")


@pytest.mark.parametrize("data", [b"a,b,variety\nx,y,klingon\n", b"dialect,standard\n1,2,3\n"])
def test_a_reader_that_stops_leaves_nothing_behind(data: bytes, tmp_path: Path) -> None:
    # A generator that fails while it is thrown away prints a traceback below the error.
    (tmp_path / "p").write_bytes(data)
    with pytest.raises(IsoglossError):
        opened(tmp_path / "p", dialect="a", standard="b", variety=())


MEGABYTES = 10_000_000
#: What a cell repeats.
CELLS = {
    "a word": "a",
    "grammar": "ain't no way ",
    "digits": "7",
    "scripts": "aя字",
    "quotes": '"',
    "tags": "<b>",
    "spaces and a word": "x" + " " * 99,
}


@pytest.mark.parametrize(
    ("cell", "side"),
    [
        ("grammar", "standard"),
        *(pytest.param(cell, "dialect", marks=pytest.mark.slow) for cell in CELLS),
    ],
)
def test_a_cell_of_ten_megabytes_is_counted_and_costs_nothing(
    cell: str, side: str, tmp_path: Path
) -> None:
    path = tmp_path / "p"
    long = CELLS[cell] * (MEGABYTES // len(CELLS[cell]))
    path.write_bytes(jsonl(TEXT, {**TEXT, side: long}, TEXT))
    start = time.process_time()
    found = validate(opened(path))
    write_report(found, tmp_path / "out")
    assert time.process_time() - start < 10
    assert found.pairs.refused.first == {"too_long": 2}
    assert found.to_dict()["source"]["refused"] == {"too_long": 1}
    assert sum(file.stat().st_size for file in (tmp_path / "out").iterdir()) < 100_000


def test_a_cell_just_within_the_limit_is_asked_about_in_seconds(tmp_path: Path) -> None:
    path = tmp_path / "p"
    long = ("ain't no way 12 <b>x</b> @a http://a.b " * 3_000)[:100_000]
    path.write_bytes(jsonl(TEXT, {"dialect": long, "standard": long[:-9] + "aя字 7"}))
    start = time.process_time()
    found = validate(opened(path))
    write_report(found, tmp_path / "out")
    assert time.process_time() - start < 20
    assert found.likeness.cut == 1
    page = (tmp_path / "out" / "quality.html").read_text()
    assert len(page) < 100_000
    assert re.search(r"[\d,]+ more characters are not shown", page)
    assert found.pairs.varieties == [AAE]
