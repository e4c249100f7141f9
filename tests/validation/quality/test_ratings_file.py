"""Files of ratings: every shape, no rating lost, and no rater's name anywhere."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss.errors import RatingsError, SourceError
from isogloss.summary import quality_summary
from isogloss.tests.validation.quality.made import (
    PACKINGS,
    SENTENCES,
    jsonl,
    measured,
    text_of,
    texts_in,
)
from isogloss.validation.quality import Quality, write_report
from isogloss.validation.quality.page import render
from isogloss.validation.quality.ratings_file import read_ratings_file
from rich.table import Table

NAMES = ("Annabel Quill", "Bob Featherstone", "Quentin Inkwell")
ROWS = [
    {"item": f"r{number}", "rater": name, "label": "yes" if (number + at) % 3 else "no"}
    for number in range(1, 5)
    for at, name in enumerate(NAMES)
]


def table(sign: str, rows: list[dict[str, Any]], **renamed: str) -> bytes:
    names = [renamed.get(name, name) for name in rows[0]]
    lines = [names, *([str(value) for value in row.values()] for row in rows)]
    return "".join(sign.join(line) + "\n" for line in lines).encode()


SHAPES: dict[str, Callable[[Path], object]] = {
    "comma": lambda path: path.write_bytes(table(",", ROWS)),
    "semicolon": lambda path: path.write_bytes(table(";", ROWS)),
    "tab": lambda path: path.write_bytes(table("\t", ROWS)),
    "a mark at the start": lambda path: path.write_bytes(b"\xef\xbb\xbf" + table(",", ROWS)),
    "empty lines before it": lambda path: path.write_bytes(b"\n\n" + jsonl(*ROWS)),
    "JSON lines": lambda path: path.write_bytes(jsonl(*ROWS)),
    "Parquet": lambda path: pl.DataFrame(ROWS).write_parquet(path),
    "other names": lambda path: path.write_bytes(
        table(",", ROWS, item="id", rater="annotator", label="rating")
    ),
    **{
        packing: lambda path, pack=pack: path.write_bytes(pack(table(",", ROWS)))  # type: ignore[misc]
        for packing, pack in PACKINGS.items()
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_the_same_ratings(shape: str, tmp_path: Path) -> None:
    SHAPES[shape](tmp_path / "r")
    frame, several = read_ratings_file(str(tmp_path / "r"))
    assert frame.rows() == [tuple(row.values()) for row in ROWS]
    assert frame.columns == ["item", "rater", "label"]
    assert not several


def test_numbers_are_labels_and_a_question_is_found(tmp_path: Path) -> None:
    rows = [
        {"question": "q", "item": 7, "rater": "ann", "label": value}
        for value in (1, 1.0, 0.5, None, math.nan, True)
    ]
    (tmp_path / "r").write_bytes(jsonl(*rows))
    frame, several = read_ratings_file(str(tmp_path / "r"))
    assert several
    assert frame["label"].to_list() == ["1", "1", "0.5", None, "nan", "True"]
    assert frame["item"].unique().to_list() == ["7"]


# --- Trouble ----------------------------------------------------------------------------------

ANN = NAMES[0]
CASES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the file is empty"),
    "blank": (b"\n\n", "nothing but empty lines"),
    "a header alone": (b"item,rater,label\n", "there are no ratings in it"),
    "no rater": (b"item,label\nr1,yes\n", "there is no column 'rater'; of the columns of ratings "
                 "it has item, label. Name one rater or annotator or user"),
    "a column for each rater": (
        f"item,{ANN},Bob\nr1,yes,no\n".encode(),
        "there is no column 'rater'; of the columns of ratings it has item. ",
    ),
    "no header": (f"{ANN},r1,yes\n".encode(), "of the columns of ratings it has none"),
    "one column": (f"{ANN}\n".encode(), "the first line has one column only"),
    "an array": (f'[{{"rater": "{ANN}"}}]'.encode(), "this is one JSON array"),
    "XML": (f"<r>{ANN}</r>".encode(), "this is XML"),
    "a row of another length": (
        f"item,rater,label\nr1,{ANN},yes\nr1,{ANN},yes,7\n".encode(),
        "row 2: the row can't be read (field_count",
    ),
    "a row that is no JSON": (
        f'{{"item": "r1", "rater": "{ANN}", "label": 1}}\n{{"rater": "{ANN}"\n'.encode(),
        "row 2: the row can't be read (invalid_json",
    ),
    "not UTF-8": (
        b"item,rater,label\nr1," + ANN.encode() + b"\xff,yes\n",
        "row 1: the row can't be read (not_utf8",
    ),
    "half a surrogate pair": (
        f'{{"item": "r1", "rater": "{ANN}\\ud83d", "label": 1}}'.encode(),
        "row 1: the row has half a surrogate pair",
    ),
    "a contradiction": (
        f"item,rater,label\nr1,{ANN},yes\nr2,{ANN},yes\nr1,{ANN},no\n".encode(),
        "rows 1, 3: one rater gave the item 'r1' 2 labels for one question",
    ),
    "a rating without an item": (f"item,rater,label\n,{ANN},yes\n".encode(), "ratings without a"),
    "a rating without a rater": (b"item,rater,label\nr1,,yes\n", "ratings without a rater"),
    "texts as labels": (
        f"item,rater,label\nr1,{ANN},{'x' * 300}\n".encode(),
        "a label of 300 characters",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_trouble_is_a_line_without_a_name(case: str, tmp_path: Path) -> None:
    data, message = CASES[case]
    (tmp_path / "r").write_bytes(data)
    with pytest.raises((RatingsError, SourceError)) as caught:
        measured(SENTENCES, ratings=str(tmp_path / "r"))
    said = str(caught.value)
    assert message in said
    assert "\n" not in said
    assert ANN not in said
    name = str(tmp_path / "r") if case == "empty" else "r"
    assert re.search(rf": {re.escape(name)}[:,] ", said), said


def test_ratings_are_read_before_the_long_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.validation.quality.report.screen_pairs", None)
    with pytest.raises(SourceError):
        measured(SENTENCES, ratings=str(tmp_path / "nothing"))


# --- Odd ratings, and what comes of them ------------------------------------------------------


def rated(tmp_path: Path, *rows: tuple[Any, ...]) -> Quality:
    names = ("item", "rater", "label")
    (tmp_path / "r").write_bytes(jsonl(*(dict(zip(names, row, strict=True)) for row in rows)))
    return measured(SENTENCES, ratings=str(tmp_path / "r"))


def test_one_rater_is_no_agreement(tmp_path: Path) -> None:
    found = rated(tmp_path, ("r1", "a", 1), ("r2", "a", 0)).to_dict()["agreement"]
    [question] = found["questions"]
    assert found["raters"] == 1
    assert (question["items"], question["single"], question["unrated"]) == (2, 2, 2)
    for measure in question["measures"].values():
        assert (measure["value"], measure["reason"]) == (None, "one rater only")


def test_one_label_is_exact_agreement_and_no_coefficient(tmp_path: Path) -> None:
    rows = [(f"r{n}", who, "yes") for n in range(1, 5) for who in "ab"]
    [question] = rated(tmp_path, *rows).to_dict()["agreement"]["questions"]
    assert question["measures"]["exact"]["value"] == 1
    assert question["measures"]["gwet_ac1"]["value"] is None
    assert "one label only" in question["measures"]["fleiss_kappa"]["reason"]


def test_ratings_of_unknown_items_are_left_out_and_told(tmp_path: Path) -> None:
    rows = [("r1", "a", 1), ("r1", "b", 1), ("r9", "a", 0), ("r9", "b", 1), ("zz", "a", 1)]
    found = rated(tmp_path, *rows).to_dict()["agreement"]
    assert (found["unknown"], found["unknown_ratings"]) == (["r9", "zz"], 3)
    assert found["questions"][0]["ratings"] == 2


def test_nothing_rated_of_this_corpus_is_a_line_without_a_verdict(tmp_path: Path) -> None:
    quality = rated(tmp_path, ("x", "a", 1), ("x", "b", 1))
    [check] = [check for check in quality.checks if check.id == "agreement"]
    assert (check.verdict, check.note, check.value.n) == ("none", "no ratings", 0)


def test_missing_ratings_are_counted_and_are_no_label(tmp_path: Path) -> None:
    rows = [("r1", "a", value) for value in (None, math.nan, -1, "", "−1", -1.0)]
    rows += [("r1", "b", 1), ("r2", "a", 1), ("r2", "b", 0), ("r2", "b", 0)]
    [question] = rated(tmp_path, *rows).to_dict()["agreement"]["questions"]
    assert (question["missing"], question["repeated"]) == (6, 1)
    assert question["labels"] == ["0", "1"]
    assert (question["ratings"], question["single"]) == (3, 1)


def test_odd_labels_are_told_in_every_place_and_left_as_they_are(tmp_path: Path) -> None:
    labels = {"a": ("yes", "n/a"), "b": ("YES", "no")}
    quality = rated(
        tmp_path, *((f"r{n}", who, ours[n % 2]) for who, ours in labels.items() for n in (1, 2))
    )
    [question] = quality.to_dict()["agreement"]["questions"]
    assert question["labels"] == ["YES", "n/a", "no", "yes"]
    missing, spelled = question["warnings"]
    assert "look like missing ratings, but count: 'n/a' (1)" in missing
    assert "count as different: 'YES' (1), 'yes' (1)" in spelled
    [check] = [check for check in quality.checks if check.id == "agreement"]
    page = text_of(render(quality))
    for warning in (missing, spelled):
        assert warning in check.note
        assert page.count(warning) == 2  # in the checks, and below the question
    printed = [part for part in quality_summary(quality, tmp_path) if isinstance(part, Table)]
    assert "n/a" in "".join(str(cell) for cell in printed[0].columns[-1].cells)


def test_odd_labels_of_one_rater_are_told_beside_the_reason(tmp_path: Path) -> None:
    quality = rated(tmp_path, ("r1", "a", "None"), ("r2", "a", "none"))
    [check] = [check for check in quality.checks if check.id == "agreement"]
    assert check.note.startswith("one rater only. labels that look like missing ratings")
    assert "'None' (1), 'none' (1)" in check.note


@pytest.mark.parametrize("examples", [0, 3])
def test_no_name_of_a_rater_is_in_any_file(examples: int, tmp_path: Path) -> None:
    rows = [{**row, "question": question} for row in ROWS for question in ("fluent", "same")]
    (tmp_path / "r.csv").write_bytes(table(",", rows))
    quality = measured(SENTENCES, ratings=str(tmp_path / "r.csv"), examples_per_gate=examples)
    write_report(quality, tmp_path / "out")
    assert "rater 3" in (tmp_path / "out" / "quality.html").read_text()
    for file, text in texts_in(tmp_path / "out"):
        for name in NAMES:
            for part in (name, *name.split()):
                assert part.casefold() not in text.casefold(), (file, part)
