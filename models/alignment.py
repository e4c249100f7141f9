"""What an alignment is, and what an aligner has to offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Aligner", "Alignment", "WordPair"]

#: Words of a sentence and of its counterpart.
WordPair = tuple[Sequence[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which words of two sentences stand for each other.

    Attributes:
        links: Pairs of positions, first and second sentence, ascending and without repetition.
        overlong: A sentence is beyond the encoder's limit; there are no links then.
    """

    links: tuple[tuple[int, int], ...]
    overlong: bool = False


class Aligner(Protocol):
    """Aligns words; which aligners there are is said in :mod:`isogloss.models.aligner`."""

    def describe(self) -> Mapping[str, Any]:
        """What can change a link beside the words, for keys and the manifest."""

    def align(self, pairs: Sequence[WordPair]) -> list[Alignment]:
        """Aligns each pair, one answer per pair, in their order.

        Args:
            pairs: Words of both sentences, without whitespace inside; a side may be empty.
        """
