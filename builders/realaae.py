"""Real-AAE: tweets in African American English, their standard translation, and back.

Paper A (arXiv 2607.06845). A row has the tweet as cleaned (``dialect``), its translation
into Standard American English (``standard``) and the translation of that back into
African American English (``back``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import polars as pl

from ..corpus.splits import SplitRule
from ..errors import OptionError
from ..models.config import load_config
from ..models.translator import Estimate, load_translator
from .engine.pipeline import Pipeline
from .samples import SAMPLE, SAMPLE_NOTE, is_sample, sample_path
from .sources import open_source
from .steps.clean import clean_step
from .steps.mark import mark_step
from .steps.select import select_step
from .steps.translate import translate_step

__all__ = ["build"]

DIALECT = "african-american-english"
STANDARD = "standard-american-english"
_PAPER_ROWS = 17_495
_SPLITS = (
    SplitRule("evaluation", 3_000, _PAPER_ROWS),
    SplitRule("trace", 1_200, _PAPER_ROWS, marked=True),
    SplitRule("direction", 7_000, _PAPER_ROWS),
)
_COLUMNS = {
    "back": pl.String(),
    "author": pl.Int64(),
    "posterior": pl.Float64(),
    "markers": pl.List(pl.String()),
}


def build(
    *,
    source: Annotated[
        str,
        "TwitterAAE's full file (also .gz, .zst, or in its .zip), or JSON lines, CSV or "
        "Parquet with columns id and text; `sample` for the one that ships.",
    ],
    translator: Annotated[
        str | None,
        "What translates: openai:MODEL, hf:MODEL or rules: (a baseline for demonstrations). "
        "By default the translator that isogloss.toml names.",
    ] = None,
    config: Annotated[Path | None, "Models and prices; by default ./isogloss.toml."] = None,
    limit: Annotated[int | None, "Sample this many tweets by a seeded hash of their ids."] = None,
    seed: Annotated[int, "Seed of the sample, the splits and the order of authors."] = 0,
    keep_unicode: Annotated[bool, "Keep letters and signs outside ASCII."] = False,
    min_posterior: Annotated[float, "Least P(African American) of a tweet, 0 to 1."] = 0.8,
    min_words: Annotated[int, "Fewest words of a tweet after cleaning."] = 10,
    max_unreadable: Annotated[
        float, "Share of unreadable rows over which the source is taken for damaged."
    ] = 0.01,
) -> Pipeline:
    """Tweets in African American English, in standard English, and translated back."""
    _check(limit=limit, min_posterior=min_posterior, min_words=min_words, share=max_unreadable)
    translation = load_translator(translator, prompts="realaae", config=load_config(config))
    opened = open_source(str(sample_path("realaae")) if source == SAMPLE else source)
    described = dict(translation.describe())

    def estimate(texts: Sequence[str]) -> Estimate:
        there = translation.estimate(texts, source=DIALECT, target=STANDARD)
        return there + translation.estimate(texts, source=STANDARD, target=DIALECT)

    return Pipeline(
        name="realaae",
        title="Real-AAE",
        version=1,
        source=opened,
        source_note=SAMPLE_NOTE if is_sample(opened.sha256, "realaae") else "",
        variety=DIALECT,
        standard=STANDARD,
        prepare=(
            select_step(min_posterior=min_posterior),
            clean_step(min_words=min_words, keep_unicode=keep_unicode),
        ),
        steps=(
            mark_step(variety=DIALECT),
            translate_step(
                "translate",
                translation,
                column="dialect",
                into="standard",
                source=DIALECT,
                target=STANDARD,
            ),
            translate_step(
                "back_translate",
                translation,
                column="standard",
                into="back",
                source=STANDARD,
                target=DIALECT,
            ),
        ),
        columns=_COLUMNS,
        splits=_SPLITS,
        marked=pl.col("markers").list.len() > 0,
        seed=seed,
        limit=limit,
        max_unreadable=max_unreadable,
        params={
            "limit": limit,
            "keep_unicode": keep_unicode,
            "min_posterior": min_posterior,
            "min_words": min_words,
            "max_unreadable": max_unreadable,
        },
        models={"translator": described},
        shown=("dialect", "standard", "back"),
        notes=[str(described["note"])] if described.get("note") else [],
        open_models=() if described["backend"] == "rules" else (translation.open,),
        estimate=estimate,
    )


def _check(*, limit: int | None, min_posterior: float, min_words: int, share: float) -> None:
    for option, value, fine, wanted in (
        ("--limit", limit, limit is None or limit > 0, "a whole number over 0"),
        ("--min-posterior", min_posterior, 0 <= min_posterior <= 1, "a number from 0 to 1"),
        ("--min-words", min_words, min_words >= 1, "a whole number over 0"),
        ("--max-unreadable", share, 0 <= share <= 1, "a number from 0 to 1"),
    ):
        if not fine:
            raise OptionError(f"{value} can't be used", where=option, remedy=f"give {wanted}")
