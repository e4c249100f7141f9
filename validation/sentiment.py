"""Sentiment preservation: does a text still feel the same in the other variety?

Every column is labelled negative, neutral or positive, and the labels of the dialect are held
against those of the standard and of the back-translation. A classifier that was trained on the
standard may read the same sentence differently in dialect: a low agreement can be its doing as
well as the translation's, and whoever reports one should say so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..models.classifier import Classifier
from ..stats import cohen_kappa

__all__ = ["BLOCK", "Comparison", "Sentiment", "compare_labels", "label_rows"]

#: Rows that are labelled at once; a label's last bits depend on its batch.
BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Comparison:
    """The labels of one column against those of the dialect.

    Attributes:
        column: The column.
        n: Pairs with a label on both sides.
        left_out: How many pairs are not among them: ``empty`` (a text without words), ``cut``
            (a text beyond the model's limit, so that the two labels may be of different
            stretches of the text).
        confusion: Counts, shape ``(labels, labels)``: a row per label of the dialect, a column
            per label of the other side.
        agreement: Share of pairs with the same label; NaN without pairs.
        per_class: For each label the share, of the texts that have it in dialect, that have it
            on the other side too; NaN for a label that no text has in dialect.
        kappa: Cohen's κ (1960); NaN without pairs, and with one label only.
        reason: Why κ is NaN; empty if it isn't.
    """

    column: str
    n: int
    left_out: Mapping[str, int]
    confusion: tuple[tuple[int, ...], ...]
    agreement: float
    per_class: Mapping[str, float]
    kappa: float
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; None where a number is not defined."""
        return {
            "column": self.column,
            "n": self.n,
            "left_out": dict(self.left_out),
            "confusion": [list(row) for row in self.confusion],
            "agreement": _number(self.agreement),
            "per_class": {label: _number(share) for label, share in self.per_class.items()},
            "kappa": _number(self.kappa),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Sentiment:
    """Sentiment preservation of a corpus.

    Attributes:
        classifier: What described itself; ``note`` if it only stands in for a model.
        labels: The labels, in the order of the confusion matrices.
        rows: What :func:`label_rows` gave, one row per pair.
        dialect: The dialect's column.
        comparisons: One per other column.
    """

    classifier: Mapping[str, Any]
    labels: tuple[str, ...]
    rows: pl.DataFrame
    dialect: str
    comparisons: tuple[Comparison, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, without the rows."""
        return {
            "classifier": dict(self.classifier),
            "labels": list(self.labels),
            "dialect": self.dialect,
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
        }


def label_rows(frame: pl.DataFrame, classifier: Classifier, columns: Sequence[str]) -> pl.DataFrame:
    """Labels one block of rows.

    All columns are labelled in one call, so that two equal texts of a row never get two labels.

    Args:
        frame: Columns of texts; null counts as empty.
        classifier: Labels them.
        columns: Which to label.

    Returns:
        As many rows, with two columns for each one: its name and ``_label`` (an enum of the
        classifier's labels; null for a text without words), its name and ``_flag`` (see
        :class:`~isogloss.models.classifier.Labelled`).

    Raises:
        ModelError: If the classifier can't be loaded.
    """
    texts = [text for name in columns for text in frame[name].fill_null("").to_list()]
    labelled = classifier.classify(texts)
    dtype = pl.Enum(classifier.labels)
    made = []
    for place, name in enumerate(columns):
        part = labelled[place * frame.height : (place + 1) * frame.height]
        made.append(pl.Series(f"{name}_label", [row.label for row in part], dtype=dtype))
        made.append(pl.Series(f"{name}_flag", [row.flag for row in part], dtype=pl.String))
    return pl.DataFrame(made)


def compare_labels(
    rows: pl.DataFrame, classifier: Classifier, *, dialect: str, others: Sequence[str]
) -> Sentiment:
    """Compares the labels of other columns with the dialect's.

    Args:
        rows: Of :func:`label_rows`; those of several blocks one behind the other.
        classifier: What gave the labels.
        dialect: Column of the dialect.
        others: The other columns.

    Example:
        >>> from isogloss.models.classifier import load_classifier
        >>> pairs = [("She be making the best pie", "She makes the best pie"),
        ...          ("This phone trash", "This phone is not new"), ("", "Hello")]
        >>> frame = pl.DataFrame(pairs, schema=["dialect", "standard"], orient="row")
        >>> words = load_classifier("words:")
        >>> rows = label_rows(frame, words, ["dialect", "standard"])
        >>> found = compare_labels(rows, words, dialect="dialect", others=["standard"])
        >>> [one] = found.comparisons
        >>> one.n, dict(one.left_out), one.agreement, one.per_class["negative"]
        (2, {'empty': 1, 'cut': 0}, 0.5, 0.0)
        >>> one.confusion
        ((0, 1, 0), (0, 0, 0), (0, 0, 1))
    """
    labels = tuple(classifier.labels)
    compared = tuple(_compare(rows, labels, dialect, other) for other in others)
    return Sentiment(dict(classifier.describe()), labels, rows, dialect, compared)


def _compare(rows: pl.DataFrame, labels: Sequence[str], dialect: str, other: str) -> Comparison:
    flags = pl.col(f"{dialect}_flag", f"{other}_flag")
    empty = rows.select(pl.any_horizontal(flags == "empty")).to_series()
    cut = rows.select(pl.any_horizontal(flags == "cut")).to_series() & ~empty
    kept = rows.filter(~empty & ~cut)
    # An enum's physical value is its place among the labels.
    a, b = (kept[f"{name}_label"].to_physical().to_numpy() for name in (dialect, other))
    confusion = np.zeros((len(labels), len(labels)), dtype=np.int64)
    np.add.at(confusion, (a, b), 1)
    same, of_class = np.diag(confusion), confusion.sum(axis=1)
    kappa, reason = _kappa(confusion, labels)
    return Comparison(
        column=other,
        n=len(a),
        left_out={"empty": int(empty.sum()), "cut": int(cut.sum())},
        confusion=tuple(tuple(map(int, row)) for row in confusion),
        agreement=_share(int(same.sum()), len(a)),
        per_class={
            label: _share(int(k), int(n))
            for label, k, n in zip(labels, same, of_class, strict=True)
        },
        kappa=kappa,
        reason=reason,
    )


def _kappa(confusion: NDArray[np.int64], labels: Sequence[str]) -> tuple[float, str]:
    """Cohen's κ of two columns of labels, and why there is none."""
    used = np.flatnonzero(confusion.sum(axis=0) + confusion.sum(axis=1))
    if not used.size:
        return math.nan, "no pair has a label on both sides"
    if used.size == 1:
        return math.nan, f"all texts are {labels[used[0]]}: agreement by chance is certain"
    sums = np.concatenate([[np.trace(confusion)], confusion.sum(axis=1), confusion.sum(axis=0)])
    return float(cohen_kappa(sums.astype(np.float64))), ""


def _share(part: int, of: int) -> float:
    return part / of if of else math.nan


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
