"""Labels of people in a corpus folder are its ratings, unless others are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss.corpus.hashing import file_sha256
from isogloss.corpus.store import write_parquet
from isogloss.errors import CorpusError
from isogloss.tests.builders.forms.corpora import manifest_of, rows_of, save_manifest
from isogloss.validation.quality import open_pairs, validate

SCHEMA = dict.fromkeys(("item", "rater", "question", "label", "status"), pl.String())
ENTRY: dict[str, Any] = {
    "version": 1,
    **dict.fromkeys(("raters", "items", "labels", "min_labels"), 1),
    "columns": [],
    "replaced": {},
    "questions": [
        {"name": "natural", "kind": "yes_no", "labels": ["yes", "no"]},
        {"name": "remark", "kind": "text", "labels": []},
    ],
}


def annotate(folder: Path, project: str, rows: list[tuple[str, ...]]) -> Path:
    """Puts a project's labels into a corpus, as a merge would."""
    manifest = manifest_of(folder)
    path = folder / "annotations" / f"{project}.parquet"
    path.parent.mkdir(exist_ok=True)
    write_parquet(pl.DataFrame(rows, schema=SCHEMA, orient="row"), path, SCHEMA)
    size = path.stat().st_size
    entry = {"sha256": file_sha256(path), "bytes": size, "rows": len(rows)}
    manifest["files"][f"annotations/{project}.parquet"] = entry
    manifest.setdefault("annotation", {})[project] = ENTRY
    save_manifest(folder, manifest)
    return path


def votes(folder: Path, *, status: str = "submitted") -> list[tuple[str, ...]]:
    first, second = rows_of(folder)["id"].to_list()[:2]
    return [
        *((first, rater, "natural", "yes", status) for rater in "ab"),
        (second, "a", "natural", "yes", status),
        (second, "b", "natural", "no", status),
        (second, "c", "natural", "yes", "draft"),
        (second, "c", "remark", "fine", status),
        (second, "d", "natural", "maybe", status),
    ]


def test_the_labels_of_a_folder_are_measured_and_named(full: Path) -> None:
    annotate(full, "toy", votes(full))
    found = validate(open_pairs(str(full)))
    assert found.agreement is not None
    [natural] = found.agreement.questions
    assert (natural.question, natural.ratings, natural.raters) == ("natural", 4, 2)
    assert natural.measures["exact"].value == 0.5
    assert natural.unrated == rows_of(full).height - 2
    note = "The agreement is of the labels in annotations/toy.parquet."
    assert note in found.to_dict()["source"]["notes"]


def test_ratings_that_are_given_come_first(full: Path, tmp_path: Path) -> None:
    annotate(full, "toy", votes(full))
    item = rows_of(full)["id"][0]
    (tmp_path / "r.csv").write_text(f"item,rater,label\n{item},ann,good\n{item},bob,good\n")
    found = validate(open_pairs(str(full)), ratings=str(tmp_path / "r.csv"))
    assert found.agreement is not None
    assert found.agreement.questions[0].labels == ("good",)
    assert not any("annotations/" in note for note in found.pairs.notes)


def test_two_projects_with_one_question_are_told_apart(full: Path) -> None:
    annotate(full, "one", votes(full))
    annotate(full, "two", votes(full))
    found = validate(open_pairs(str(full)))
    assert found.agreement is not None
    assert [one.question for one in found.agreement.questions] == ["one.natural", "two.natural"]


def test_labels_that_do_not_count_are_no_ratings(full: Path) -> None:
    annotate(full, "toy", votes(full, status="outdated"))
    assert validate(open_pairs(str(full))).agreement is None


@pytest.mark.parametrize("damage", ["changed", "lost", "unlisted"])
def test_labels_that_are_not_what_the_manifest_says_are_refused(damage: str, full: Path) -> None:
    path = annotate(full, "toy", votes(full))
    if damage == "changed":
        path.write_bytes(path.read_bytes()[:-1])
    elif damage == "lost":
        path.unlink()
    else:
        manifest = manifest_of(full)
        del manifest["files"]["annotations/toy.parquet"]
        save_manifest(full, manifest)
    with pytest.raises(CorpusError, match=r"labels are missing, or not as .*annotate merge"):
        open_pairs(str(full))
