"""Verdicts: limits at their edges, and the data that they stand in."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.corpus.varieties import varieties
from isogloss.stats import Estimate
from isogloss.validation.gates import gates
from isogloss.validation.quality import verdicts
from isogloss.validation.quality.verdicts import VERDICTS, judge, share_of, worst

TABLE: Mapping[str, Any] = tomllib.loads(
    resources.files(verdicts.__package__).joinpath("verdicts.toml").read_text("utf-8")
)
GATE_CHECKS = [name for name in TABLE if name.partition(".")[0] == "gate"]
PLAIN = [name for name in TABLE if name not in GATE_CHECKS]


def value(number: float) -> Estimate:
    return Estimate(value=number, n=100, clusters=100)


def verdict_of(check: str, number: float) -> str:
    return judge(check, value(number), title="x").verdict


def rules(name: str) -> list[dict[str, Any]]:
    rule = TABLE[name]
    return [{**rule, **own} for own in ({}, *rule.get("variety", {}).values())]


@pytest.mark.parametrize("name", TABLE)
def test_every_rule_is_sane(name: str) -> None:
    known = {"title", "share", "worse", "look", "fail", "variety"}
    assert set(TABLE[name]) <= known
    assert set(TABLE[name].get("variety", {})) <= {variety.id for variety in varieties()}
    for rule in rules(name):
        look, fail = rule["look"], rule["fail"]
        match rule["worse"]:
            case "above":
                assert look <= fail
            case "below":
                assert look >= fail
            case other:
                assert other == "outside"
                assert fail[0] <= look[0] < 1 < look[1] <= fail[1]
        if rule.get("share"):
            assert 0 <= min(look, fail) <= max(look, fail) <= 1


def test_checks_have_titles_and_gates_have_limits() -> None:
    assert all(TABLE[name]["title"].strip() for name in PLAIN)
    assert not any("title" in TABLE[name] for name in GATE_CHECKS)
    codes = {f"gate.{gate.code}" for gate in gates()}
    assert set(GATE_CHECKS) <= {"gate", *codes}
    assert {"unreadable", "repeated_ids", "duplicate_pairs", "near_identical", "length_ratio",
            "residual_markers", "surviving_markers", "sentiment_standard", "sentiment_back",
            "unknown_items", "agreement"} == set(PLAIN)  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_a_limit_itself_is_not_beyond_it(name: str) -> None:
    rule, least = TABLE[name], 1e-9
    ends: list[tuple[float, float, int]] = []
    if rule["worse"] == "outside":
        ends = [(rule["look"][0], rule["fail"][0], -1), (rule["look"][1], rule["fail"][1], 1)]
    else:
        ends = [(rule["look"], rule["fail"], 1 if rule["worse"] == "above" else -1)]
    for look, fail, sign in ends:
        assert verdict_of(name, look) == "pass"
        assert verdict_of(name, look + sign * least) == ("look" if look != fail else "fail")
        assert verdict_of(name, fail) == ("look" if look != fail else "pass")
        assert verdict_of(name, fail + sign * least) == "fail"


def test_a_gate_without_limits_of_its_own_has_those_of_all() -> None:
    assert [verdict_of("gate.markup", share) for share in (0.01, 0.02, 0.06)] == list(VERDICTS[1:])
    assert verdict_of("gate.refusal", 0.001) == "look"
    assert verdict_of("gate.a_plugin", 0.02) == "look"
    assert judge("gate.a_plugin", share_of(2, 100), title="x").share


def test_nothing_gets_no_verdict_and_says_why() -> None:
    check = judge("near_identical", share_of(0, 0, reason="no pairs"))
    assert (check.verdict, check.note) == ("none", "no pairs")
    assert check.to_dict()["value"] is None
    assert judge("near_identical", share_of(0, 0), note="mine").note == "mine"
    assert math.isnan(share_of(0, 0).value)


def test_a_varietys_limits_win(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"x": {"title": "X", "worse": "above", "look": 1, "fail": 2,
                   "variety": {"bernese": {"fail": 9}}}}  # fmt: skip
    monkeypatch.setattr(verdicts, "_table", lambda: table)
    assert verdict_of("x", 3) == "fail"
    own = judge("x", value(3), variety="bernese")
    assert (own.verdict, own.limits) == ("look", "look > 1, fail > 9")
    assert judge("x", value(3), variety="bavarian").verdict == "fail"


@pytest.mark.parametrize(
    ("check", "limits"),
    [
        ("unreadable", "look > 0 %, fail > 1 %"),
        ("repeated_ids", "fail > 0 %"),
        ("length_ratio", "look outside 0.8 to 1.25, fail outside 0.5 to 2"),
        ("agreement", "look < 0.6, fail < 0.4"),
        ("surviving_markers", "look < 75 %, fail < 50 %"),
    ],
)
def test_limits_in_words(check: str, limits: str) -> None:
    assert judge(check, value(1)).limits == limits


# --- Small corpora ----------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [1, 2, 5, 10, 17, 50, 90])
@pytest.mark.parametrize("check", ["gate.empty", "gate.markup", "unreadable", "residual_markers"])
def test_one_row_fails_nothing_however_few_there_are(check: str, rows: int) -> None:
    found = judge(check, share_of(1, rows), title="x")
    assert found.verdict in ("pass", "look")
    assert judge(check, share_of(rows, rows), title="x").verdict == ("fail" if rows > 1 else "look")


def test_one_row_that_would_fail_says_why_it_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    found = judge("gate.empty", share_of(1, 17), title="x", note="mine")
    assert (found.verdict, found.note) == ("look", "mine; one row alone is no failure")
    assert judge("gate.empty", share_of(1, 18), title="x").note == ""
    rule = {"title": "X", "share": True, "worse": "below", "look": 0.99, "fail": 0.95}
    monkeypatch.setattr(verdicts, "_table", lambda: {"x": rule})
    assert [judge("x", share_of(good, good + 1)).verdict for good in (0, 1)] == ["look", "look"]
    assert judge("x", share_of(0, 2)).verdict == "fail"


def test_where_no_row_may_be_one_is_enough() -> None:
    assert judge("repeated_ids", share_of(1, 1_000_000)).verdict == "fail"
    assert judge("gate.empty", share_of(1, 1_000_000), title="x").verdict == "look"


@pytest.mark.parametrize(
    ("check", "part", "whole", "held", "verdict"),
    [
        # Beyond the limit as a value, and not with 95 % confidence.
        ("gate.markup", 2, 100, "low end", "pass"),
        ("gate.markup", 4, 70, "low end", "look"),
        ("surviving_markers", 45, 100, "high end", "look"),
        ("surviving_markers", 70, 100, "high end", "pass"),
        # The same shares of a large corpus.
        ("gate.markup", 200, 10_000, "low end", "look"),
        ("gate.markup", 571, 10_000, "low end", "fail"),
        ("surviving_markers", 4_500, 10_000, "high end", "fail"),
        ("surviving_markers", 7_000, 10_000, "high end", "look"),
    ],
)
def test_the_end_of_the_interval_that_is_nearer_to_passing_is_held(
    check: str, part: int, whole: int, held: str, verdict: str
) -> None:
    found = judge(check, share_of(part, whole), title="x")
    assert (found.held, found.verdict) == (held, verdict)
    ends = {"low end": found.value.low, "high end": found.value.high}
    assert found.held_value == ends[held]
    assert (found.to_dict()["held"], found.to_dict()["held_value"]) == (held, ends[held])


@given(st.sampled_from([name for name in TABLE if TABLE[name].get("share")]), st.integers(1, 300),
       st.integers(0, 300))  # fmt: skip
def test_no_verdict_is_worse_than_that_of_the_value(name: str, whole: int, part: int) -> None:
    share = share_of(min(part, whole), whole)
    found = judge(name, share, title="x").verdict
    assert VERDICTS.index(found) <= VERDICTS.index(verdict_of(name, share.value))


def test_a_number_that_is_no_share_is_held_itself() -> None:
    kappa = Estimate(value=0.3, low=0.1, high=0.7, n=9, clusters=9)
    found = judge("agreement", kappa)
    assert (found.verdict, found.held, found.held_value) == ("fail", "value", 0.3)
    nothing = judge("agreement", value(math.nan))
    assert (nothing.held, nothing.to_dict()["held_value"]) == ("", None)


def test_the_worst_of_several() -> None:
    assert VERDICTS == ("none", "pass", "look", "fail")
    checks = [judge("agreement", value(number)) for number in (0.9, 0.5, math.nan)]
    assert worst(checks) == "look"
    assert worst(checks[2:]) == "none"
    assert worst([]) == "none"
