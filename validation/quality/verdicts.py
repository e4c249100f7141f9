"""Says of a measured value whether it passes, wants a look, or fails; limits are data."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from ...stats import Estimate, wilson

__all__ = ["VERDICTS", "Check", "Verdict", "judge", "share_of", "worst"]

Verdict = Literal["pass", "look", "fail", "none"]
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
        verdict: What follows.
        note: What a reader must know beside it; may be empty.
    """

    id: str
    title: str
    value: Estimate
    share: bool
    limits: str
    verdict: Verdict
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "id": self.id,
            "title": self.title,
            **self.value.to_dict(),
            "limits": self.limits,
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
    """
    table = _table()
    rule = table.get(check) or table[check.partition(".")[0]]
    rule = {**rule, **rule.get("variety", {}).get(variety, {})}
    share = bool(rule.get("share", False))
    verdict: Verdict = "pass"
    if math.isnan(value.value):
        verdict, note = "none", note or value.reason or ""
    elif _beyond(value.value, rule["fail"], rule["worse"]):
        verdict = "fail"
    elif _beyond(value.value, rule["look"], rule["worse"]):
        verdict = "look"
    return Check(
        id=check,
        title=title or rule["title"],
        value=value,
        share=share,
        limits=_in_words(rule, share=share),
        verdict=verdict,
        note=note,
    )


def worst(checks: Sequence[Check]) -> Verdict:
    """The worst verdict among checks.

    Example:
        >>> worst([judge("unreadable", share_of(0, 9)), judge("unreadable", share_of(9, 9))])
        'fail'
    """
    return max((check.verdict for check in checks), key=VERDICTS.index, default="none")


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
