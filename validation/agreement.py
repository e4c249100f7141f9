"""How far raters agree: every usual measure with its interval, and where they don't.

One call for a tidy table gives a result for each question and an overview. Raters are numbers
in it (see :mod:`isogloss.validation.ratings`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ..errors import RatingsError
from ..stats import Bootstrap, Estimate
from .agreement_measures import measures
from .disagreement import DisputedItem, RaterPair, disputed_items, rater_pairs
from .odd_labels import odd_labels
from .ratings import MISSING, Ratings, read_ratings

__all__ = ["Agreement", "AgreementReport", "measure_agreement"]

# Above this share of one label κ says more about the label than about the raters.
_PREVALENT = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The agreement on one question.

    Attributes:
        question: Its name.
        labels: The labels that raters could choose from, sorted.
        items: Items with a rating.
        single: Items with one rating only: they tell which labels are common, but no agreement.
        unrated: Items without any.
        raters: Raters with a rating.
        ratings: Ratings that count.
        missing: Rows without a label.
        repeated: Rows that only repeated a rating.
        measures: By name, see :func:`isogloss.validation.agreement_measures.measures`.
        distribution: How often each rater ("rater 1") gave each label.
        pairs: Who agrees with whom.
        disputed: The items with most disagreement.
        warnings: What a reader must know, in sentences.
    """

    question: str
    labels: tuple[str, ...]
    items: int
    single: int
    unrated: int
    raters: int
    ratings: int
    missing: int
    repeated: int
    measures: Mapping[str, Estimate]
    distribution: Mapping[str, Mapping[str, int]]
    pairs: tuple[RaterPair, ...]
    disputed: tuple[DisputedItem, ...]
    warnings: tuple[str, ...]

    def table(self) -> pl.DataFrame:
        """A row for each measure: its name and the fields of its estimate."""
        return pl.DataFrame(
            [{"measure": name} | _fields(estimate) for name, estimate in self.measures.items()],
            schema_overrides={"reason": pl.String},
            infer_schema_length=None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; what is NaN is None, with a reason beside it."""
        counts = ("items", "single", "unrated", "raters", "ratings", "missing", "repeated")
        return {
            "question": self.question,
            "labels": list(self.labels),
            **{name: getattr(self, name) for name in counts},
            "measures": {name: one.to_dict() for name, one in self.measures.items()},
            "distribution": {rater: dict(row) for rater, row in self.distribution.items()},
            "pairs": [pair.to_dict() for pair in self.pairs],
            "disputed": [item.to_dict() for item in self.disputed],
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementReport:
    """The agreement on all questions of a table.

    Attributes:
        questions: A result for each question, sorted by name.
        raters: Raters of the whole table.
        unknown: Ids of rated items that the corpus doesn't have, sorted.
        unknown_ratings: Ratings left out for that.
    """

    questions: tuple[Agreement, ...]
    raters: int
    unknown: tuple[str, ...]
    unknown_ratings: int

    def overview(self) -> pl.DataFrame:
        """A row for each question: counts, and value, low and high of each measure."""
        return pl.DataFrame(
            [
                {"question": one.question, "items": one.items, "raters": one.raters,
                 "ratings": one.ratings}
                | {
                    name + suffix: number
                    for name, estimate in one.measures.items()
                    for suffix, number in (
                        ("", estimate.value), ("_low", estimate.low), ("_high", estimate.high)
                    )
                }
                for one in self.questions
            ],
            infer_schema_length=None,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; what is NaN is None, with a reason beside it."""
        return {
            "questions": [one.to_dict() for one in self.questions],
            "raters": self.raters,
            "unknown": list(self.unknown),
            "unknown_ratings": self.unknown_ratings,
        }


def measure_agreement(
    frame: pl.DataFrame,
    *,
    item: str = "item",
    rater: str = "rater",
    question: str | None = "question",
    label: str = "label",
    missing: Sequence[str] = MISSING,
    items: Collection[str] | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    most_disputed: int = 20,
    options: Bootstrap | None = None,
) -> AgreementReport:
    """Measures the agreement of raters on every question of a tidy table.

    Args:
        frame: A row for each item, rater and question.
        item: The column of item ids.
        rater: The column of raters.
        question: The column of questions; None if there is one.
        label: The column of labels.
        missing: Labels that stand for a missing rating, beside null and NaN.
        items: The ids that the corpus has; None takes every id.
        labels: By question, the labels that raters could choose from, where some were never
            chosen: Randolph's κ and AC1 depend on their number. Else the labels found.
        seed: Of the order in which raters are numbered.
        most_disputed: How many items with most disagreement to list.
        options: Resamples, seed and level of the intervals; items are resampled.

    Raises:
        RatingsError: If the table can't be read, or has a label that ``labels`` lacks.

    Example:
        >>> frame = pl.DataFrame({
        ...     "item": [i for i in range(60) for _ in range(3)],
        ...     "rater": ["ann", "bob", "eve"] * 60,
        ...     "natural": ["yes", "yes", "no"] * 10 + ["yes"] * 90 + ["no"] * 60})
        >>> report = measure_agreement(frame, question=None, label="natural")
        >>> print(report.questions[0].measures["fleiss_kappa"])
        0.766 [0.615, 0.888], n = 60
        >>> report.questions[0].pairs[0].n
        60
    """
    ratings = read_ratings(
        frame, item=item, rater=rater, question=question, label=label,
        missing=missing, items=items, seed=seed,
    )  # fmt: skip
    return AgreementReport(
        questions=tuple(
            _measure(ratings, name, (labels or {}).get(name), most_disputed, options or Bootstrap())
            for name in ratings.questions
        ),
        raters=ratings.raters,
        unknown=ratings.unknown,
        unknown_ratings=ratings.unknown_ratings,
    )


def _measure(
    ratings: Ratings,
    question: str,
    labels: Sequence[str] | None,
    most_disputed: int,
    options: Bootstrap,
) -> Agreement:
    table = ratings.table.filter(pl.col("question") == question)
    used = sorted(table["label"].unique().to_list())
    names = used if labels is None else sorted(set(labels))
    if strange := sorted(set(used) - set(names)):
        raise RatingsError(
            f"the label {strange[0]!r} is none of {', '.join(names)}",
            where=f"question {question[:80]!r}",
            remedy="name all labels, or count it as missing",
        )
    found = measures(table, names, options)
    sizes = table.group_by("item").len()["len"]
    return Agreement(
        question=question,
        labels=tuple(names),
        items=len(sizes),
        single=int((sizes == 1).sum()),
        unrated=ratings.items - len(sizes),
        raters=table["rater"].n_unique(),
        ratings=table.height,
        missing=ratings.missing[question],
        repeated=ratings.repeated[question],
        measures=found,
        distribution=_distribution(table, names),
        pairs=rater_pairs(table, names),
        disputed=disputed_items(table, most=most_disputed),
        warnings=_warnings(table, found),
    )


def _distribution(table: pl.DataFrame, labels: Sequence[str]) -> dict[str, dict[str, int]]:
    counts = {
        (rater, label): number
        for rater, label, number in table.group_by("rater", "label").len().iter_rows()
    }
    raters = sorted({rater for rater, _ in counts})
    return {
        f"rater {rater}": {label: counts.get((rater, label), 0) for label in labels}
        for rater in raters
    }


def _warnings(table: pl.DataFrame, found: Mapping[str, Estimate]) -> tuple[str, ...]:
    """Odd labels, and a prevalence that depresses κ."""
    ordered = table.group_by("label").len().sort("len", "label", descending=[True, False])
    counts = dict(ordered.rows())
    return (*odd_labels(counts), *_prevalence(counts, found["gwet_ac1"].value))


def _prevalence(counts: Mapping[str, int], ac1: float) -> list[str]:
    """The prevalence warning (Feinstein and Cicchetti 1990), if there is a κ to warn of."""
    if len(counts) < 2 or math.isnan(ac1):
        return []
    label, most = next(iter(counts.items()))
    share = most / sum(counts.values())
    if share <= _PREVALENT:
        return []
    return [
        f"{share:.1%} of the ratings are {label!r}: κ and α are depressed by this prevalence; "
        f"read Gwet's AC1 ({ac1:.3f}) beside them"
    ]


def _fields(estimate: Estimate) -> dict[str, float | int | str | bool | None]:
    """The estimate's fields, NaN kept."""
    return {name: getattr(estimate, name) for name in estimate.to_dict()}
