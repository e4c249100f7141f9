"""Anybody's file: every shape gives the same pairs, and every row is kept or counted."""

from __future__ import annotations

import io
import json
import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.tests.validation.quality.made import (
    AAE,
    BAVARIAN,
    BERNESE,
    PACKINGS,
    SENTENCES,
    jsonl,
    opened,
    tsv,
)
from isogloss.validation.quality import Pairs

QUOTED = [('She said "we late, man"', 'She said "we are late; man"'), *SENTENCES]


def delimited(sign: str) -> bytes:
    quoted = [[f'"{text.replace(chr(34), chr(34) * 2)}"' for text in row] for row in QUOTED]
    return "".join(sign.join(row) + "\n" for row in (["dialect", "standard"], *quoted)).encode()


def parquet(path: Path, columns: Mapping[str, Any]) -> Path:
    pl.DataFrame(columns, strict=False).write_parquet(path)
    return path


SHAPES: dict[str, tuple[bytes, str]] = {
    "comma": (delimited(","), "csv"),
    "semicolon": (delimited(";"), "csv"),
    "tab": (tsv(*QUOTED), "csv"),
    "JSON lines": (jsonl(*({"dialect": a, "standard": b} for a, b in QUOTED)), "jsonl"),
}


def rows(pairs: Pairs) -> list[tuple[str, str]]:
    return pairs.frame.select("dialect", "standard").rows()


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_and_packing_gives_the_same_pairs(
    shape: str, packing: str, tmp_path: Path
) -> None:
    data, name = SHAPES[shape]
    path = tmp_path / "pairs"
    path.write_bytes(PACKINGS[packing](data))
    found = opened(path)
    assert rows(found) == QUOTED
    assert found.shape == name
    assert found.frame["position"].to_list() == [1, 2, 3, 4, 5]
    assert found.frame["id"].to_list() == ["1", "2", "3", "4", "5"]
    assert found.varieties == [AAE]
    assert not found.refused.total


def test_parquet_gives_them_too(tmp_path: Path) -> None:
    dialect, standard = zip(*QUOTED, strict=True)
    path = parquet(tmp_path / "p", {"x": [1] * 5, "dialect": dialect, "standard": standard})
    found = opened(path)
    assert rows(found) == QUOTED
    assert (found.shape, found.name) == ("parquet", "p")


@pytest.mark.parametrize("kind", [pl.Categorical(), pl.Enum(sorted({*sum(QUOTED, ())}))])
def test_categories_and_enums_of_parquet_are_texts(kind: pl.DataType, tmp_path: Path) -> None:
    dialect, standard = zip(*QUOTED, strict=True)
    path = tmp_path / "p"
    schema = {"dialect": kind, "standard": kind}
    pl.DataFrame({"dialect": dialect, "standard": standard}, schema).write_parquet(path)
    assert rows(opened(path)) == QUOTED


def test_a_dictionary_of_parquet_may_have_gaps(tmp_path: Path) -> None:
    texts = pa.array(["a", None, "a"]).dictionary_encode()
    table = pa.table({"dialect": texts, "standard": texts, "back": texts, "id": texts})
    pq.write_table(table, tmp_path / "p")
    found = opened(tmp_path / "p")
    assert found.frame.select("id", "dialect", "back").rows() == [("a", "a", "a")] * 2
    assert found.refused.counts == {"no_dialect": 1}


def test_a_mark_at_the_start_and_empty_lines_before_it_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf" + tsv(*SENTENCES))
    (tmp_path / "b").write_bytes(b"\n\n" + tsv(*SENTENCES))
    (tmp_path / "c").write_bytes(b"\xef\xbb\xbf" + SHAPES["JSON lines"][0])
    assert [rows(opened(tmp_path / name)) for name in "abc"] == [SENTENCES, SENTENCES, QUOTED]


def test_columns_have_the_names_that_were_given(tmp_path: Path) -> None:
    path = tmp_path / "p.tsv"
    header = ("Nr", "Mundart", "Hochdeutsch", "again")
    path.write_bytes(tsv(("a7", "I bi z spät", "Ich bin zu spät", ""), header=header))
    names = {"dialect": "Mundart", "standard": "hochdeutsch", "back": "again", "id": "NR"}
    found = opened(path, variety=["bernese"], **names)
    [row] = found.frame.rows(named=True)
    assert row == {
        "position": 1,
        "id": "a7",
        "variety": BERNESE,
        "dialect": "I bi z spät",
        "standard": "Ich bin zu spät",
        "back": "",
    }
    assert found.columns == {"dialect": "Mundart", "standard": "Hochdeutsch", "back": "again"}


@pytest.mark.parametrize("shape", ["jsonl", "parquet"])
def test_an_id_is_found_in_any_case_in_every_shape(shape: str, tmp_path: Path) -> None:
    path = tmp_path / "p"
    if shape == "jsonl":
        path.write_bytes(jsonl({"Key": "k1", "dialect": "We late", "standard": "We are late"}))
    else:
        parquet(path, {"Key": ["k1"], "dialect": ["We late"], "standard": ["We are late"]})
    assert opened(path, id="key").frame["id"].to_list() == ["k1"]
    assert opened(path, id="Key").frame["id"].to_list() == ["k1"]
    assert opened(path).frame["id"].to_list() == ["1"]


