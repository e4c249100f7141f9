"""Counts what gates must know of a whole corpus: shared outputs, levels, words cut short.

The corpus streams by twice. The first time 8 bytes a row are kept for its output (a hash) and
8 for each measure, and the different words of the outputs, which are bounded by a number; the
second time the texts of those outputs whose hash came more than once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .gates import CorpusFacts, Level
from .gates.column import Column
from .gates.gate import MAX_SOURCES
from .gates.keys import output_key
from .vocabulary import Vocabulary

__all__ = ["collect"]


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
        outputs = Column(_texts(frame, source, target)[target])
        hashes.append(outputs.key_bags)
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
        again = np.isin(Column(texts[target]).key_bags, repeated)
        for text, output in texts.select(source, target).filter(again).iter_rows():
            if key := output_key(output):
                yield key, text


def _level(parts: list[NDArray[np.float64]]) -> Level:
    values = np.concatenate([np.empty(0), *parts])
    parts.clear()
    if not values.size:
        return Level(median=float("nan"), mad=float("nan"), n=0)
    median = float(np.median(values))
    return Level(median=median, mad=float(np.median(np.abs(values - median))), n=values.size)
