"""The closing step in a whole build: its rejections are counted, and in no split."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss import build
from isogloss.builders import builder, run
from isogloss.corpus.schema import REJECTED
from isogloss.corpus.store import read_parquet
from isogloss.tests.conftest import RULES
from isogloss.validation.gates import Context, Gate, Row, gates

pytestmark = pytest.mark.slow
CODE = "word_over_all"
Bar = Callable[..., None]


@pytest.fixture
def bar(monkeypatch: pytest.MonkeyPatch) -> Bar:
    """Has the closing step reject every target with one of the words, and nothing else."""

    def use(*words: str) -> None:
        def check(row: Row, context: Context) -> str | None:
            assert context.corpus is not None
            found = sorted(row.target.vocabulary & set(words))
            return ", ".join(found) or None

        stub = Gate(CODE, len(words), 1, check, whole_corpus=True)
        asked = (*(gate for gate in gates() if not gate.whole_corpus), stub)
        monkeypatch.setattr("isogloss.builders.steps.check.gates", lambda: asked)

    return use


def rows_of(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(sorted((folder / "data").rglob("*.parquet")))


def has(words: str) -> pl.Expr:
    """True for texts with one of the words, as the stub sees them."""
    pattern = rf"(?i)(^|[^\w']|\W')({words})([^\w']|'\W|$)"
    return pl.any_horizontal(pl.col("standard", "back").str.contains(pattern))


def checked(folder: Path, words: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows kept, and rows that the closing step rejected, after the counts were held together."""
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    counts, stages = manifest["counts"], {entry["name"]: entry for entry in manifest["stages"]}
    kept = rows_of(folder)
    closed = read_parquet(sorted((folder / "rejected").glob("check_corpus-*.parquet")), REJECTED)
    rejected = read_parquet(sorted((folder / "rejected").glob("*.parquet")), REJECTED)
    assert counts["read"] == kept.height + rejected.height
    assert counts["kept"] == kept.height
    assert counts["rejected"] == dict(rejected.group_by("reason").len().iter_rows())
    assert closed.height > 0
    assert counts["rejected"][CODE] == closed.height
    stage = stages["check_corpus"]
    assert stage["rejected"] == {CODE: closed.height}
    assert stage["in"] - closed.height == stage["kept"] == stages["split"]["in"]
    assert set(closed["stage"]) == {"check_corpus"}
    assert closed["position"].is_sorted()
    assert closed["id"].n_unique() == closed.height
    assert rejected["position"].n_unique() == rejected.height
    assert not set(closed["id"]) & set(kept["id"])
    assert kept.filter(has(words)).is_empty()
    return kept, closed


def test_what_the_whole_corpus_rules_out_is_rejected_once(bar: Bar, tmp_path: Path) -> None:
    bar()
    build("realaae", source="sample", **RULES, out=tmp_path / "all")
    everything = rows_of(tmp_path / "all")
    bar("my")
    build("realaae", source="sample", **RULES, out=tmp_path / "c")
    kept, closed = checked(tmp_path / "c", "my")
    assert set(closed["id"]) == set(everything.filter(has("my"))["id"])
    assert set(kept["id"]) | set(closed["id"]) == set(everything["id"])
    assert set(kept["split"]) == {"evaluation", "trace", "direction", "rest"}
    assert sorted(kept["author"].unique()) == list(range(kept["author"].n_unique()))
    drawn = json.loads((tmp_path / "c" / "manifest.json").read_text())["splits"]
    assert drawn["drawn_from_rows"] == kept.height
    assigned = {row for ids in drawn["assignments"].values() for row in ids}
    assert assigned == set(kept.filter(pl.col("split") != "rest")["id"])


@pytest.mark.parametrize("later", [("my",), ("my", "the")])
def test_a_grown_source_keeps_the_splits_of_what_is_kept(
    later: tuple[str, ...], bar: Bar, tmp_path: Path
) -> None:
    whole = Path(builder("realaae")(source="sample", **RULES).source.path)
    lines = whole.read_bytes().splitlines(keepends=True)
    source = tmp_path / "tweets.tsv"
    source.write_bytes(b"".join(lines[:120]))
    bar("my")
    build("realaae", source=str(source), **RULES, out=tmp_path / "c")
    before, _ = checked(tmp_path / "c", "my")
    source.write_bytes(b"".join(lines))
    bar(*later)
    build("realaae", source=str(source), **RULES, out=tmp_path / "c")
    after, closed = checked(tmp_path / "c", "|".join(later))
    old, new = (dict(rows.select("id", "split").iter_rows()) for rows in (before, after))
    drawn = {row: split for row, split in old.items() if split != "rest"}
    gone = drawn.keys() & set(closed["id"])
    assert bool(gone) == (later != ("my",))
    still = {row: split for row, split in drawn.items() if row not in gone}
    assert len(still) > 5
    assert {row: new.get(row) for row in still} == still
    assert {split for row, split in new.items() if row not in old} == {"rest"}
    assert after.group_by("author").agg(pl.col("split").n_unique())["split"].max() == 1
    # A row that the grown corpus ruled out still has its split, should it come back.
    splits = json.loads((tmp_path / "c" / "manifest.json").read_text())["splits"]
    assert {row: split for split, ids in splits["assignments"].items() for row in ids} == drawn
    assert splits["drawn_from_rows"] == before.height


def test_an_ineligible_row_puts_its_whole_group_into_rest(tmp_path: Path) -> None:
    pipeline = builder("realaae")(source="sample", **RULES)
    barred = pl.col("dialect").str.contains(r"\bmy\b")
    run(replace(pipeline, eligible=~barred), tmp_path / "c")
    rows = rows_of(tmp_path / "c")
    groups = rows.group_by("author").agg("split", barred.any().alias("barred"), pl.len())
    assert groups.filter(pl.col("barred") & (pl.col("len") > 1)).height > 5
    # Among them rows that could serve themselves.
    assert rows.filter(barred).height < groups.filter("barred")["len"].sum()
    assert set(groups.filter("barred").explode("split")["split"]) == {"rest"}
    served = groups.filter(~pl.col("barred")).explode("split")["split"]
    assert {"evaluation", "direction"} <= set(served)
