"""What a merge says of itself: the manifest's entry of a project, and notes for the user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..corpus.manifest import package_versions
from ..validation.agreement import AgreementReport
from .agreement import agreement_figures
from .columns import Added
from .counted import Counted
from .project import Project

__all__ = ["entry_of", "notes_of"]

_WORDS = {
    "unknown_item": "labels about rows that the corpus doesn't have",
    "unknown_question": "labels of questions that the project doesn't ask",
    "unknown_label": "labels that the project doesn't offer",
    "outdated": "labels about texts that have changed since",
}


def entry_of(
    project: Project,
    counted: Counted,
    added: Added,
    agreement: AgreementReport | None,
    *,
    min_labels: int,
    sample: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The manifest's entry: what was asked, how much was answered, what was added.

    Args:
        project: What was asked.
        counted: The labels.
        added: What they added to all rows.
        agreement: Of the raters.
        min_labels: So many answers a verdict needs.
        sample: How the items were drawn; None if that isn't known.
    """
    labels = counted.labels
    return {
        "version": project.version,
        "isogloss_version": package_versions(["isogloss"])["isogloss"],
        "guidelines_sha256": project.guidelines_sha256,
        "questions": [
            {"name": question.name, "kind": question.kind, "labels": list(question.labels)}
            for question in project.questions
        ],
        "assignment": project.assignment,
        "min_labels": min_labels,
        "sample": None if sample is None else dict(sample),
        "raters": labels["rater"].n_unique(),
        "items": labels["item"].n_unique(),
        "labels": labels.height,
        "left_out": dict(counted.left_out),
        "columns": list(added.columns),
        "replaced": added.replaced,
        "agreement": agreement_figures(agreement),
    }


def notes_of(counted: Counted) -> list[str]:
    """A line for each kind of label that is surprising and doesn't count."""
    return [
        f"{words}: {counted.left_out[reason]:,}; they are kept, and count for nothing"
        for reason, words in _WORDS.items()
        if reason in counted.left_out
    ]
