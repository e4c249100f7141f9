"""The corpus of a run: its hash tells any change, and a larger sample holds a smaller one."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.errors import CorpusError, OptionError
from isogloss.evaluation import Corpus, load_corpus
from isogloss.tests.evaluation.made import pairs, write_corpus

ROWS = pairs(12, authors=3)


def corpus(rows: pl.DataFrame = ROWS) -> Corpus:
    return Corpus("made", "evaluation", rows, "0")


@pytest.mark.slow
def test_a_folder_is_loaded_sorted_with_all_its_columns(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "corpus", ROWS.sample(fraction=1, shuffle=True, seed=3))
    loaded = load_corpus(str(folder), split="evaluation")
    assert (loaded.name, loaded.split) == ("corpus", "evaluation")
    assert loaded.rows.select(ROWS.columns).equals(ROWS)


@pytest.mark.slow
def test_the_hash_is_of_the_values_and_not_of_the_files(tmp_path: Path) -> None:
    def hashed(name: str, rows: pl.DataFrame) -> str:
        return load_corpus(
            str(write_corpus(tmp_path / name, rows)), split="evaluation"
        ).sha256  # fmt: skip

    plain = hashed("plain", ROWS)
    assert hashed("again", ROWS) == plain
    assert hashed("turned", ROWS.reverse()) == plain
    changed = {
        "text": ROWS.with_columns(dialect=pl.col("dialect").str.replace("n3", "n4")),
        "space": ROWS.with_columns(dialect=pl.col("dialect") + " "),
        "boundary": ROWS.with_columns(pl.col("standard_boundary") + 1),
        "none": ROWS.with_columns(author=pl.lit(None, pl.String)),
        "fewer": ROWS[:-1],
        "swapped": ROWS.rename({"dialect": "standard", "standard": "dialect"}),
        "extra": ROWS.with_columns(extra=pl.Series([0.5] * 11 + [float("nan")])),
        "list": ROWS.with_columns(extra=pl.Series([[1, 2]] * 12)),
        "list 2": ROWS.with_columns(extra=pl.Series([[1], *[[1, 2]] * 11])),
    }
    hashes = [plain, *(hashed(name, rows) for name, rows in changed.items())]
    assert len(set(hashes)) == len(hashes)


@pytest.mark.slow
def test_a_folder_that_has_changed_is_read_anew(tmp_path: Path) -> None:
    seen = set()
    for end in ("", "!", "?"):
        rows = ROWS.with_columns(pl.col("dialect") + end)
        folder = write_corpus(tmp_path / "corpus", rows)
        loaded = load_corpus(str(folder), split="evaluation")
        assert loaded.rows["dialect"].to_list() == rows["dialect"].to_list()
        seen.add(loaded.sha256)
    assert len(seen) == 3


@pytest.mark.slow
def test_a_split_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "corpus", ROWS)
    write_corpus(folder, ROWS, split="train")
    with pytest.raises(OptionError, match="there is no split 'test'") as caught:
        load_corpus(str(folder), split="test")
    assert "evaluation" in caught.value.remedy
    assert "train" in caught.value.remedy


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (ROWS.drop("id"), "the rows have no ids"),
        (ROWS.with_columns(id=pl.lit("x")), "several rows have one id"),
        (ROWS.with_columns(id=pl.when(pl.col("id") != "r0003").then("id")), "a row has no id"),
    ],
)
def test_rows_must_have_ids_of_their_own(tmp_path: Path, rows: pl.DataFrame, why: str) -> None:
    with pytest.raises(CorpusError, match=why):
        load_corpus(str(write_corpus(tmp_path / "corpus", rows)), split="evaluation")


@pytest.mark.slow
def test_numbers_are_ids_too(tmp_path: Path) -> None:
    rows = ROWS.with_columns(id=pl.Series([2**60 + n for n in range(12)]))
    loaded = load_corpus(str(write_corpus(tmp_path / "corpus", rows)), split="evaluation")
    assert loaded.rows["id"][0] == str(2**60)


@pytest.mark.slow
def test_a_folder_that_is_none_or_no_corpus_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "file.parquet"
    ROWS.write_parquet(file)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "evaluation.parquet").write_bytes(b"no parquet at all")
    (tmp_path / "empty").mkdir()
    for name in ("file.parquet", "missing", "broken", "empty"):
        with pytest.raises(CorpusError) as caught:
            load_corpus(str(tmp_path / name), split="evaluation")
        assert "\n" not in str(caught.value)
        assert name in str(caught.value)


@settings(max_examples=20)
@given(st.integers(1, 12), st.integers(1, 14), st.integers(0, 5))
def test_a_larger_sample_holds_a_smaller_one(few: int, many: int, seed: int) -> None:
    few, many = sorted((few, many))
    small, large = (corpus().sample(n, seed=seed).rows["id"].to_list() for n in (few, many))
    assert len(small) == few
    assert set(small) <= set(large)
    assert small == sorted(small)
    turned = corpus(ROWS.reverse().sort("id")).sample(few, seed=seed)
    assert turned.rows["id"].to_list() == small


def test_samples_differ_by_seed_and_keep_the_corpus_hash() -> None:
    drawn = {tuple(corpus().sample(4, seed=seed).rows["id"]) for seed in range(8)}
    assert len(drawn) > 4
    assert corpus().sample(4, seed=0).sha256 == corpus().sha256
    assert corpus().sample(None, seed=0).rows is ROWS


@pytest.mark.parametrize(
    "rows",
    [ROWS.drop("author"), ROWS.with_columns(author=pl.lit(None, pl.String)), ROWS.clear()],
    ids=["none", "empty", "no rows"],
)
def test_a_column_that_is_needed_must_be_there_and_have_something(rows: pl.DataFrame) -> None:
    with pytest.raises(CorpusError, match="names needs the column 'author'") as caught:
        corpus(rows).require(["author"], task="names", remedy="")
    assert caught.value.remedy == "name a corpus that has it"
    with pytest.raises(CorpusError) as caught:
        corpus(rows).require(["author"], task="names", remedy={"author": "ask them", "id": "no"})
    assert caught.value.remedy == "ask them"
    with pytest.raises(CorpusError) as caught:
        corpus(rows).require(["author"], task="names", remedy={"id": "no"})
    assert caught.value.remedy == "name a corpus that has it"
    corpus().require(["author"], task="names", remedy="")
