"""Scores of trees in batches are those of each sequence alone, in every family of models."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest
import transformers
from isogloss.errors import ModelError
from isogloss.models.scoring import ScoreRequest
from isogloss.models.scoring import hf_model as module
from isogloss.models.scoring.hf_model import TreeModel
from isogloss.models.scoring.hf_scorer import HFScorer
from isogloss.tests.models.scoring.tiny_models import (
    CPU,
    FAMILIES,
    WINDOW,
    WITH_TREES,
    far,
    make_model,
    one_by_one,
    requests,
    score_all,
)
from isogloss.tests.models.scoring.tiny_tokenizers import tiny_tokenizer

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {
        family: make_model(family, tmp_path_factory.mktemp("model") / "tiny") for family in FAMILIES
    }


def loaded(folder: Path) -> TreeModel:
    return TreeModel("hf:tiny", str(folder), CPU)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_token_scores_as_in_a_row_of_its_own(folders: dict[str, Path], family: str) -> None:
    asked = requests()
    scorer = HFScorer("hf:tiny", str(folders[family]), CPU, cut=False)
    assert far(score_all(scorer, asked), one_by_one(folders[family], asked)) < 1e-4
    assert scorer._model.trees == (family in WITH_TREES)
    assert scorer._model.projects


@pytest.mark.parametrize("family", ["gpt2", "llama", "gpt-neo", "mistral", "gemma3", "mamba"])
def test_long_contexts_too(folders: dict[str, Path], family: str) -> None:
    # Longer than windows of attention; a short trial would not tell.
    long = "We was waiting on the bus and she be working late " * 3
    asked = [ScoreRequest(long + end, (" on Monday", " outside")) for end in ("and", "then")]
    scorer = HFScorer("hf:tiny", str(folders[family]), CPU, cut=True)
    scores = score_all(scorer, asked)
    assert far(scores, one_by_one(folders[family], asked)) < 1e-4
    assert max(score.context_tokens for score in scores) > 42


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_up_to_the_windows_last_token(folders: dict[str, Path], family: str) -> None:
    asked = [ScoreRequest("We was waiting on the bus " * 40 + "and", (" late", " so very late"))]
    scorer = HFScorer("hf:tiny", str(folders[family]), CPU, cut=True)
    (score,) = scores = score_all(scorer, asked)
    assert far(scores, one_by_one(folders[family], asked)) < 1e-4
    assert score.cut > 0
    assert score.context_tokens + max(one.tokens for one in score.scored) - 1 == WINDOW


@pytest.mark.parametrize("family", FAMILIES)
def test_the_window_is_what_the_configuration_says(folders: dict[str, Path], family: str) -> None:
    # Models without positions, or with positions that have no end, have none.
    assert loaded(folders[family]).window == (None if family in ("bloom", "mamba") else WINDOW)


def test_caps_on_logits_are_honoured(folders: dict[str, Path]) -> None:
    family = "gemma2 without windows"
    asked = requests(4)
    model = loaded(folders[family])
    model._model.config.final_logit_softcapping = None
    bare = HFScorer("hf:tiny", str(folders[family]), CPU, cut=False)
    bare._model = model
    # Without it there would be a difference.
    assert far(score_all(bare, asked), one_by_one(folders[family], asked)) > 0.1


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_half_precision_keeps_its_trees(folders: dict[str, Path], family: str) -> None:
    from dataclasses import replace

    scorer = HFScorer("hf:tiny", str(folders[family]), replace(CPU, dtype="bfloat16"), cut=False)
    assert scorer._model.dtype == "bfloat16"
    assert scorer._model.trees
    asked = requests(4)
    assert far(score_all(scorer, asked), one_by_one(folders[family], asked)) < 0.5


def test_a_model_that_takes_no_mask_of_its_own_reads_plain_rows(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = TreeModel._inputs

    def ignored(self: TreeModel, rows: Any, longest: int, *, tree: bool) -> dict[str, Any]:
        del tree
        return inputs(self, rows, longest, tree=False)

    monkeypatch.setattr(TreeModel, "_inputs", ignored)
    scorer = HFScorer("hf:tiny", str(folders["llama"]), CPU, cut=False)
    assert not scorer._model.trees
    asked = requests(3)
    assert far(score_all(scorer, asked), one_by_one(folders["llama"], asked)) < 1e-4


def test_a_model_whose_head_cannot_be_asked_in_part_gives_all_logits(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    other = torch.nn.Linear(32, 400)
    monkeypatch.setattr(module, "_head_of", lambda _model: other)  # is never called
    scorer = HFScorer("hf:tiny", str(folders["llama"]), CPU, cut=False)
    assert not scorer._model.projects
    assert scorer._model.trees
    asked = requests(3)
    assert far(score_all(scorer, asked), one_by_one(folders["llama"], asked)) < 1e-4


def test_weights_that_are_nan_give_nan_and_never_zero(
    tmp_path: Path, folders: dict[str, Path]
) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(folders["llama"], tmp_path / "nan")
    weights = load_file(folder / "model.safetensors")
    weights["model.norm.weight"][:] = torch.nan
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    scores = score_all(HFScorer("hf:nan", str(folder), CPU, cut=False), requests(2))
    logprobs = [p for score in scores for one in score.scored for p in one.logprobs]
    assert logprobs
    assert all(map(math.isnan, logprobs))
    assert math.isnan(scores[0].scored[0].total)


def test_windows_in_a_configuration_inside_a_configuration_are_seen() -> None:
    from transformers import Gemma3Config, GPTNeoConfig, LlamaConfig, MistralConfig, Qwen2Config

    assert module._forgets(Gemma3Config())
    assert module._forgets(MistralConfig(sliding_window=4096))
    assert module._forgets(GPTNeoConfig())
    windows = Qwen2Config(use_sliding_window=True, sliding_window=9, max_window_layers=1)
    assert module._forgets(windows)
    assert not module._forgets(Qwen2Config())
    assert not module._forgets(LlamaConfig())
    assert not module._forgets(MistralConfig(sliding_window=None))


def test_a_slow_tokenizer_is_refused(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import AutoTokenizer

    class Slow:
        is_fast = False

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", lambda _path: Slow())
    with pytest.raises(ModelError, match="no character offsets") as caught:
        loaded(folders["llama"])
    assert "tokenizer.json" in caught.value.remedy


def test_a_folder_without_a_tokenizer_is_refused(tmp_path: Path, folders: dict[str, Path]) -> None:
    folder = shutil.copytree(folders["llama"], tmp_path / "bare")
    for path in folder.glob("*token*"):
        path.unlink()
    with pytest.raises(ModelError, match="can't be loaded") as caught:
        loaded(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "why"),
    [("BertForMaskedLM", "sees the tokens that it shall predict"), ("BertModel", "lacks weights")],
)
def test_an_encoder_is_refused(tmp_path: Path, name: str, why: str) -> None:
    tokenizer = tiny_tokenizer("both ends")
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, initializer_range=0.4,
    )  # fmt: skip
    getattr(transformers, name)(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=why) as caught:
        loaded(tmp_path)
    assert caught.value.remedy == "name a causal language model with its tokenizer"


def test_weights_that_are_missing_are_not_made_up(tmp_path: Path, folders: dict[str, Path]) -> None:
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(folders["llama"], tmp_path / "half")
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match=r"lacks weights \(.*layers.1.mlp.up_proj"):
        loaded(folder)


def test_a_model_that_writes_into_its_logits_is_not_asked_in_pieces(
    folders: dict[str, Path],
) -> None:
    model = loaded(folders["llama"])
    assert model.in_pieces

    def capped(_: Any, __: Any, output: Any) -> None:
        output.logits.tanh_()

    with TreeModel._hooked(model._model.register_forward_hook(capped)):
        assert not model._leaves_logits_alone()

    def fails(*_: Any) -> None:
        raise ValueError("no such way")

    with TreeModel._hooked(model._model.register_forward_hook(fails)):
        assert not model._leaves_logits_alone()
