"""A merge: verdicts beside the rows, corrections in their place, and a corpus that stays whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss.annotation.labels import labels_path, labels_table, read_labels
from isogloss.annotation.merge import Merged, merge
from isogloss.annotation.project import Project
from isogloss.corpus.folder import corpus_folder
from isogloss.corpus.hashing import file_sha256
from isogloss.corpus.readme import parsed_front_matter, read_front_matter, text_sha256
from isogloss.errors import AnnotationError, CorpusError, OptionError, WorkFolderBusyError
from isogloss.tests.annotation.made import (
    answers,
    corpus,
    hashes,
    label,
    manifest_of,
    project,
    question,
    rows_of,
    tree,
)

NATURAL = project(question("natural"))
MENDED = project(
    question("keep", "choice"),
    question("corrected", "text", prefill="standard", replaces="standard", required=False),
    name="mend",
)


def corrected(folder: Path, texts: dict[str, list[str]]) -> Merged:
    table = pl.concat([answers("corrected", texts), answers("keep", {"r00": "kkd"})])  # type: ignore[arg-type]
    return merge(folder, table, MENDED)


def test_rows_get_their_verdicts_and_stay_where_they_are(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    before, files = rows_of(folder), manifest_of(folder)["files"]
    found = merge(folder, answers("natural", {"r01": "yyn", "r04": "yn", "r05": "nnn"}), NATURAL)
    rows = rows_of(folder)
    assert rows.select(before.columns).equals(before)
    assert rows.select("natural_majority", "natural_unanimous", "natural_any").rows() == [
        (None, None, None),
        (True, False, True),
        (None, None, None),
        (None, None, None),
        (None, False, True),
        (False, False, False),
    ]
    assert rows["natural_labels"].to_list() == [0, 3, 0, 0, 2, 3]
    now = manifest_of(folder)
    assert found.manifest == now
    assert set(now["files"]) == {*files, "annotations/toy.parquet"}
    for name, entry in now["files"].items():
        assert entry["sha256"] == file_sha256(folder / name)
    entry = now["annotation"]["toy"]
    assert (entry["raters"], entry["items"], entry["labels"], entry["left_out"]) == (3, 3, 8, {})
    assert entry["columns"] == rows.columns[len(before.columns) :]
    assert entry["guidelines_sha256"] == NATURAL.guidelines_sha256
    assert entry["agreement"]["natural"]["measures"]["exact"]["n"] == 3
    assert {one["name"] for one in now["columns"]} == set(rows.columns)


def test_the_corpus_can_still_be_loaded_and_its_card_says_who_answered(tmp_path: Path) -> None:
    import datasets

    folder = corpus(tmp_path / "c")
    merge(folder, answers("natural", {"r01": "yyn", "r04": "yyy"}), NATURAL)
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert loaded["first"].features["natural_majority"].dtype == "bool"
    assert loaded["first"]["natural_labels"] == [3, 0, 3, 0]
    readme, card = (folder / "README.md").read_text(), manifest_of(folder)["card"]
    assert "# Toy\n\nRows.\n\n## Annotated by people\n" in readme
    assert "3 raters gave 6 answers about 2 items" in readme
    assert "| `natural` | 2 | 6 | 0.500 " in readme
    assert parsed_front_matter(folder / "README.md")["pretty_name"] == "Toy"
    head = read_front_matter(folder / "README.md")
    assert text_sha256(head) == card["head_sha256"]
    assert text_sha256(readme.removeprefix(head)) == card["body_sha256"]


def test_the_same_labels_give_the_same_bytes_however_often(tmp_path: Path) -> None:
    once, often = corpus(tmp_path / "once"), corpus(tmp_path / "often")
    table = answers("natural", {"r01": "yyn", "r04": "nn"})
    merge(once, table, NATURAL)
    merge(often, answers("natural", {"r02": "y", "r03": "n"}), NATURAL)
    merge(often, table.sample(fraction=1, shuffle=True, seed=1), NATURAL)
    assert tree(often) == tree(once)
    merge(often, None, NATURAL)
    assert tree(often) == tree(once)
    run = json.loads((often / "run.json").read_text())
    assert run["seconds"] == 1.5
    assert set(run["annotation"]["toy"]) == {"started", "finished", "seconds"}


def test_a_correction_takes_the_place_of_the_machines_text_which_is_kept(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    texts = {"r01": ["better", "better", "best"], "r02": ["x", "y"], "r03": ["standard 3"]}
    found = corrected(folder, texts)
    rows = rows_of(folder)
    assert rows["standard"].to_list() == [
        "standard 0",
        "better",
        *(f"standard {n}" for n in "2345"),
    ]
    assert rows["standard_machine"].to_list() == [f"standard {n}" for n in range(6)]
    assert rows["keep_majority"].to_list()[0] == "keep"
    assert found.entry["replaced"] == {"standard": {"rows": 1, "differ": 1}}
    assert "corrected" not in found.entry["agreement"]
    readme = (folder / "README.md").read_text()
    assert "`standard` is people's text in 1 rows. In 1 rows their texts differ" in readme
    corrected(folder, {"r05": ["other"]})
    expected = [*(f"standard {n}" for n in "01234"), "other"]
    assert rows_of(folder)["standard"].to_list() == expected


@pytest.mark.parametrize("order", ["natural first", "mended first"])
def test_two_projects_stand_side_by_side_in_the_order_of_their_names(
    order: str, tmp_path: Path
) -> None:
    expected = corpus(tmp_path / "expected")
    merge(expected, answers("natural", {"r01": "yy"}), NATURAL)
    corrected(expected, {"r01": ["better"]})
    folder = corpus(tmp_path / "c")
    if order == "natural first":
        merge(folder, answers("natural", {"r01": "yy"}), NATURAL)
    corrected(folder, {"r01": ["better"]})
    merge(folder, answers("natural", {"r01": "yy"}), NATURAL)
    assert tree(folder) == tree(expected)
    assert list(manifest_of(folder)["annotation"]) == ["mend", "toy"]
    assert rows_of(folder).columns[5:7] == ["standard_machine", "keep_majority"]


def test_a_card_that_was_written_by_hand_is_kept(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    head = read_front_matter(folder / "README.md").replace("Toy", "Mine")
    (folder / "README.md").write_text(f"{head}# By hand\n")
    merge(folder, answers("natural", {"r01": "yy"}), NATURAL)
    readme = (folder / "README.md").read_text()
    assert readme.endswith("---\n# By hand\n")
    assert "pretty_name: Mine" in readme
    assert "natural_majority" in readme
    merge(folder, answers("natural", {"r01": "yn"}), NATURAL)
    assert (folder / "README.md").read_text().endswith("---\n# By hand\n")


def test_labels_that_do_not_count_are_kept_and_said(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    known = hashes(folder, NATURAL)
    table = labels_table(
        [
            label("r01", "u", "natural", "yes", text_sha256=known["r01"]),
            label("r02", "u", "natural", "yes", text_sha256="of an earlier text"),
            label("r99", "u", "natural", "yes"),
            label("r03", "u", "mood", "good"),
            label("r04", "u", "natural", None, status="discarded"),
        ]
    )
    found = merge(folder, table, NATURAL)
    assert rows_of(folder)["natural_labels"].to_list() == [0, 1, 0, 0, 0, 0]
    said = " ".join(found.notes)
    for words in ("rows that the corpus doesn't have: 1", "doesn't ask: 1", "changed since: 1"):
        assert words in said
    stored = read_labels(folder, "toy")
    assert stored is not None
    assert stored["status"].to_list() == [
        *("submitted", "outdated", "submitted", "discarded", "submitted")
    ]


def test_labels_that_are_gone_are_kept_aside(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    merge(folder, answers("natural", {"r01": "yy", "r02": "nn"}), NATURAL)
    first = labels_path(folder, "toy").read_bytes()
    found = merge(folder, answers("natural", {"r01": "yy"}), NATURAL)
    [note] = found.notes
    assert note.startswith("2 labels that the corpus had are not among the new ones")
    [copy] = (folder / ".work" / "labels").iterdir()
    assert copy.read_bytes() == first
    assert str(copy) in note


def test_a_table_that_is_damaged_can_be_pulled_again(tmp_path: Path) -> None:
    folder, table = corpus(tmp_path), answers("natural", {"r01": "yy"})
    merge(folder, table, NATURAL)
    whole = tree(folder)
    labels_path(folder, "toy").write_bytes(b"PAR1")
    with pytest.raises(AnnotationError, match="the file is damaged"):
        merge(folder, None, NATURAL)
    found = merge(folder, table, NATURAL)
    assert found.notes[0].startswith("the labels that the corpus had can't be read; the earlier")
    assert tree(folder) == whole


def test_other_files_beside_the_labels_stay(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    merge(folder, answers("natural", {"r01": "yy"}), NATURAL)
    (folder / "annotations" / "notes.txt").write_text("mine")
    merge(folder, None, NATURAL)
    assert (folder / "annotations" / "notes.txt").read_text() == "mine"


def test_how_items_were_drawn_is_remembered(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    merge(folder, answers("natural", {"r01": "yy"}), NATURAL, sample={"n": 3, "seed": 1})
    found = merge(folder, None, NATURAL, min_labels=3)
    assert found.entry["sample"] == {"n": 3, "seed": 1}
    assert found.entry["min_labels"] == 3
    assert rows_of(folder)["natural_majority"].null_count() == 6


CLASHES: dict[str, tuple[Project, str]] = {
    "a column of the corpus": (project(question("x", "scale"), name="b"), "'x_mean' of its own"),
    "another project's column": (project(question("natural"), name="b"), "of the project toy"),
    "a text replaced twice": (
        project(question("q"), question("t", "text", replaces="standard"), name="other"),
        "a column 'standard_machine' of the project mend",
    ),
    "no column of texts": (
        project(question("q"), question("t", "text", replaces="x_mean"), name="other"),
        "no column of texts 'x_mean' to replace",
    ),
}


@pytest.mark.parametrize("case", CLASHES)
def test_a_project_that_would_write_over_something_is_refused(case: str, tmp_path: Path) -> None:
    folder = corpus(tmp_path, more={"x_mean": pl.Float64()})
    merge(folder, answers("natural", {"r01": "yy"}), NATURAL)
    corrected(folder, {"r01": ["better"]})
    before = tree(folder)
    asked, message = CLASHES[case]
    with pytest.raises(AnnotationError) as caught:
        merge(folder, answers("q", {"r01": "yy"}), asked)
    assert message in str(caught.value)
    assert tree(folder) == before


def test_what_can_not_be_merged_is_said_and_nothing_is_touched(tmp_path: Path) -> None:
    table = answers("natural", {"r01": "yy"})
    with pytest.raises(CorpusError, match="there is no corpus"):
        merge(tmp_path / "nothing", table, NATURAL)
    folder = corpus(tmp_path / "c")
    before = tree(folder)
    with pytest.raises(AnnotationError, match=r"no labels of the project toy yet.*annotate pull"):
        merge(folder, None, NATURAL)
    with pytest.raises(AnnotationError, match="no labels of the project toy yet"):
        merge(folder, labels_table([]), NATURAL)
    with pytest.raises(OptionError, match="--min: 0 can't be used"):
        merge(folder, table, NATURAL, min_labels=0)
    with pytest.raises(AnnotationError, match="by the builder 'toy'"):
        merge(folder, table, project(builder="wikidir"))
    with pytest.raises(AnnotationError, match="ids form has no texts"):
        merge(corpus(tmp_path / "ids", form="ids"), table, NATURAL)
    with (
        corpus_folder(folder, builder="toy"),
        pytest.raises(WorkFolderBusyError, match="another process is at work"),
    ):
        merge(folder, table, NATURAL)
    assert tree(folder) == before
    manifest = manifest_of(folder)
    for change, message in (
        ({"format_version": 99}, "Upgrade isogloss"),
        ({"annotation": {"toy": {"columns": 3}}}, "no usable annotation"),
    ):
        (folder / "manifest.json").write_text(json.dumps(manifest | change))
        with pytest.raises(CorpusError, match=message):
            merge(folder, table, NATURAL)


def test_a_damaged_corpus_is_not_merged(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    path: Any = next((folder / "data").rglob("first-*.parquet"))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CorpusError, match="the file is missing, or not as the manifest says"):
        merge(folder, answers("natural", {"r01": "yy"}), NATURAL)
