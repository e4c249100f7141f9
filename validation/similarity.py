"""How near two texts are in meaning and in wording, as one number per pair.

The cosine of two sentence vectors alone does not tell a dialect pair from a wrong one: vectors
of short utterances about the same few things (set an alarm, play a song) have cosines of 0.8
whatever they say, and an encoder that hardly read the dialect in training puts all its
sentences into a corner of their own. Two things help, both without another model:

- each side is centred, that is the mean of the block's vectors of that side is taken from each
  of them (the first step of "all-but-the-top", Mu and Viswanath 2018), so that only what
  distinguishes a sentence from its neighbours counts;
- dialect and standard share much of their spelling, and chance resemblance in spelling has
  little to do with chance resemblance in meaning.

``benchmarks/bench_drift.py`` prints what each adds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

__all__ = ["VERSION", "Embed", "Floats", "centred_cosines", "character_ratios", "similarities"]

#: Raised when the same pairs would get other numbers.
VERSION = 1

Floats = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Floats]

# Below this length a centred vector holds nothing but rounding.
_TINY = 1e-4


def similarities(sources: Sequence[str], targets: Sequence[str], embed: Embed) -> Floats:
    """The mean of centred cosine and character ratio, for each pair of a block.

    Args:
        sources: One side of n pairs; the whole block, since each pair is seen against it.
        targets: The other side.
        embed: Gives unit vectors, shape ``(texts, d)``; rows of NaN for texts it can't read.

    Returns:
        Shape ``(n,)``, from -0.5 (opposed, no character in common) to 1 (equal); NaN for a
        pair without a vector, and for all pairs if fewer than two have vectors. Swapped pairs
        lie around 0.2. Values of blocks of eight and of a thousand pairs agree well enough
        for one threshold.

    Example:
        >>> def embed(texts):
        ...     rows = {"cat": [1, 0], "chat": [0.8, 0.6], "rain": [0, 1], "": [np.nan] * 2}
        ...     return np.array([rows[text] for text in texts], dtype=np.float32)
        >>> print(similarities(["cat", "rain", ""], ["chat", "rain", "cat"], embed).round(2))
        [0.9  0.97  nan]
        >>> print(similarities(["cat", "rain"], ["rain", "chat"], embed).round(2))
        [-0.33 -0.35]
    """
    vectors = embed([*sources, *targets])
    cosines = centred_cosines(vectors[: len(sources)], vectors[len(sources) :])
    mean: Floats = (cosines + character_ratios(sources, targets)) / np.float32(2)
    return mean


def centred_cosines(sources: Floats, targets: Floats) -> Floats:
    """Cosines of paired rows after each side's own mean is taken away.

    Args:
        sources: Shape ``(n, d)``; rows of NaN are left out of the mean.
        targets: Shape ``(n, d)``.

    Returns:
        Shape ``(n,)``; NaN for rows with NaN on either side, for rows that equal their side's
        mean, and for all if fewer than two pairs are left.
    """
    cosines = np.full(len(sources), np.nan, dtype=np.float32)
    readable = ~(np.isnan(sources).any(axis=1) | np.isnan(targets).any(axis=1))
    if readable.sum() < 2:
        return cosines
    # Taking a row's own part out of the mean would only scale the row.
    a, b = (side[readable] - side[readable].mean(axis=0) for side in (sources, targets))
    lengths = np.stack([np.linalg.norm(side, axis=1) for side in (a, b)])
    products = np.einsum("nd,nd->n", a, b)
    cosines[readable] = np.divide(
        products,
        lengths.prod(axis=0),
        out=np.full_like(products, np.nan),
        where=lengths.min(axis=0) > _TINY,
    )
    return cosines


def character_ratios(sources: Sequence[str], targets: Sequence[str]) -> Floats:
    """The share of characters that paired texts have in common, in order.

    1 minus insertions and deletions over the length of both; case doesn't count.

    Returns:
        Shape ``(n,)``, 0 to 1.

    Example:
        >>> print(character_ratios(["Wia hoaß iss?"], ["Wie heiß ist es?"]).round(2))
        [0.69]
    """
    if not sources:
        return np.empty(0, dtype=np.float32)
    percent = process.cpdist(sources, targets, scorer=fuzz.ratio, processor=str.lower)
    return np.asarray(percent, dtype=np.float32) / np.float32(100)
