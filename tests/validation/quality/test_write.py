"""The files of a report: strict JSON, the same bytes each time, no text where none is wanted."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss.errors import OutputError
from isogloss.tests.validation.quality.made import (
    BAVARIAN,
    SENTENCES,
    WORDS,
    jsonl,
    measured,
    opened,
    pairs_of,
    texts_in,
)
from isogloss.validation.gates import gates
from isogloss.validation.quality import Quality, validate, write_report
from isogloss.validation.quality.screening import CAUGHT
from isogloss.validation.quality.write import FILES

ROWS = [
    *((*pair, pair[0]) for pair in SENTENCES),
    ("Zanzibar Quokkas ain't here", "", "Zanzibar Quokkas"),
    ("We had 77231 Wombats", "We had 4 <unk> Wombats http://wombats.example", "@Wombats"),
    ("Umbrella Umbrella", "**Umbrella** Umbrella Umbrella Umbrella Umbrella Umbrella", ""),
    ("That shit is Gewgaw", "Here is the translation: That is мы Gewgaw", "Gewgaw"),
    ("Gadzooks ain't no way", "Gadzooks ain't no way", "Gadzooks"),
    ("same", "Kerfuffle.", ""),
    ("other thing entirely", "Kerfuffle.", ""),
]
#: Words that stand in texts only.
PLANTED = ("zanzibar", "quokka", "wombat", "77231", "umbrella", "gewgaw", "gadzooks", "kerfuffle")


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("ratings") / "r.jsonl"
    rows = [{"item": f"r{n}", "rater": who, "label": (n + at) % 3 % 2}
            for n in range(1, 9) for at, who in enumerate("abc")]  # fmt: skip
    path.write_bytes(jsonl(*rows))
    return str(path)


@pytest.fixture(scope="module")
def quality(ratings: str) -> Quality:
    return measured(ROWS, models=WORDS, ratings=ratings)


def test_three_files_and_nothing_else(quality: Quality, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    assert write_report(quality, out) == [out / name for name in FILES]
    assert sorted(path.name for path in out.iterdir()) == sorted(FILES)


def test_the_same_corpus_gives_the_same_bytes(ratings: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_report(measured(ROWS, models=WORDS, ratings=ratings), tmp_path / name)
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for one in value.values():
            yield from leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one)
    else:
        yield value


def strict(data: bytes) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(data.decode(), parse_constant=refuse)


@pytest.mark.parametrize(
    "rows",
    [
        ROWS,
        [("a", "")],
        [("a", "", "")],
        [(".", ".", ".")],
        [{"variety": BAVARIAN, "dialect": "a", "standard": "b", "bertscore": None}],
        [{"dialect": "a", "standard": "b", "similarity": None, "bertscore": math.nan}],
    ],
)
def test_json_is_strict_and_what_isnt_known_is_null(rows: list[Any], tmp_path: Path) -> None:
    found = measured(rows, models=WORDS)
    write_report(found, tmp_path)
    plain = strict((tmp_path / "quality.json").read_bytes())
    assert all(value is None or isinstance(value, str | int | float) for value in leaves(plain))
    assert plain["format_version"] == 1
    for check, told in zip(found.checks, plain["checks"], strict=True):
        assert (check.id, check.verdict) == (told["id"], told["verdict"])
        assert (told["value"] is None) == math.isnan(check.value.value)
        if told["value"] is None:
            assert told["verdict"] == "none"
            assert told["reason"]


def test_gates_have_caught_n_and_rate(quality: Quality, tmp_path: Path) -> None:
    write_report(quality, tmp_path)
    table = strict((tmp_path / "quality.json").read_bytes())["gates"]
    assert list(table) == [gate.code for gate in gates()]
    for code, gate in table.items():
        assert (gate["rate"] is None) == (gate["n"] == 0) == (gate["not_asked"] is not None)
        if gate["n"]:
            assert gate["rate"] == gate["caught"] / gate["n"]
            assert 0 <= gate["low"] <= gate["rate"] <= gate["high"] <= 1
        assert len(gate["examples"]) == min(3, gate["caught"])
        assert sum(part["caught"] for part in gate["by"]) == gate["caught"], code


def test_every_caught_row_stands_in_the_table(quality: Quality, tmp_path: Path) -> None:
    write_report(quality, tmp_path)
    table = pl.read_parquet(tmp_path / "caught.parquet")
    assert table.schema == pl.Schema(CAUGHT)
    assert table.equals(quality.screened.caught)
    assert table.height == sum(gate["caught"] for gate in quality.gate_table().values())


def test_with_no_examples_no_text_is_in_any_file(ratings: str, tmp_path: Path) -> None:
    found = measured(ROWS, models=WORDS, ratings=ratings, examples_per_gate=0)
    assert found.examples == {}
    write_report(found, tmp_path)
    caught = pl.read_parquet(tmp_path / "caught.parquet")
    assert caught.height > 12
    assert caught["detail"].null_count() == caught.height
    for file, text in texts_in(tmp_path):
        for word in PLANTED:
            assert word not in text.casefold(), (file, word)
    # With examples they are there: the words can be found.
    write_report(measured(ROWS), tmp_path / "with")
    seen = " ".join(text for _, text in texts_in(tmp_path / "with")).casefold()
    assert all(word in seen for word in PLANTED)


def test_an_empty_table_is_a_table(tmp_path: Path) -> None:
    write_report(measured(SENTENCES), tmp_path)
    assert pl.read_parquet(tmp_path / "caught.parquet").schema == pl.Schema(CAUGHT)


def test_an_older_report_is_replaced(quality: Quality, tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_text("old")
    write_report(quality, tmp_path)
    assert all((tmp_path / name).stat().st_size > 100 for name in FILES)


def test_a_file_is_no_folder(quality: Quality, tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    for out in (tmp_path / "f", tmp_path / "f" / "deeper"):
        with pytest.raises(OutputError, match="not a folder"):
            write_report(quality, out)


def test_no_folder_of_this_machine_is_told(tmp_path: Path) -> None:
    path = tmp_path / "secret-place" / "pairs.jsonl"
    path.parent.mkdir()
    path.write_bytes(jsonl(*({"dialect": a, "standard": b} for a, b in SENTENCES)))
    write_report(validate(opened(path)), tmp_path / "out")
    for _, text in texts_in(tmp_path / "out"):
        assert "secret-place" not in text
        assert os.fspath(tmp_path) not in text


def test_sources_are_told_with_their_refused_rows(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(jsonl({"dialect": "a", "standard": "b"}, {"dialect": "", "standard": "b"}))
    source = validate(opened(path)).to_dict()["source"]
    assert (source["name"], source["shape"]) == ("p.jsonl", "jsonl")
    assert source["columns"] == {"dialect": "dialect", "standard": "standard"}
    assert (source["rows"], source["pairs"]) == (2, 1)
    assert (source["refused"], source["first_refused"]) == ({"no_dialect": 1}, {"no_dialect": 2})
    assert len(source["sha256"]) == 64


def test_varieties_are_told_with_their_standards() -> None:
    rows = [
        {"variety": BAVARIAN, "dialect": "a", "standard": "b"},
        {"dialect": "We late", "standard": ""},
        {"dialect": "We", "standard": "We are"},
    ]
    found = validate(pairs_of(rows)).to_dict()["varieties"]
    assert {name: one["pairs"] for name, one in found.items()} == {
        "african-american-english": 2,
        BAVARIAN: 1,
    }
    assert found["african-american-english"] == {
        "name": "African American English",
        "standard": "standard-american-english",
        "caught": 1,
        "pairs": 2,
        "dialect_characters": 4.5,
        "dialect_words": 1.5,
        "standard_characters": 3,
        "standard_words": 1,
    }
    assert found[BAVARIAN]["standard"] == "standard-german"
