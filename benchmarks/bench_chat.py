"""Chat throughput at 200 ms latency with 64 in flight, journal on, beside two plain loops.

The peers are a loop that awaits one request after another (measured on fewer requests),
and a bare AsyncOpenAI with a semaphore of 64 and no journal. The server is a process of
its own on this machine; 64 in flight at 200 ms allow 320 requests/s.

    python benchmarks/bench_chat.py [REQUESTS]

ISOGLOSS_DISTILABEL_PYTHON names the python of an environment with distilabel[openai], to
measure that in the same run.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
KEY = "sk-planted-0123456789"
LATENCY, IN_FLIGHT, LEAST_SHARE = 0.2, 64, 0.85


def serve(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """Starts the server and waits for its port."""
    port = folder / "port"
    command = [sys.executable, str(ROOT / "tests" / "stub" / "server.py")]
    command += ["--port-file", str(port), "--log", str(folder / "log"), "--latency", str(LATENCY)]
    server = subprocess.Popen(command)
    while not port.exists():
        time.sleep(0.05)
    return server, f"http://127.0.0.1:{port.read_text()}/v1"


def ours(url: str, folder: Path, count: int) -> float:
    """Requests per second through the asker, each answer committed to the journal."""
    from isogloss.corpus.journal import FILE_NAME, Journal
    from isogloss.models.asker import Session
    from isogloss.models.budget import Limits
    from isogloss.models.config import Config, ModelSettings
    from isogloss.models.translator import load_translator

    os.environ["OPENAI_API_KEY"] = KEY
    settings = ModelSettings(base_url=url, concurrency=IN_FLIGHT)
    translator = load_translator("openai:stub", config=Config(models={"openai:stub": settings}))
    texts = [
        f"I ain't seen nothing like bus number {n} before, not this year" for n in range(count)
    ]
    with (
        Journal(folder / FILE_NAME) as journal,
        translator.open(Session(journal, Limits(), retry_failed=False)),
    ):
        pair = {"source": "african-american-english", "target": "standard-american-english"}
        translator.translate(
            ["I ain't ready yet"], **pair
        )  # imports and connects, as the peers have
        start = time.perf_counter()
        answers = translator.translate(texts, **pair)
        seconds = time.perf_counter() - start
    if any(answer.text is None for answer in answers):
        sys.exit("some requests failed")
    return count / seconds


async def plain(url: str, count: int, in_flight: int) -> float:
    """Requests per second of a bare AsyncOpenAI loop, nothing recorded."""
    from openai import AsyncOpenAI

    limit = asyncio.Semaphore(in_flight)
    async with AsyncOpenAI(api_key=KEY, base_url=url, max_retries=0) as client:

        async def one(number: int) -> None:
            async with limit:
                await client.chat.completions.create(
                    model="stub",
                    messages=[
                        {"role": "system", "content": "Translate the tweet. " * 60},
                        {"role": "user", "content": f"I ain't seen bus number {number}"},
                    ],
                )

        start = time.perf_counter()
        await asyncio.gather(*(one(number) for number in range(count)))
        return count / (time.perf_counter() - start)


def distilabel(python: str, url: str, count: int) -> float:
    """Requests per second of distilabel in the environment of that python."""
    command = [python, str(ROOT / "benchmarks" / "peer_distilabel.py"), url, str(count)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-2])


def main() -> None:
    """Measures all three and prints the ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 8_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server, url = serve(folder)
        try:
            rates = {
                "isogloss, journal on": ours(url, folder, count),
                "AsyncOpenAI, 64 in flight": asyncio.run(plain(url, count // 4, IN_FLIGHT)),
                "one after another": asyncio.run(plain(url, 25, 1)),
            }
            if peer := os.environ.get("ISOGLOSS_DISTILABEL_PYTHON"):
                rates["distilabel, batches of 64"] = distilabel(peer, url, count)
        finally:
            server.kill()
    most = IN_FLIGHT / LATENCY
    first = next(iter(rates.values()))
    for label, rate in rates.items():
        print(f"{label:28} {rate:7.1f} requests/s  {rate / most:5.1%} of {most:.0f}"
              f"  ours is {first / rate:6.2f} times that")  # fmt: skip
    if first / most < LEAST_SHARE:
        sys.exit(f"below {LEAST_SHARE:.0%} of what the latency allows")


if __name__ == "__main__":
    main()
