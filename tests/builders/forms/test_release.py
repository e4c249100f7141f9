"""The ids form: no source text in any file, and everything else is there."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

import polars as pl
import pytest
from isogloss import build
from isogloss.builders.forms import release
from isogloss.builders.forms.similarity import THRESHOLD, similarity
from isogloss.corpus.hashing import file_sha256
from isogloss.errors import CorpusError, InternalError, OutputError
from isogloss.tests.builders.forms.corpora import (
    REWRITTEN,
    SAMPLE,
    Row,
    manifest_of,
    rejected_of,
    rewrite,
    rows_of,
    save_manifest,
    source_texts,
    told,
)
from isogloss.tests.conftest import RULES, Run
from rapidfuzz.distance import Indel


def check_private(ids: Path, full: Path, source: Path) -> None:
    """No text of the source, nor one near to it, can be found in the folder."""
    texts = source_texts(source, full)
    assert len(told(full, texts)) > len(texts)
    assert told(ids, texts) == set()
    both = rows_of(ids).join(rows_of(full).select("id", "dialect"), on="id")
    assert both.height == rows_of(full).height
    for column in ("standard", "back"):
        for tweet, text in both.select("dialect", column).drop_nulls().iter_rows():
            assert similarity(tweet, text) < THRESHOLD
            assert Indel.normalized_similarity(tweet, text) < THRESHOLD
            assert Indel.normalized_similarity(tweet.lower(), text.lower()) < THRESHOLD
    assert sorted(path.name for path in (ids / ".work").iterdir()) == ["lock"]
    assert (ids / ".work" / "lock").stat().st_size == 0


def check_complete(ids: Path, full: Path) -> None:
    """What is not text is as it was; what is withheld is counted, on the card too."""
    rows, before = rows_of(ids), rows_of(full)
    assert rows.drop("dialect_sha256", "withheld", "standard", "back").equals(
        before.drop("dialect", "standard", "back")
    )
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in before["dialect"]]
    assert rows["dialect_sha256"].to_list() == hashes
    card, manifest = (ids / "README.md").read_text(), manifest_of(ids)
    for column in ("standard", "back"):
        withheld = rows["withheld"].list.contains(column)
        assert rows[column].is_null().equals(withheld)
        assert rows.filter(~withheld)[column].equals(before.filter(~withheld)[column])
        assert manifest["release"]["withheld"][column]["rows"] == withheld.sum()
        assert f"| `{column}` | {rows.height:,} | {withheld.sum():,} |" in card
    for column in ("similarity", "bertscore", "withheld"):
        assert f"\n- `{column}`: " in card
    rejected = rejected_of(ids)
    assert rejected["text"].is_null().all()
    assert rejected["detail"].is_null().all()
    kept = ["position", "id", "stage", "reason"]
    assert rejected.select(kept).equals(rejected_of(full).select(kept))
    assert manifest["counts"] == manifest_of(full)["counts"]
    for name, entry in manifest["files"].items():
        assert file_sha256(ids / name) == entry["sha256"]


def test_the_sample_goes_out_without_its_texts(full: Path, tmp_path: Path) -> None:
    ids = tmp_path / "ids"
    result = release("realaae", form="ids", full=full, out=ids)
    assert result.manifest == manifest_of(ids)
    check_private(ids, full, SAMPLE)
    check_complete(ids, full)
    by_kind = rows_of(ids).with_columns(kind=pl.col("id").cast(pl.Int64) % 7)
    near = by_kind["kind"] < 5
    assert by_kind["standard"].is_null().equals(near)
    assert by_kind["back"].is_null().equals(by_kind["kind"] % 2 == 0)
    assert 1 < by_kind["standard"].drop_nulls().len() == (~near).sum()
    assert set(by_kind["standard"].drop_nulls()) < set(REWRITTEN)
    counts = result.manifest["release"]["withheld"]["standard"]
    assert counts["quotes"] == (by_kind["kind"] == 4).sum()


@pytest.mark.slow
def test_the_shared_file_goes_out_without_its_texts(shared: Path, tmp_path: Path) -> None:
    source, full = shared / "data" / "aae" / "twitteraae_format.tsv", tmp_path / "full"
    build("realaae", source=str(source), **RULES, out=full)
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    check_private(tmp_path / "ids", full, source)
    check_complete(tmp_path / "ids", full)
    assert rows_of(tmp_path / "ids")["standard"].drop_nulls().len() > 0


def test_another_row_s_tweet_does_not_go_out_either(full: Path, tmp_path: Path) -> None:
    tweets = rows_of(full)["dialect"].to_list()
    first = rows_of(full)["id"][0]
    # The last tweet, written otherwise, stands as the first row's standard text.
    foreign = tweets[-1].upper() + " !!"

    def swapped(row: Row) -> Row:
        return row | {"standard": foreign} if row["id"] == first else row

    rewrite(full, swapped)
    result = release("realaae", form="ids", full=full, out=tmp_path / "ids")
    row = rows_of(tmp_path / "ids").filter(pl.col("id") == first).to_dicts()[0]
    assert row["standard"] is None
    assert "standard" in row["withheld"]
    assert result.manifest["release"]["withheld"]["standard"]["another_source"] == 1
    assert "another row's" in (tmp_path / "ids" / "README.md").read_text()


def test_load_dataset_opens_every_split_with_the_declared_features(
    full: Path, tmp_path: Path
) -> None:
    from datasets import List, Value, load_dataset

    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    corpus = load_dataset(str(tmp_path / "ids"), cache_dir=str(tmp_path / "cache"))
    rows = rows_of(tmp_path / "ids")
    assert set(corpus) == set(rows["split"].unique())
    for name, split in corpus.items():
        assert list(split.features) == rows.columns
        assert split.features["dialect_sha256"] == Value("string")
        assert split.features["withheld"] == List(Value("string"))
        assert split.num_rows == rows.filter(pl.col("split") == name).height
        assert split["id"][:] == rows.filter(pl.col("split") == name)["id"].to_list()


def test_the_manifest_names_form_and_origin(full: Path, tmp_path: Path) -> None:
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    manifest, origin = manifest_of(tmp_path / "ids"), manifest_of(full)
    assert manifest["form"] == "ids"
    assert manifest["derived_from"]["form"] == "full"
    assert manifest["derived_from"]["manifest_sha256"] == file_sha256(full / "manifest.json")
    assert manifest["derived_from"]["columns"] == origin["columns"]
    assert manifest["splits"] == origin["splits"]
    assert manifest["packages"]["rapidfuzz"]


def test_twice_gives_the_same_bytes_and_replaces_itself(full: Path, tmp_path: Path) -> None:
    for name in ("one", "two", "one"):
        release("realaae", form="ids", full=full, out=tmp_path / name)
    one, two = (bytes_of(tmp_path / name) for name in ("one", "two"))
    assert one == two
    assert len(one) > 6


def bytes_of(folder: Path) -> dict[str, bytes]:
    """All files but the one that has the times in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "run.json"
    }


