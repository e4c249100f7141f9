"""The model declines, moralises or asks back instead of translating."""

from __future__ import annotations

from ...models.refusal import REFUSALS, refuses
from ._quote import quoted
from .gate import Context, Gate, Hints, Row, lowered, tokens_of

__all__ = ["GATE", "check", "hints"]


def check(row: Row, context: Context) -> str | None:  # noqa: ARG001
    """Catches a target that declines in words, where the source doesn't say so itself.

    Example:
        >>> pair = Context("african-american-english", "standard-american-english")
        >>> check(Row.of("I cain't help nobody today", "I can't help anybody today"), pair)
        >>> check(Row.of("Y'all was loud", "I cannot rewrite this message."), pair)
        "the model declines: 'I cannot rewrite this message.'"
    """
    if refuses(row.target.raw, row.source.raw, words=row.target.vocabulary):
        return f"the model declines: {quoted(row.target.raw)}"
    return None


def hints(source_variety: str, target_variety: str) -> Hints:  # noqa: ARG001
    """The target must have words that no refusal can do without."""

    def of(word: str) -> int:
        return REFUSALS.hints(lowered(word), tokens_of[word])

    return Hints(target=of, alone=0, paired=len(REFUSALS))


GATE = Gate("refusal", version=2, rank=10, check=check, hints=hints)