def test_ids_may_be_numbers_and_a_missing_one_is_the_row(tmp_path: Path) -> None:
    texts = {"dialect": "We late", "standard": "We are late"}
    ids: list[Any] = [7, 2**80, None, "", "\ud83d", "x", math.nan, True]
    path = tmp_path / "p"
    path.write_bytes(jsonl(*({"id": one, **texts} for one in ids)))
    found = opened(path).frame["id"].to_list()
    assert found == ["7", str(2**80), "3", "4", "5", "x", "7", "8"]
    parquet(path, {"id": [12, None], "dialect": ["a", "b"], "standard": ["c", "d"]})
    assert opened(path).frame["id"].to_list() == ["12", "2"]


# --- Rows that can't be looked at -------------------------------------------------------------

DAMAGED: dict[str, tuple[bytes, dict[str, int]]] = {
    "cells of JSON": (
        jsonl(
            {"dialect": "We late", "standard": "We are late"},
            {"dialect": None, "standard": "x"},
            {"dialect": math.nan, "standard": "x"},
            {"dialect": " \t", "standard": "x"},
            {"dialect": "x", "standard": None},
            {"dialect": "x", "standard": math.nan},
            {"dialect": "x"},
            {"dialect": ["x"], "standard": "x"},
            {"dialect": "x", "standard": {"x": 1}},
            {"dialect": "\ud83d", "standard": "x"},
            {"dialect": "x", "standard": "\udc00"},
            {"dialect": "x" * 100_001, "standard": "x"},
            {"dialect": "x", "standard": "x" * 100_000},
            {"dialect": True, "standard": "x"},
            {"dialect": 1, "standard": 2.5},
        ),
        {"no_dialect": 2, "no_standard": 5, "lone_surrogate": 10, "too_long": 12},
    ),
    "lines of JSON": (
        jsonl({"dialect": "We late", "standard": "We are late"})
        + b'\n{"dialect": "x", \n[1]\n7\n"\xff"\n'
        + b'{"dialect": "caf\xe9", "standard": "x"}\n'
        + b"[" * 100_000
        + b"\n"
        + b'{"dialect": %b, "standard": "x"}\n' % (b"1" * 5000),
        {"blank_line": 2, "invalid_json": 3, "not_utf8": 6},
    ),
    "lines of a table": (
        tsv(
            ("We late", "We are late"),
            ("", "x"),
            ("x", ""),
            ("x",),
            ("x", "y", "z"),
            (),
            ("a", "b"),
        )
        + b"caf\xe9\tx\n",
        {"no_dialect": 2, "field_count": 4, "blank_line": 6, "not_utf8": 8},
    ),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_what_cant_be_looked_at_is_counted_with_its_first_place(case: str, tmp_path: Path) -> None:
    data, first = DAMAGED[case]
    path = tmp_path / "p"
    path.write_bytes(data)
    found = opened(path)
    assert found.refused.first == first
    assert found.refused.counts.keys() == first.keys()
    lines = data.count(b"\n") - (case == "lines of a table")
    assert found.frame.height + found.refused.total == lines
    assert found.frame.height == {"cells of JSON": 3, "lines of JSON": 1}.get(case, 3)


def test_nulls_and_nan_of_parquet_are_counted_too(tmp_path: Path) -> None:
    path = parquet(
        tmp_path / "p", {"dialect": ["a", None, "", "d"], "standard": ["a", "b", "c", None]}
    )
    found = opened(path)
    assert found.refused.counts == {"no_dialect": 2, "no_standard": 1}
    assert found.refused.first == {"no_dialect": 2, "no_standard": 4}


def test_a_missing_back_translation_is_an_empty_one_and_an_empty_standard_is_for_a_gate(
    tmp_path: Path,
) -> None:
    path = tmp_path / "p"
    path.write_bytes(
        jsonl(
            {"dialect": "We late", "standard": "We are late", "back": None},
            {"dialect": "We late", "standard": "", "back": "We late"},
        )
    )
    found = opened(path)
    assert found.frame["back"].to_list() == ["", "We late"]
    assert found.has_back
    assert not found.refused.total


cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from(["", " ", "We late", "\ud83d", "a\tb", "a\nb", '"', "\u202e", "\x00", "ß" * 9]),
    st.lists(st.integers(), max_size=1),
)
records = st.one_of(
    st.fixed_dictionaries(
        {"dialect": cells, "standard": cells}, optional={"id": cells, "back": cells}
    ),
    st.dictionaries(st.sampled_from(["dialect", "standard", "id", "x"]), cells),
)
noise = st.sampled_from([b"", b"{", b"[]", b"\xff\xfe{", b"null", b'"x"', b"  "])


