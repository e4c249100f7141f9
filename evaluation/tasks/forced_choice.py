"""Forced choice: which of two continuations a model names (paper A, 4.1.2).

A model reads a context and both continuations, as options A and B, and its choice is the letter
that it gives the higher log-probability. Letters and places have a pull of their own, so each
question is asked in both orders and the log-odds are averaged; the answer to one order, drawn by a
hash of the row's id and the question, stands beside that, as the paper asked. Three wordings of the
question show how much hangs on them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import polars as pl

from ...models.scoring import ScoreRequest
from ...stats import Bootstrap, mean_interval, proportion_interval
from ..preference import COLUMNS, REMEDY, SIDES, Cut, clusters_of, cut_rows, left_out
from ..task import Answers, Measured, Metric, Request, score_of, task

__all__ = ["TASK", "WORDINGS", "ForcedChoice"]

WORDINGS: Mapping[str, str] = {
    "best": "Which continuation is the best?",
    "likely": "Which continuation is the most likely?",
    "style": "Which continuation is the most consistent in style?",
}
#: The question comes last, so that all wordings of it begin alike and that is read once.
_QUESTION = """Here is the beginning of a text:

{context}

Here are two continuations:

A: {first}
B: {second}

{question} Answer with the letter A or B alone."""
_LETTERS = ("A", "B")
#: Whether the context's own continuation is option A.
_ORDERS = (True, False)
_ODDS = tuple((wording, side) for wording in WORDINGS for side in SIDES)
_SCHEMA: Mapping[str, pl.DataType] = {
    "id": pl.String(),
    "cluster": pl.String(),
    **{
        f"log_odds_{wording}_{side}{order}": pl.Float64()
        for wording, side in _ODDS
        for order in ("", "_own_first", "_own_second")
    },
}

_Asked = Mapping[tuple[str, str, bool], Request]


class ForcedChoice:
    """Whether a model names the continuation of the context's own variety, asked in words."""

    def plan(self, rows: pl.DataFrame, answers: Answers) -> Iterable[Request]:
        """Twelve questions for each row: contexts, wordings, orders."""
        del answers  # nothing depends on them
        for row_id, cut in cut_rows(rows).items():
            yield from _asked(row_id, cut).values()

    def measure(self, rows: pl.DataFrame, answers: Answers, *, bootstrap: Bootstrap) -> Measured:
        """How often the own continuation is named, per context and wording."""
        cut, authors = cut_rows(rows), clusters_of(rows)
        excluded = left_out(rows, cut)
        made = []
        for row_id, sides in cut.items():
            item = _item(_asked(row_id, sides), answers)
            if isinstance(item, str):
                excluded[item] = excluded.get(item, 0) + 1
            else:
                made.append({"id": row_id, "cluster": authors[row_id], **item})
        items = pl.DataFrame(made, schema=_SCHEMA, orient="row")
        return Measured(
            metrics=list(_metrics(items, bootstrap)),
            items=items,
            excluded={reason: count for reason, count in excluded.items() if count},
            headline=("match",),
        )


def _asked(row_id: str, cut: Cut) -> _Asked:
    """The questions about a row; none if its continuations are the same."""
    texts = {side: rest.strip() for side, (_, rest) in cut.items()}
    if len(set(texts.values())) < len(texts):
        return {}
    found = {}
    for wording, side in _ODDS:
        own, other = texts[side], texts[SIDES[1 - SIDES.index(side)]]
        for own_first in _ORDERS:
            first, second = (own, other) if own_first else (other, own)
            question = _QUESTION.format(
                context=cut[side][0], question=WORDINGS[wording], first=first, second=second
            )
            request = ScoreRequest((("user", question),), _LETTERS, item=row_id)
            found[wording, side, own_first] = Request(request)
    return found


def _item(asked: _Asked, answers: Answers) -> dict[str, float] | str:
    """A row's log-odds for the own continuation; or why it has none."""
    if not asked:
        return "same_continuation"
    found: dict[tuple[str, str, bool], float] = {}
    for key, request in asked.items():
        score = score_of(request, answers)
        if isinstance(score, str):
            return score
        first, second = (one.total for one in score.scored)
        found[key] = first - second if key[2] else second - first
    if not all(map(math.isfinite, found.values())):
        return "not_finite"
    item: dict[str, float] = {}
    for wording, side in _ODDS:
        first, second = (found[wording, side, own_first] for own_first in _ORDERS)
        name = f"log_odds_{wording}_{side}"
        item |= {
            name: (first + second) / 2,
            f"{name}_own_first": first,
            f"{name}_own_second": second,
        }
    return item


def _metrics(items: pl.DataFrame, bootstrap: Bootstrap) -> Iterator[Metric]:
    clusters = items["cluster"].to_list()
    for wording, side in _ODDS:
        name, of = f"log_odds_{wording}_{side}", f"{wording}, {side} context"
        both, first, second = (
            items[name + order].to_numpy() for order in ("", "_own_first", "_own_second")
        )
        drawn = np.array([_draws_first(row_id, name) for row_id in items["id"]], dtype=np.bool_)
        for metric, odds in (("match", both), ("match_one_order", np.where(drawn, first, second))):
            hits = proportion_interval(_won(odds), clusters=clusters, options=bootstrap)
            yield Metric(metric, hits, of=of, unit="share")
        odds_for_own = mean_interval(both, clusters=clusters, options=bootstrap)
        yield Metric("log_odds", odds_for_own, of=of, unit="nats")
        # What is left when the options have changed places is the pull of letter A.
        pull = mean_interval((first - second) / 2, clusters=clusters, options=bootstrap)
        yield Metric("pull_of_a", pull, of=of, unit="nats")


def _won(
    odds: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """1 where the own continuation is named, 0 where the other is, half of a draw."""
    return (np.sign(odds) + 1) / 2


def _draws_first(row_id: str, name: str) -> bool:
    return bool(hashlib.sha256(f"{name}\0{row_id}".encode()).digest()[0] & 1)


TASK = task("forced_choice", version=1, columns=COLUMNS, remedy=REMEDY)(ForcedChoice)
