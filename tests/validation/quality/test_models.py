"""Reports with a real model: drift is caught, and scores are the module's own."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
import torch
from isogloss.models.classifier import LABELS
from isogloss.tests.conftest import MINILM, Command
from isogloss.tests.models.bert_tiny import make_encoder
from isogloss.tests.validation.quality.made import pairs_of, text_of, tsv
from isogloss.validation.quality import Models, load_models, validate
from isogloss.validation.quality.page import render
from isogloss.validation.similarity import similarities

pytestmark = pytest.mark.slow
SUBJECTS = ("the rain in the valley", "my cousin's wedding", "that broken radiator", "her science "
            "exam", "the bus to town", "a pot of greens", "our basketball coach", "his new phone",
            "the church choir", "two stray dogs")  # fmt: skip
FRAMES = (
    ("She ain't said nothing about {}", "She has not said anything about {}"),
    ("They be talking about {}", "They are always talking about {}"),
    ("We was worried about {}", "We were worried about {}"),
    ("He done forgot about {}", "He has already forgotten about {}"),
)
PAIRS = [tuple(side.format(subject) for side in frame) for frame in FRAMES for subject in SUBJECTS]
SWAPPED = (3, 25)
NAME = MINILM.partition(":")[2]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def models() -> Models:
    return load_models(encoder=MINILM, bertscore=MINILM)


def spoilt() -> list[tuple[str, ...]]:
    """Two rows with each other's standard."""
    rows = list(PAIRS)
    first, second = SWAPPED
    rows[first], rows[second] = (
        (PAIRS[first][0], PAIRS[second][1]),
        (PAIRS[second][0], PAIRS[first][1]),
    )
    return rows


def test_a_swapped_pair_is_caught_where_an_encoder_is_given(models: Models) -> None:
    found = validate(pairs_of(spoilt()), models=Models(encoder=models.encoder))
    table = found.gate_table()["meaning_drift"]
    assert (table["n"], table["not_asked"]) == (len(PAIRS), None)
    caught = found.screened.caught.filter(pl.col("gate") == "meaning_drift")
    assert caught["position"].to_list() == [place + 1 for place in SWAPPED]
    assert found.models["encoder"]["model"].startswith(NAME)
    clean = validate(pairs_of(PAIRS), models=Models(encoder=models.encoder))
    assert clean.gate_table()["meaning_drift"]["caught"] == 0


def test_similarities_are_those_that_a_build_measures(models: Models) -> None:
    assert models.encoder is not None
    rows = [(a, b, a) for a, b in PAIRS]
    frame = validate(pairs_of(rows), models=models).pairs.frame
    dialect, standard, back = (frame[name].to_list() for name in ("dialect", "standard", "back"))
    embed = models.encoder.embed
    expected = similarities(dialect, standard, embed), similarities(standard, back, embed)
    assert frame["similarity"].to_list() == pytest.approx(expected[0].tolist(), abs=1e-5)
    assert frame["back_similarity"].to_list() == pytest.approx(expected[1].tolist(), abs=1e-5)


def test_bertscore_is_that_of_the_module(models: Models) -> None:
    rows = [*PAIRS, ("We late", ""), (" ".join(["word"] * 600), "We are late")]
    found = validate(pairs_of(rows), models=Models(bertscore=models.bertscore)).bertscore
    assert found is not None
    assert models.bertscore is not None
    direct = models.bertscore.measure([row[1] for row in rows], [row[0] for row in rows])
    series = pl.Series(direct.f1)
    assert found.values.mean == pytest.approx(series.mean(), abs=1e-5)
    assert found.values.median == pytest.approx(series.median(), abs=1e-5)
    assert (found.values.n, found.empty, found.cut) == (len(rows), 1, 1)
    assert sum(found.values_histogram.counts) == len(rows)
    assert found.pair == ("standard", "dialect")


def test_the_command_takes_them_all_and_writes_the_same_bytes_again(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "p.tsv").write_bytes(tsv(*spoilt()))
    given = ("validate", "p.tsv", "--variety=aae", f"--encoder={MINILM}", f"--bertscore={MINILM}")
    for out in ("a", "b"):
        done = command(*given, f"--out={out}")
        assert done.returncode == 0, done.stderr
    assert "meaning_drift: " in done.stdout
    for name in ("quality.json", "quality.html", "caught.parquet"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    found = json.loads((tmp_path / "a" / "quality.json").read_text())
    assert found["bertscore"]["model"]["model"].startswith(NAME)
    assert found["bertscore"]["values"]["n"] == len(PAIRS)
    page = " ".join(text_of((tmp_path / "a" / "quality.html").read_text()).split())
    assert f"by {found['bertscore']['model']['model']}, layer" in page


def test_a_classifier_of_labels_is_a_sentiment_model(tmp_path: Path) -> None:
    folder = make_encoder(tmp_path / "tiny", labels=LABELS)
    found = validate(pairs_of(PAIRS[:8]), models=load_models(sentiment=f"hf:{folder}"))
    [(_, one)] = found.sentiment
    assert one.comparisons[0].n + sum(one.comparisons[0].left_out.values()) == 8
    page = text_of(render(found))
    assert "Labels by hf:tiny" in page
    assert str(tmp_path) not in page
