"""Hydration: the texts come back by id and hash, and what doesn't is listed with its reason."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from isogloss import build
from isogloss.builders.forms import hydrate, release
from isogloss.builders.sources import SOURCE_ROWS, Chunk, Source
from isogloss.corpus.schema import REJECTED
from isogloss.errors import CorpusError, OutputError, SourceError
from isogloss.tests.builders.forms.corpora import (
    SAMPLE,
    manifest_of,
    rejected_of,
    rows_of,
    save_manifest,
)
from isogloss.tests.conftest import RULES, Run

pytestmark = pytest.mark.slow

Lines = list[list[str]]
SURROGATE = re.compile("[\ud800-\udfff]")


@pytest.fixture
def ids(full: Path, tmp_path: Path) -> Path:
    """The sample in its ids form."""
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    return tmp_path / "ids"


def tweets() -> Lines:
    """The sample's lines of ten fields."""
    lines = [line.split("\t") for line in SAMPLE.read_text().splitlines()]
    return [fields for fields in lines if len(fields) == 10]


def write(path: Path, lines: Lines) -> str:
    path.write_text("".join("\t".join(fields) + "\n" for fields in lines))
    return str(path)


def check_restored(hydrated: Path, full: Path, ids: Path) -> None:
    """The rows that are back are as in the full form but for what is withheld."""
    rows = rows_of(hydrated)
    before = rows_of(full).filter(pl.col("id").is_in(rows["id"].implode()))
    released = rows_of(ids).filter(pl.col("id").is_in(rows["id"].implode()))
    assert rows.schema == before.schema
    assert rows.drop("standard", "back").equals(before.drop("standard", "back"))
    assert rows.select("standard", "back").equals(released.select("standard", "back"))
    manifest = manifest_of(hydrated)
    counts, rejected = manifest["counts"], rejected_of(hydrated)
    assert counts["read"] == counts["kept"] + sum(counts["rejected"].values())
    assert counts["kept"] == rows.height == sum(manifest["splits"]["rows"].values())
    assert counts["rejected"] == dict(rejected.group_by("reason").len().iter_rows())
    assert manifest["form"] == "hydrated"
    assert ("\n- `withheld`: " in (hydrated / "README.md").read_text()) == (
        "withheld" in rows.columns
    )
    for column in ("standard", "back"):
        nulls = rows[column].null_count()
        assert manifest["release"]["withheld"][column] == {"rows": nulls}
        assert f"| `{column}` | {rows.height} | {nulls} |" in (hydrated / "README.md").read_text()


def test_every_text_comes_back(full: Path, ids: Path, tmp_path: Path) -> None:
    hydrate(ids, source="sample", out=tmp_path / "h")
    assert rows_of(tmp_path / "h").height == rows_of(full).height
    check_restored(tmp_path / "h", full, ids)
    assert rejected_of(tmp_path / "h").equals(rejected_of(ids))


def test_every_text_of_the_shared_file_comes_back(shared: Path, tmp_path: Path) -> None:
    source = str(shared / "data" / "aae" / "twitteraae_format.tsv")
    build("realaae", source=source, **RULES, out=tmp_path / "full")
    release("realaae", form="ids", full=tmp_path / "full", out=tmp_path / "ids")
    hydrate(tmp_path / "ids", source=source, out=tmp_path / "h")
    assert rows_of(tmp_path / "h").height == rows_of(tmp_path / "full").height
    check_restored(tmp_path / "h", tmp_path / "full", tmp_path / "ids")


