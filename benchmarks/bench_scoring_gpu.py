"""Scoring on a GPU: tokens per second and share of the card's peak, beside a plain loop.

The model is a randomly initialised Llama of the 8B shape in bfloat16, so nothing is downloaded:
what is timed doesn't depend on what the weights say. The plain loop does what
lm-evaluation-harness does: every pair of context and continuation is a row of its own, rows of
like length stand in one batch, and logits are made and normalised at every place; it gets its best
batch of those tried. Tokens are counted as the loop reads them, for both.

    python benchmarks/bench_scoring_gpu.py [PEAK_TFLOPS] [QUESTIONS]

PEAK_TFLOPS is what the card does at most in dense bfloat16 (989 for an H100 or H200). It needs
40 GB of the card and 20 GB of disk. With ``--tiny`` it tries itself out on a CPU in seconds.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from isogloss.corpus.journal import FILE_NAME, Journal
from isogloss.models.config import Config, ModelSettings
from isogloss.models.scoring import Score, ScoreRequest, load_scorer

H200, QUESTIONS = 989.0, 400
BATCHES = (16, 64)
_SHAPE = {
    "vocab_size": 128_256, "hidden_size": 4_096, "intermediate_size": 14_336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "max_position_embeddings": 8_192, "tie_word_embeddings": False,
}  # fmt: skip
_TINY = {
    **_SHAPE, "vocab_size": 2_048, "hidden_size": 64, "intermediate_size": 128,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
}  # fmt: skip
#: Words of a question and of an option, about as many tokens.
_PROMPT, _OPTION = 100, (2, 6)


def save_model(folder: Path, shape: dict[str, Any], device: str) -> int:
    """Writes a random model and a tokenizer of made-up words; says how many parameters it has."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(0)
    with torch.device(device):
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.bfloat16)
        model = LlamaForCausalLM(LlamaConfig(**shape, bos_token_id=0, eos_token_id=1))
        torch.set_default_dtype(before)
    model.save_pretrained(folder)
    words = {"<s>": 0, "</s>": 1} | {word_of(at): at + 2 for at in range(1_000)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="</s>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast: Any = PreTrainedTokenizerFast
    fast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>").save_pretrained(folder)
    return sum(one.numel() for one in model.parameters())


def word_of(number: int) -> str:
    """A made-up word."""
    return f"w{number}"


def questions(count: int) -> list[ScoreRequest]:
    """Prompts of about a hundred tokens with four options each."""
    random = Random(0)

    def words(size: int) -> str:
        return " ".join(word_of(random.randrange(1_000)) for _ in range(size))

    return [
        ScoreRequest(
            words(_PROMPT + random.randrange(40)),
            tuple(f" {words(random.randint(*_OPTION))}" for _ in range(4)),
            item=str(number),
        )
        for number in range(count)
    ]


def plain_loop(
    folder: Path, requests: Sequence[ScoreRequest], batch: int, device: str
) -> tuple[list[float], float]:
    """Sums, and seconds without loading."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
    model.to(device).eval()
    rows: list[tuple[list[int], list[int]]] = []
    for one in requests:
        context = tokenizer(one.context)["input_ids"]
        rests = (tokenizer(rest, add_special_tokens=False) for rest in one.continuations)
        rows.extend((context, rest["input_ids"]) for rest in rests)
    order = sorted(range(len(rows)), key=lambda at: -len(rows[at][0]) - len(rows[at][1]))
    sums = [math.nan] * len(rows)

    def score(some: Sequence[int]) -> None:
        whole = [(rows[at][0] + rows[at][1])[:-1] for at in some]
        ids = torch.zeros((len(some), max(map(len, whole))), dtype=torch.int64)
        for place, tokens in enumerate(whole):
            ids[place, : len(tokens)] = torch.tensor(tokens)
        logprobs = torch.log_softmax(model(ids.to(device)).logits.float(), dim=-1)
        for place, at in enumerate(some):
            rest = torch.tensor(rows[at][1], device=device)
            part = logprobs[place, len(whole[place]) - len(rest) : len(whole[place])]
            sums[at] = float(part.gather(1, rest[:, None]).sum())

    with torch.inference_mode():
        score(order[:batch])
        start = time.perf_counter()
        for at in range(0, len(order), batch):
            score(order[at : at + batch])
        seconds = time.perf_counter() - start
    return sums, seconds


def ours(folder: Path, requests: Sequence[ScoreRequest], device: str) -> tuple[list[float], float]:
    """The same with the journal on."""
    name = f"hf:{folder}"
    config = Config(models={name: ModelSettings(dtype="bfloat16", device=device)})
    scorer = load_scorer(name, config=config)
    with Journal(folder / FILE_NAME) as journal:
        scorer.score([ScoreRequest("w1 w2", (" w3",))], journal)
        start = time.perf_counter()
        scores = scorer.score(requests, journal)
        seconds = time.perf_counter() - start
    scorer.close()
    return [one.total for score in scores if isinstance(score, Score) for one in score.scored], (
        seconds
    )


def main(peak: float, count: int, *, tiny: bool = False) -> int:
    """Prints the table."""
    import torch

    if not tiny and not torch.cuda.is_available():
        print("There is no GPU here; --tiny tries this out without one.")
        return 0
    device = "cpu" if tiny else "cuda"
    requests = questions(count)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parameters = save_model(folder, _TINY if tiny else _SHAPE, device)
        tokens = sum(
            len(str(one.context).split()) + len(rest.split()) - 1
            for one in requests for rest in one.continuations
        )  # fmt: skip
        print(f"{parameters / 1e9:.2f} B parameters, {len(requests)} questions, {tokens:,} tokens")
        print("\n| | seconds | tokens/s | share of the peak |\n|---|---|---|---|")

        def row(who: str, seconds: float) -> None:
            share = 2 * parameters * tokens / seconds / (peak * 1e12)
            print(f"| {who} | {seconds:.2f} | {tokens / seconds:,.0f} | {share:.1%} |", flush=True)

        sums, seconds = ours(folder, requests, device)
        row("isogloss", seconds)
        best, apart = math.inf, 0.0
        for batch in BATCHES:
            theirs, took = plain_loop(folder, requests, batch, device)
            row(f"plain loop, {batch} at once", took)
            best = min(best, took)
            apart = max(abs(a - b) for a, b in zip(sums, theirs, strict=True))
        print(f"\n{best / seconds:.2f} times as fast; largest difference of a sum {apart:.2f} nats")
    return 0


if __name__ == "__main__":
    given = [one for one in sys.argv[1:] if one != "--tiny"]
    sys.exit(
        main(
            float(given[0]) if given else H200,
            int(given[1]) if len(given) > 1 else QUESTIONS,
            tiny="--tiny" in sys.argv,
        )
    )
