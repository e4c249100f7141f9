"""False alarms of the gates on human pairs held out, recall on planted faults, and speed.

Thresholds were fitted on the other half of the pairs. Prints Markdown tables, one pair of
them for each set. Needs ``ISOGLOSS_SHARED``, or the folder ``shared`` beside the checkout.

    python benchmarks/bench_gates.py
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from itertools import chain
from pathlib import Path

from isogloss.benchmarks.gate_faults import (
    CODES,
    KINDS,
    SEEN_IN_PART,
    UNSEEN,
    Pair,
    caught_by,
    held_out,
    human_pairs,
    plant,
)
from isogloss.validation.gates import Context, Row, gates, thresholds

_SETS = {"redial": "ReDial", "xsid": "xSID"}
_MOST_MILLISECONDS = 0.2
_RUNS = 5


def false_alarms(pairs: list[Pair], *, reverse: bool) -> Counter[str]:
    """How many pairs each gate catches."""
    return Counter(
        code
        for pair in pairs
        for code in caught_by(pair.row(reverse=reverse), pair, reverse=reverse)
    )


def milliseconds(pairs: list[Pair]) -> float:
    """CPU time of all gates measured here for one pair, at its best of five runs."""
    asked = [gate for gate in gates() if gate.code in CODES]
    contexts = {
        (gate.code, pair.variety): Context(
            pair.variety,
            pair.standard_variety,
            thresholds(gate.code, pair.variety, pair.standard_variety),
        )
        for gate in asked
        for pair in pairs
    }
    seconds = []
    for _ in range(_RUNS):
        start = time.process_time()
        for pair in pairs:
            row = pair.row()
            for gate in asked:
                gate.check(row, contexts[gate.code, pair.variety])
        seconds.append(time.process_time() - start)
    return min(seconds) / len(pairs) * 1000


def main() -> None:
    """Prints the tables; fails if all gates together are too slow."""
    shared = Path(os.environ.get("ISOGLOSS_SHARED", Path(__file__).parents[2] / "shared"))
    if not (shared / "data").is_dir():
        sys.exit(f"no shared data at {shared}: set ISOGLOSS_SHARED")
    slowest = 0.0
    for name, title in _SETS.items():
        pairs = human_pairs(shared, name)
        unseen = [pair for pair in pairs if held_out(pair.id)]
        forth = false_alarms(unseen, reverse=False)
        back = false_alarms(unseen, reverse=True)
        print(f"\n{title}: {len(unseen):,} of {len(pairs):,} human pairs, held out\n")
        print("| gate | false alarms | to the standard | to the dialect |")
        print("|---|---|---|---|")
        for code in CODES:
            n, m = forth[code], back[code]
            print(
                f"| {code} | {n + m} | {n} ({n / len(unseen):.1%}) | {m} ({m / len(unseen):.1%}) |"
            )
        print("\n| kind | caught | by |")
        print("|---|---|---|")
        faults = plant(pairs)
        for kind in KINDS:
            found = [
                caught_by(Row.of(fault.pair.dialect, fault.target), fault.pair, finish=fault.finish)
                for fault in faults
                if fault.kind == kind
            ]
            by = ", ".join(
                f"{code} {n}" for code, n in Counter(chain.from_iterable(found)).most_common()
            )
            seen = f"{sum(map(bool, found))}/{len(found)}" if found else "no pair for it"
            note = f" (not in the text: {UNSEEN[kind]})" if kind in UNSEEN else ""
            if kind in SEEN_IN_PART:
                note = f" (the rest: {SEEN_IN_PART[kind]})"
            print(f"| {kind} | {seen} | {by}{note} |")
        took = milliseconds(pairs)
        slowest = max(slowest, took)
        print(f"\n{took:.3f} ms of CPU for a pair")
    if slowest > _MOST_MILLISECONDS:
        sys.exit(f"slower than {_MOST_MILLISECONDS} ms for a pair")


if __name__ == "__main__":
    main()
