"""Runs lm-evaluation-harness in its own environment; started by ``bench_suite.py``.

python peer_lmeval_suite.py MODEL_FOLDER REQUESTS.json BATCH_SIZE
"""

import json
import sys
from types import SimpleNamespace


def main(model: str, requests: str, batch: str) -> None:
    """Scores continuations, and generates answers to questions."""
    from lm_eval.models.huggingface import HFLM

    harness = HFLM(
        pretrained=model, dtype="float32", batch_size=int(batch), device="cpu", add_bos_token=False
    )
    scored, generated = [], []
    with open(requests, encoding="utf-8") as file:
        made = json.load(file)
    for one in made:
        context = one.get("context")
        if context is None:
            chat = [{"role": role, "content": text} for role, text in one["chat"]]
            context = harness.apply_chat_template(chat)
        scored += [SimpleNamespace(args=(context, rest)) for rest in one.get("rests", ())]
        if "tokens" in one:
            options = {"until": [], "max_gen_toks": one["tokens"], "do_sample": False}
            generated.append(SimpleNamespace(args=(context, options)))
    if scored:
        harness.loglikelihood(scored, disable_tqdm=True)
    if generated:
        harness.generate_until(generated, disable_tqdm=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
