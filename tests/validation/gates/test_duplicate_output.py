"""duplicate_output: one output for inputs that have nothing in common."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.validation.facts import collect
from isogloss.validation.gates import Context, Row, thresholds
from isogloss.validation.gates.duplicate_output import GATE
from isogloss.validation.gates.gate import MAX_SOURCES

AAE, SAE = "african-american-english", "standard-american-english"
UNLIKE = ["My cousin cook every Sunday", "Who got the keys", "Tryna sleep over here"]


def caught(pairs: Sequence[tuple[str, str]], *, machine: bool = True) -> list[str]:
    """The sources of the rows that the gate catches."""
    frame = pl.DataFrame(list(pairs), schema=["source", "target"], orient="row")
    facts = collect(lambda: [frame], source="source", target="target", measures=[])
    limits = thresholds(GATE.code, AAE, SAE)
    context = Context(AAE, SAE, limits, machine=machine, corpus=facts)
    return [source for source, target in pairs if GATE.check(Row.of(source, target), context)]


def test_unlike_sources_of_one_output() -> None:
    pairs = [(source, "I'm sorry.") for source in UNLIKE]
    assert caught(pairs) == UNLIKE
    assert caught([*pairs, ("We late", "We are late.")]) == UNLIKE
    assert caught(pairs, machine=False) == []


def test_outputs_may_differ_in_case_and_punctuation() -> None:
    assert caught([(UNLIKE[0], "I'm sorry."), (UNLIKE[1], "i'm  SORRY")]) == UNLIKE[:2]


@pytest.mark.parametrize(
    "sources",
    [
        ["The bus late again", "the bus LATE again!"],  # one source
        ["The bus late again", "That bus be late again"],
        ["Wann soll de Wecka leitn", "Wann soit da Wecka leitn"],
    ],
)
def test_like_sources_of_one_output(sources: list[str]) -> None:
    assert caught([(source, "The same") for source in sources]) == []


def test_one_that_resembles_is_enough_among_few() -> None:
    sources = ["The bus late again", "That bus be late again", *UNLIKE]
    assert caught([(source, "The same") for source in sources]) == UNLIKE


def test_a_few_resemble_by_chance_among_many() -> None:
    sources = [f"{word} {word[::-1]} {number * 7919}" for number, word in enumerate(WORDS)]
    like = [sources[0], f"{sources[0]}!!", f"{sources[0]} again"]
    found = caught([(source, "The same") for source in [*sources, *like[1:]]])
    assert set(sources) <= set(found)


WORDS = (
    "kitchen orange bicycle thunder pillow forest magnet violin harbor pencil jacket window".split()
)
WORDS = [f"{a}{b}" for a in WORDS for b in ("qu", "zy", "fo")]


def test_says_how_many() -> None:
    facts = collect(
        lambda: [
            pl.DataFrame(
                {
                    "s": [chr(0x4E00 + 3 * n) * 4 for n in range(MAX_SOURCES + 50)],
                    "t": ["x y"] * (MAX_SOURCES + 50),
                }
            )
        ],
        source="s",
        target="t",
        measures=[],
    )
    context = Context(AAE, SAE, thresholds(GATE.code, AAE, SAE), corpus=facts)
    found = GATE.check(Row.of("Tryna sleep", "x y"), context)
    assert found == (
        f"the same output as for {MAX_SOURCES} or more other sources, "
        "and this one is nothing like them"
    )


def test_needs_the_counts() -> None:
    assert GATE.check(Row.of("a", "b"), Context(AAE, SAE, thresholds(GATE.code, AAE, SAE))) is None


@given(st.lists(st.tuples(st.text(max_size=8), st.sampled_from(["one", "two", "three", ""]))))
def test_order_is_no_matter(pairs: list[tuple[str, str]]) -> None:
    assert sorted(caught(pairs)) == sorted(caught(pairs[::-1]))


def test_no_alarm_on_what_people_wrote(shared: Path) -> None:
    corpora: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in ("aae/redial_pairs", "german/xsid_pairs", "german/wikidir_pairs_350"):
        for line in (shared / f"data/{name}.jsonl").read_text(encoding="utf-8").splitlines():
            pair = json.loads(line)
            sides = (pair["dialect"], pair["standard"])
            variety = pair.get("variety", name)
            corpora[variety].append(sides)
            corpora[f"{variety}, reversed"].append(sides[::-1])
    assert {name: caught(pairs) for name, pairs in corpora.items() if caught(pairs)} == {}
