"""Catches dialect grammar that was left in the standard side."""

from __future__ import annotations

from ...corpus.varieties import varieties
from ._markers import lexicon_of, no_lexicon
from .gate import Context, Gate, Hints, Row

__all__ = ["GATE", "check", "hints", "unfit"]


def check(row: Row, context: Context) -> str | None:
    """Names the dialect features in a target that should be standard.

    Looks only where the target's variety stands for its cluster and the source's has a
    lexicon. Features shared with other vernaculars (*ain't*) are none of the standard either.
    Spelling doesn't count, nor what a surface pattern can't decide.

    Example:
        >>> aae, sae = "african-american-english", "standard-american-english"
        >>> context = Context(aae, sae, {"ignore": []})
        >>> check(Row.of("I'm finna leave, we was late", "I'm finna leave, we were late"), context)
        'dialect features: finna ("finna")'
        >>> check(Row.of("I'm finna leave", "I am about to leave"), context)
    """
    if not varieties().find(context.target_variety).standard:
        return None
    features = lexicon_of(context.source_variety)
    if features is None:
        return None
    ignored = context.thresholds["ignore"]
    found = [match for match in features.find(row.target.raw) if match.pattern_id not in ignored]
    if not found:
        return None
    named = dict.fromkeys(f'{match.feature} ("{match.text}")' for match in found)
    return f"dialect features: {', '.join(named)}"


def unfit(context: Context) -> str | None:
    """Only a standard text can have dialect left in it, and only a lexicon can find it."""
    if not varieties()[context.target_variety].standard:
        return "the target is no standard"
    return no_lexicon(context.source_variety)


def hints(source_variety: str, target_variety: str) -> Hints:
    """The target must have the words that features can't do without."""
    features = lexicon_of(source_variety)
    if features is None or not varieties().find(target_variety).standard:
        return Hints()
    return Hints(target=features.cues, alone=0, paired=len(features.patterns))


GATE = Gate("standard_leak", version=1, rank=130, check=check, hints=hints, unfit=unfit)
