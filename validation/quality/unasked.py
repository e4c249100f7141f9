"""Of which varieties a gate was not asked, and why."""

from __future__ import annotations

from collections.abc import Sequence

from .screening import GateCount

__all__ = ["unasked"]


def unasked(counts: Sequence[GateCount]) -> dict[str, list[str]]:
    """The varieties that one gate was asked nothing about, by the reason.

    A gate that is made for one direction (dialect to standard, or standard to
    back-translation) says of every variety why it isn't asked in the other one. Where it was
    asked of a variety at all, only the reasons of that direction count.

    Args:
        counts: One gate's.

    Returns:
        Registry ids by reason, in the order of ``counts``.

    Example:
        >>> counts = [GateCount("copy", "bernese", "standard", 0, 0, "there is no lexicon"),
        ...           GateCount("copy", "bavarian", "standard", 7, 0)]
        >>> unasked(counts)
        {'there is no lexicon': ['bernese']}
    """
    asked = {count.variety for count in counts if count.n}
    directions = {count.pair for count in counts if count.n} or {count.pair for count in counts}
    found: dict[str, list[str]] = {}
    for count in counts:
        if count.unfit and count.variety not in asked and count.pair in directions:
            names = found.setdefault(count.unfit, [])
            if count.variety not in names:
                names.append(count.variety)
    return found
