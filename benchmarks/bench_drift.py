"""What the gates for meaning and dialect catch: false alarms and recall on human pairs.

Thresholds were fitted on one half of the pairs; the other half, drawn by a hash of the id, is
what is printed here (``fit`` where a table shows both). Faults are planted in that half by
rule, the same ones every time.

Run ``python benchmarks/bench_drift.py [ENGLISH_ENCODER OTHER_ENCODER]``, encoders named as in
``hf:FOLDER``; without them the table of swapped rows is left out. ISOGLOSS_SHARED names the
folder with the test data.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from isogloss.benchmarks.gate_faults import Pair, held_out, human_pairs, plant
from isogloss.benchmarks.gate_phrases import REFUSALS
from isogloss.corpus.hashing import seeded_hashes
from isogloss.corpus.lexicon import lexicon
from isogloss.corpus.varieties import varieties
from isogloss.models.encoder import load_encoder
from isogloss.validation.facts import collect
from isogloss.validation.gates import Context, Gate, Row, gates, thresholds
from isogloss.validation.gates._strong_words import strong_words
from isogloss.validation.gates.keys import output_key
from isogloss.validation.similarity import (
    Embed,
    Floats,
    centred_cosines,
    character_ratios,
    similarities,
)

SHARED = Path(os.environ.get("ISOGLOSS_SHARED", Path(__file__).resolve().parents[2] / "shared"))
GATES = {gate.code: gate for gate in gates()}
BLOCK = 1024
#: Every row is swapped once, a twentieth of the rows at a time.
ROUNDS = 20
#: At least so many faults of a kind.
PLANTED = 24

Score = Callable[[Sequence[str], Sequence[str]], Floats]


def context(pair: Pair, gate: Gate, *, reverse: bool = False) -> Context:
    """The context of a gate for one variety's corpus."""
    sides = (pair.variety, pair.standard_variety)
    return Context(*(sides[::-1] if reverse else sides), thresholds(gate.code, *sides))


