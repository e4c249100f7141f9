"""The lines of a report: which there are, over which n, and whose limits hold."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from isogloss.corpus.varieties import varieties
from isogloss.tests.validation.quality.made import (
    AAE,
    BAVARIAN,
    BERNESE,
    SENTENCES,
    WORDS,
    measured,
    pairs_of,
)
from isogloss.validation.gates import gates
from isogloss.validation.quality import Check, Quality, checks, validate, verdicts
from isogloss.validation.quality.pairs import Refusals
from isogloss.validation.quality.screening import GateCount

GATES = [f"gate.{gate.code}" for gate in gates()]


def by_id(quality: Quality) -> dict[str, Check]:
    return {check.id: check for check in quality.checks}


def test_there_is_a_line_for_everything_in_a_fixed_order() -> None:
    ids = [check.id for check in measured([(*p, p[0]) for p in SENTENCES], models=WORDS).checks]
    assert ids == [
        "unreadable",
        *GATES,
        *("repeated_ids", "duplicate_pairs", "near_identical", "length_ratio"),
        *("residual_markers", "surviving_markers", "sentiment_standard", "sentiment_back"),
    ]
    fewer = [check.id for check in measured(SENTENCES).checks]
    assert fewer == ["unreadable", *GATES, *ids[-8:-3]]


def test_rows_that_cant_be_looked_at_are_a_share_of_all_rows() -> None:
    refused = Refusals()
    for position in (9, 3, 5):
        refused.add("no_standard" if position > 4 else "blank_line", position)
    check = by_id(validate(pairs_of(SENTENCES, refused=refused)))["unreadable"]
    assert check.value.value == pytest.approx(3 / 7)
    assert check.value.n == 7
    assert check.note == "no_standard 2, blank_line 1"
    assert (refused.total, refused.first) == (3, {"no_standard": 9, "blank_line": 3})


def test_shares_by_hand() -> None:
    rows = [
        {"id": "a", "dialect": "We late", "standard": "We are late"},
        {"id": "a", "dialect": "We late", "standard": "We are late"},
        {"id": "b", "dialect": "Hello there", "standard": "Hello there"},
        {"id": "c", "dialect": "abcdefghij", "standard": "abcdefghijk"},
    ]
    found = by_id(measured(rows))
    assert found["repeated_ids"].value.value == 0.25
    # Ids are no sample: one that is there twice is one too many.
    assert found["repeated_ids"].verdict == "fail"
    assert found["duplicate_pairs"].value.value == 0.25
    assert found["near_identical"].value.value == 0.5
    assert found["near_identical"].note == "1 of them identical"
    # Ratios of 11/7 twice, 1 and 11/10.
    assert found["length_ratio"].value.value == pytest.approx((11 / 7 + 11 / 10) / 2)
    assert (found["length_ratio"].verdict, found["length_ratio"].held) == ("look", "value")
    assert found["gate.duplicate_output"].value.n == 4


def test_a_gate_has_the_verdict_of_the_variety_that_is_worst_off() -> None:
    good = {"variety": BERNESE, "dialect": "Mir si da", "standard": "Wir sind heute da"}
    bad = {"variety": BAVARIAN, "dialect": "Mia san do", "standard": ""}
    check = by_id(measured([good] * 996 + [bad] * 4))["gate.empty"]
    # Over all 0.4 % want a look; of the Bavarian pairs every one is empty.
    assert (check.value.value, check.value.n) == (0.004, 1000)
    assert check.verdict == "fail"
    assert check.note == "Bavarian: 4 of 4"
    assert (check.held, round(check.held_value, 3)) == ("low end", 0.51)


def test_one_variety_needs_no_note() -> None:
    check = by_id(measured([*SENTENCES, ("We late", ""), ("He late", "")]))["gate.empty"]
    assert (check.value.value, check.verdict, check.note) == (1 / 3, "fail", "")


def test_one_row_of_a_small_variety_is_no_failure() -> None:
    rows = [
        {"variety": variety, "dialect": "Mir si da", "standard": "" if not at else "Wir sind da"}
        for variety, size in ((BERNESE, 90), (BAVARIAN, 5))
        for at in range(size)
    ]
    check = by_id(measured(rows))["gate.empty"]
    assert check.verdict == "look"
    assert check.value.n == 95
    assert by_id(measured(rows[:50]))["gate.empty"].verdict == "look"
    assert by_id(measured([*rows[:49], rows[0]]))["gate.empty"].verdict == "fail"


def test_a_variety_that_spoils_the_whole_is_named() -> None:
    counts = [
        GateCount("markup", BERNESE, "standard", 100, 1),
        GateCount("markup", BAVARIAN, "standard", 100, 90),
    ]
    check = checks._gate_check("markup", counts)
    assert (check.value.value, check.verdict, check.note) == (0.455, "fail", "Bavarian: 90 of 100")
    alone = checks._gate_check(
        "empty", [GateCount("empty", name, "standard", 5, name == AAE) for name in (AAE, BAVARIAN)]
    )
    assert alone.note == "African American English: 1 of 5; one row alone is no failure"


def test_what_is_too_little_in_each_variety_may_be_enough_in_all() -> None:
    counts = [
        GateCount("markup", variety.id, "standard", 50, 1)
        for variety in varieties()
        if not variety.standard
    ]
    few, all_of_them = (
        checks._gate_check("markup", counts[:2]),
        checks._gate_check("markup", counts),
    )
    assert (few.value.value, few.verdict) == (0.02, "pass")
    assert (all_of_them.value.value, all_of_them.verdict) == (0.02, "look")
    assert all_of_them.held_value > 0.01


def test_limits_of_a_variety_hold_for_its_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    table = verdicts._table()
    own = {**table["gate.empty"], "variety": {AAE: {"look": 0.5, "fail": 0.9}}}
    monkeypatch.setattr(verdicts, "_table", lambda: {**table, "gate.empty": own})
    check = by_id(measured([*SENTENCES, ("We late", "")]))["gate.empty"]
    assert (check.verdict, check.limits) == ("pass", "look > 50 %, fail > 90 %")


def test_markers_name_their_variety_only_among_several() -> None:
    [alone] = [c for c in measured(SENTENCES).checks if c.id == "residual_markers"]
    assert alone.title == "Standard texts with grammar of the dialect"
    rows = [
        {"variety": AAE, "dialect": "We late", "standard": "We are late"},
        {"variety": BAVARIAN, "dialect": "Mia san z'spad", "standard": "Wir sind zu spät"},
    ]
    [among] = [c for c in measured(rows).checks if c.id == "residual_markers"]
    assert among.title == "Standard texts with grammar of the dialect (African American English)"


def test_sentiment_by_hand() -> None:
    rows = [
        ("This is the best", "This is great"),
        ("This phone trash", "This phone is not new"),
        ("", "Hello"),
    ]
    check = by_id(measured(rows, models=WORDS))["sentiment_standard"]
    assert (check.value.value, check.value.n, check.verdict) == (0.5, 2, "none")
    assert (check.held, check.to_dict()["held_value"]) == ("", None)
    assert "1 left out" in check.note
    assert check.note.startswith("κ ")


def test_sentiment_of_nothing_is_not_defined() -> None:
    check = by_id(measured([("...", "")], models=WORDS))["sentiment_standard"]
    assert math.isnan(check.value.value)
    assert (check.verdict, check.value.n) == ("none", 0)
    assert check.note.startswith("κ not defined; 1 left out")


def test_languages_are_named_where_there_are_several() -> None:
    rows = [
        {"variety": AAE, "dialect": "We late", "standard": "We are late"},
        {"variety": BAVARIAN, "dialect": "Mia san z'spad", "standard": "Wir sind zu spät"},
    ]
    titles = [c.title for c in measured(rows, models=WORDS).checks if "sentiment" in c.id]
    assert sorted(titles) == [
        "Same sentiment in dialect and standard (english)",
        "Same sentiment in dialect and standard (german)",
    ]


def test_agreement_has_a_line_for_each_question(tmp_path: Path) -> None:
    lines = ["item,rater,question,label"]
    for number in range(1, 5):
        lines += [f"r{number},{who},fluent,yes" for who in ("ann", "bob")]
        lines += [f"r{number},ann,same,{number % 2}", f"r{number},bob,same,{number % 2}"]
    (tmp_path / "r.csv").write_text("\n".join(lines))
    found = measured(SENTENCES, ratings=str(tmp_path / "r.csv"))
    fluent, same = (check for check in found.checks if check.id == "agreement")
    assert fluent.title == "Raters' agreement (Gwet's AC1): fluent"
    assert (fluent.verdict, fluent.note) == (
        "none",
        "one label only: chance agreement is complete",
    )
    assert (same.value.value, same.value.n, same.verdict) == (1.0, 4, "pass")


@pytest.mark.parametrize(("known", "verdict"), [(4, "pass"), (3, "look"), (1, "look"), (0, "fail")])
def test_ratings_of_another_corpus_are_no_agreement(
    known: int, verdict: str, tmp_path: Path
) -> None:
    items = [f"r{number}" if number <= known else f"x{number}" for number in range(1, 5)]
    lines = ["item,rater,label", *(f"{item},{who},yes" for item in items for who in "ab")]
    (tmp_path / "r.csv").write_text("\n".join(lines))
    check = by_id(measured(SENTENCES, ratings=str(tmp_path / "r.csv")))["unknown_items"]
    assert (check.value.value, check.value.n, check.verdict) == (1 - known / 4, 8, verdict)


def test_the_note_names_the_variety_with_the_highest_rate() -> None:
    rows = [
        {"variety": variety, "dialect": "Mir si da", "standard": "" if at < empty else "Wir da"}
        for variety, empty in ((BAVARIAN, 1), (BERNESE, 2))
        for at in range(10)
    ]
    rows += [{"dialect": "We late", "standard": "We are late"}] * 380
    assert by_id(measured(rows))["gate.empty"].note == "Bernese: 2 of 10"
