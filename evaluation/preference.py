"""What a model prefers to go on with: four log-probabilities of a row (paper A, 4.1.2).

A row is cut into context x and continuation y on both sides, and the model gives the
log-probability of each continuation behind each context. With sums over tokens, in nats:

    b_SAE = log P(y_SAE | x_SAE) - log P(y_AAE | x_SAE)
    b_AAE = log P(y_AAE | x_AAE) - log P(y_SAE | x_AAE)

``dialect`` stands for AAE and ``standard`` for SAE, whatever the varieties are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from ..errors import CorpusError
from ..models.scoring import Scored, ScoreRequest
from .task import Answers, Request, score_of

__all__ = [
    "COLUMNS",
    "REMEDY",
    "SCALES",
    "SIDES",
    "Cut",
    "FourScores",
    "clusters_of",
    "cut_at",
    "cut_rows",
    "four_scores",
    "left_out",
    "notes_of",
    "requests_of",
]

SIDES = ("dialect", "standard")
COLUMNS = ("id", *SIDES, *(f"{side}_boundary" for side in SIDES))
"""Columns of the corpus that are read."""
REMEDY: Mapping[str, str] = {
    f"{side}_boundary": "build the corpus with an encoder, which finds the boundaries (--encoder), "
    "or name other tasks with --tasks"
    for side in SIDES
} | {side: f"name a corpus of pairs, with a column {side!r}" for side in SIDES}
"""What to do if one is missing, by column."""
SCALES: Mapping[str, str] = {"": "nats", "_per_token": "nats/token", "_per_byte": "nats/byte"}
"""By what a sum of log-probabilities may be divided, and what that makes of nats."""
_WORD = re.compile(r"\S+")

Cut = Mapping[str, tuple[str, str]]
"""Context and continuation of each side."""


def cut_at(text: str, words: int) -> tuple[str, str]:
    """Cuts a text behind so many words; the space belongs to what follows.

    Example:
        >>> cut_at("We was late  again", 3)
        ('We was late', '  again')
    """
    ends = [found.end() for found in _WORD.finditer(text)]
    end = ends[words - 1] if 0 < words <= len(ends) else (0 if words <= 0 else len(text))
    return text[:end], text[end:]


def cut_rows(rows: pl.DataFrame) -> dict[str, Cut]:
    """By row id, both sides cut at their boundaries; rows without boundaries are missing.

    Raises:
        CorpusError: If a column has another type than it must have.
    """
    _check_types(rows)
    found: dict[str, Cut] = {}
    for row_id, *values in rows.select(COLUMNS).iter_rows():
        texts, boundaries = values[:2], values[2:]
        if any(value is None for value in values):
            continue
        cut = [cut_at(text, words) for text, words in zip(texts, boundaries, strict=True)]
        if all(context and rest.strip() for context, rest in cut):
            found[row_id] = dict(zip(SIDES, cut, strict=True))
    return found


def left_out(rows: pl.DataFrame, cut: Mapping[str, Cut]) -> dict[str, int]:
    """How many rows are not among those that :func:`cut_rows` found, by reason."""
    missing = rows.filter(~pl.col("id").is_in(list(cut)))
    blank = (pl.col(side).fill_null("").str.strip_chars() == "" for side in SIDES)
    no_text = missing.filter(pl.any_horizontal(*blank)).height
    return {"no_text": no_text, "no_boundaries": missing.height - no_text}


def requests_of(row_id: str, cut: Cut) -> dict[str, Request]:
    """By context: both continuations behind it."""
    continuations = tuple(cut[side][1] for side in SIDES)
    return {side: Request(ScoreRequest(cut[side][0], continuations, item=row_id)) for side in SIDES}


def clusters_of(rows: pl.DataFrame) -> dict[str, str]:
    """The cluster of each row: its author, or itself."""
    if "author" not in rows.columns:
        return {row_id: row_id for row_id in rows["id"]}
    return {
        row_id: row_id if author is None or not str(author).strip() else f"author {author}"
        for row_id, author in rows.select("id", "author").iter_rows()
    }


@dataclass(frozen=True, slots=True)
class FourScores:
    """The scores of one row.

    Attributes:
        scored: By the sides of context and continuation.
        shortened: Tokens of contexts that had to go to continuations.
        cut: Tokens cut from contexts to fit into the model's window.
    """

    scored: Mapping[tuple[str, str], Scored]
    shortened: int
    cut: int

    def b(self, side: str, scale: str = "") -> float:
        """B of one side: its own continuation against the other's, behind its context."""
        other = SIDES[1 - SIDES.index(side)]
        own, strange = (_scaled(self.scored[side, y], scale) for y in (side, other))
        return own - strange


def four_scores(requests: Mapping[str, Request], answers: Answers) -> FourScores | str:
    """The scores of one row; or why it has none.

    Args:
        requests: Of :func:`requests_of`.
        answers: What the model said.

    Raises:
        KeyError: If an answer has not come.
    """
    found: dict[tuple[str, str], Scored] = {}
    shortened = cut = 0
    for context, request in requests.items():
        score = score_of(request, answers)
        if isinstance(score, str):
            return score
        shortened, cut = shortened + score.shortened, cut + score.cut
        found |= {(context, side): one for side, one in zip(SIDES, score.scored, strict=True)}
    if not all(math.isfinite(one.total) for one in found.values()):
        return "not_finite"
    return FourScores(found, shortened, cut)


def notes_of(measured: Iterable[tuple[Cut, FourScores]]) -> dict[str, int]:
    """What a reader should know of the rows that were measured.

    Returns:
        How many rows had tokens cut or shortened, and how many tokens; and how many rows have the
        same continuation on both sides, which say nothing and draw LP and I towards 0.
    """
    names = ("rows_cut", "tokens_cut", "rows_shortened", "tokens_shortened", "same_continuation")
    notes = dict.fromkeys(names, 0)
    for cut, scores in measured:
        for name, tokens in (("cut", scores.cut), ("shortened", scores.shortened)):
            notes[f"rows_{name}"] += tokens > 0
            notes[f"tokens_{name}"] += tokens
        notes["same_continuation"] += len({rest for _, rest in cut.values()}) == 1
    return notes


def _scaled(one: Scored, scale: str) -> float:
    sizes = {"": 1, "_per_token": one.tokens, "_per_byte": one.bytes}
    return one.total / sizes[scale]


def _check_types(rows: pl.DataFrame) -> None:
    for side in SIDES:
        boundary = f"{side}_boundary"
        for column, fits in (
            (side, rows.schema[side] == pl.String),
            (boundary, rows.schema[boundary].is_integer()),
        ):
            if not fits:
                raise CorpusError(
                    f"the column {column!r} has the type {rows.schema[column]}",
                    remedy="give texts as strings, and boundaries as whole numbers of words",
                )