@pytest.mark.slow
@pytest.mark.parametrize("point", ["form-data", "version-ready", "part-moved:1", "part-moved:4"])
def test_a_kill_leaves_nothing_that_the_next_run_does_not_mend(
    point: str, full: Path, isogloss: Run, tmp_path: Path
) -> None:
    release("realaae", form="ids", full=full, out=tmp_path / "whole")
    make = ("build", "realaae", "--from", full, "--form=ids", "--out=ids")
    assert isogloss(*make, kill_at=point).returncode < 0
    assert told(tmp_path / "ids", source_texts(SAMPLE, full)) == set()
    assert isogloss(*make).returncode == 0
    assert bytes_of(tmp_path / "ids") == bytes_of(tmp_path / "whole")


def test_what_others_add_to_the_manifest_stays_behind(full: Path, tmp_path: Path) -> None:
    tweet = rows_of(full)["dialect"][0]
    manifest = manifest_of(full)
    manifest["quality"] = {"examples": [tweet]}
    manifest["stages"][3]["examples"] = [tweet]
    manifest["sources"][0]["head"] = tweet
    manifest["splits"]["shown"] = {"evaluation": tweet}
    save_manifest(full, manifest)
    (full / "README.md").write_text((full / "README.md").read_text() + f"\n{tweet}\n")
    (full / "quality.json").write_text(json.dumps([tweet]))
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    assert told(tmp_path / "ids", {tweet}) == set()
    assert manifest_of(tmp_path / "ids")["derived_from"]["left_out"] == ["quality"]


