"""Catches translations that are politer than their source."""

from __future__ import annotations

from ...corpus.varieties import varieties
from ._strong_words import Group, strong_words
from .gate import Context, Gate, Hints, Row

__all__ = ["GATE", "check", "hints", "unfit"]


def check(row: Row, context: Context) -> str | None:
    """Says which strong word of the source has gone.

    A word has gone if the target has none of its group, and no other listed word at least as
    strong: an insult may become another insult, and profanity another curse; only an emotion
    can make up for an emotion. In the source a phrase counts for itself: *as hell* says *very*,
    and not *hell*. Terms of address and phrases without force don't count (see
    ``softened.toml``), nor do varieties of a language without a list.

    Example:
        >>> aae, sae = "african-american-english", "standard-american-english"
        >>> context = Context(aae, sae, {"weakest": 1})
        >>> check(Row.of("This damn bus late again", "This bus is late again"), context)
        'the source says "damn", and nothing here is as strong'
        >>> check(Row.of("This dayum bus late again", "This damn bus is late again"), context)
        >>> check(Row.of("What the hell she want", "What on earth does she want"), context)
        'the source says "hell", and nothing here is as strong'
        >>> check(Row.of("I'm tired as hell", "I am so tired"), context)
        >>> check(Row.of("Get yo ass over here", "Come over here"), context)
    """
    listed = strong_words(varieties().find(context.source_variety).cluster)
    if listed is None:
        return None
    said = [hit for hit in listed.find(row.source.raw, inside=False) if not hit.keeps]
    if not said:
        return None
    weakest = context.thresholds["weakest"]
    # A text may repeat one word a million times.
    kept = {(hit.group, hit.keeps) for hit in listed.find(row.target.raw)}
    for hit in said:
        enough = any(_keeps(other, hit.group, only_keeps=only) for other, only in kept)
        if hit.group.strength >= weakest and not enough:
            return f'the source says "{hit.text}", and nothing here is as strong'
    return None


def _keeps(other: Group, group: Group, *, only_keeps: bool) -> bool:
    if other == group:
        return True
    alike = (other.kind == "emotion") == (group.kind == "emotion")
    return not only_keeps and alike and other.strength >= group.strength


def unfit(context: Context) -> str | None:
    """It has lists for some languages."""
    cluster = varieties()[context.source_variety].cluster
    return None if strong_words(cluster) else f"there is no list of strong words for {cluster}"


def hints(source_variety: str, target_variety: str) -> Hints:  # noqa: ARG001
    """The source must have a listed word, or what may be a phrase."""
    listed = strong_words(varieties().find(source_variety).cluster)
    if listed is None:
        return Hints()
    return Hints(source=listed.hints, paired=listed.phrases)


GATE = Gate("softened", version=2, rank=150, check=check, hints=hints, unfit=unfit)
