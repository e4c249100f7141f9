"""Selects tweets likely to be in African American English, and no one else's words."""

from __future__ import annotations

import polars as pl

from ..engine.step import Outcome, Rejection, Step, reject_where

__all__ = ["select_step"]

#: A retweet (RT) or modified tweet (MT), also after a remark; or the older quotes.
_QUOTED = r'["“”]\s*[@＠]\w+\s*:'
_RETWEET = r"(?i)(?:^|[^\p{L}\p{N}_])[rm]t\s*:?\s*[@＠]\w"


def select_step(*, min_posterior: float) -> Step:
    """Keeps rows with P(African American) at or over the threshold that are no retweets.

    Rows of sources without posteriors pass the threshold. NaN never does.

    Args:
        min_posterior: Threshold on the posterior, 0 to 1 (SPEC 2.1: 0.8).
    """
    posterior = pl.col("posterior")
    rejections = (
        Rejection("posterior_nan", posterior.is_nan().fill_null(False), pl.lit("posterior is NaN")),
        Rejection(
            "posterior_below",
            (posterior < min_posterior).fill_null(False),
            pl.format("posterior {}", posterior),
        ),
        Rejection("retweet", pl.col("text").str.contains(f"{_RETWEET}|{_QUOTED}"), pl.lit("")),
    )

    def run(frame: pl.DataFrame) -> Outcome:
        return reject_where(frame, rejections, stage="select", text="text")

    return Step("select", 1, run, params={"min_posterior": min_posterior})
