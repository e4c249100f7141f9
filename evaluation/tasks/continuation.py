"""Generative preference: which variety a model continues with (paper A, 4.1.2 to 4.2.1).

From the four log-probabilities of :mod:`isogloss.evaluation.preference`:

    LP = mean(b_SAE - b_AAE)
    I  = mean(b_SAE + b_AAE)

LP is twice the preference for the standard continuation, averaged over contexts; a model with
LP = 0 need not follow its context. The matching effect I says whether it does: length, spelling
and frequency of the continuations cancel in it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ...stats import Bootstrap, Estimate, mean_interval, ratio_interval
from ..preference import (
    COLUMNS,
    REMEDY,
    SCALES,
    SIDES,
    Cut,
    FourScores,
    clusters_of,
    cut_rows,
    four_scores,
    left_out,
    notes_of,
    requests_of,
)
from ..task import Answers, Measured, Metric, Request, task

__all__ = ["TASK", "Continuation"]


class Continuation:
    """Which variety's continuation a model expects behind a context in either variety."""

    def plan(self, rows: pl.DataFrame, answers: Answers) -> Iterable[Request]:
        """Two requests for each row that has its boundaries: one for each context."""
        del answers  # nothing depends on them
        for row_id, cut in cut_rows(rows).items():
            yield from requests_of(row_id, cut).values()

    def measure(self, rows: pl.DataFrame, answers: Answers, *, bootstrap: Bootstrap) -> Measured:
        """Perplexities, bits per byte, LP and I, clustered by author where there is one."""
        cut = cut_rows(rows)
        excluded = left_out(rows, cut)
        made, kept = [], []
        authors = clusters_of(rows)
        for row_id, sides in cut.items():
            scores = four_scores(requests_of(row_id, sides), answers)
            if isinstance(scores, str):
                excluded[scores] = excluded.get(scores, 0) + 1
            else:
                kept.append((sides, scores))
                made.append({"id": row_id, "cluster": authors[row_id], **_item(sides, scores)})
        items = pl.DataFrame(made, schema=_SCHEMA, orient="row")
        clusters = items["cluster"].to_list()
        metrics = [*_differences(items, clusters, bootstrap), *_levels(items, clusters, bootstrap)]
        return Measured(
            metrics=metrics,
            items=items,
            excluded={reason: count for reason, count in excluded.items() if count},
            headline=("lp", "matching", "perplexity"),
            notes=notes_of(kept),
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
    **{f"b_{side}{scale}": pl.Float64() for scale in SCALES for side in SIDES},
    "shortened": pl.Int64(),
    "cut": pl.Int64(),
    **{f"{part}_{side}": pl.String() for side in SIDES for part in ("context", "continuation")},
    **{
        f"token_{kind}_{continuation}_given_{context}": pl.List(dtype)
        for context, continuation in _pairs()
        for kind, dtype in (("logprobs", pl.Float64()), ("ends", pl.Int32()))
    },
}


def _item(cut: Cut, scores: FourScores) -> dict[str, Any]:
    """The texts and numbers of one row; where a token ends is in characters."""
    item: dict[str, Any] = {"shortened": scores.shortened, "cut": scores.cut}
    for side, (context, continuation) in cut.items():
        item |= {f"context_{side}": context, f"continuation_{side}": continuation}
    for (context, side), one in scores.scored.items():
        name = f"{side}_given_{context}"
        item |= {f"logprob_{name}": one.total, f"tokens_{name}": one.tokens,
                 f"bytes_{name}": one.bytes, f"token_logprobs_{name}": one.logprobs,
                 f"token_ends_{name}": one.ends}  # fmt: skip
    return item | {f"b_{side}{scale}": scores.b(side, scale) for scale in SCALES for side in SIDES}


def _differences(
    items: pl.DataFrame, clusters: list[str], bootstrap: Bootstrap
) -> Iterator[Metric]:
    """B on either side, LP and I, as sums, per token and per byte."""
    for scale, unit in SCALES.items():
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
    columns=COLUMNS,
    remedy=REMEDY,
)(Continuation)
