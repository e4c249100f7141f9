"""Translates one column into another with any translator."""

from __future__ import annotations

import polars as pl

from ...corpus.schema import REJECTED
from ...errors import InternalError
from ...models.translator import Translates, Translation
from ..engine.step import Outcome, Step

__all__ = ["translate_step"]


def translate_step(
    name: str, translator: Translates, *, column: str, into: str, source: str, target: str
) -> Step:
    """Fills ``into`` with the translation of ``column``; what has none is rejected.

    Args:
        name: The step's name, for example ``translate``.
        translator: What translates.
        column: Column to translate.
        into: Column to fill.
        source: Variety id of ``column``.
        target: Variety id of ``into``.
    """

    def run(frame: pl.DataFrame) -> Outcome:
        answers = translator.translate(frame[column].to_list(), source=source, target=target)
        if len(answers) != frame.height:
            raise InternalError(
                f"{frame.height} texts went in, {len(answers)} answers came out",
                where=f"step {name}",
            )
        answers = [_usable(answer) for answer in answers]
        texts = pl.Series(into, [answer.text for answer in answers], dtype=pl.String)
        rows = frame.with_columns(texts)
        failed = texts.is_null()
        if not failed.any():
            return Outcome(rows, pl.DataFrame(schema=dict(REJECTED)))
        failures = [answer for answer in answers if answer.text is None]
        rejected = frame.filter(failed).select(
            "position",
            "id",
            pl.lit(name).alias("stage"),
            pl.Series("reason", [answer.finish for answer in failures], dtype=pl.String),
            pl.Series("detail", [answer.detail for answer in failures], dtype=pl.String),
            pl.col(column).alias("text"),
        )
        return Outcome(rows.filter(~failed), rejected)

    params = {
        "translator": translator.describe(),
        "column": column,
        "into": into,
        "source": source,
        "target": target,
    }
    return Step(name, 1, run, params=params, adds={into: pl.String()})


def _usable(answer: Translation) -> Translation:
    """The answer; one that ended otherwise than by itself, or is empty, has no text."""
    if answer.text is None or (answer.finish == "stop" and answer.text.strip()):
        return answer
    reason = "empty" if answer.finish == "stop" else answer.finish
    return Translation(None, reason, answer.detail)
