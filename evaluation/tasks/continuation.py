"""Generative preference: which variety a model continues with (paper A, 4.1.2 to 4.2.1).

A row is cut into context x and continuation y on both sides, and the model gives four
log-probabilities: each continuation behind each context. With sums over tokens, in nats:

    b_SAE = log P(y_SAE | x_SAE) - log P(y_AAE | x_SAE)
    b_AAE = log P(y_AAE | x_AAE) - log P(y_SAE | x_AAE)
    LP    = mean(b_SAE - b_AAE)
    I     = mean(b_SAE + b_AAE)

LP is twice the preference for the standard continuation, averaged over contexts; a model with
LP = 0 need not follow its context. The matching effect I says whether it does: length, spelling
and frequency of the continuations cancel in it. Below, ``dialect`` stands for AAE and
``standard`` for SAE, whatever the varieties are.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt
import polars as pl

from ...errors import CorpusError
from ...models.scoring import Fault, Scored, ScoreRequest
from ...stats import Bootstrap, Estimate, mean_interval, ratio_interval
from ..task import Answers, Measured, Metric, Request, task

__all__ = ["SIDES", "TASK", "Continuation", "cut_at"]

SIDES = ("dialect", "standard")
_WORD = re.compile(r"\S+")
#: By what a sum of log-probabilities is divided, and what that makes of nats.
_SCALES = {"": "nats", "_per_token": "nats/token", "_per_byte": "nats/byte"}


def cut_at(text: str, words: int) -> tuple[str, str]:
    """Cuts a text behind so many words; the space belongs to what follows.

    Example:
        >>> cut_at("We was late  again", 3)
        ('We was late', '  again')
    """
    ends = [found.end() for found in _WORD.finditer(text)]
    end = ends[words - 1] if 0 < words <= len(ends) else (0 if words <= 0 else len(text))
    return text[:end], text[end:]


class Continuation:
    """Which variety's continuation a model expects behind a context in either variety."""

    def plan(self, rows: pl.DataFrame, answers: Answers) -> Iterable[Request]:
        """Two requests for each row that has its boundaries: one for each context."""
        del answers  # nothing depends on them
        for requests in _requests(rows).values():
            yield from requests.values()

    def measure(self, rows: pl.DataFrame, answers: Answers, *, bootstrap: Bootstrap) -> Measured:
        """Perplexities, bits per byte, LP and I, clustered by author where there is one."""
        asked = _requests(rows)
        excluded = {"no_boundaries": rows.height - len(asked)}
        made = []
        authors = _authors(rows)
        for row_id, requests in asked.items():
            item = _item(row_id, requests, answers)
            if isinstance(item, str):
                excluded[item] = excluded.get(item, 0) + 1
            else:
                made.append({"id": row_id, "cluster": authors[row_id], **item})
        items = pl.DataFrame(made, schema=_SCHEMA, orient="row")
        clusters = items["cluster"].to_list()
        metrics = [*_differences(items, clusters, bootstrap), *_levels(items, clusters, bootstrap)]
        return Measured(
            metrics=metrics,
            items=items,
            excluded={reason: count for reason, count in excluded.items() if count},
            headline=("lp", "matching", "perplexity"),
        )


def _pairs() -> Iterator[tuple[str, str]]:
    """Context and continuation, in the order of all tables."""
    yield from ((context, continuation) for context in SIDES for continuation in SIDES)


_SCHEMA: Mapping[str, pl.DataType] = {
    "id": pl.String(),
    "cluster": pl.String(),
    **{
        f"{kind}_{continuation}_given_{context}": (
            pl.Float64() if kind == "logprob" else pl.Int64()
        )
        for context, continuation in _pairs()
        for kind in ("logprob", "tokens", "bytes")
    },
    **{f"b_{side}{scale}": pl.Float64() for scale in _SCALES for side in SIDES},
    "shortened": pl.Int64(),
    "cut": pl.Int64(),
}


def _requests(rows: pl.DataFrame) -> dict[str, dict[str, Request]]:
    """By row id and context: what is asked. Rows without boundaries are missing."""
    asked: dict[str, dict[str, Request]] = {}
    columns = ["id", *SIDES, *(f"{side}_boundary" for side in SIDES)]
    _check_types(rows)
    for row_id, *values in rows.select(columns).iter_rows():
        texts, boundaries = values[:2], values[2:]
        if any(value is None for value in values):
            continue
        cut = [cut_at(text, words) for text, words in zip(texts, boundaries, strict=True)]
        if not all(context and rest.strip() for context, rest in cut):
            continue
        continuations = tuple(rest for _, rest in cut)
        asked[row_id] = {
            side: Request(ScoreRequest(context, continuations, item=row_id))
            for side, (context, _) in zip(SIDES, cut, strict=True)
        }
    return asked


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


