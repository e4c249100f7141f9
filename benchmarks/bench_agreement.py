"""Agreement: our alpha beside the package krippendorff, and the time a large table takes.

The package is under the GPL, so it is no dependency of ours: ISOGLOSS_KRIPPENDORFF_PYTHON names
the python of an environment that has it. Without it only the times are printed.

    ISOGLOSS_KRIPPENDORFF_PYTHON=… python benchmarks/bench_agreement.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
from isogloss.stats import agreement_columns, krippendorff_alpha
from isogloss.validation.agreement import measure_agreement

TABLES = 200
MOST_DIFFERENCE = 1e-9
Table = list[list[int | None]]


def random_table(seed: int) -> Table:
    """Items by raters, with gaps; the first two items differ and have all ratings."""
    rng = np.random.default_rng(seed)
    shape = rng.integers(5, 80), rng.integers(2, 8)
    labels = rng.integers(2, 8)
    truth = rng.integers(labels, size=(shape[0], 1))
    codes = np.where(rng.random(shape) < rng.random(), truth, rng.integers(labels, size=shape))
    codes[0], codes[1] = 0, 1
    absent = rng.random(shape) < rng.uniform(0.05, 0.6)
    absent[:2] = False
    return [
        [None if gone else code for code, gone in zip(*row, strict=True)]
        for row in zip(codes.tolist(), absent.tolist(), strict=True)
    ]


def alpha(table: Table) -> float:
    """Ours."""
    size = max(code for row in table for code in row if code is not None) + 1
    counts = [[row.count(label) for label in range(size)] for row in table]
    return float(krippendorff_alpha(agreement_columns(counts).sum(axis=0)))


def compare(python: str) -> float:
    """The greatest difference between the package's alphas and ours."""
    tables = [random_table(seed) for seed in range(TABLES)]
    program = Path(__file__).with_name("peer_krippendorff.py")
    done = subprocess.run(
        [python, str(program)], input=json.dumps(tables), check=True, capture_output=True, text=True
    )
    pairs = zip(json.loads(done.stdout), map(alpha, tables), strict=True)
    return max(float(abs(theirs - ours)) for theirs, ours in pairs)


def timed(items: int, raters: int) -> float:
    """Seconds for all measures, intervals, pairs and disputed items of one question."""
    rng = np.random.default_rng(0)
    truth = rng.random(items) < 0.7
    right = rng.random((items, raters)) < 0.9
    frame = pl.DataFrame(
        {
            "item": np.repeat(np.arange(items), raters),
            "rater": np.tile(np.arange(raters), items),
            "label": (right == truth[:, None]).ravel(),
        }
    )
    start = time.perf_counter()
    measure_agreement(frame, question=None)
    return time.perf_counter() - start


def main() -> None:
    """Prints a Markdown table, and the difference to the peer."""
    print("| items | raters | seconds, all measures with 10,000 resamples |")
    print("|--:|--:|--:|")
    for items, raters in ((206, 3), (1_000, 3), (3_000, 20), (20_000, 3)):
        print(f"| {items} | {raters} | {timed(items, raters):.2f} |", flush=True)
    python = os.environ.get("ISOGLOSS_KRIPPENDORFF_PYTHON")
    if python is None:
        print("no peer: ISOGLOSS_KRIPPENDORFF_PYTHON names the python of krippendorff 0.9.0")
        return
    difference = compare(python)
    print(f"alpha of {TABLES} tables with gaps, greatest difference: {difference:.1e}")
    if not difference <= MOST_DIFFERENCE:
        sys.exit(f"above {MOST_DIFFERENCE}")


if __name__ == "__main__":
    main()
