"""Counts what gates must know of a whole corpus: shared outputs, levels, words cut short.

The corpus streams by twice. The first time 8 bytes a row are kept for its output (a hash) and
8 for each measure, and the different words of the outputs, which are bounded by a number; the
second time the texts of those outputs whose hash came more than once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .gates import CorpusFacts, Level
from .vocabulary import Vocabulary

__all__ = ["MAX_SOURCES", "collect", "output_key"]

MAX_SOURCES = 256
"""So many different sources of one output are kept, the first ones; a refusal that a
million rows share must not fill the memory."""


class _WordCharacters(dict[int, int | str]):
    """A table for ``str.translate`` that keeps letters, marks and digits; filled as needed."""

    def __missing__(self, point: int) -> int | str:
        kept = unicodedata.category(chr(point))[0] in "LMN"
        self[point] = point if kept else " "
        return self[point]


_WORD_CHARACTERS = _WordCharacters()


def output_key(text: str) -> str:
    """What two outputs must have in common to count as the same.

    That is everything but case, white space and punctuation; a text without any word is its
    own key.

    Example:
        >>> output_key("He's  HERE!"), output_key("he s here"), output_key(" ?! ")
        ('he s here', 'he s here', '?!')
    """
    return " ".join(text.casefold().translate(_WORD_CHARACTERS).split()) or text.strip()


def collect(
    frames: Callable[[], Iterable[pl.DataFrame]],
    *,
    source: str,
    target: str,
    measures: Sequence[str],
) -> CorpusFacts:
    """Collects the facts about one pair of columns.

    Args:
        frames: Gives the corpus piece by piece, in the same order each time; called twice.
        source: Column with the sources; rows where it or the target is null are passed over.
        target: Column with the outputs.
        measures: Columns of numbers whose level is wanted; nulls, NaN and infinities don't
            count.

    Returns:
        ``shared``: by :func:`output_key`, the different sources (at most ``MAX_SOURCES``, in
        their order) of each output that sources with different keys share; ``levels``: median
        and median absolute deviation of each measure, NaN where ``n`` is 0; ``longer``: see
        :meth:`~isogloss.validation.vocabulary.Vocabulary.longer`.

    Example:
        >>> frame = pl.DataFrame({"a": ["We late", "Who was it"], "b": ["No.", "no"], "c": [1, 3]})
        >>> facts = collect(lambda: [frame], source="a", target="b", measures=["c"])
        >>> facts.shared, facts.levels["c"]
        ({'no': ['We late', 'Who was it']}, Level(median=2.0, mad=1.0, n=2))
    """
    hashes: list[NDArray[np.uint64]] = []
    numbers: dict[str, list[NDArray[np.float64]]] = {name: [] for name in measures}
    vocabulary = Vocabulary()
    for frame in frames():
        outputs = _texts(frame, source, target)[target]
        hashes.append(_hashes(_keys(outputs)))
        vocabulary.add(outputs)
        for name, parts in numbers.items():
            values = frame[name].cast(pl.Float64).drop_nulls().to_numpy()
            parts.append(values[np.isfinite(values)])
    repeated = _repeated(hashes)
    return CorpusFacts(
        shared=_shared(frames(), repeated, source=source, target=target) if repeated.size else {},
        levels={name: _level(parts) for name, parts in numbers.items()},
        longer=vocabulary.longer(),
    )


def _texts(frame: pl.DataFrame, source: str, target: str) -> pl.DataFrame:
    return frame.select(source, target).drop_nulls()


def _keys(outputs: pl.Series) -> list[str]:
    return [output_key(text) for text in outputs]


def _hashes(keys: list[str]) -> NDArray[np.uint64]:
    # Only says where to look again: nothing that is returned depends on the hash function.
    return pl.Series(keys, dtype=pl.String).hash(seed=0).to_numpy()


def _repeated(parts: list[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """The values that occur more than once, each once."""
    ordered = np.concatenate([np.empty(0, dtype=np.uint64), *parts])
    parts.clear()
    ordered.sort()
    return np.unique(ordered[1:][ordered[1:] == ordered[:-1]])


def _shared(
    frames: Iterable[pl.DataFrame], repeated: NDArray[np.uint64], *, source: str, target: str
) -> dict[str, list[str]]:
    # An output's sources by the sources' keys.
    found: dict[str, dict[str, str]] = {}
    for key, text in _again(frames, repeated, source=source, target=target):
        sources = found.setdefault(key, {})
        if len(sources) < MAX_SOURCES:
            sources.setdefault(output_key(text), text)
    return {key: list(sources.values()) for key, sources in found.items() if len(sources) > 1}


def _again(
    frames: Iterable[pl.DataFrame], repeated: NDArray[np.uint64], *, source: str, target: str
) -> Iterator[tuple[str, str]]:
    """Key and source of each row whose output may be shared; empty outputs are no outputs."""
    for frame in frames:
        texts = _texts(frame, source, target)
        keys = _keys(texts[target])
        for at in np.flatnonzero(np.isin(_hashes(keys), repeated)):
            if keys[at]:
                yield keys[at], texts[source][int(at)]


def _level(parts: list[NDArray[np.float64]]) -> Level:
    values = np.concatenate([np.empty(0), *parts])
    parts.clear()
    if not values.size:
        return Level(median=float("nan"), mad=float("nan"), n=0)
    median = float(np.median(values))
    return Level(median=median, mad=float(np.median(np.abs(values - median))), n=values.size)
