"""Catches translations that are politer than their source."""

from __future__ import annotations

from ...corpus.varieties import varieties
from ._strong_words import Hit, strong_words
from .gate import Context, Gate, Row

__all__ = ["GATE", "check"]


def check(row: Row, context: Context) -> str | None:
    """Says which strong word of the source has gone.

    A word has gone if the target has none of its group, and no other listed word at least as
    strong: an insult may become another insult, and profanity another curse; only an emotion
    can make up for an emotion. Terms of address and phrases without force don't count (see
    ``softened.toml``), nor do varieties of a language without a list.

    Example:
        >>> context = Context("african-american-english", "standard-american-english")
        >>> check(Row.of("This damn bus late again", "This bus is late again"), context)
        'the source says "damn", and nothing here is as strong'
        >>> check(Row.of("This dayum bus late again", "This damn bus is late again"), context)
        >>> check(Row.of("What the hell she want", "What on earth does she want"), context)
        'the source says "hell", and nothing here is as strong'
        >>> check(Row.of("I'm tired af", "I am so tired"), context)
        >>> check(Row.of("Get yo ass over here", "Come over here"), context)
    """
    listed = strong_words(varieties().find(context.source_variety).cluster)
    if listed is None:
        return None
    said = [hit for hit in listed.find(row.source.raw) if not hit.keeps]
    if not said:
        return None
    weakest = context.thresholds.get("weakest", 1)
    kept = listed.find(row.target.raw)
    for hit in said:
        if hit.group.strength >= weakest and not any(_keeps(other, hit) for other in kept):
            return f'the source says "{hit.text}", and nothing here is as strong'
    return None


def _keeps(other: Hit, hit: Hit) -> bool:
    if other.group == hit.group:
        return True
    alike = (other.group.kind == "emotion") == (hit.group.kind == "emotion")
    return not other.keeps and alike and other.group.strength >= hit.group.strength


GATE = Gate("softened", version=1, rank=150, check=check)
