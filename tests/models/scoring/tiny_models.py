"""Randomly initialised models of the families that matter, saved with a tiny tokenizer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import Any

from isogloss.corpus.journal import Journal
from isogloss.models.config import ModelSettings
from isogloss.models.scoring import Fault, Score, Scorer, ScoreRequest
from isogloss.models.scoring.boundary import encode
from isogloss.models.scoring.hf_scorer import HFScorer
from isogloss.models.session import session_of
from isogloss.tests.models.scoring.tiny_tokenizers import sample_lines, tiny_tokenizer

WINDOW = 160
CPU = ModelSettings(device="cpu", dtype="float32")
#: For each family: its tokenizer, its configuration's name, and what is special about it.
_GROUPED = {"num_key_value_heads": 2}
_FAMILIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "llama": ("unigram", "LlamaConfig", _GROUPED),
    "gemma": ("gemma", "GemmaConfig", {**_GROUPED, "head_dim": 8}),
    "qwen2": ("qwen", "Qwen2Config", _GROUPED),
    "gpt2": ("gpt2", "GPT2Config", {"n_layer": 2, "n_head": 4}),
    # Logits of a few units, so that the cap is felt.
    "gemma2 without windows": (
        "gemma", "Gemma2Config",
        {**_GROUPED, "head_dim": 8, "final_logit_softcapping": 2.0,
         "attn_logit_softcapping": 1.0, "layer_types": ["full_attention"] * 2},
    ),
    "gemma2": (
        "gemma", "Gemma2Config",
        {**_GROUPED, "head_dim": 8, "final_logit_softcapping": 2.0, "sliding_window": 6},
    ),
    "gemma3": ("gemma", "Gemma3TextConfig", {**_GROUPED, "head_dim": 8, "sliding_window": 40}),
    "mistral": ("llama", "MistralConfig", {**_GROUPED, "sliding_window": 40}),
    "gpt-neo": (
        "gpt2", "GPTNeoConfig",
        {"num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]],
         "window_size": 40},
    ),
    "gpt-j": ("gpt2", "GPTJConfig", {"n_layer": 2, "n_head": 4, "rotary_dim": 4}),
    "codegen": ("gpt2", "CodeGenConfig", {"n_layer": 2, "n_head": 4, "rotary_dim": 4}),
    "gpt-neox": ("gpt2", "GPTNeoXConfig", {}),
    "bloom": ("both ends", "BloomConfig", {"n_layer": 2, "n_head": 4}),
    "mamba": ("qwen", "MambaConfig", {"state_size": 4, "time_step_rank": 4}),
}  # fmt: skip
FAMILIES = tuple(_FAMILIES)
#: Those whose tokens are read in trees.
WITH_TREES = (
    "llama", "gemma", "qwen2", "gpt2", "gemma2 without windows", "gpt-j", "codegen", "gpt-neox",
)  # fmt: skip


def make_model(family: str, folder: Path) -> Path:
    """Saves a model of two layers and its tokenizer; always the same one."""
    import torch
    import transformers

    kind, config_name, more = _FAMILIES[family]
    tokenizer = tiny_tokenizer(kind)
    sizes = {
        "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 64,
        "num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": WINDOW,
        "initializer_range": 0.4, "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": None,
    }  # fmt: skip
    config_class = getattr(transformers, config_name)
    given = set(config_class().to_dict()) | set(config_class.attribute_map)
    own = set(more) | {config_class.attribute_map.get(name) for name in more}
    chosen = {name: value for name, value in sizes.items() if name in given and name not in own}
    torch.manual_seed(7)
    config = config_class(**chosen, **more)
    if family == "gemma3":  # a model that also sees: its sizes stand in a configuration inside
        vision = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1,
                  "num_attention_heads": 1, "image_size": 28, "patch_size": 14}  # fmt: skip
        config = transformers.Gemma3Config(text_config=config.to_dict(), vision_config=vision)
    model = transformers.AutoModelForCausalLM.from_config(config)  # type: ignore[no-untyped-call]
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def requests(count: int = 12) -> list[ScoreRequest]:
    """Both continuations behind both contexts of pairs of lines: long and short, odd and plain."""
    asked = []
    lines = sample_lines()
    for number in range(count):
        pair = lines[3 * number], lines[3 * number + 1]
        halves = [(line[: line.index(" ", len(line) // 3)]) for line in pair]
        rests = tuple(line[len(half) :] for line, half in zip(pair, halves, strict=True))
        item = f"item {number}" if number % 4 else ""
        asked += [ScoreRequest(half, rests, item=item) for half in halves]
    asked.append(ScoreRequest("It's cold", (" 😴", " outside", " out of here", "\n")))
    return asked


def score_all(scorer: HFScorer, asked: Sequence[ScoreRequest], notes: Any = None) -> list[Score]:
    """What a backend says of each request."""
    found: dict[int, Score] = {}

    def deliver(number: int, score: Any) -> Future[None]:
        assert number not in found
        assert isinstance(score, Score)
        found[number] = score
        done: Future[None] = Future()
        done.set_result(None)
        return done

    scorer.answer(asked, set(range(len(asked))), deliver, notes or Notes())
    return [found[number] for number in range(len(asked))]


class Notes:
    """Notes in memory."""

    def __init__(self) -> None:
        self.notes: dict[str, Any] = {}

    def recall(self, about: str) -> Any:
        return self.notes.get(about)

    def remember(self, about: str, found: Any) -> None:
        self.notes[about] = found


def one_by_one(
    folder: Path, asked: Sequence[ScoreRequest], *, room: int = WINDOW
) -> list[list[list[float]]]:
    """Each continuation in a row of its own, nothing shared, nothing padded: the oracle."""
    import torch

    model, tokenizer = _loaded(str(folder))
    found: list[list[list[float]]] = []
    for request in asked:
        encoded = encode(tokenizer, request, room=room, cut=True)
        found.append([])
        for tokens in encoded.continuations:
            ids = [*encoded.context, *tokens]
            with torch.inference_mode():
                # The last token is predicted, not read: it may lie beyond the window.
                logits = model(input_ids=torch.tensor([ids[:-1]])).logits[0].double()
            logprobs = torch.log_softmax(logits, dim=-1)
            places = range(len(encoded.context), len(ids))
            found[-1].append([float(logprobs[at - 1, ids[at]]) for at in places])
    return found


@cache
def _loaded(folder: str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder, dtype="float32")
    return model.train(False), AutoTokenizer.from_pretrained(folder)


def far(scores: Sequence[Score], expected: Sequence[Sequence[Sequence[float]]]) -> float:
    """The largest distance of a token's log-probability from what it must be."""
    pairs = [
        (one, other)
        for score, rows in zip(scores, expected, strict=True)
        for scored, row in zip(score.scored, rows, strict=True)
        for one, other in zip(scored.logprobs, row, strict=True)
    ]
    return max(abs(one - other) if math.isfinite(one) else math.inf for one, other in pairs)


def known(
    scorer: Scorer, requests: Sequence[ScoreRequest], journal: Journal
) -> list[Score | Fault | None]:
    """What the journal has for each request, without asking for the rest."""
    keys = [scorer._key(request) for request in requests]
    found = scorer._found(list(dict.fromkeys(keys)), session_of(journal))
    return [found.get(key) for key in keys]
