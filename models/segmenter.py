"""Cuts a sentence and its counterparts in other varieties at the same place.

The boundary of the standard sentence falls where its two sides differ most in meaning; it is
then carried over to the counterparts through word alignment (paper A, section 9.1).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .alignment import Aligner, Alignment
from .encoder import Encoder

__all__ = ["Projection", "Segmenter", "Split", "project"]

_AFTER_PUNCTUATION = re.compile(r"[.,;:!?…–—。，、！？；：؟،؛۔।][\"'”’»)\]]*$")
# Differences of scores below this are the arithmetic's, not the sentence's.
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Projection:
    """The boundary of one counterpart.

    Attributes:
        boundary: Words before it; None where there is none.
        crossings: Alignment links that cross it, the fewer the better; None without one.
        flag: ``""``; ``too_short`` (fewer than two words), ``overlong`` (beyond the
            aligner's limit), ``no_links`` (nothing aligns: a proportional position); or the
            flag of the whole split where that has no boundary.
    """

    boundary: int | None
    crossings: int | None
    flag: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """The boundary of a standard sentence and those of its counterparts.

    Attributes:
        standard_boundary: Words (by ``str.split``) before it; None where there is none.
        projections: One for each counterpart.
        flag: ``""``; ``too_short`` (no boundary in the window has enough words on both
            sides, or none that the encoder can read), ``overlong`` (a side is beyond the
            encoder's limit).
    """

    standard_boundary: int | None
    projections: tuple[Projection, ...]
    flag: str = ""


class Segmenter:
    """Finds boundaries; one call of the encoder and one of the aligner for all sentences.

    With n words, sides L_j and R_j and the encoder φ, a boundary j scores
    ``1 - cos(φ(L_j), φ(R_j)) - gamma * |j/n - rho|``; the highest wins, the first of equal ones
    (equal: to six decimals). A boundary is carried over to m words by :func:`project`.

    Args:
        encoder: Of sentences.
        aligner: Of words.
        gamma: Weight of the distance from ``rho``.
        rho: Preferred position, as a share of the words.
        window: Least and greatest share of the words before a boundary.
        min_words: Words that each side has at least.

    Raises:
        OptionError: If a value is out of range.
    """

    def __init__(
        self,
        encoder: Encoder,
        aligner: Aligner,
        *,
        gamma: float = 0.3,
        rho: float = 0.5,
        window: tuple[float, float] = (0.25, 0.75),
        min_words: int = 3,
    ) -> None:
        if not (0 <= window[0] <= window[1] <= 1 and 0 <= rho <= 1):
            raise OptionError(
                f"the window {window} or rho {rho} is no share of a sentence",
                where="segmenter",
                remedy="give shares from 0 to 1, the smaller end of the window first",
            )
        if min_words < 1 or not (math.isfinite(gamma) and gamma >= 0):
            raise OptionError(
                f"min_words {min_words} or gamma {gamma} is out of range",
                where="segmenter",
                remedy="give min_words of 1 or more and gamma of 0 or more",
            )
        self._encoder = encoder
        self._aligner = aligner
        self._gamma = gamma
        self._rho = rho
        self._window = window
        self._min_words = min_words

    def describe(self) -> Mapping[str, Any]:
        """What can change a boundary beside the texts, for keys and the manifest."""
        return {
            "gamma": self._gamma,
            "rho": self._rho,
            "window": list(self._window),
            "min_words": self._min_words,
            "encoder": dict(self._encoder.describe()),
            "aligner": dict(self._aligner.describe()),
        }

    def segment(self, standards: Sequence[str], *counterparts: Sequence[str]) -> list[Split]:
        """Cuts every standard sentence and its counterparts.

        Args:
            standards: Standard sentences.
            counterparts: Columns of sentences that say the same, each as long as ``standards``.

        Returns:
            One split per standard sentence, with one projection per column.

        Raises:
            ValueError: If the columns are not equally long.
        """
        rows = list(zip(standards, *counterparts, strict=True))
        words = [[text.split() for text in row] for row in rows]
        boundaries = self._boundaries([row[0] for row in words])
        asked = [
            (row, column)
            for row, (boundary, _) in enumerate(boundaries)
            if boundary is not None
            for column in range(1, len(words[row]))
            if len(words[row][column]) > 1
        ]
        alignments = self._aligner.align([(words[row][0], words[row][at]) for row, at in asked])
        found = dict(zip(asked, alignments, strict=True))
        return [
            Split(
                boundary,
                tuple(
                    _projection(row[0], boundary, row[at], found.get((number, at)), flag)
                    for at in range(1, len(row))
                ),
                flag,
            )
            for number, (row, (boundary, flag)) in enumerate(zip(words, boundaries, strict=True))
        ]

    def _candidates(self, n: int) -> range:
        """Boundaries of n words that lie in the window with enough words on both sides."""
        slack = 1e-9
        least = max(self._min_words, math.ceil(self._window[0] * n - slack))
        most = min(n - self._min_words, math.floor(self._window[1] * n + slack))
        return range(least, most + 1)

    def _boundaries(self, sentences: Sequence[Sequence[str]]) -> list[tuple[int | None, str]]:
        """The boundary of each sentence, or None and why there is none."""
        places = [self._candidates(len(words)) for words in sentences]
        flags = ["" if found else "too_short" for found in places]
        # A sentence is judged by its longest sides before all of them are written out.
        longest = [
            (at, side)
            for at, (words, found) in enumerate(zip(sentences, places, strict=True))
            if found
            for side in (" ".join(words[: found[-1]]), " ".join(words[found[0] :]))
        ]
        too_long = self._encoder.too_long([side for _, side in longest])
        for (at, _), long in zip(longest, too_long, strict=True):
            flags[at] = "overlong" if long else flags[at]
        sides = [
            side
            for words, found, flag in zip(sentences, places, flags, strict=True)
            if not flag
            for j in found
            for side in (" ".join(words[:j]), " ".join(words[j:]))
        ]
        vectors = self._encoder.embed(sides)
        cosines = np.einsum("ij,ij->i", vectors[::2], vectors[1::2], dtype=np.float64)
        boundaries: list[tuple[int | None, str]] = []
        at = 0
        for words, found, flag in zip(sentences, places, flags, strict=True):
            if flag:
                boundaries.append((None, flag))
                continue
            shares = np.array(found) / len(words)
            scores = 1 - cosines[at : at + len(found)] - self._gamma * np.abs(shares - self._rho)
            at += len(found)
            if np.isnan(scores).all():
                boundaries.append((None, "too_short"))
            else:
                boundaries.append((found[int(np.nanargmax(scores.round(_DECIMALS)))], ""))
        return boundaries


def project(
    links: Sequence[tuple[int, int]], boundary: int, n: int, words: Sequence[str]
) -> tuple[int, int]:
    """Carries a boundary over to the aligned sentence (paper A, section 9.1).

    A link (i, j) crosses (boundary, k) if it leads from before the one to behind the other. The
    boundary with the fewest crossings wins; of equal ones the nearest to the same share of the
    words, then one after punctuation, then the first.

    Args:
        links: Word positions in both sentences.
        boundary: Words before the boundary of the first sentence.
        n: Words of the first sentence.
        words: The second sentence, two words or more.

    Returns:
        Words before the boundary of the second sentence, from 1 to ``len(words) - 1``, and
        how many links cross it.

    Example:
        >>> project([(0, 1), (1, 0), (3, 2)], 2, 4, ["b", "a", "c"])
        (2, 0)
    """
    m = len(words)
    left, right = (np.zeros(m, dtype=np.int64) for _ in range(2))
    for i, j in links:
        (left if i < boundary else right)[j] += 1
    # Before k stand words that link to the right side, from k on such that link to the left.
    crossings: NDArray[np.int64] = np.cumsum(right)[:-1] + left.sum() - np.cumsum(left)[:-1]
    ks = range(1, m)
    best = min(
        ks,
        key=lambda k: (
            crossings[k - 1],
            abs(k * n - m * boundary),
            not _AFTER_PUNCTUATION.search(words[k - 1]),
        ),
    )
    return best, int(crossings[best - 1])


def _projection(
    standard: Sequence[str],
    boundary: int | None,
    words: Sequence[str],
    alignment: Alignment | None,
    flag: str,
) -> Projection:
    if boundary is None:
        return Projection(None, None, flag)
    if alignment is None:
        return Projection(None, None, "too_short")
    if alignment.overlong:
        return Projection(None, None, "overlong")
    place, crossings = project(alignment.links, boundary, len(standard), words)
    return Projection(place, crossings, "" if alignment.links else "no_links")
