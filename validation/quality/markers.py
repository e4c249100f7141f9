"""Where the dialect's grammar shows: on its own side, left in the standard, kept on the way back.

Features are those of the lexicon (:mod:`isogloss.corpus.lexicon`), so only varieties with a
lexicon have such a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...corpus.lexicon import CLASSES, Lexicon, lexicon
from ...errors import RegistryError
from ..gates.column import Column
from .pairs import Pairs

__all__ = ["FeatureCount", "Features", "Markers", "find_features", "lexicon_or_none", "markers"]


@dataclass(frozen=True, slots=True)
class FeatureCount:
    """One feature.

    Attributes:
        feature: Its name.
        grammar: Its class, under the map ``paper``.
        dialect: Rows whose dialect text has it.
        standard: Rows whose standard text has it: what is left of the dialect, or falsely found.
        kept: Of the rows in ``dialect``, those whose back-translation has it again.
    """

    feature: str
    grammar: str
    dialect: int
    standard: int
    kept: int


@dataclass(frozen=True, slots=True)
class Markers:
    """Features of one variety's rows.

    Attributes:
        variety: Registry id.
        rows: Rows looked at.
        marked: Rows whose dialect text has a feature.
        residual: Rows whose standard text has one.
        back: Whether there are back-translations.
        survived: Of the marked rows, those whose back-translation has any feature.
        same: Of the marked rows, those whose back-translation has one of the same features.
        features: Each feature that was found, the commonest first.
    """

    variety: str
    rows: int
    marked: int
    residual: int
    back: bool
    survived: int
    same: int
    features: tuple[FeatureCount, ...]


_NOTHING: Sequence[str] = ()

Features = Mapping[str, Sequence[Sequence[str]]]


def lexicon_or_none(variety: str) -> Lexicon | None:
    """The variety's lexicon, if there is one."""
    try:
        return lexicon(variety)
    except RegistryError:
        return None


def find_features(columns: Mapping[str, Column], variety: str) -> Features:
    """The features of every text, by column; each feature of a text once.

    Example:
        >>> import polars as pl
        >>> columns = {"dialect": Column(pl.Series(["We was finna go", "Hey"]))}
        >>> find_features(columns, "african-american-english")
        {'dialect': [['was/is levelling', 'finna'], ()]}
    """
    patterns = lexicon(variety)
    return {
        name: [
            list(dict.fromkeys(match.feature for match in found)) if found else _NOTHING
            for found in patterns.find_all(column.texts, column.words)
        ]
        for name, column in columns.items()
    }


def markers(pairs: Pairs, variety: str, found: Features) -> Markers:
    """Counts what :func:`find_features` found in all of a variety's rows.

    Args:
        pairs: The corpus.
        variety: One of its varieties.
        found: The features of its rows, in their order, by column.
    """
    patterns = lexicon(variety)
    grammar = {pattern.feature: pattern.paper for pattern in patterns.patterns}
    dialect, standard, kept = Counter[str](), Counter[str](), Counter[str]()
    back = found.get("back", [[]] * len(found["dialect"]))
    marked = residual = survived = same = 0
    for ours, theirs, again in zip(found["dialect"], found["standard"], back, strict=True):
        if theirs:
            standard.update(theirs)
            residual += 1
        if ours:
            dialect.update(ours)
            marked += 1
            if again:
                shared = set(ours) & set(again)
                kept.update(shared)
                survived += 1
                same += bool(shared)
    order = {name: number for number, name in enumerate(CLASSES)}
    names = sorted(
        dialect.keys() | standard.keys(),
        key=lambda name: (-dialect[name], -standard[name], order.get(grammar[name], 9), name),
    )
    return Markers(
        variety=variety,
        rows=len(found["dialect"]),
        marked=marked,
        residual=residual,
        back=pairs.has_back,
        survived=survived,
        same=same,
        features=tuple(
            FeatureCount(name, grammar[name], dialect[name], standard[name], kept[name])
            for name in names
        ),
    )
