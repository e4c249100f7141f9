"""Addresses and mentions of people that only one side has."""

from __future__ import annotations

import re

from ._quote import quoted
from .gate import Context, Gate, Hints, Row, lowered

__all__ = ["GATE", "check", "hints"]

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
    source, target = _handles(row.source.lowered), _handles(row.target.lowered)
    if source == target:
        return None
    side, only = ("target", target - source) if target - source else ("source", source - target)
    return f"only in the {side}: {quoted(min(only))}"


def _handles(text: str) -> set[str]:
    return {handle.rstrip(".,;:!?…") for handle in _HANDLE.findall(text)}


def hints(source_variety: str, target_variety: str) -> Hints:  # noqa: ARG001
    """One side must have an address or a mention."""

    def of(word: str) -> bool:
        return _HANDLE.search(lowered(word)) is not None

    return Hints(source=of, target=of)


GATE = Gate("urls_mentions", version=1, rank=90, check=check, hints=hints)
