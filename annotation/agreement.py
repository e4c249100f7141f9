"""How far raters agree on the questions of a project."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import polars as pl

from ..stats import Bootstrap
from ..validation.agreement import AgreementReport, measure_agreement
from .project import Project

__all__ = ["agreement_figures", "agreement_of"]


def agreement_of(
    labels: pl.DataFrame,
    project: Project,
    *,
    items: Collection[str] | None = None,
    options: Bootstrap | None = None,
) -> AgreementReport | None:
    """Measures the agreement on every question with labels, in their order; texts have none.

    Labels that nobody gave count as possible ones. Numbers of a scale are taken as names: 4
    and 5 disagree as much as 1 and 5.

    Args:
        labels: Columns ``item``, ``rater``, ``question``, ``label``, at most one label for an
            item, a rater and a question; with a column ``status``, submitted ones alone count.
        project: What was asked.
        items: The ids that were asked about; None takes those that have a label.
        options: Resamples, seed and level of the intervals.

    Returns:
        The agreement; None if no question with labels has an answer.
    """
    offered = {question.name: list(question.labels) for question in project.questions
               if question.labels}  # fmt: skip
    if "status" in labels.columns:
        labels = labels.filter(pl.col("status") == "submitted")
    given = labels.filter(pl.col("question").is_in(list(offered)) & pl.col("label").is_not_null())
    if not given.height:
        return None
    report = measure_agreement(given, items=items, labels=offered, options=options)
    places = list(offered)
    asked = sorted(report.questions, key=lambda one: places.index(one.question))
    return replace(report, questions=tuple(asked))


def agreement_figures(report: AgreementReport | None) -> dict[str, Any]:
    """The numbers of a report by question, for a manifest; no labels of single raters."""
    if report is None:
        return {}
    return {
        one.question: {
            "items": one.items,
            "single": one.single,
            "raters": one.raters,
            "ratings": one.ratings,
            "measures": {name: figure.to_dict() for name, figure in one.measures.items()},
        }
        for one in report.questions
    }