def _authors(rows: pl.DataFrame) -> dict[str, str]:
    """The cluster of each row: its author, or itself."""
    if "author" not in rows.columns:
        return {row_id: row_id for row_id in rows["id"]}
    return {
        row_id: row_id if author is None else f"author {author}"
        for row_id, author in rows.select("id", "author").iter_rows()
    }


def _item(
    row_id: str, requests: Mapping[str, Request], answers: Answers
) -> dict[str, float | int] | str:
    """The numbers of one row; or why it has none."""
    found: dict[tuple[str, str], Scored] = {}
    shortened = cut = 0
    for context, request in requests.items():
        score = answers.get(request)
        if score is None:
            raise KeyError(f"no answer for {row_id}")
        if isinstance(score, Fault):
            return f"failed_{score.reason}"
        shortened, cut = shortened + score.shortened, cut + score.cut
        found |= {(context, side): one for side, one in zip(SIDES, score.scored, strict=True)}
    if not all(math.isfinite(one.total) for one in found.values()):
        return "not_finite"
    item: dict[str, float | int] = {"shortened": shortened, "cut": cut}
    for (context, side), one in found.items():
        name = f"{side}_given_{context}"
        item |= {f"logprob_{name}": one.total, f"tokens_{name}": one.tokens,
                 f"bytes_{name}": one.bytes}  # fmt: skip
    for scale in _SCALES:
        for side in SIDES:
            other = SIDES[1 - SIDES.index(side)]
            own, strange = (_scaled(found[side, y], scale) for y in (side, other))
            item[f"b_{side}{scale}"] = own - strange
    return item


def _scaled(one: Scored, scale: str) -> float:
    sizes = {"": 1, "_per_token": one.tokens, "_per_byte": one.bytes}
    return one.total / sizes[scale]


def _differences(
    items: pl.DataFrame, clusters: list[str], bootstrap: Bootstrap
) -> Iterator[Metric]:
    """B on either side, LP and I, as sums, per token and per byte."""
    for scale, unit in _SCALES.items():
        dialect, standard = (items[f"b_{side}{scale}"].to_numpy() for side in SIDES)
        values = {
            "lp": standard - dialect,
            "matching": standard + dialect,
            "b_standard": standard,
            "b_dialect": dialect,
        }
        for name, value in values.items():
            yield Metric(
                name + scale, mean_interval(value, clusters=clusters, options=bootstrap), unit=unit
            )


def _levels(items: pl.DataFrame, clusters: list[str], bootstrap: Bootstrap) -> Iterator[Metric]:
    """Perplexity over all tokens, mean perplexity of items, bits per byte; per combination."""
    for context, continuation in _pairs():
        name = f"{continuation}_given_{context}"
        logprob, tokens, size = (
            items[f"{kind}_{name}"].to_numpy().astype(np.float64)
            for kind in ("logprob", "tokens", "bytes")
        )
        of = f"{continuation} | {context}"
        per_token = ratio_interval(-logprob, tokens, clusters=clusters, options=bootstrap)
        yield Metric("perplexity", _exponential(per_token.within(0, math.inf)), of=of)
        each = mean_interval(
            _exp(-logprob / np.maximum(tokens, 1)), clusters=clusters, options=bootstrap
        )
        yield Metric("mean_item_perplexity", each.within(1, math.inf), of=of)
        bits = ratio_interval(-logprob / math.log(2), size, clusters=clusters, options=bootstrap)
        yield Metric("bits_per_byte", bits.within(0, math.inf), of=of, unit="bits/byte")


def _exponential(estimate: Estimate) -> Estimate:
    """An estimate of a logarithm as one of the number itself.

    The upper limit of few items may lie beyond any number; it is infinite then.
    """
    value, low, high = map(float, _exp([estimate.value, estimate.low, estimate.high]))
    reason = "beyond the largest number" if math.isinf(value) else estimate.reason
    return dataclasses.replace(estimate, value=value, low=low, high=high, reason=reason)


def _exp(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(np.asarray(values, dtype=np.float64)))


TASK = task(
    "continuation",
    version=1,
    columns=("id", "dialect", "standard", "dialect_boundary", "standard_boundary"),
    remedy="build it with an encoder, which finds the boundaries (--encoder)",
)(Continuation)
