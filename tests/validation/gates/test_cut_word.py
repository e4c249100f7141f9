"""cut_word: a last word that only the rest of the corpus shows to be half a word."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from isogloss.benchmarks.bench_drift import by_variety, caught_in
from isogloss.benchmarks.gate_faults import held_out, human_pairs, plant
from isogloss.validation.facts import collect
from isogloss.validation.gates import Context, Row, gates
from isogloss.validation.gates.cut_word import GATE
from isogloss.validation.gates.truncated import GATE as TRUNCATED

BERNESE, GERMAN = "bernese", "standard-german"
LIMITS = {"fewest": 2, "fewest_inflected": 3}
SOURCE = "Bruuch i hüt e Mantu?"
MANTEL = ["Den Mantel bitte.", "Ein Mantel!"]


def caught(
    target: str,
    others: list[str],
    *,
    source: str = SOURCE,
    sides: tuple[str, str] = (BERNESE, GERMAN),
    limits: dict[str, int] = LIMITS,
) -> str | None:
    """What the gate says of a target in a corpus with these other targets."""
    rows = [(source, target), *((SOURCE, other) for other in others)]
    frame = pl.DataFrame(rows, schema=["source", "target"], orient="row")
    facts = collect(lambda: [frame], source="source", target="target", measures=[])
    return GATE.check(Row.of(source, target), Context(*sides, limits, corpus=facts))


def test_a_word_that_the_corpus_has_whole() -> None:
    assert caught("Brauche ich einen Ma", MANTEL) == "breaks off: 'ma' for 'mantel'"
    assert caught("Brauche ich einen MANT ", MANTEL) == "breaks off: 'mant' for 'mantel'"


@pytest.mark.parametrize(
    ("target", "others"),
    [
        ("Brauche ich einen Mantel", [*MANTEL, "Das Mantelfutter, das Mantelfutter."]),
        ("Brauche ich einen Man.", MANTEL),  # a mark behind it
        ("Brauche ich einen M", MANTEL),  # one letter
        ("Brauche ich einen Mante", MANTEL),  # one letter is missing
        ("Brauche ich einen Man", [*MANTEL, "Man sagt so."]),  # a word of the corpus
        ("Brauche ich einen Man", MANTEL[:1]),  # too seldom
        ("Brauche ich einen Man", []),
        ("Brauche ich das nicht", ["Nichtig, nichtiger, nichtig."]),  # a frequent word
        ("Das ist Manntell", ["Manntellll, Manntellll."]),  # drawn out
        ("", MANTEL),
        ("12", MANTEL),
    ],
)
def test_what_is_no_cut(target: str, others: list[str]) -> None:
    assert caught(target, others) is None


def test_an_ending_may_be_missing_where_the_longer_word_is_frequent() -> None:
    assert caught("Erinnere mich morg", ["Morgen, morgen."]) is None
    assert caught("Erinnere mich morg", ["Morgen, morgen, morgen."]) is not None


@pytest.mark.parametrize("limit", LIMITS)
def test_its_thresholds_decide(limit: str) -> None:
    more = {**LIMITS, limit: 4}
    of_limit = {"fewest": ("einen Ma", MANTEL), "fewest_inflected": ("morg", ["Morgen " * 3])}
    target, others = of_limit[limit]
    assert caught(target, others) is not None
    assert caught(target, others, limits=more) is None


def test_the_row_may_end_like_its_source() -> None:
    assert caught("Brauche ich einen Man", MANTEL, source="Bruuch i e Man") is None


def test_only_the_standard_is_read_so() -> None:
    assert caught("Bruuch i e Man", MANTEL, sides=(GERMAN, BERNESE)) is None


def test_needs_the_corpus() -> None:
    assert GATE in gates()
    assert GATE.whole_corpus
    assert GATE.check(Row.of("a", "ma"), Context(BERNESE, GERMAN, LIMITS)) is None


#: Cuts caught together with ``truncated``, of twenty, when this was written. One leaves a word
#: (*Bewertung*), two the beginning of words that the 800 sentences have nowhere else.
TOGETHER = {"redial": 20, "xsid": 17}


@pytest.mark.parametrize("name", TOGETHER)
def test_cuts_in_human_pairs(name: str, shared: Path) -> None:
    pairs = human_pairs(shared, name)
    cut = {fault.pair: fault.target for fault in plant(pairs) if fault.kind == "cut in a word"}
    alarms = rows = found = 0
    for chosen in by_variety([pair for pair in pairs if held_out(pair.id)]).values():
        rows += len(chosen)
        alarms += len(caught_in(GATE, chosen, [pair.standard for pair in chosen]))
        targets = [cut.get(pair, pair.standard) for pair in chosen]
        both = caught_in(GATE, chosen, targets) | caught_in(TRUNCATED, chosen, targets)
        found += len({chosen[row] for row in both} & cut.keys())
    assert alarms < 0.005 * rows
    assert found >= TOGETHER[name]
