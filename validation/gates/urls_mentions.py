"""Addresses and mentions of people that only one side has."""

from __future__ import annotations

import re

from ._quote import quoted
from .gate import Context, Gate, Row, Text

__all__ = ["GATE", "check"]

_HANDLE = re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]+|(?<![\w.@/+-])@\w+")


def check(row: Row, context: Context) -> str | None:  # noqa: ARG001
    """Catches a URL or an @mention that the target adds or loses.

    Example:
        >>> pair = Context("african-american-english", "standard-american-english")
        >>> check(Row.of("ask @kim_b she know", "Ask @Kim_B, she knows."), pair)
        >>> check(Row.of("ask her she know", "Ask her, she knows: https://example.org"), pair)
        "only in the target: 'https://example.org'"
        >>> check(Row.of("ask @kim_b she know", "Ask her, she knows."), pair)
        "only in the source: '@kim_b'"
    """
    source, target = _handles(row.source), _handles(row.target)
    if source == target:
        return None
    side, only = ("target", target - source) if target - source else ("source", source - target)
    return f"only in the {side}: {quoted(min(only))}"


def _handles(text: Text) -> set[str]:
    lowered = text.lowered
    if "@" not in lowered and "www." not in lowered and "http" not in lowered:
        return set()
    return {handle.rstrip(".,;:!?…") for handle in _HANDLE.findall(lowered)}


GATE = Gate("urls_mentions", version=1, rank=90, check=check)
