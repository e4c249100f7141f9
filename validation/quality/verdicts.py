"""Says of a measured value whether it passes, wants a look, or fails; limits are data.

Of a share it is not the value that is held against the limits but the end of its interval that
is nearer to passing: one row of fifty is 2 %, and says no more than that it is 0.4 % or more.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Literal

from ...stats import Estimate, wilson

__all__ = ["VERDICTS", "Check", "Held", "Verdict", "judge", "share_of", "without_verdict", "worst"]

Verdict = Literal["pass", "look", "fail", "none"]
Held = Literal["low end", "high end", "value", ""]
VERDICTS: tuple[Verdict, ...] = ("none", "pass", "look", "fail")
"""From the best to the worst; ``none`` is a value that nothing can be said of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of a report.

    Attributes:
        id: Stable name, for example ``gate.refusal``.
        title: What was looked at, in words.
        value: What came of it, with n and interval.
        share: Whether the value is a share, to be shown in per cent.
        limits: The limits in words, for example ``look > 1 %, fail > 5 %``.
        held: Which number was held against them: an end of the interval, or the value itself
            where there is no interval of a share; empty if nothing was.
        held_value: That number; NaN if nothing was held.
        verdict: What follows.
        note: What a reader must know beside it; may be empty.
    """

    id: str
    title: str
    value: Estimate
    share: bool
    limits: str
    held: Held
    held_value: float
    verdict: Verdict
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "id": self.id,
            "title": self.title,
            **self.value.to_dict(),
            "limits": self.limits,
            "held": self.held,
            "held_value": None if math.isnan(self.held_value) else self.held_value,
            "verdict": self.verdict,
            "note": self.note,
        }


def share_of(part: int, whole: int, *, reason: str = "no rows") -> Estimate:
    """A share of rows with Wilson's interval (1927); NaN of none.

    Example:
        >>> print(share_of(0, 100))
        0.000 [0.000, 0.037], n = 100
        >>> print(share_of(0, 0))
        nan (no rows), n = 0
    """
    if not whole:
        return Estimate(value=math.nan, n=0, clusters=0, reason=reason)
    low, high = wilson(part / whole, whole)
    return Estimate(
        value=part / whole, low=low, high=high, n=whole, clusters=whole, method="wilson"
    )


def judge(
    check: str, value: Estimate, *, variety: str = "", title: str = "", note: str = ""
) -> Check:
    """Holds a value against the limits of a check.

    A single row never fails a limit that lets some rows pass: Wilson's low end is above 1 % for
    one row of 17 still.

    Args:
        check: Its id; ``gate.CODE`` without limits of its own has those of ``gate``.
        value: What was measured; NaN gets no verdict.
        variety: The variety whose limits hold, if they differ.
        title: What was looked at, where the data doesn't say it.
        note: Goes into the check.

    Example:
        >>> check = judge("gate.markup", share_of(3, 100), title="markup")
        >>> check.verdict, check.limits
        ('look', 'look > 1 %, fail > 5 %')
        >>> check.held, round(check.held_value, 4)
        ('low end', 0.0103)
        >>> judge("gate.markup", share_of(1, 50), title="markup").verdict
        'pass'
    """
    table = _table()
    rule = table.get(check) or table[check.partition(".")[0]]
    rule = {**rule, **rule.get("variety", {}).get(variety, {})}
    share = bool(rule.get("share", False))
    held, number = _held(value, rule, share=share)
    verdict: Verdict = "pass"
    if math.isnan(value.value):
        verdict, note = "none", note or value.reason or ""
    elif _beyond(number, rule["fail"], rule["worse"]):
        verdict = "fail"
        if held != "value" and 0 < rule["fail"] < 1 and _bad_rows(value, rule["worse"]) == 1:
            verdict, note = "look", "; ".join(filter(None, (note, _ALONE)))
    elif _beyond(number, rule["look"], rule["worse"]):
        verdict = "look"
    return Check(
        id=check,
        title=title or rule["title"],
        value=value,
        share=share,
        limits=_in_words(rule, share=share),
        held=held,
        held_value=number,
        verdict=verdict,
        note=note,
    )


def without_verdict(check: Check) -> Check:
    """The check of a value that is too rough to be held against its limits.

    Example:
        >>> rough = without_verdict(judge("unreadable", share_of(9, 9)))
        >>> rough.verdict, rough.held
        ('none', '')
    """
    return replace(check, verdict="none", held="", held_value=math.nan)


def worst(checks: Sequence[Check]) -> Verdict:
    """The worst verdict among checks.

    Example:
        >>> worst([judge("unreadable", share_of(0, 9)), judge("unreadable", share_of(9, 9))])
        'fail'
    """
    return max((check.verdict for check in checks), key=VERDICTS.index, default="none")


_ALONE = "one row alone is no failure"


def _held(value: Estimate, rule: Mapping[str, Any], *, share: bool) -> tuple[Held, float]:
    """Which number is held against the limits, and the number."""
    if math.isnan(value.value):
        return "", math.nan
    if not share or math.isnan(value.low):
        return "value", value.value
    return ("low end", value.low) if rule["worse"] == "above" else ("high end", value.high)


def _bad_rows(value: Estimate, worse: str) -> int:
    return round(value.n * (value.value if worse == "above" else 1 - value.value))


def _beyond(value: float, limit: Any, worse: str) -> bool:
    if worse == "above":
        return bool(value > limit)
    if worse == "below":
        return bool(value < limit)
    return not limit[0] <= value <= limit[1]


def _in_words(rule: Mapping[str, Any], *, share: bool) -> str:
    def number(limit: float) -> str:
        return f"{limit * 100:g} %" if share else f"{limit:g}"

    if rule["worse"] == "outside":
        words = [f"{name} outside {rule[name][0]:g} to {rule[name][1]:g}" for name in _NAMES]
    else:
        sign = {"above": ">", "below": "<"}[rule["worse"]]
        words = [f"{name} {sign} {number(rule[name])}" for name in _NAMES]
    if rule["look"] == rule["fail"]:
        del words[0]
    return ", ".join(words)


_NAMES = ("look", "fail")


@cache
def _table() -> Mapping[str, Any]:
    source = resources.files(__package__).joinpath("verdicts.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))