def check_sum(data: bytes, lines: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p"
        path.write_bytes(data)
        found = opened(path)
    assert found.frame.height + found.refused.total == lines
    assert found.frame["position"].is_sorted()
    assert found.frame["position"].n_unique() == found.frame.height
    assert not any(found.frame.null_count().row(0))
    assert all(text.strip() for text in found.frame["dialect"])
    for position in found.refused.first.values():
        assert 1 <= position <= lines
        assert position not in found.frame["position"]


@settings(max_examples=50)
@given(st.lists(records | noise, max_size=12))
def test_pairs_and_refused_rows_of_json_lines_add_up(lines: list[Any]) -> None:
    first = {"dialect": "We late", "standard": "We are late", "id": "0", "back": "We late"}
    data = [line if isinstance(line, bytes) else json.dumps(line).encode()
            for line in (first, *lines)]  # fmt: skip
    check_sum(b"\n".join(data) + b"\n", len(data))


fields = st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=["Cs"]), max_size=5)


@settings(max_examples=50)
@given(st.lists(st.lists(fields | st.sampled_from(["", " ", '"', "We late"]), max_size=4)))
def test_pairs_and_refused_rows_of_a_table_add_up(lines: list[list[str]]) -> None:
    first = ["0", "We late", "We are late"]
    check_sum(tsv(first, *lines, header=("id", "dialect", "standard")), len(lines) + 1)


# --- Varieties --------------------------------------------------------------------------------


def by_row(*values: Any) -> bytes:
    texts = {"dialect": "Werds heid regna", "standard": "Wird es heute regnen"}
    return jsonl(*({**texts, "variety": value} for value in values))


def test_varieties_stand_in_a_column_by_any_name_or_by_one_that_is_given(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(by_row("gsw", "Bavarian", "bar", "de-ba"))
    found = opened(path, variety=["gsw=bernese", "de-ba=bar"])
    assert found.frame["variety"].to_list() == [BERNESE, BAVARIAN, BAVARIAN, BAVARIAN]
    whole = opened(path, variety=["bernese"])
    assert whole.frame["variety"].to_list() == [BERNESE] * 4


VARIETY_SHAPES = {
    "JSON lines": lambda rows: jsonl(*rows),
    "tab": lambda rows: tsv(*(row.values() for row in rows), header=list(rows[0])),
    "Parquet": lambda rows: _bytes_of(pl.DataFrame(rows)),
    "Parquet with categories": lambda rows: _bytes_of(
        pl.DataFrame(rows, schema_overrides={"Language": pl.Categorical})
    ),
}


def _bytes_of(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


@pytest.mark.parametrize("shape", VARIETY_SHAPES)
def test_the_column_of_varieties_may_be_named(shape: str, tmp_path: Path) -> None:
    path = tmp_path / "p"
    values = ("als", "bar", "x")
    rows = [{"dialect": "a", "standard": "b", "Language": value} for value in values]
    path.write_bytes(VARIETY_SHAPES[shape](rows))
    given = ["als=bernese", "x=bavarian"]
    for name in ("Language", "language"):
        found = opened(path, variety_column=name, variety=given)
        assert found.frame["variety"].to_list() == [BERNESE, BAVARIAN, BAVARIAN]
    assert not found.notes


def test_a_column_that_is_named_comes_before_the_usual_one(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(tsv(("a", "b", "bar", "gsw"), header=("dialect", "standard", "variety", "is")))
    assert opened(path, variety=()).varieties == [BAVARIAN]
    found = opened(path, variety_column="is", variety=["gsw=bernese"])
    assert found.varieties == [BERNESE]


def test_a_name_for_all_is_for_the_rows_whose_value_has_no_name(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(by_row("gsw", "als", "klingon", None, ""))
    found = opened(path, variety=["bavarian", "gsw=bernese"])
    assert found.frame["variety"].to_list() == [BERNESE] + [BAVARIAN] * 4
    assert opened(path, variety=["gsw=bernese", "bar"]).frame.equals(found.frame)
    assert not found.refused.total
    assert not found.notes


def test_a_name_that_had_no_effect_is_told(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(by_row("bar", "bar"))
    found = opened(path, variety=["gws=bernese", "bar=bar", "gsw=bernese", "aae"])
    assert found.notes == [
        f"no row says {value!r} in the column 'variety': --variety {value}=bernese had no effect"
        for value in ("gws", "gsw")
    ]


def test_the_name_of_the_column_may_say_the_variety(tmp_path: Path) -> None:
    path = tmp_path / "p.tsv"
    path.write_bytes(tsv(("Werds heid regna", "Wird es heute regnen"), header=("bar", "de")))
    assert opened(path, dialect="bar", standard="de", variety=()).varieties == [BAVARIAN]
    named = opened(path, dialect="bar", standard="de", variety=["bar=bernese"])
    assert (named.varieties, named.notes) == ([BERNESE], [])


@pytest.mark.parametrize("value", ["", None, math.nan, []])
def test_a_row_that_doesnt_say_its_variety_is_refused(value: object, tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(by_row("bar", value, "bar"))
    found = opened(path, variety=())
    assert found.frame.height == 2
    assert found.refused.first == {"no_variety": 2}
