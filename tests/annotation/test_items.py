"""Items: what raters see of a row, and why some rows can't be asked about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss.annotation.items import read_items
from isogloss.annotation.merge import merge
from isogloss.annotation.project import Field
from isogloss.annotation.project_files import project_for
from isogloss.errors import AnnotationError, CorpusError, OptionError
from isogloss.tests.annotation.made import (
    answers,
    corpus,
    hashes,
    manifest_of,
    project,
    question,
    rows_of,
)


def test_an_item_has_the_fields_of_the_project_and_nothing_else(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"dialect": " I mog di ", "standard": "Ich mag dich", "note": None, "score": 0.5},
        {"dialect": "Servus", "standard": "Hallo", "note": "greeting", "score": 0.7},
    ]
    more = {"note": pl.String(), "score": pl.Float64()}
    found = read_items(corpus(tmp_path, rows, more=more), project())
    assert [item.fields for item in found.items] == [
        {"dialect": "I mog di", "standard": "Ich mag dich"},
        {"dialect": "Servus", "standard": "Hallo", "note": "greeting"},
    ]
    assert [item.stratum for item in found.items] == ["rest", "first"]
    assert found.items[0].sha256 != found.items[1].sha256
    assert (found.rows, found.left_out) == (2, {})
    assert found.sample == {"n": None, "seed": 0, "split": None, "strata": ["split"]}


def test_texts_are_shown_as_they_are_but_for_control_signs(tmp_path: Path) -> None:
    rows = [{"dialect": "a\x1b[31m<b>*c*</b>\u202e", "standard": "x\r\ny"}]
    [item] = read_items(corpus(tmp_path, rows), project()).items
    assert item.fields == {"dialect": "a[31m<b>*c*</b>", "standard": "x\ny"}


def test_rows_without_a_text_are_counted_by_what_they_lack(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"dialect": "a", "standard": None},
        {"dialect": None, "standard": None},
        {"dialect": "a", "standard": " \n"},
        {"dialect": "a", "standard": "b"},
    ]
    found = read_items(corpus(tmp_path, rows), project())
    assert [item.id for item in found.items] == ["r03"]
    assert found.left_out == {"no_dialect": 1, "no_standard": 2}
    empty = corpus(tmp_path / "empty", rows[:3])
    with pytest.raises(AnnotationError, match=r"no row to ask about \(no_dialect 1, no_standard 2"):
        read_items(empty, project())


def test_a_list_is_shown_in_lettered_lines_and_a_number_as_text(tmp_path: Path) -> None:
    more = {"options": pl.List(pl.String()), "answer": pl.Int64()}
    rows = [{"dialect": "?", "standard": "?", "options": ["Isar", "Inn"], "answer": 1}]
    fields = (Field(column="options", title="O"), Field(column="answer", title="A"))
    [item] = read_items(corpus(tmp_path, rows, more=more), project(fields=fields)).items
    assert item.fields == {"options": "A. Isar\nB. Inn", "answer": "1"}


def test_one_split_and_a_sample(tmp_path: Path) -> None:
    folder = corpus(tmp_path, 30)
    found = read_items(folder, project(), split="rest", sample=4, seed=7)
    assert found.rows == 10
    assert len(found.items) == 4
    assert {item.stratum for item in found.items} == {"rest"}
    assert found.sample == {"n": 4, "seed": 7, "split": "rest", "strata": ["split"]}
    with pytest.raises(OptionError, match=r"no split 'rset'.*first, rest"):
        read_items(folder, project(), split="rset")
    with pytest.raises(OptionError, match="--sample: 0 can't be used"):
        read_items(folder, project(), sample=0)


def test_nobody_sees_an_item_of_their_own(tmp_path: Path) -> None:
    rows = [{"dialect": "a", "standard": "b", "author": who} for who in ("ann", "bob", None)]
    asked = project(assignment="others", author="author")
    found = read_items(corpus(tmp_path, rows, more={"author": pl.String()}), asked)
    seen = {name: [item.id for item in found.of(name, asked)] for name in ("ann", "bob", "eve")}
    assert seen == {"ann": ["r01", "r02"], "bob": ["r00", "r02"], "eve": ["r00", "r01", "r02"]}
    assert len(found.of("ann", project())) == 3


def test_an_answer_may_start_from_a_text(tmp_path: Path) -> None:
    asked = project(question("corrected", "text", prefill="standard", replaces="standard"))
    item = read_items(corpus(tmp_path, 1), asked).items[0]
    assert item.prefilled == {"corrected": "standard 0"}


def test_texts_that_were_replaced_are_asked_about_as_they_were(tmp_path: Path) -> None:
    asked = project(question("corrected", "text", prefill="standard", replaces="standard"))
    folder = corpus(tmp_path, 3)
    before = hashes(folder, asked)
    merge(folder, answers("corrected", {"r01": ["mended"]}), asked)  # type: ignore[dict-item]
    assert rows_of(folder)["standard"].to_list() == ["standard 0", "mended", "standard 2"]
    assert hashes(folder, asked) == before


def test_the_sample_corpus_can_be_asked_about(built: Path) -> None:
    found = read_items(built, project_for("realaae"), sample=20, seed=1)
    assert len(found.items) == 20
    assert all(set(item.fields) == {"dialect", "standard", "back"} for item in found.items)


def test_what_can_not_be_asked_about_is_refused_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="there is no corpus"):
        read_items(tmp_path, project())
    folder = corpus(tmp_path / "c", 3)
    with pytest.raises(AnnotationError, match=r"no column 'back', which the project realaae needs"):
        read_items(folder, project(name="realaae", fields=(Field(column="back", title="B"),)))
    with pytest.raises(AnnotationError, match=r"by the builder 'toy', and the project realaae is"):
        read_items(folder, project_for("realaae"))
    ids = corpus(tmp_path / "ids", 3, form="ids")
    with pytest.raises(AnnotationError, match=r"ids form has no texts.*`isogloss hydrate`"):
        read_items(ids, project())
    manifest = manifest_of(folder)
    newer = str(manifest | {"format_version": 99}).replace("'", '"')
    (folder / "manifest.json").write_text(newer)
    with pytest.raises(CorpusError, match=r"format 99.*Upgrade isogloss"):
        read_items(folder, project())
