"""What models say of a corpus: similarity, BERTScore, sentiment. Each may be left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from ...models.classifier import Classifier
from ...models.word_classifier import WordClassifier
from ..bertscore import BERTScore
from ..sentiment import BLOCK, Sentiment, compare_labels, label_rows
from ..similarity import Embed, similarities
from .histogram import Histogram, Summary, histogram, summary
from .pairs import Pairs
from .processes import Processes
from .progress import Progress

__all__ = ["Scored", "bertscores", "sentiments", "with_similarities"]

_BLOCK = 1_024
#: A label from a word list doesn't depend on its block, and large ones are faster.
_WORDS_BLOCK = 8_192


@dataclass(frozen=True, slots=True)
class Scored:
    """A score for every row.

    Attributes:
        pair: The two columns, candidate and reference.
        model: What scored; None if the scores came with the corpus.
        values: The distribution.
        values_histogram: From 0 to 1.
        empty: Pairs with an empty side, which score 0.
        cut: Pairs with a text beyond the model's limit, of which only the beginning counts.
    """

    pair: tuple[str, str]
    model: Mapping[str, Any] | None
    values: Summary
    values_histogram: Histogram
    empty: int
    cut: int


def with_similarities(pairs: Pairs, embed: Embed, progress: Progress) -> Pairs:
    """The corpus with the columns ``similarity`` and, with back-translations, ``back_similarity``.

    A pair is seen against the other pairs of its variety, in blocks of 1,024.
    """
    columns = {"similarity": ("dialect", "standard")}
    if pairs.has_back:
        columns["back_similarity"] = ("standard", "back")
    progress.phase("similarity", pairs.frame.height * len(columns))
    done = 0
    frame = pairs.frame
    for name, (source, target) in columns.items():
        values = np.full(frame.height, np.nan)
        for variety in pairs.varieties:
            rows = np.flatnonzero((frame["variety"] == variety).to_numpy())
            for at in range(0, len(rows), _BLOCK):
                block = frame[rows[at : at + _BLOCK]]
                near = similarities(block[source].to_list(), block[target].to_list(), embed)
                values[rows[at : at + _BLOCK]] = near
                done += block.height
                progress.advance(done, done)
        frame = frame.with_columns(pl.Series(name, values).fill_nan(None))
    return replace(pairs, frame=frame)


def bertscores(pairs: Pairs, model: BERTScore | None, progress: Progress) -> Scored | None:
    """BERTScore F1 of the back-translation against the dialect, or of dialect and standard.

    Without a model, the scores that the corpus came with, if it did.
    """
    frame = pairs.frame
    pair = ("back" if pairs.has_back else "standard", "dialect")
    if model is None:
        if "bertscore" not in frame.columns:
            return None
        values = frame["bertscore"].to_numpy()
        empty = frame.select(pl.any_horizontal(pl.col(pair).str.strip_chars() == "").sum()).item()
        return Scored(pair, None, summary(values), histogram(values, bins=40, stop=1), empty, 0)
    progress.phase("BERTScore", frame.height)
    scores: list[float] = []
    empty = cut = 0
    for block in frame.iter_slices(_BLOCK):
        found = model.measure(*(block[name].to_list() for name in pair))
        scores += found.f1
        empty += found.empty
        cut += found.cut
        progress.advance(len(scores), len(scores))
    return Scored(
        pair, model.describe(), summary(scores), histogram(scores, bins=40, stop=1), empty, cut
    )


def sentiments(
    pairs: Pairs,
    classifier_of: Callable[[str], Classifier | None],
    progress: Progress,
    processes: Processes | None = None,
) -> list[tuple[str, Sentiment]]:
    """Sentiment preservation, for every language that there is a classifier for.

    Args:
        pairs: The corpus.
        classifier_of: The classifier for a variety, or None.
        progress: Is told.
        processes: Share the work of a word list; a model stays here, where it is loaded.
    """
    columns: Sequence[str] = list(pairs.columns)
    groups: dict[Classifier, list[str]] = {}
    for variety in pairs.varieties:
        if (classifier := classifier_of(variety)) is not None:
            groups.setdefault(classifier, []).append(variety)
    found = []
    for classifier, names in groups.items():
        frame = pairs.frame.filter(pl.col("variety").is_in(names))
        progress.phase("sentiment", frame.height)
        blocks, done = [], 0
        for block in _labelled(frame, classifier, columns, processes):
            blocks.append(block)
            done += block.height
            progress.advance(done, done)
        compared = compare_labels(
            pl.concat(blocks), classifier, dialect="dialect", others=list(columns[1:])
        )
        found.append((", ".join(names), compared))
    return found


def _labelled(
    frame: pl.DataFrame,
    classifier: Classifier,
    columns: Sequence[str],
    processes: Processes | None,
) -> Iterator[pl.DataFrame]:
    wanted = frame.select(columns)
    if not isinstance(classifier, WordClassifier):
        return (label_rows(part, classifier, columns) for part in wanted.iter_slices(BLOCK))
    parts = list(wanted.iter_slices(_WORDS_BLOCK))
    known = classifier.language, tuple(columns)
    return (processes or Processes()).map(_label, known, parts)


def _label(known: tuple[str, tuple[str, ...]], part: pl.DataFrame) -> pl.DataFrame:
    language, columns = known
    return label_rows(part, _word_classifier(language), columns)


_word_classifier = cache(WordClassifier)
