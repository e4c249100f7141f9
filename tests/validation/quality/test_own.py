"""A corpus folder of ours: read as its manifest says, or refused with what to do."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss.builders.forms import hydrate, release
from isogloss.errors import CorpusError, OptionError
from isogloss.tests.builders.forms.corpora import SAMPLE, manifest_of, rewrite, rows_of
from isogloss.tests.validation.quality.made import AAE
from isogloss.validation.quality import Columns, open_pairs, validate


def test_the_rows_are_those_of_the_folder_in_their_order(built: Path) -> None:
    found = open_pairs(str(built))
    rows = rows_of(built)
    texts = ["id", "dialect", "standard", "back"]
    assert found.frame.select(texts).equals(rows.select(texts))
    assert found.frame["position"].to_list() == list(range(1, rows.height + 1))
    assert found.varieties == [AAE]
    assert found.columns == {name: name for name in texts[1:]}
    assert (found.shape, found.name, found.refused.total) == ("corpus", "c", 0)
    assert sum("demonstration" in note for note in found.notes) == 2


def test_what_it_was_built_of_is_told_and_its_gates_pass(built: Path) -> None:
    found = validate(open_pairs(str(built)))
    gates = {check.id: check for check in found.checks if check.id.startswith("gate.")}
    # The builder asked the same gates: nothing that they catch is in the corpus.
    assert {check.verdict for check in gates.values()} == {"pass", "none"}
    assert gates["gate.markup"].value.n == 2 * rows_of(built).height
    # What stays the same on the way back was no copy of a marked text.
    assert gates["gate.copy"].value.n == rows_of(built).height
    assert gates["gate.meaning_drift"].verdict == "none"


def test_scores_that_nobody_measured_are_no_scores(built: Path, full: Path) -> None:
    assert not {"similarity", "bertscore"} & set(open_pairs(str(built)).frame.columns)
    rewrite(full, lambda row: {**row, "similarity": 0.8, "bertscore": 0.9})
    found = open_pairs(str(full))
    assert found.frame["similarity"].to_list() == [0.8] * found.frame.height
    assert "back_similarity" not in found.frame.columns
    scored = validate(found).bertscore
    assert scored is not None
    assert scored.values.mean == pytest.approx(0.9)
    assert scored.model is None


def test_the_ids_form_is_refused_and_its_hydration_counts_what_is_withheld(
    full: Path, tmp_path: Path
) -> None:
    # Every third standard text is nearly the tweet: the ids form withholds it.
    rewrite(full, lambda row: {**row, "standard": row["dialect"]} if int(row["id"]) % 3 else row)
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    with pytest.raises(CorpusError, match=r"ids form has no dialect texts.*`isogloss hydrate`"):
        open_pairs(str(tmp_path / "ids"))
    hydrate(tmp_path / "ids", source=str(SAMPLE), out=tmp_path / "back")
    rows = rows_of(tmp_path / "back").with_row_index("at", offset=1)
    texts = ["dialect", "standard", "back"]
    whole = rows.drop_nulls(texts)
    if not whole.height:
        with pytest.raises(CorpusError, match=f"all {rows.height} rows have a text that is"):
            open_pairs(str(tmp_path / "back"))
        return
    found = open_pairs(str(tmp_path / "back"))
    assert found.refused.counts == {"withheld": rows.height - whole.height}
    assert found.refused.counts["withheld"] > 0
    assert found.frame["position"].to_list() == whole["at"].to_list()
    first = min(set(rows["at"]) - set(whole["at"]))
    assert found.refused.first == {"withheld": first}
    check = validate(found).checks[0]
    assert (check.id, check.value.n) == ("unreadable", rows.height)
    assert check.note == f"withheld {rows.height - whole.height}"


def test_a_corpus_with_a_text_withheld_in_every_row_has_no_pairs(full: Path) -> None:
    rewrite(full, lambda row: {**row, "back": None})
    with pytest.raises(CorpusError, match=r"all \d+ rows have a text that is withheld"):
        open_pairs(str(full))


def damaged(folder: Path) -> None:
    path = next((folder / "data").rglob("*.parquet"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def lost(folder: Path) -> None:
    next((folder / "data").rglob("*.parquet")).unlink()


def no_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def broken_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("{")


def later(folder: Path) -> None:
    manifest = manifest_of(folder)
    manifest["format_version"] = 99
    (folder / "manifest.json").write_text(json.dumps(manifest))


def unfinished(folder: Path) -> None:
    shutil.rmtree(folder / "data")


CASES: dict[str, tuple[Any, str]] = {
    "a damaged file": (damaged, r"data/default/.*\.parquet: the file is missing, or not as the"),
    "a lost file": (lost, r"the file is missing, or not as the manifest says"),
    "no manifest": (no_manifest, r"this folder is no corpus: it has no manifest\.json"),
    "a manifest that is no JSON": (broken_manifest, r"manifest"),
    "another format": (later, r"format"),
    "no data": (unfinished, r"the file is missing"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_folder_that_is_not_what_it_says_is_refused(case: str, full: Path) -> None:
    change, message = CASES[case]
    change(full)
    with pytest.raises(CorpusError) as caught:
        open_pairs(str(full))
    assert re.search(message, str(caught.value))
    assert "\n" not in str(caught.value)


def test_a_folder_needs_no_options(built: Path) -> None:
    with pytest.raises(OptionError, match=r"Leave out --dialect, .*--id and --variety-column"):
        open_pairs(str(built), columns=Columns(id="id"))
    with pytest.raises(OptionError, match=r"Leave out --variety"):
        open_pairs(str(built), variety=["aae"])


def test_an_empty_folder_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no corpus"):
        open_pairs(str(tmp_path))


def test_two_parts_of_a_corpus_are_one(built: Path) -> None:
    parts = list((built / "data").rglob("*.parquet"))
    assert len(parts) > 1
    assert open_pairs(str(built)).frame.height == sum(pl.read_parquet(p).height for p in parts)
