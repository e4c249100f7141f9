"""Word alignment by edit distance over spelling and meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .align_monotone import Costs, edit_links, spelling_distance
from .align_units import Units, units
from .alignment import Alignment, WordPair
from .encoder import Encoder, Floats

__all__ = ["HybridAligner", "meaning_distance"]

_PAIRS_AT_ONCE = 1024


class HybridAligner:
    """Aligns words by edit distance over the lesser of two distances: spelling and meaning.

    Args:
        encoder: Gives the word vectors.
        layer: Whose hidden states they are, from 0 (embeddings) up.
    """

    def __init__(self, encoder: Encoder, layer: int) -> None:
        self._encoder = encoder
        self._layer = layer

    def describe(self) -> Mapping[str, Any]:
        """Aligner, version, layer and encoder."""
        return {
            "aligner": "hybrid",
            "version": 2,
            "layer": self._layer,
            "encoder": dict(self._encoder.describe()),
        }

    def align(self, pairs: Sequence[WordPair]) -> list[Alignment]:
        """Aligns each pair; batches depend on the pairs of the call alone.

        Raises:
            ModelError: As :meth:`Encoder.word_states` does.
        """
        found: list[Alignment] = []
        for at in range(0, len(pairs), _PAIRS_AT_ONCE):
            found += self._aligned(pairs[at : at + _PAIRS_AT_ONCE])
        return found

    def _aligned(self, pairs: Sequence[WordPair]) -> list[Alignment]:
        sentences = [side for pair in pairs for side in pair]
        states = self._encoder.word_states(sentences, self._layer)
        vectors = [found.means(len(words)) for found, words in zip(states, sentences, strict=True)]
        sides = [(units(first), units(second)) for first, second in pairs]
        distances = [
            np.minimum(spelling_distance(*side), meaning_distance(side, both))
            for side, both in zip(sides, zip(vectors[::2], vectors[1::2], strict=True), strict=True)
        ]
        overlong = [
            first.overlong or second.overlong
            for first, second in zip(states[::2], states[1::2], strict=True)
        ]
        return [
            Alignment((), overlong=True) if unread else alignment
            for unread, alignment in zip(overlong, edit_links(sides, distances), strict=True)
        ]


def meaning_distance(side: tuple[Units, Units], vectors: Sequence[Floats]) -> Costs:
    """One minus the cosine of word vectors, from which the mean of all of them is taken off.

    Hidden states of all words share a direction that says nothing about a word.

    Args:
        side: Units of both sentences.
        vectors: Of their words, shapes ``(words, d)``; NaN where a word has none.

    Returns:
        Shape ``(units, units)``; 1 for words without vectors. Cells of marks mean nothing.
    """
    known = [~np.isnan(one[:, 0]) for one in vectors]
    both = np.concatenate([one[have] for one, have in zip(vectors, known, strict=True)])
    mean = both.mean(axis=0) if len(both) else np.zeros(both.shape[1], dtype=np.float32)
    unit = []
    for one, have in zip(vectors, known, strict=True):
        centred = np.where(have[:, None], one - mean, 0.0)
        unit.append(centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-6))
    cosines = (unit[0] @ unit[1].T)[np.ix_(side[0].owners, side[1].owners)]
    distance: Costs = (1 - cosines).astype(np.float32)
    return distance