def test_load_dataset_opens_it_like_the_full_form(full: Path, ids: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    hydrate(ids, source="sample", out=tmp_path / "h")
    one, other = (
        load_dataset(str(path), cache_dir=str(tmp_path / "cache"))
        for path in (tmp_path / "h", full)
    )
    assert {name: split.features for name, split in one.items()} == {
        name: split.features for name, split in other.items()
    }


def test_twice_gives_the_same_bytes(ids: Path, tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        hydrate(ids, source="sample", out=tmp_path / name)
        found.append(manifest_of(tmp_path / name))
    assert found[0] == found[1]


def test_edited_missing_and_unreadable_tweets_are_listed(
    full: Path, ids: Path, tmp_path: Path
) -> None:
    lines = tweets()
    kept = rows_of(full)["id"].to_list()
    edited, shortened, missing, broken = kept[:4]
    for fields in lines:
        if fields[0] == edited:
            fields[5] = json.dumps(json.loads(fields[5]) + " and so on")
        if fields[0] == shortened:
            fields[5] = '"gone now"'
        if fields[0] == broken:
            fields[5] = r'"half of a \ud83d"'
    lines = [fields for fields in lines if fields[0] != missing]
    hydrate(ids, source=write(tmp_path / "t.tsv", lines), out=tmp_path / "h")
    check_restored(tmp_path / "h", full, ids)
    assert set(kept) - set(rows_of(tmp_path / "h")["id"]) == {edited, shortened, missing, broken}
    listed = rejected_of(tmp_path / "h").filter(pl.col("stage") == "hydrate")
    reasons = dict(listed.select("id", "reason").iter_rows())
    assert reasons == {
        edited: "changed",
        shortened: "changed",
        missing: "missing",
        broken: "unreadable",
    }
    texts = {row["id"]: row["text"] for row in listed.to_dicts()}
    assert texts[edited].endswith("and so on")
    assert texts[shortened] == "gone now"
    assert texts[missing] is None
    positions = {row["id"]: row["position"] for row in listed.to_dicts()}
    assert lines[positions[edited] - 1][0] == edited
    assert positions[missing] is None
    assert manifest_of(tmp_path / "h")["stages"][-1]["rejected"] == {
        "changed": 2,
        "missing": 1,
        "unreadable": 1,
    }


def test_a_cut_line_is_unreadable_where_its_id_is_whole(
    full: Path, ids: Path, tmp_path: Path
) -> None:
    whole, cut = rows_of(full)["id"].to_list()[:2]
    lines = tweets()
    for number, fields in enumerate(lines):
        if fields[0] == whole:
            lines[number] = fields[:6]
        if fields[0] == cut:
            lines[number] = [cut[:-2]]
    hydrate(ids, source=write(tmp_path / "t.tsv", lines), out=tmp_path / "h")
    listed = rejected_of(tmp_path / "h").filter(pl.col("stage") == "hydrate")
    assert dict(listed.select("id", "reason").iter_rows()) == {
        whole: "unreadable",
        cut: "missing",
    }
    details = dict(listed.select("id", "detail").iter_rows())
    assert details[whole] == "6 fields where TwitterAAE has 10"


@pytest.mark.parametrize("place", ["before", "after"])
def test_of_several_rows_of_an_id_the_one_that_fits_wins(
    place: str, full: Path, ids: Path, tmp_path: Path
) -> None:
    others = [[*fields[:5], '"some other words"', *fields[6:]] for fields in tweets()]
    lines = [*others, *tweets()] if place == "before" else [*tweets(), *others]
    hydrate(ids, source=write(tmp_path / "t.tsv", lines), out=tmp_path / "h")
    assert rows_of(tmp_path / "h").height == rows_of(full).height
    check_restored(tmp_path / "h", full, ids)


def test_other_shapes_of_source_do_as_well(full: Path, ids: Path, tmp_path: Path) -> None:
    rows = [{"id": fields[0], "text": json.loads(fields[5])} for fields in sound()]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([["id", "text"], *(list(row.values()) for row in rows)])
    pl.DataFrame(rows).write_parquet(tmp_path / "t.parquet")
    for name in ("t.jsonl", "t.csv", "t.parquet"):
        hydrate(ids, source=str(tmp_path / name), out=tmp_path / f"h-{name}")
        assert rows_of(tmp_path / f"h-{name}").height == rows_of(full).height


def sound() -> Lines:
    """The tweets without lone surrogates, which no other file could hold."""
    return [fields for fields in tweets() if not SURROGATE.search(json.loads(fields[5]))]


def test_the_source_is_read_no_further_than_needed(
    ids: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks = Source.chunks
    empty = pl.DataFrame(schema=dict(SOURCE_ROWS)), pl.DataFrame(schema=dict(REJECTED))

    def and_more(self: Source, rows: int = 1024) -> object:
        yield from chunks(self, rows)
        yield Chunk(*empty, 0)
        raise AssertionError("read on")

    monkeypatch.setattr(Source, "chunks", and_more)
    result = hydrate(ids, source="sample", out=tmp_path / "h")
    assert result.manifest["counts"] == manifest_of(ids)["counts"]


def other_ids(lines: Lines) -> Lines:
    return [[f"1{fields[0]}", *fields[1:]] for fields in lines]


def other_texts(lines: Lines) -> Lines:
    return [[*fields[:5], '"some other words"', *fields[6:]] for fields in lines]


def no_texts(lines: Lines) -> Lines:
    return [[*fields[:2], *fields[6:]] for fields in lines]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (other_ids, r"none of the \d+ ids of the corpus is in its"),
        (other_texts, r"\d+ ids of the corpus are in it, but no text is the one"),
        (no_texts, "ids and posteriors, no text"),
    ],
)
def test_another_file_is_refused(
    change: Callable[[Lines], Lines], message: str, ids: Path, tmp_path: Path
) -> None:
    source = write(tmp_path / "t.tsv", change(tweets()))
    with pytest.raises(SourceError, match=message):
        hydrate(ids, source=source, out=tmp_path / "h")
    assert not (tmp_path / "h" / "manifest.json").exists()


def test_only_the_ids_form_can_be_hydrated(full: Path, ids: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="in the form 'full', needed is 'ids'"):
        hydrate(full, source="sample", out=tmp_path / "h")
    with pytest.raises(CorpusError, match="there is no corpus"):
        hydrate(tmp_path / "nothing", source="sample", out=tmp_path / "h")
    with pytest.raises(OutputError, match="another folder"):
        hydrate(ids, source="sample", out=ids)
    with pytest.raises(OutputError, match="in the form 'full', not 'hydrated'"):
        hydrate(ids, source="sample", out=full)
    hydrate(ids, source="sample", out=tmp_path / "h")
    with pytest.raises(CorpusError, match="in the form 'hydrated', needed is 'full'"):
        release("realaae", form="ids", full=tmp_path / "h", out=tmp_path / "again")


def test_texts_cleaned_by_another_version_are_not_compared(ids: Path, tmp_path: Path) -> None:
    manifest = manifest_of(ids)
    stage = next(stage for stage in manifest["stages"] if stage["name"] == "clean")
    for change in ({"version": 99}, {"params": {"min_letters": 3}}, {"name": "wash"}):
        kept = dict(stage)
        stage |= change
        save_manifest(ids, manifest)
        with pytest.raises(CorpusError, match="cleaned by another version"):
            hydrate(ids, source="sample", out=tmp_path / "h")
        stage |= kept


def test_columns_that_the_form_does_not_give_are_refused(ids: Path, tmp_path: Path) -> None:
    manifest = manifest_of(ids)
    manifest["derived_from"]["columns"].pop()
    save_manifest(ids, manifest)
    with pytest.raises(CorpusError, match="columns are not the ones"):
        hydrate(ids, source="sample", out=tmp_path / "h")


def test_the_cleaning_is_the_one_of_the_build(tmp_path: Path) -> None:
    build(
        *("realaae",),
        source="sample",
        **RULES,
        out=tmp_path / "full",
        keep_unicode=True,
        min_words=5,
    )
    release("realaae", form="ids", full=tmp_path / "full", out=tmp_path / "ids")
    hydrate(tmp_path / "ids", source="sample", out=tmp_path / "h")
    check_restored(tmp_path / "h", tmp_path / "full", tmp_path / "ids")
    assert rows_of(tmp_path / "h")["dialect"].equals(rows_of(tmp_path / "full")["dialect"])


def test_a_killed_hydration_is_done_again(ids: Path, isogloss: Run, tmp_path: Path) -> None:
    make = ("hydrate", ids, "--source=sample", "--out=h")
    assert isogloss(*make, kill_at="part-moved:1").returncode < 0
    assert isogloss(*make).returncode == 0
    hydrate(ids, source="sample", out=tmp_path / "whole")
    assert manifest_of(tmp_path / "h") == manifest_of(tmp_path / "whole")
