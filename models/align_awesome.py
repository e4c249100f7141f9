"""The extraction of awesome-align (Dou & Neubig 2021), over any encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .alignment import Alignment, WordPair
from .encoder import Encoder, Floats, WordStates

__all__ = ["AwesomeAligner", "probable_links"]

_THRESHOLD = 0.001
_PAIRS_AT_ONCE = 1024


class AwesomeAligner:
    """Links words by the hidden states of their subwords (Dou & Neubig 2021, section 2.1).

    With H_s and H_t the subword states of one layer, ``S = H_s H_t^T`` without scaling, special
    positions left out. A cell is kept if the softmax over its row and the softmax over its column
    both exceed 0.001; two words are linked if any of their subwords are.

    Args:
        encoder: Gives the hidden states.
        layer: Whose, from 0 (embeddings) up.
    """

    def __init__(self, encoder: Encoder, layer: int) -> None:
        self._encoder = encoder
        self._layer = layer

    def describe(self) -> Mapping[str, Any]:
        """Aligner, version, layer and encoder."""
        return {
            "aligner": "awesome",
            "version": 1,
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
            part = pairs[at : at + _PAIRS_AT_ONCE]
            states = self._encoder.word_states(
                [side for pair in part for side in pair], self._layer
            )
            found += [
                _aligned(first, second)
                for first, second in zip(states[::2], states[1::2], strict=True)
            ]
        return found


def probable_links(similarity: Floats) -> NDArray[np.bool_]:
    """Says which cells of a similarity matrix are probable from both sides.

    Args:
        similarity: Shape ``(subwords, subwords)``, neither of them 0.

    Returns:
        The same shape.
    """
    kept: list[NDArray[np.bool_]] = []
    for axis in (0, 1):
        odds = np.exp(similarity - similarity.max(axis=axis, keepdims=True))
        kept.append(odds > _THRESHOLD * odds.sum(axis=axis, keepdims=True))
    return kept[0] & kept[1]


def _aligned(first: WordStates, second: WordStates) -> Alignment:
    if first.overlong or second.overlong:
        return Alignment((), overlong=True)
    if not (len(first.words) and len(second.words)):
        return Alignment(())
    rows, columns = np.nonzero(probable_links(first.states @ second.states.T))
    links = set(zip(first.words[rows].tolist(), second.words[columns].tolist(), strict=True))
    return Alignment(tuple(sorted(links)))
