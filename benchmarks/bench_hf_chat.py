"""Batched generation with a local model beside one text after another, same run.

    python benchmarks/bench_hf_chat.py MODEL_FOLDER [TEXTS]

The model is any causal language model with a chat template; the README of benchmarks
says which one the figures were taken with.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import Future
from dataclasses import replace

from isogloss.models.budget import Budget, Limits
from isogloss.models.chat import ChatRequest, Fault, Price, Reply, Sampling
from isogloss.models.config import ModelSettings
from isogloss.models.hf_chat import HFChat
from isogloss.models.model_files import resolve_model
from isogloss.models.prompts import translation_prompts

LEAST_RATIO = 4.0
DIALECT, STANDARD = "african-american-english", "standard-american-english"
STARTS = ("She be working late on", "We finna catch the bus on", "He ain't never been to school on")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def requests(count: int) -> list[ChatRequest]:
    """Translation requests as the realaae builder makes them, short answers."""
    prompt = translation_prompts("realaae").direction(DIALECT, STANDARD)
    texts = [f"{STARTS[n % 3]} {DAYS[n % 7]} with number {n}" for n in range(count)]
    messages = (("user", prompt.example_source), ("assistant", prompt.example_target))
    return [
        ChatRequest("bench", prompt.system, (*messages, ("user", text)), Sampling(max_tokens=24))
        for text in texts
    ]


def rate(model: HFChat, asked: list[ChatRequest], batch_size: int) -> float:
    """Texts per second."""
    outcomes: dict[int, Reply | Fault] = {}

    def deliver(index: int, outcome: Reply | Fault) -> Future[None]:
        outcomes[index] = outcome
        done: Future[None] = Future()
        done.set_result(None)
        return done

    model.settings = replace(model.settings, batch_size=batch_size)
    start = time.perf_counter()
    for batch in model.batches(asked):
        model.answer([asked[i] for i in batch], deliver, Budget(Limits(), Price(0.0, 0.0)))
    return len(asked) / (time.perf_counter() - start)


def main() -> None:
    """Measures both and prints the ratio."""
    if len(sys.argv) < 2:
        print("skipped: name the folder of a chat model")
        return
    name, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 32
    path, revision = resolve_model(name)
    model = HFChat(name, path, revision, ModelSettings(batch_size=32))
    asked = requests(count)
    rate(model, asked[:2], 2)
    single, batched = rate(model, asked[: max(4, count // 4)], 1), rate(model, asked, 32)
    print(f"one after another {single:6.2f} texts/s; batches of 32 {batched:6.2f} texts/s")
    print(f"ratio {batched / single:.2f} (wanted: {LEAST_RATIO})")
    if batched / single < LEAST_RATIO:
        sys.exit("below the wanted ratio")


if __name__ == "__main__":
    main()
