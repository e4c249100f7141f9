"""Verdicts of people go out with the ids form; labels, and texts that were replaced, don't."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss.annotation.merge import merge
from isogloss.annotation.project import Field, Project
from isogloss.builders.forms import hydrate, release
from isogloss.errors import CorpusError
from isogloss.tests.annotation.made import answers, project, question
from isogloss.tests.builders.forms.corpora import SAMPLE, manifest_of, rows_of, told

FIELDS = (Field(column="dialect", title="1"), Field(column="standard", title="2"))
MENDED = "Somebody else wrote this sentence about an unrelated matter."


def asked(replaces: str = "") -> Project:
    questions = [question("natural"), question("keep", "choice")]
    if replaces:
        questions.append(question("corrected", "text", replaces=replaces))
    return project(*questions, builder="realaae", fields=FIELDS)


def annotated(folder: Path, replaces: str = "") -> Path:
    items = rows_of(folder)["id"].to_list()[:9]
    tables = [
        answers("natural", dict.fromkeys(items, "yyn")),
        answers("keep", dict.fromkeys(items, "kkd")),
    ]
    if replaces:
        given: dict[str, Any] = {item: [MENDED] for item in items[:3]}
        tables.append(answers("corrected", given))
    merge(folder, pl.concat(tables), asked(replaces), sample={"n": 9, "seed": 0})
    return folder


def test_verdicts_go_out_and_come_back_and_labels_stay(full: Path, tmp_path: Path) -> None:
    annotated(full, "standard")
    ids, back = tmp_path / "ids", tmp_path / "back"
    release("realaae", form="ids", full=full, out=ids)
    rows, before = rows_of(ids), rows_of(full)
    verdicts = [name for name in before.columns if name.startswith(("natural_", "keep_"))]
    assert rows.select(verdicts).equals(before.select(verdicts))
    assert "standard_machine" not in rows.columns
    assert MENDED in rows["standard"].to_list()
    assert not (ids / "annotations").exists()
    assert told(ids, set(before["standard_machine"].drop_nulls()) & set(before["dialect"])) == set()

    entry = manifest_of(ids)["annotation"]["toy"]
    assert (entry["raters"], entry["items"], entry["labels"]) == (3, 9, 57)
    assert not {"sample", "left_out", "isogloss_version"} & set(entry)
    assert "_at" not in json.dumps(entry)
    assert "r-" not in json.dumps(entry)
    assert "annotation" not in manifest_of(ids)["derived_from"]["left_out"]
    card = (ids / "README.md").read_text()
    assert "## Annotated by people" in card
    assert "standard_machine" not in card

    hydrate(ids, source=str(SAMPLE), out=back)
    assert rows_of(back).select(verdicts).equals(before.select(verdicts))
    assert manifest_of(back)["annotation"] == {"toy": entry}
    assert "## Annotated by people" in (back / "README.md").read_text()


def test_a_hydrated_corpus_can_be_asked_about_again(full: Path, tmp_path: Path) -> None:
    annotated(full)
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    back = tmp_path / "back"
    hydrate(tmp_path / "ids", source=str(SAMPLE), out=back)
    verdict = rows_of(back)["natural_majority"]
    annotated(back)
    assert manifest_of(back)["form"] == "hydrated"
    assert rows_of(back)["natural_majority"].equals(verdict)


def test_a_private_text_that_people_replaced_can_not_go_out(full: Path, tmp_path: Path) -> None:
    annotated(full, "dialect")
    with pytest.raises(CorpusError, match="people's texts took the place of dialect"):
        release("realaae", form="ids", full=full, out=tmp_path / "ids")


def test_a_verdict_that_is_no_code_stops_the_release(full: Path, tmp_path: Path) -> None:
    annotated(full)
    manifest = manifest_of(full)
    manifest["annotation"]["toy"]["questions"][1]["labels"] = ["keep it, please"]
    (full / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(CorpusError, match="is no code, and may be a text"):
        release("realaae", form="ids", full=full, out=tmp_path / "ids")
