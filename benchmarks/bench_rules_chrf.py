"""How much nearer to the human standard text the rules come than the dialect text itself.

Corpus chrF (sacrebleu's default: character 6-grams, beta 2) of two systems on published
human pairs: the dialect text unchanged, and the ``rules:`` baseline. The rules were written
with the development half in view; the held-out half was never looked at. Halves are drawn by
a hash of the group (an id without its last part), since pairs of a group share sentences.

Run ``python benchmarks/bench_rules_chrf.py``; ISOGLOSS_SHARED names the folder with the test data.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from isogloss.models.rules import RulesTranslator
from sacrebleu.metrics.chrf import CHRF

SHARED = Path(os.environ.get("ISOGLOSS_SHARED", Path(__file__).resolve().parents[2] / "shared"))
PAIRS = SHARED / "data" / "aae" / "redial_pairs.jsonl"
HALVES = ("development", "held-out")
RESAMPLES = 2_000
SEED = 20_240_601


def group(pair_id: str) -> str:
    """The group of related pairs that a pair belongs to."""
    return pair_id.rpartition("-")[0]


def half(pair_id: str) -> str:
    """The half that a pair falls into, by the parity of its group's hash."""
    return HALVES[hashlib.sha256(group(pair_id).encode()).digest()[-1] % 2]


def statistics_by_group(
    groups: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """The n-gram counts that chrF is computed from, summed over each group; a row each."""
    # sacrebleu's own bootstrap works on the same counts, but can't keep groups together.
    counts = CHRF()._extract_corpus_statistics(hypotheses, [references])
    sums: dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]] = defaultdict(
        lambda: np.zeros(len(counts[0]), dtype=np.int64)
    )
    for name, count in zip(groups, counts, strict=True):
        sums[name] += np.asarray(count)
    return np.stack([sums[name] for name in sorted(sums)])


def chrf(statistics: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> float:
    """Corpus chrF from summed counts."""
    return float(CHRF()._compute_score_from_stats(statistics.sum(axis=0).tolist()).score)


def main() -> int:
    """Prints a line for each half."""
    if not PAIRS.is_file():
        print(f"There is no test data at {PAIRS}; set ISOGLOSS_SHARED to the folder that holds it.")
        return 1
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    rules = RulesTranslator()
    print(f"rules version {rules.version}, African American English to Standard American English")
    print(f"{'half':<12} {'n':>5} {'copy':>7} {'rules':>7} {'gain':>6}  95 % interval by group")
    for name in HALVES:
        chosen = [pair for pair in pairs if half(pair["id"]) == name]
        groups = [group(pair["id"]) for pair in chosen]
        dialect = [pair["dialect"] for pair in chosen]
        standard = [pair["standard"] for pair in chosen]
        translated = rules.translate(
            dialect, source="african-american-english", target="standard-american-english"
        )
        copied_counts = statistics_by_group(groups, dialect, standard)
        rules_counts = statistics_by_group(groups, translated, standard)
        copied, translated_score = chrf(copied_counts), chrf(rules_counts)
        draws = np.random.default_rng(SEED).integers(
            len(copied_counts), size=(RESAMPLES, len(copied_counts))
        )
        gains = [chrf(rules_counts[draw]) - chrf(copied_counts[draw]) for draw in draws]
        low, high = np.percentile(gains, [2.5, 97.5])
        print(
            f"{name:<12} {len(chosen):>5} {copied:>7.2f} {translated_score:>7.2f} "
            f"{translated_score - copied:>+6.2f}  [{low:+.2f}, {high:+.2f}]"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
