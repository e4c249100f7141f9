"""What the lexicon of African American English finds, and what it finds wrongly.

Three tables: the unit pairs of Multi-VALUE (one gloss and its dialect form per eWAVE feature),
template pairs with habitual be, and the classes on both sides of ReDial, whose standard side
was written without dialect: what is found there is the rate of false positives.

Run ``python benchmarks/bench_lexicon.py``; ISOGLOSS_SHARED names the folder with the test data.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypedDict

from isogloss.corpus.lexicon import CLASS_MAPS, CLASSES, lexicon

SHARED = Path(os.environ.get("ISOGLOSS_SHARED", Path(__file__).resolve().parents[2] / "shared"))

#: Our patterns for each eWAVE feature that we claim and Multi-VALUE has a pair for.
PATTERNS = {
    9: ("personal-dative", "personal-dative-third-person"),
    104: ("completive-done", "completive-done-base"),
    105: ("completive-done-after-have",),
    106: ("be-done", "future-be-done"),
    111: ("bin", "bin-in-capitals", "bin-unmarked"),
    114: ("future-gon", "future-gone", "future-ima"),
    121: ("double-modal",),
    130: ("preterite-had",),
    131: ("zero-have",),
    154: (
        "negative-concord",
        "negative-concord-neither-never",
        "non-inverted-negative-concord",
        "non-inverted-negative-concord-wide",
    ),
    155: ("aint",),
    156: ("aint",),
    157: ("aint", "aint-for-didnt"),
    158: ("invariant-dont", "invariant-dont-it", "invariant-dont-noun"),
    173: ("existential-it", "existential-it-noun"),
    179: ("zero-have", "zero-have-been-gone"),
    180: ("levelled-was", "levelled-was-inverted", "levelled-was-plural-noun"),
    193: ("null-subject-relative",),
    226: ("negative-inversion",),
    227: ("embedded-inversion",),
    228: ("non-inverted-question",),
}
#: Why a pair of a claimed feature isn't found, or only on request.
REASONS = {
    193: "a relative without its pronoun after a definite noun looks like a sentence",
    227: "a question may be quoted without marks: candidate",
    228: "'when' opens a clause as often as a question",
}
#: Hits in pairs of other features, each looked at: right if the sentence carries what was found.
JUDGED = {
    (117, "habitual-be"): (False, "future be without will, written like habitual be"),
    (226, "negative-concord"): (True, "two negatives as well"),
}


class Unit(TypedDict):
    """A standard sentence and its forms with one feature."""

    gloss: str
    dialect: list[str]


def found(text: str, *, candidates: bool = False) -> set[str]:
    """Ids of the patterns found in a text."""
    return {match.pattern_id for match in lexicon().find(text, candidates=candidates)}


def unit_rows(units: dict[str, list[Unit]]) -> Iterator[str]:
    """A row per claimed feature, then precision and recall over all."""
    texts = {int(key): [text for pair in units[key] for text in pair["dialect"]] for key in units}
    right = missed = 0
    for number, patterns in PATTERNS.items():
        hits = [bool(found(text) & set(patterns)) for text in texts[number]]
        wide = [bool(found(text, candidates=True) & set(patterns)) for text in texts[number]]
        right += sum(hits)
        missed += len(hits) - sum(hits)
        reason = "" if all(hits) else REASONS.get(number, "not looked at")
        yield (
            f"| {number} | {lexicon()[patterns[0]].feature} | {sum(hits)}/{len(hits)} "
            f"| {sum(wide)}/{len(wide)} | {reason} |"
        )
    wrong = 0
    elsewhere = []
    for number, forms in texts.items():
        for pattern in sorted(set().union(*map(found, forms)) - set(PATTERNS.get(number, ()))):
            good, why = JUDGED.get((number, pattern), (False, "not looked at"))
            wrong += not good
            elsewhere.append(f"{pattern} in {number}: {'right' if good else 'wrong'}, {why}")
    glosses = {pair["gloss"] for pairs in units.values() for pair in pairs}
    wrong += sum(len(found(gloss)) for gloss in glosses)
    yield (
        f"\nrecall {right}/{right + missed} ({right / (right + missed):.0%}), "
        f"precision {right}/{right + wrong} ({right / (right + wrong):.0%}), "
        f"hits in {len(glosses)} glosses {sum(map(bool, map(found, glosses)))}"
    )
    yield f"hits in pairs of other features: {'; '.join(elsewhere)}"


def habitual_rows(pairs: Sequence[Sequence[str]]) -> Iterator[str]:
    """Recall of habitual be on templates, and hits on their standard side."""
    habitual = {"habitual-be", "habitual-be-noun"}
    dialect = sum(bool(found(pair[0]) & habitual) for pair in pairs)
    standard = sum(bool(found(pair[1])) for pair in pairs)
    yield f"| habitual be found | {dialect}/{len(pairs)} ({dialect / len(pairs):.1%}) |"
    yield f"| anything found on the standard side | {standard}/{len(pairs)} |"


def class_rows(pairs: Sequence[dict[str, str]], class_map: str) -> Iterator[str]:
    """Sentences with each class on both sides; those that show it alone."""
    sides = [
        [lexicon().classes(pair[side], class_map) for pair in pairs]
        for side in ("dialect", "standard")
    ]
    for name in (*CLASSES, "any"):
        cells = []
        for shown in sides:
            having = [
                classes for classes in shown if name in classes or (name == "any" and classes)
            ]
            alone = sum(len(classes) == 1 for classes in having)
            cells.append(f"{len(having)} ({len(having) / len(pairs):.2%}) | {alone}")
        yield f"| {class_map} | {name} | {' | '.join(cells)} |"


def main() -> int:
    """Prints the tables."""
    if not (SHARED / "data").is_dir():
        print(f"There is no test data in {SHARED}; set ISOGLOSS_SHARED to the folder that has it.")
        return 1
    units = SHARED / "data" / "english" / "multivalue_unittests.json"
    print(f"lexicon version {lexicon().version}\n\nMulti-VALUE's unit pairs\n")
    print("| eWAVE | feature | found | with candidates | reason for a miss |")
    print("|---|---|---|---|---|")
    print("\n".join(unit_rows(json.loads(units.read_text(encoding="utf-8")))))
    lines = (SHARED / "data/aae/habitual_pairs.tsv").read_text(encoding="utf-8").splitlines()
    print("\nTemplates with habitual be\n\n| | n |\n|---|---|")
    print("\n".join(habitual_rows([line.split("\t") for line in lines])))
    lines = (SHARED / "data/aae/redial_pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    print(f"\nReDial, {len(pairs)} pairs: sentences with a class; those with no other class\n")
    print("| map | class | dialect | alone | standard | alone |\n|---|---|---|---|---|---|")
    for class_map in CLASS_MAPS:
        print("\n".join(class_rows(pairs, class_map)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
