"""Runs lm-evaluation-harness in its own environment; started by ``bench_scoring.py``.

python peer_lmeval.py MODEL_FOLDER REQUESTS.json OUT.json BATCH_SIZE
"""

import json
import resource
import sys
import time
from types import SimpleNamespace


def main(model: str, requests: str, out: str, batch: str) -> None:
    """Scores (context, continuation) pairs, and writes sums, seconds and megabytes."""
    from lm_eval.models.huggingface import HFLM

    harness = HFLM(
        pretrained=model, dtype="float32", batch_size=int(batch), device="cpu", add_bos_token=False
    )
    with open(requests, encoding="utf-8") as file:
        pairs = json.load(file)
    made = [SimpleNamespace(args=tuple(pair)) for pair in pairs]
    harness.loglikelihood(made[: int(batch)], disable_tqdm=True)  # warm
    start = time.perf_counter()
    found = harness.loglikelihood(made, disable_tqdm=True)
    seconds = time.perf_counter() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"sums": [one[0] for one in found], "seconds": seconds, "mb": most}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
