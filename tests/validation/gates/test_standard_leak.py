"""standard_leak: dialect grammar in the standard side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.corpus.lexicon import lexicon
from isogloss.validation.gates import Context, Row, thresholds
from isogloss.validation.gates.standard_leak import GATE

AAE, SAE = "african-american-english", "standard-american-english"
CONTEXT = Context(AAE, SAE, thresholds(GATE.code, AAE, SAE))


def verdict(target: str, context: Context = CONTEXT) -> str | None:
    return GATE.check(Row.of("We finna be late and he don't care", target), context)


@pytest.mark.parametrize(
    ("target", "named"),
    [
        ("We are finna be late", "finna"),
        ("We ain’t late", "ain't"),
        ("We was late", "levelling"),
        ("He don't care", "invariant don't"),
        ("She be late on Mondays, nobody don't care", "habitual be"),
    ],
)
def test_names_what_was_left(target: str, named: str) -> None:
    found = verdict(target)
    assert found is not None
    assert named in found


@pytest.mark.parametrize(
    "target",
    [
        "We are about to be late and he does not care.",
        "",
        "dat bus wit da dent",  # spelling
        "I been there",  # which feature that is can't be told from the surface
        "It will be done by Monday.",
    ],
)
def test_lets_the_standard_and_the_undecided_pass(target: str) -> None:
    assert verdict(target) is None


def test_looks_at_the_standard_of_a_variety_with_a_lexicon_only() -> None:
    leak = "We finna be late"
    assert verdict(leak, Context(SAE, AAE)) is None
    assert verdict(leak, Context("bernese", "standard-german")) is None
    assert verdict(leak, Context(AAE, "appalachian-english")) is None


def test_patterns_can_be_ignored() -> None:
    assert verdict("We finna be late", Context(AAE, SAE, {"ignore": ["finna"]})) is None
    assert verdict("We finna say it ain't so", Context(AAE, SAE, {"ignore": ["finna"]}))


@given(st.text(max_size=60))
def test_says_what_the_lexicon_says(text: str) -> None:
    assert (verdict(text) is not None) is lexicon().marked(text)


def test_no_alarm_on_what_people_wrote(shared: Path) -> None:
    lines = (shared / "data/aae/redial_pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    rows = [Row.of(pair["dialect"], pair["standard"]) for pair in pairs]
    assert sum(GATE.check(row, CONTEXT) is not None for row in rows) / len(rows) < 0.005
