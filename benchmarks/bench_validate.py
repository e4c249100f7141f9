"""`isogloss validate` on 100,000 pairs without models: seconds and memory, beside OpusFilter.

The pairs are two sentences of ReDial each, joined, a third of them one sentence with a number.
OpusFilter does its comparable filters only (length, length ratio, HTML, repetition, numerals);
the report does all gates, features, lengths, duplicates, sentiment by word list, and the page.
Both get both cores.

    ISOGLOSS_OPUSFILTER=… python benchmarks/bench_validate.py [PAIRS]

The variable names the program ``opusfilter`` of an environment of its own (3.3.1); without it
only our own figures are printed. ISOGLOSS_SHARED names the folder with the test data.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import psutil  # type: ignore[import-untyped]
from isogloss.benchmarks.gate_faults import human_pairs
from isogloss.benchmarks.seams import SHARED

PAIRS = 100_000
MOST_SECONDS, MOST_MEGABYTES, LEAST_RATIO = 30.0, 1_000.0, 5.0
_FILTERS = """
common:
  output_directory: {folder}
  default_n_jobs: {jobs}
steps:
  - type: filter
    parameters:
      inputs: [dialect.txt, standard.txt]
      outputs: [dialect.out, standard.out]
      filters:
        - LengthFilter: {{unit: character, min_length: 1, max_length: 2000}}
        - LengthRatioFilter: {{unit: character, threshold: 3}}
        - HtmlTagFilter: {{}}
        - RepetitionFilter: {{}}
        - NonZeroNumeralsFilter: {{}}
"""


def made(count: int) -> list[tuple[str, str]]:
    """Pairs of texts, the same ones every time."""
    known = [
        (" ".join(pair.dialect.split()), " ".join(pair.standard.split()))
        for pair in human_pairs(SHARED, "redial")
    ]
    random = Random(0)
    pairs = []
    for number in range(count):
        (a, b), (c, d) = random.sample(known, 2)
        pairs.append((f"{a} {c}", f"{b} {d}") if number % 3 else (f"{a} {number}", f"{b} {number}"))
    return pairs


def seconds_of(command: Sequence[str], folder: Path) -> float:
    """How long a command takes, with nobody watching: asking for its memory would slow it."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit((done.stdout + done.stderr)[-2000:])
    return time.perf_counter() - start


def megabytes_of(command: Sequence[str], folder: Path) -> float:
    """The most megabytes that a command's processes hold together (PSS), in a run of its own."""
    most = 0.0
    with psutil.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            held = 0
            for one in (process, *process.children(recursive=True)):
                try:
                    held += one.memory_full_info().pss
                except psutil.Error:
                    continue
            most = max(most, held / 1e6)
            time.sleep(0.2)
    return most


def main(count: int) -> int:
    """Prints the table; says 1 if a figure is missed."""
    if not (SHARED / "data").is_dir():
        print(f"There is no test data in {SHARED}; set ISOGLOSS_SHARED to the folder that has it.")
        return 1
    pairs = made(count)
    opusfilter = os.environ.get("ISOGLOSS_OPUSFILTER")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = [f"{a}\t{b}" for a, b in pairs]
        (folder / "pairs.tsv").write_text("\n".join(["aae\tsae", *lines, ""]), encoding="utf-8")
        for place, side in enumerate(("dialect", "standard")):
            text = "".join(f"{pair[place]}\n" for pair in pairs)
            (folder / f"{side}.txt").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "isogloss.cli", "validate", "pairs.tsv"]
        command += ["--dialect", "aae", "--standard", "sae", "--out", "report"]
        seconds, megabytes = seconds_of(command, folder), megabytes_of(command, folder)
        print(f"{count:,} pairs\n\n| | seconds | pairs/s | MB |\n|---|---|---|---|")
        print(f"| isogloss validate | {seconds:.1f} | {count / seconds:,.0f} | {megabytes:,.0f} |")
        missed = megabytes > MOST_MEGABYTES or seconds > MOST_SECONDS * count / PAIRS
        if opusfilter:
            jobs = len(os.sched_getaffinity(0))
            (folder / "filters.yaml").write_text(_FILTERS.format(folder=folder, jobs=jobs))
            theirs = seconds_of([opusfilter, "--overwrite", "filters.yaml"], folder)
            print(f"| opusfilter | {theirs:.1f} | {count / theirs:,.0f} | |")
            print(f"\n{theirs / seconds:.1f} times as fast")
            missed |= theirs / seconds < LEAST_RATIO
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS))