def test_a_new_column_of_strings_must_be_declared(full: Path, tmp_path: Path) -> None:
    manifest = manifest_of(full)
    manifest["columns"].append({"name": "remark", "dtype": "string"})
    save_manifest(full, manifest)
    with pytest.raises(InternalError, match="remark .* not declared"):
        release("realaae", form="ids", full=full, out=tmp_path / "ids")
    assert not (tmp_path / "ids").exists()


def text_as_marker(row: Row) -> Row:
    return {**row, "markers": [row["dialect"]]}


def text_as_id(row: Row) -> Row:
    return {**row, "id": row["dialect"]}


@pytest.mark.parametrize("change", [text_as_marker, text_as_id])
def test_a_text_in_a_column_of_codes_stops_the_release(
    change: type, full: Path, tmp_path: Path
) -> None:
    rewrite(full, change)
    with pytest.raises(CorpusError, match="may be a text") as stopped:
        release("realaae", form="ids", full=full, out=tmp_path / "ids")
    assert not any(tweet in str(stopped.value) for tweet in rows_of(full)["dialect"])
    assert not (tmp_path / "ids" / "manifest.json").exists()


def test_a_reason_that_is_a_sentence_stops_the_release(full: Path, tmp_path: Path) -> None:
    manifest = manifest_of(full)
    manifest["stages"][2]["rejected"] = {"we was all there": 6}
    save_manifest(full, manifest)
    with pytest.raises(CorpusError, match="may be a text"):
        release("realaae", form="ids", full=full, out=tmp_path / "ids")


def test_a_folder_with_an_unfinished_build_is_refused(full: Path, tmp_path: Path) -> None:
    work = tmp_path / "ids" / ".work"
    work.mkdir(parents=True)
    (work / "journal.sqlite").write_bytes(b"texts")
    with pytest.raises(OutputError, match="unfinished build"):
        release("realaae", form="ids", full=full, out=tmp_path / "ids")


def test_no_build_goes_into_a_folder_with_the_ids_form(full: Path, tmp_path: Path) -> None:
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    before = bytes_of(tmp_path / "ids")
    with pytest.raises(OutputError, match="in the form 'ids', not 'full'"):
        build("realaae", source="sample", **RULES, out=tmp_path / "ids")
    assert bytes_of(tmp_path / "ids") == before


def test_a_folder_with_another_corpus_form_is_refused(full: Path, tmp_path: Path) -> None:
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    build("realaae", source="sample", **RULES, out=tmp_path / "other", seed=1)
    with pytest.raises(OutputError, match="another corpus"):
        release("realaae", form="ids", full=tmp_path / "other", out=tmp_path / "ids")


def test_a_damaged_corpus_is_refused(full: Path, tmp_path: Path) -> None:
    victim = sorted((full / "data").rglob("*.parquet"))[0]
    victim.write_bytes(victim.read_bytes()[:-9])
    with pytest.raises(CorpusError, match=re.escape(victim.name)):
        release("realaae", form="ids", full=full, out=tmp_path / "ids")
    shutil.rmtree(full / "rejected")
    with pytest.raises(CorpusError):
        release("realaae", form="ids", full=full, out=tmp_path / "ids2")


def test_a_card_written_by_hand_stays(full: Path, tmp_path: Path) -> None:
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    card = tmp_path / "ids" / "README.md"
    head, _, _ = card.read_text().partition("\n---\n")
    card.write_text(f"{head}\n---\nBy hand.\n")
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    assert card.read_text().endswith("\n---\nBy hand.\n")
