"""BERTScore: the package's own values, whatever the batch."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import torch
from isogloss.builders.steps.measure import measure_step
from isogloss.errors import ModelError, OptionError
from isogloss.models.encoder_files import find_encoder
from isogloss.tests.conftest import MINILM
from isogloss.validation import bertscore
from isogloss.validation.bertscore import BERTScore, Scores

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def scorer() -> BERTScore:
    return BERTScore(MINILM)


@pytest.fixture(scope="module")
def pairs(shared: Path) -> list[tuple[str, str]]:
    lines = (shared / "data/aae/redial_pairs.jsonl").read_text().splitlines()[:298]
    rows = [json.loads(line) for line in lines]
    long = " ".join(f"word{n}" for n in range(600))
    return [(r["dialect"], r["standard"]) for r in rows] + [("", "We late again"), (long, long)]


def test_a_step_of_a_corpus_gives_the_packages_own_values_with_one_load(
    pairs: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from bert_score import BERTScorer

    loads: list[Any] = []
    load = bertscore._load

    def counted(*given: Any) -> Any:
        loads.append(given)
        return load(*given)

    monkeypatch.setattr(bertscore, "_load", counted)
    scorer = BERTScore(MINILM)
    step = measure_step(
        "bertscore", scorer.score, pair=("back", "dialect"), described=scorer.describe()
    )
    frame = pl.DataFrame(pairs, schema=["back", "dialect"], orient="row")
    blocks = [step.run(frame[at : at + 128]).rows for at in range(0, frame.height, 128)]
    scores = pl.concat(blocks)["bertscore"]
    assert len(loads) == 1
    assert scores.len() == 300

    path = str(find_encoder(MINILM).path)
    reference = BERTScorer(model_type=path, num_layers=scorer.layer, device="cpu")
    reference._tokenizer.model_max_length = 512  # names none, and 600 tokens would overflow
    full = [row for row, (back, _) in enumerate(pairs) if back]
    backs, dialects = ([pairs[row][side] for row in full] for side in (0, 1))
    _, _, expected = reference.score(backs, dialects)
    assert scores[full].to_list() == pytest.approx(expected.tolist(), abs=1e-5)
    assert len(full) == 299
    assert scores[298] == 0.0


def test_what_is_empty_or_cut_is_counted(
    scorer: BERTScore, pairs: list[tuple[str, str]], capfd: pytest.CaptureFixture[str]
) -> None:
    few = pairs[:3] + pairs[-2:]
    candidates, references = ([pair[side] for pair in few] for side in (0, 1))
    scores = scorer.measure(candidates, references)
    assert (scores.empty, scores.cut) == (1, 1)
    assert scores.flags[-2:] == ["empty", "cut"]
    assert scores.f1 == scorer.score(candidates, references)
    fits, longer = "a " * 510, "a " * 511
    found = scorer.measure([fits, longer, "a", "\u200b", " \n"], ["a", "a", longer, "a", "a"])
    assert found.flags == ["", "cut", "cut", "empty", "empty"]
    assert [score > 0 for score in found.f1] == [True, True, True, False, False]
    assert scorer.measure([], []) == Scores([], [])
    assert "Warning" not in capfd.readouterr().err


def test_the_same_call_gives_the_same_bits_and_order_follows_the_rows(scorer: BERTScore) -> None:
    texts = [f"The {word} bus was late again today" for word in ("red", "blue", "old", "new")]
    others = ["A bus came late", "The old bus was late", "", "Nobody knew the bus was late"]
    forward = scorer.score(texts, others)
    assert scorer.score(texts, others) == forward
    backward = scorer.score(texts[::-1], others[::-1])[::-1]
    assert backward == forward
    assert forward[2] == 0.0
    assert scorer.score([], []) == []


def test_the_model_is_loaded_once_and_only_when_it_is_used(
    scorer: BERTScore, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer.score(["a b"], ["a c"])
    monkeypatch.setattr("isogloss.validation.bertscore._load", lambda *_: 1 / 0)
    scorer.score(["a b"], ["a c"])
    with pytest.raises(ZeroDivisionError):
        BERTScore(MINILM).score(["a b"], ["a c"])


def test_a_folder_with_t5_in_its_name_is_no_t5(tmp_path: Path, scorer: BERTScore) -> None:
    folder = tmp_path / "t5-like"
    shutil.copytree(find_encoder(MINILM).path, folder)
    named = BERTScore(f"hf:{folder}", layer=scorer.layer)
    assert named.score(["we late"], ["we are late"]) == scorer.score(["we late"], ["we are late"])


@pytest.mark.parametrize("layer", [0, -1, 7])
def test_a_layer_that_is_not_there_is_an_error(layer: int) -> None:
    with pytest.raises(OptionError, match=f"layers 1 to 6, not {layer}"):
        BERTScore(MINILM, layer=layer)


def test_a_model_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ModelError, match="no-such-model-anywhere"):
        BERTScore("wheel:no-such-model-anywhere")


def test_the_paper_s_model_has_the_packages_layer_for_roberta_base() -> None:
    from bert_score.utils import model2layers
    from isogloss.validation.bertscore import DEFAULT_MODEL, _known_layer

    name = DEFAULT_MODEL.partition(":")[2]
    assert _known_layer(name) == model2layers["roberta-base"]
    assert _known_layer(name.rpartition("/")[2]) == model2layers["roberta-base"]
    assert _known_layer("no-such-model") is None