def by_variety(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """A corpus for each variety."""
    corpora: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        corpora[pair.variety].append(pair)
    return corpora


def shuffled(number: int, purpose: str) -> list[int]:
    """The numbers below ``number``, in the same disorder every time."""
    hashes = seeded_hashes(map(str, range(number)), seed=0, purpose=purpose)
    return sorted(range(number), key=hashes.__getitem__)


def rate(part: int, whole: int) -> str:
    """A percentage with its count."""
    return f"{part / whole:.1%} ({part}/{whole})" if whole else "-"


# --- Swapped rows: meaning_drift ---------------------------------------------------------------


def remembered(embed: Embed) -> Embed:
    """The same vectors, computed once for each text."""
    known: dict[str, Floats] = {}

    def recall(texts: Sequence[str]) -> Floats:
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known.update(zip(missing, embed(missing), strict=True))
        return np.stack([known[text] for text in texts])

    return recall


def in_blocks(score: Score, sources: Sequence[str], targets: Sequence[str]) -> Floats:
    """Scores as a build computes them."""
    starts = range(0, len(sources), BLOCK)
    return np.concatenate(
        [score(sources[at : at + BLOCK], targets[at : at + BLOCK]) for at in starts]
    )


def swapped(score: Score, sources: Sequence[str], targets: Sequence[str]) -> Floats:
    """Scores of rows whose target was exchanged for another row's."""
    order, scores = shuffled(len(sources), "swap"), []
    for start in range(ROUNDS):
        rows = order[start::ROUNDS]
        spoilt = list(targets)
        for row, other in zip(rows, rows[1:] + rows[:1], strict=True):
            spoilt[row] = targets[other]
        values = in_blocks(score, sources, spoilt)
        # Where both rows say the same, nothing is wrong.
        changed = [row for row in rows if output_key(spoilt[row]) != output_key(targets[row])]
        scores.append(values[changed])
    return np.concatenate(scores)


def drift_table(embed: Embed, corpora: dict[str, list[Pair]]) -> Iterator[str]:
    """The gate as it ships, and what each part of its number gives at 2 % false alarms."""

    def cosines(sources: Sequence[str], targets: Sequence[str]) -> Floats:
        vectors = embed([*sources, *targets])
        products: Floats = (vectors[: len(sources)] * vectors[len(sources) :]).sum(axis=1)
        return products

    def centred(sources: Sequence[str], targets: Sequence[str]) -> Floats:
        vectors = embed([*sources, *targets])
        return centred_cosines(vectors[: len(sources)], vectors[len(sources) :])

    def shipped(sources: Sequence[str], targets: Sequence[str]) -> Floats:
        return similarities(sources, targets, embed)

    parts: list[Score] = [cosines, centred, character_ratios, shipped]
    for variety, pairs in corpora.items():
        for half in (False, True):
            chosen = [pair for pair in pairs if held_out(pair.id) is half]
            texts = [pair.dialect for pair in chosen], [pair.standard for pair in chosen]
            right, wrong = in_blocks(shipped, *texts), swapped(shipped, *texts)
            limits = thresholds("meaning_drift", variety, chosen[0].standard_variety)
            line = line_of(right, limits)
            alone = []
            for score in parts:
                bound = np.quantile(in_blocks(score, *texts), 0.02)
                alone.append(f"{(swapped(score, *texts) < bound).mean():.1%}")
            yield (
                f"| {variety} | {'held out' if half else 'fit'} "
                f"| {rate(int((right < line).sum()), len(right))} "
                f"| {rate(int((wrong < line).sum()), len(wrong))} | {' | '.join(alone)} |"
            )


def line_of(right: Floats, limits: Mapping[str, Any]) -> float:
    """Where the gate draws its line in a corpus with these values."""
    median = float(np.median(right))
    mad = float(np.median(np.abs(right - median)))
    return float(min(median - limits["deviations"] * mad, limits["at_most"]))


def refusal_rows(embed: Embed, corpora: dict[str, list[Pair]]) -> Iterator[str]:
    """Refusals by their words, by their meaning, and by either, in held-out pairs.

    The phrases are those of ``gate_phrases``: met by no gate while it was written.
    """
    gate = GATES["refusal"]
    for variety, pairs in corpora.items():
        chosen = [pair for pair in pairs if held_out(pair.id)]
        texts = [pair.dialect for pair in chosen], [pair.standard for pair in chosen]
        phrases = REFUSALS[varieties()[variety].cluster]
        rows = shuffled(len(chosen), "refuse")[: len(phrases)]
        spoilt = list(texts[1])
        for row, phrase in zip(rows, phrases, strict=True):
            spoilt[row] = phrase

        def shipped(sources: Sequence[str], targets: Sequence[str]) -> Floats:
            return similarities(sources, targets, embed)

        values = in_blocks(shipped, texts[0], spoilt)
        line = line_of(values, thresholds("meaning_drift", variety, chosen[0].standard_variety))
        words = {
            row
            for row in rows
            if gate.check(Row.of(texts[0][row], spoilt[row]), context(chosen[row], gate))
        }
        meaning = {row for row in rows if values[row] < line}
        found = (words, meaning, words | meaning)
        yield f"| {variety} | {' | '.join(rate(len(caught), len(rows)) for caught in found)} |"


# --- Shared outputs: duplicate_output ----------------------------------------------------------


def duplicates_row(pairs: Sequence[Pair], size: int) -> str:
    """False alarms, and recall where ``size`` rows at a time get one row's target."""
    gate = GATES["duplicate_output"]
    order = shuffled(len(pairs), "share")
    number = -(-PLANTED // (size - 1))
    groups = [order[at * size : (at + 1) * size] for at in range(number)]
    targets = [pair.standard for pair in pairs]
    for group in groups:
        for row in group[1:]:
            targets[row] = pairs[group[0]].standard
    planted = [row for group in groups for row in group[1:]]
    clean = caught_in(gate, pairs, [pair.standard for pair in pairs])
    caught = caught_in(gate, pairs, targets)
    return (
        f"| {pairs[0].variety} | {size} | {rate(len(clean), len(pairs))} "
        f"| {rate(len(caught & set(planted)), len(planted))} |"
    )


def caught_in(gate: Gate, pairs: Sequence[Pair], targets: Sequence[str]) -> set[int]:
    """The rows that a gate for whole corpora catches in one variety's corpus."""
    frame = pl.DataFrame({"source": [pair.dialect for pair in pairs], "target": list(targets)})
    facts = collect(lambda: [frame], source="source", target="target", measures=[])
    sides = (pairs[0].variety, pairs[0].standard_variety)
    known = Context(*sides, thresholds(gate.code, *sides), corpus=facts)
    return {
        number
        for number, (source, target) in enumerate(frame.iter_rows())
        if gate.check(Row.of(source, target), known)
    }


# --- Words cut short: cut_word, beside truncated ------------------------------------------------


def cut_rows(name: str, pairs: Sequence[Pair]) -> Iterator[str]:
    """False alarms on held-out pairs; recall of words cut in them, alone and with truncated.

    The gate learns the words of the held-out pairs alone, then of all pairs; a variety's pairs
    are a corpus.
    """
    gate = GATES["cut_word"]
    cut = {
        fault.pair: fault.target for fault in plant(list(pairs)) if fault.kind == "cut in a word"
    }
    seen = {
        pair
        for pair, target in cut.items()
        if GATES["truncated"].check(Row.of(pair.dialect, target), context(pair, GATES["truncated"]))
    }
    for known in ("the held-out pairs", "all pairs"):
        alarms, caught = 0, set()
        for corpus in by_variety(pairs).values():
            chosen = [pair for pair in corpus if known == "all pairs" or held_out(pair.id)]
            clean = caught_in(gate, chosen, [pair.standard for pair in chosen])
            spoilt = caught_in(gate, chosen, [cut.get(pair, pair.standard) for pair in chosen])
            alarms += sum(held_out(chosen[row].id) for row in clean)
            caught |= {chosen[row] for row in spoilt} & cut.keys()
        unseen = sum(held_out(pair.id) for pair in pairs)
        yield (
            f"| {name} | {known} | {rate(alarms, unseen)} | {rate(len(caught), len(cut))} "
            f"| {rate(len(seen), len(cut))} | {rate(len(seen | caught), len(cut))} |"
        )


# --- Softened -----------------------------------------------------------------------------------

FRAMES = {
    "english": ("She been on that {} again.", "They told me {} before we even sat down."),
    "german": ("Gestern hat er wieder {} gesagt.", "Das ist doch {}, hat sie gemeint."),
}


def softened_rows(pairs: Sequence[Pair], language: str) -> Iterator[str]:
    """False alarms in both directions; recall where a listed word is dropped or made mild."""
    gate = GATES["softened"]
    for reverse in (False, True):
        alarms = sum(
            gate.check(pair.row(reverse=reverse), context(pair, gate, reverse=reverse)) is not None
            for pair in pairs
        )
        yield f"| {language} pairs{', reversed' * reverse} | {rate(alarms, len(pairs))} | - |"
    listed = strong_words(language)
    assert listed is not None
    words = list(dict(listed.words()).items())
    mild = next(word for word, group in words if (group.kind, group.strength) == ("profanity", 1))
    for name, weaker in (("dropped", ""), ("made mild", mild)):
        caught = total = 0
        for number, (word, group) in enumerate(words):
            if name == "made mild" and (group.strength == 1 or group.kind == "emotion"):
                continue
            frame = FRAMES[language][number % len(FRAMES[language])]
            row = Row.of(frame.format(word), frame.format(weaker))
            caught += gate.check(row, context(pairs[0], gate)) is not None
            total += 1
        yield f"| {language}, every listed word {name} | - | {rate(caught, total)} |"


def microseconds(word: str) -> float:
    """CPU time that ``softened`` takes for a character, of a megabyte of one word."""
    gate = GATES["softened"]
    text = f"{word} " * (1_000_000 // (len(word) + 1))
    sides = ("african-american-english", "standard-american-english")
    asked = Context(*sides, thresholds(gate.code, *sides))
    start = time.process_time()
    gate.check(Row.of(text, text), asked)
    return 1e6 * (time.process_time() - start) / (2 * len(text))


# --- Lost dialect and leaked markers ------------------------------------------------------------

#: A marker in place of its standard counterpart.
LEAKS = (
    (r"\b(?:is|are|has|have) not\b|\b(?:isn't|aren't|hasn't|haven't)\b", "ain't"),
    (r"\b(we|they|you) were\b", r"\1 was"),
    (r"\b(he|she) (?:does not|doesn't)\b", r"\1 don't"),
    (r"\b(?:is|are) going to\b", "finna"),
    (r"\bwill (?=[a-z]+\b)", "gon "),
    (r"\b(?:always|usually|often) (\w+ing)\b", r"be \1"),
    (r"\b(he|she|they|we) (?:has|have) already\b", r"\1 done already"),
)


def leak_rows(pairs: Sequence[Pair]) -> Iterator[str]:
    """standard_leak: the human standard, one marker planted in it, and untranslated rows."""
    gate = GATES["standard_leak"]
    alarms = sum(gate.check(pair.row(), context(pair, gate)) is not None for pair in pairs)
    leaks = []
    for pair in pairs:
        for pattern, marker in LEAKS:
            leak = re.sub(pattern, marker, pair.standard, count=1, flags=re.IGNORECASE)
            if leak != pair.standard:
                leaks.append((pair, leak))
                break
    caught = sum(
        gate.check(Row.of(pair.dialect, leak), context(pair, gate)) is not None
        for pair, leak in leaks
    )
    yield f"| standard_leak | {rate(alarms, len(pairs))} | {rate(caught, len(leaks))} |"
    same = [pair for pair in pairs if output_key(pair.dialect) != output_key(pair.standard)]
    left = sum(
        gate.check(Row.of(pair.dialect, pair.dialect), context(pair, gate)) is not None
        for pair in same
    )
    yield f"| standard_leak, nothing translated | - | {rate(left, len(same))} |"


def lost_rows(pairs: Sequence[Pair], everyone: Sequence[Pair]) -> Iterator[str]:
    """dialect_lost: another person's wording of the same standard, and the standard itself."""
    gate = GATES["dialect_lost"]

    def lost(pair: Pair, back: str) -> bool:
        asked = context(pair, gate, reverse=True).of_row({"dialect": pair.dialect})
        return gate.check(Row.of(pair.standard, back), asked) is not None

    marked = [pair for pair in pairs if lexicon().marked(pair.dialect)]
    wordings: dict[str, set[str]] = defaultdict(set)
    for pair in everyone:
        wordings[output_key(pair.standard)].add(pair.dialect)
    others = [
        (pair, other)
        for pair in everyone
        if lexicon().marked(pair.dialect)
        for other in sorted(wordings[output_key(pair.standard)] - {pair.dialect})
    ]
    alarms = sum(lost(pair, other) for pair, other in others)
    caught = sum(lost(pair, pair.standard) for pair in marked)
    yield f"| dialect_lost | {rate(alarms, len(others))} | {rate(caught, len(marked))} |"


def main(encoders: Sequence[str]) -> int:
    """Prints the tables."""
    if not (SHARED / "data").is_dir():
        print(f"There is no test data in {SHARED}; set ISOGLOSS_SHARED to the folder that has it.")
        return 1
    sets = {name: human_pairs(SHARED, name) for name in ("redial", "xsid")}
    halves = {name: [pair for pair in pairs if held_out(pair.id)] for name, pairs in sets.items()}
    if encoders:
        print("meaning_drift: swapped rows; the last four columns at 2 % false alarms\n")
        print("| corpus | half | false alarms | recall | cosine | centred | characters | both |")
        print("|---|---|---|---|---|---|---|---|")
        for pairs, name in zip(sets.values(), encoders, strict=True):
            embed = remembered(load_encoder(name).embed)
            for line in drift_table(embed, by_variety(pairs)):
                print(line, flush=True)
        print("\nrefusals that no gate has met\n")
        print("| corpus | by words: refusal | by meaning: meaning_drift | by either |")
        print("|---|---|---|---|")
        for pairs, name in zip(sets.values(), encoders, strict=True):
            embed = remembered(load_encoder(name).embed)
            print("\n".join(refusal_rows(embed, by_variety(pairs))), flush=True)
    print("\nduplicate_output: rows that share an output\n")
    print("| corpus | rows that share one | false alarms | recall |\n|---|---|---|---|")
    for pairs in halves.values():
        for corpus in by_variety(pairs).values():
            for size in (2, 4, 24, 200):
                print(duplicates_row(corpus, size))
    print("\ncut_word: words cut short\n")
    print("| corpus | words known from | false alarms | recall | of truncated | of both |")
    print("|---|---|---|---|---|---|")
    for name, pairs in sets.items():
        print("\n".join(cut_rows(name, pairs)))
    print("\nsoftened\n\n| rows | false alarms | recall |\n|---|---|---|")
    for language, pairs in zip(("english", "german"), halves.values(), strict=True):
        print("\n".join(softened_rows(pairs, language)))
    print("\nof one word again and again, microseconds of CPU for a character\n")
    print("| word | |\n|---|---|")
    for word in ("damn", "hell", "a", "f*ck", "fuuuck"):
        print(f"| {word} | {microseconds(word):.2f} |")
    print("\nleaked markers and lost dialect\n\n| gate | false alarms | recall |\n|---|---|---|")
    print("\n".join(leak_rows(halves["redial"])))
    print("\n".join(lost_rows(halves["redial"], sets["redial"])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:3]))
