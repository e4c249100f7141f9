"""The main job, end to end: from a file to a corpus that ``load_dataset`` opens."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss import build
from isogloss.builders import builder, dry_run
from isogloss.corpus.schema import REJECTED
from isogloss.corpus.store import read_parquet
from isogloss.errors import OptionError, OutputError, SourceError
from isogloss.tests.conftest import RULES, RULES_OPTIONS, Run

pytestmark = pytest.mark.slow
NOT_CLEAN = re.compile(r"@\w|https?:|www\.|&(?:#\d+|\w+);|[^\x00-\x7f]|[\n\t]|\s\s")
STAGES = [
    *("read", "select", "clean", "deduplicate", "sample"),
    *("mark", "translate", "check_standard", "back_translate", "check_back"),
    *("similarity", "back_similarity", "bertscore", "segment", "check_corpus", "split"),
]


def rows_of(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(sorted((folder / "data").rglob("*.parquet")))


def rejected_of(folder: Path) -> pl.DataFrame:
    return read_parquet(sorted((folder / "rejected").glob("*.parquet")), REJECTED)


def check_whole(folder: Path, read: int) -> dict[str, Any]:
    """Counts add up, every source row is there once, and the kept texts are clean."""
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    counts = manifest["counts"]
    kept, rejected = rows_of(folder), rejected_of(folder)
    assert counts["read"] == read == kept.height + rejected.height
    assert counts["kept"] == kept.height
    by_reason = dict(rejected.group_by("reason").len().iter_rows())
    assert counts["rejected"] == by_reason
    assert [stage["name"] for stage in manifest["stages"]] == STAGES
    assert rejected["position"].n_unique() == rejected.height
    assert kept["id"].n_unique() == kept.height
    for text in kept["dialect"]:
        assert len(text.split()) >= 10
        assert not NOT_CLEAN.search(text), text
    return manifest


def test_sample_becomes_a_corpus(tmp_path: Path) -> None:
    result = build("realaae", source="sample", **RULES, out=tmp_path / "c")
    manifest = check_whole(tmp_path / "c", read=203)
    assert manifest == result.manifest
    by_gates = {"copy", "dialect_lost", "standard_leak"}
    rejected = manifest["counts"]["rejected"]
    assert by_gates <= set(rejected)
    assert {reason: n for reason, n in rejected.items() if reason not in by_gates} == {
        "duplicate_id": 4,
        "duplicate_text": 5,
        "field_count": 1,
        "lone_surrogate": 3,
        "posterior_below": 7,
        "posterior_nan": 4,
        "retweet": 5,
        "too_short": 6,
    }
    card = (tmp_path / "c" / "README.md").read_text()
    assert "nobody's speech" in card
    assert "rules:" in card
    for column in ("similarity", "back_similarity", "bertscore"):
        assert f"\n- `{column}`: " in card
    assert "`withheld`" not in card


def test_load_dataset_opens_every_split_with_the_declared_features(tmp_path: Path) -> None:
    from datasets import List, Value, load_dataset

    build("realaae", source="sample", **RULES, out=tmp_path / "c")
    corpus = load_dataset(str(tmp_path / "c"), cache_dir=str(tmp_path / "cache"))
    features = {
        **{name: Value("string") for name in ("id", "variety", "dialect", "standard", "split")},
        "back": Value("string"),
        "author": Value("int64"),
        "posterior": Value("float64"),
        "markers": List(Value("string")),
        **{f"{side}_boundary": Value("int64") for side in ("standard", "dialect", "back")},
        **{f"{side}_crossings": Value("int64") for side in ("dialect", "back")},
        "segmentation": Value("string"),
        "context_markers": List(Value("string")),
        **{name: Value("float64") for name in ("similarity", "back_similarity", "bertscore")},
    }
    kept = rows_of(tmp_path / "c")
    assert set(corpus) == set(kept["split"].unique())
    for name, split in corpus.items():
        assert dict(split.features) == features
        assert split["split"][:] == [name] * split.num_rows
        assert split["id"][:] == sorted(split["id"][:])
        assert split.num_rows == kept.filter(pl.col("split") == name).height


def test_shared_file_is_kept_or_rejected_to_the_row(tmp_path: Path, shared: Path) -> None:
    source = shared / "data" / "aae" / "twitteraae_format.tsv"
    build("realaae", source=str(source), **RULES, out=tmp_path / "c")
    manifest = check_whole(tmp_path / "c", read=1272)
    assert manifest["counts"]["rejected"]["retweet"] == 56


def test_authors_never_straddle_and_no_user_id_is_written(tmp_path: Path) -> None:
    build("realaae", source="sample", **RULES, out=tmp_path / "c")
    rows = rows_of(tmp_path / "c")
    assert rows.group_by("author").agg(pl.col("split").n_unique())["split"].max() == 1
    assert sorted(rows["author"].unique()) == list(range(rows["author"].n_unique()))
    assert (rows.filter(pl.col("split") == "trace")["markers"].list.len() > 0).all()
    for column in ("text", "detail", "id"):
        for text in rejected_of(tmp_path / "c")[column].drop_nulls():
            assert not [user for user in USERS if user in text]


SAMPLE = Path(str(builder("realaae")(source="sample", **RULES).source.path))
USERS = {
    json.loads(line.split("\t")[2])
    for line in SAMPLE.read_text().splitlines()
    if line.count("\t") == 9
}


@pytest.mark.slow
def test_no_raw_user_id_is_written_even_to_a_work_file(isogloss: Run, tmp_path: Path) -> None:
    killed = isogloss(
        *("build", "realaae", "--source=sample", *RULES_OPTIONS, "--out=c"),
        kill_at="block-in-place",
    )
    assert killed.returncode < 0
    files = sorted((tmp_path / "c" / ".work").rglob("*.parquet"))
    assert len(files) == 4
    seen = 0
    for path in files:
        frame = pl.read_parquet(path)
        values = frame.select(pl.selectors.string()).unpivot()["value"].drop_nulls()
        seen += values.len()
        assert not USERS & set(values)
    assert seen > 1000


def test_limit_samples_by_hash_and_grows_without_moving(tmp_path: Path) -> None:
    kept = {}
    for limit in (20, 60):
        folder = tmp_path / str(limit)
        build("realaae", source="sample", **RULES, out=folder, limit=limit)
        manifest = check_whole(folder, read=203)
        sampled = {stage["name"]: stage["kept"] for stage in manifest["stages"]}["sample"]
        assert sampled == limit
        kept[limit] = set(rows_of(folder)["id"])
    assert 5 < len(kept[20]) < len(kept[60])
    assert kept[20] < kept[60]
    first = sorted(rows_of(tmp_path / "60")["id"])[:20]
    assert kept[20] != set(first)


def test_a_bigger_source_adds_to_rest_and_moves_nothing(tmp_path: Path) -> None:
    whole = builder("realaae")(source="sample", **RULES).source.path
    lines = Path(whole).read_bytes().splitlines(keepends=True)
    source = tmp_path / "tweets.tsv"
    source.write_bytes(b"".join(lines[:120]))
    build("realaae", source=str(source), **RULES, out=tmp_path / "c")
    before = dict(rows_of(tmp_path / "c").select("id", "split").iter_rows())
    source.write_bytes(b"".join(lines))
    build("realaae", source=str(source), **RULES, out=tmp_path / "c")
    manifest = check_whole(tmp_path / "c", read=203)
    after = dict(rows_of(tmp_path / "c").select("id", "split").iter_rows())
    drawn = {row: split for row, split in before.items() if split != "rest"}
    assert {row: after.get(row) for row in drawn} == drawn
    assert {split for row, split in after.items() if row not in before} == {"rest"}
    assert (
        rows_of(tmp_path / "c").group_by("author").agg(pl.col("split").n_unique())["split"].max()
        == 1
    )
    assert manifest["splits"]["drawn_from_rows"] == len(before)


def test_a_frozen_row_is_displaced_by_no_duplicate_and_no_sample(tmp_path: Path) -> None:
    source = tmp_path / "tweets.csv"
    words = "the pot roast my auntie made on Sunday tasted like"
    old = [f"{n},{words} number {n},0.85" for n in range(40)]
    source.write_text("\n".join(["id,text,posterior", *old]))
    options: dict[str, Any] = {
        "source": str(source),
        **RULES,
        "out": tmp_path / "c",
        "limit": 30,
    }
    build("realaae", **options)
    before = dict(rows_of(tmp_path / "c").select("id", "split").iter_rows())
    better = [f"{n + 100},{words} number {n},0.99" for n in range(40)]
    fresh = [f"{n + 1000},{words} day {n},0.9" for n in range(400)]
    source.write_text("\n".join(["id,text,posterior", *old, *better, *fresh]))
    build("realaae", **options)
    after = dict(rows_of(tmp_path / "c").select("id", "split").iter_rows())
    drawn = {row: split for row, split in before.items() if split != "rest"}
    assert len(drawn) > 10
    assert {row: after.get(row) for row in drawn} == drawn
    assert len(after) == 30


def test_another_seed_on_frozen_splits_is_refused(tmp_path: Path) -> None:
    build("realaae", source="sample", **RULES, out=tmp_path / "c")
    with pytest.raises(OptionError, match="frozen"):
        build("realaae", source="sample", **RULES, out=tmp_path / "c", seed=1)


def test_a_second_run_has_nothing_to_do_and_a_changed_file_is_made_again(tmp_path: Path) -> None:
    first = build("realaae", source="sample", **RULES, out=tmp_path / "c")
    again = build("realaae", source="sample", **RULES, out=tmp_path / "c")
    assert (first.up_to_date, again.up_to_date) == (False, True)
    victim = sorted((tmp_path / "c" / "data").rglob("*.parquet"))[0]
    whole = victim.read_bytes()
    victim.write_bytes(whole[:-10])
    mended = build("realaae", source="sample", **RULES, out=tmp_path / "c")
    assert not mended.up_to_date
    assert victim.read_bytes() == whole


def test_a_hand_written_card_is_kept_with_new_front_matter(tmp_path: Path) -> None:
    build("realaae", source="sample", **RULES, out=tmp_path / "c", limit=30)
    card = tmp_path / "c" / "README.md"
    head = card.read_text().split("\n---\n")[0]
    card.write_text(f"{head}\n---\nWritten by hand.\n")
    build("realaae", source="sample", **RULES, out=tmp_path / "c")
    assert card.read_text().endswith("\n---\nWritten by hand.\n")
    assert "num_examples: 30" not in card.read_text()


def test_dry_run_counts_and_writes_nothing(tmp_path: Path) -> None:
    found = dry_run(builder("realaae")(source="sample", **RULES))
    assert found["read"] == 203
    assert found["selected"] == 168
    assert sum(found["rejected"].values()) == 35
    assert list(tmp_path.iterdir()) == []


def test_keep_unicode_keeps_letters_and_signs(tmp_path: Path) -> None:
    options: dict[str, Any] = {"source": "sample", **RULES}
    build("realaae", **options, out=tmp_path / "ascii")
    build("realaae", **options, out=tmp_path / "unicode", keep_unicode=True)
    assert rows_of(tmp_path / "ascii")["dialect"].str.contains("cafe").any()
    assert rows_of(tmp_path / "unicode")["dialect"].str.contains("café").any()


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("sample", {"min_posterior": 1.0}, "no row is left of 203"),
        ("id,text\n", {}, "no row is left of 0"),
        ('\n{"id": 1, "tweet": "words"}\n', {}, "no column 'text'"),
    ],
)
def test_a_corpus_without_rows_is_not_built(
    source: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    if source != "sample":
        (tmp_path / "source").write_text(source)
        source = str(tmp_path / "source")
    with pytest.raises(SourceError, match=message):
        build("realaae", source=source, **RULES, out=tmp_path / "c", **options)
    assert not (tmp_path / "c" / "manifest.json").exists()


def test_another_source_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    build("realaae", source="sample", **RULES, out=tmp_path / "c")
    before = (tmp_path / "c" / "manifest.json").read_bytes()
    rows = [f"{n},my cousin and me walked all the way to the store on day {n}" for n in range(40)]
    (tmp_path / "other.csv").write_text("\n".join(["id,text", *rows]))
    with pytest.raises(OutputError, match="another source"):
        build("realaae", source=str(tmp_path / "other.csv"), **RULES, out=tmp_path / "c")
    assert (tmp_path / "c" / "manifest.json").read_bytes() == before


def test_quotes_in_a_tab_separated_file_swallow_nothing(tmp_path: Path) -> None:
    words = "we was talking about it all the way home on the bus"
    rows = [f"{n}\t{words} {n}" for n in range(30)]
    rows[10], rows[12] = f'10\t"Well, {words} 10', f'12\t{words} 12 "'
    (tmp_path / "t.tsv").write_text("\n".join(["id\ttext", *rows, ""]))
    build("realaae", source=str(tmp_path / "t.tsv"), **RULES, out=tmp_path / "c")
    check_whole(tmp_path / "c", read=30)
    assert rows_of(tmp_path / "c").height == 30


@pytest.mark.parametrize("spoil", ["extra file", "front matter", "no readme"])
def test_a_spoiled_corpus_is_made_again(spoil: str, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    build("realaae", source="sample", **RULES, out=folder)
    whole = (folder / "README.md").read_bytes()
    if spoil == "extra file":
        (folder / "data" / "default" / "rest-00007-of-00008.parquet").write_bytes(b"PAR1")
    elif spoil == "front matter":
        (folder / "README.md").write_bytes(whole.replace(b"split: trace", b"split: tracee"))
    else:
        (folder / "README.md").unlink()
    assert not build("realaae", source="sample", **RULES, out=folder).up_to_date
    assert (folder / "README.md").read_bytes() == whole
    assert build("realaae", source="sample", **RULES, out=folder).up_to_date
