"""A real model: ten items of real text score as in a plain transformers loop."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from isogloss.evaluation.preference import cut_at
from isogloss.models.scoring import ScoreRequest
from isogloss.models.scoring.boundary import encode
from isogloss.models.scoring.hf_scorer import HFScorer
from isogloss.tests.models.scoring.tiny_models import CPU, score_all

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]


@pytest.fixture(scope="module")
def folder() -> Path:
    named = os.environ.get("ISOGLOSS_SMOLLM2")
    if not named or not Path(named).is_dir():
        pytest.skip("no SmolLM2: name its folder in ISOGLOSS_SMOLLM2")
    return Path(named)


def items(shared: Path) -> list[ScoreRequest]:
    """Both continuations behind both contexts of ten pairs, each cut in its middle."""
    from isogloss.benchmarks.gate_faults import human_pairs

    asked = []
    for pair in human_pairs(shared, "redial")[:10]:
        cut = [cut_at(text, len(text.split()) // 2) for text in (pair.dialect, pair.standard)]
        rests = tuple(rest for _, rest in cut)
        asked += [ScoreRequest(context, rests, item=pair.id) for context, _ in cut]
    return asked


def test_ten_items_score_as_in_a_plain_loop(folder: Path, shared: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    asked = items(shared)
    scorer = HFScorer("hf:smollm2", str(folder), CPU, cut=False)
    assert scorer._model.trees
    scores = score_all(scorer, asked)
    scorer.close()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype="float32").train(False)
    for request, score in zip(asked, scores, strict=True):
        assert isinstance(request.context, str)
        for text, scored in zip(request.continuations, score.scored, strict=True):
            ids = tokenizer(request.context + text)["input_ids"]
            start = len(ids) - scored.tokens
            with torch.inference_mode():
                logits = model(torch.tensor([ids])).logits[0]
            logprobs = torch.log_softmax(logits.double(), dim=-1)
            expected = [float(logprobs[at - 1, ids[at]]) for at in range(start, len(ids))]
            assert scored.logprobs == pytest.approx(expected, abs=1e-4)
            # This tokenizer never joins across a space: the boundary is the context's own end.
            assert ids[:start] == tokenizer(request.context)["input_ids"]
            assert len(encode(tokenizer, request).context) == score.context_tokens == start
