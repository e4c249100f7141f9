"""distilabel doing the job of bench_chat.py; run with the python of its own environment.

    python benchmarks/peer_distilabel.py URL REQUESTS

Prints requests per second, without the start of its processes.
"""

from __future__ import annotations

import sys
import time


def main() -> None:
    """Generates one answer per text, 64 in flight, and prints the rate."""
    from distilabel.models import OpenAILLM
    from distilabel.pipeline import Pipeline
    from distilabel.steps.tasks import TextGeneration

    url, count = sys.argv[1], int(sys.argv[2])
    rows = [
        {"instruction": f"I ain't seen nothing like bus number {n} before, not this year"}
        for n in range(count)
    ]
    with Pipeline(name="bench") as pipeline:
        TextGeneration(
            llm=OpenAILLM(model="stub", base_url=url, api_key="sk-planted-0123456789"),
            system_prompt="Translate the tweet. " * 60,
            input_batch_size=64,
        )
    start = time.perf_counter()
    result = pipeline.run(dataset=rows, use_cache=False)
    seconds = time.perf_counter() - start
    kept = [row for row in result["default"]["train"] if row["generation"]]
    print(f"{len(kept) / seconds:.1f} {len(kept)}")


if __name__ == "__main__":
    main()
