"""Whom a gate was not asked of: every variety with its reason, in the table and on the page."""

from __future__ import annotations

from isogloss.tests.validation.quality.made import (
    AAE,
    BAVARIAN,
    BERNESE,
    SENTENCES,
    measured,
    text_of,
)
from isogloss.validation.quality import Quality
from isogloss.validation.quality.page import render
from isogloss.validation.quality.screening import GateCount
from isogloss.validation.quality.unasked import unasked


def of(*names: str, back: bool = False) -> Quality:
    texts = ("dialect", "standard", "back")
    return measured(
        [
            {"variety": name, **dict(zip(texts, (*pair, *pair[: int(back)]), strict=False))}
            for name in names
            for pair in SENTENCES
        ]
    )


def words(quality: Quality) -> str:
    return " ".join(text_of(render(quality)).split())


def test_all_that_were_left_out_are_told_beside_those_that_were_asked() -> None:
    quality = of(BAVARIAN, AAE, BERNESE)
    table = quality.gate_table()
    left_out = [
        {"reason": "there is no lexicon of Bavarian", "varieties": [BAVARIAN]},
        {"reason": "there is no lexicon of Bernese", "varieties": [BERNESE]},
    ]
    for code in ("copy", "standard_leak"):
        assert (table[code]["n"], table[code]["left_out"]) == (4, left_out)
        assert table[code]["not_asked"] is None
    assert table["empty"]["left_out"] == []
    told = "Not asked of Bavarian: there is no lexicon of Bavarian; of Bernese: there is no lexicon"
    assert words(quality).count(told) == 2


def test_a_reason_that_holds_for_all_stands_once_and_alone() -> None:
    quality = of(BAVARIAN, BERNESE)
    table = quality.gate_table()["meaning_drift"]
    reason = "no encoder has measured similarities"
    assert table["left_out"] == [{"reason": reason, "varieties": [BAVARIAN, BERNESE]}]
    assert table["not_asked"] == reason
    assert f"Not asked: {reason}." in words(quality)


def test_reasons_of_a_gate_that_nobody_was_asked_are_all_told() -> None:
    quality = of(BAVARIAN, BERNESE)
    reasons = ["there is no lexicon of Bavarian", "there is no lexicon of Bernese"]
    assert quality.gate_table()["copy"]["not_asked"] == "; ".join(reasons)
    [check] = [check for check in quality.checks if check.id == "gate.copy"]
    assert (check.verdict, check.note) == ("none", "; ".join(reasons))


def test_a_direction_that_a_gate_is_not_made_for_leaves_nobody_out() -> None:
    table = of(AAE, back=True).gate_table()
    assert {code: gate["left_out"] for code, gate in table.items() if gate["n"]} == {
        code: [] for code in table if table[code]["n"]
    }
    [reason] = [
        one["reason"]
        for one in of(AAE, BAVARIAN, back=True).gate_table()["dialect_lost"]["left_out"]
    ]
    assert reason == "there is no lexicon of Bavarian"


def test_many_reasons_are_shortened_in_a_line() -> None:
    names = [BAVARIAN, BERNESE, "south-tyrolean", "low-german"]
    quality = of(*names)
    [check] = [check for check in quality.checks if check.id == "gate.copy"]
    assert check.note.endswith("; and 3 more reasons")
    assert len(quality.gate_table()["copy"]["left_out"]) == 4


def test_a_variety_is_named_once_for_a_reason() -> None:
    counts = [GateCount("copy", BERNESE, pair, 0, 0, "late") for pair in ("standard", "back")]
    assert unasked(counts) == {"late": [BERNESE]}
    assert unasked([]) == {}
