"""Feature localisation: LP by what the dialect's grammar shows (paper A, 4.2.2).

Each row's dialect text is searched by the variety's lexicon. A class's LP is the mean over rows
that show it: inclusive (whatever else they show) or exclusive (nothing of another class). Class
membership has two maps, ``paper`` and ``green2002``; spelling is a class apart, never grammar.
A standard text with a match shows how often patterns find what isn't there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from ...corpus.lexicon import CLASS_MAPS, CLASSES, Lexicon, Match, lexicon
from ...errors import CorpusError, RegistryError
from ...stats import Bootstrap, mean_interval, proportion_interval
from ..preference import (
    COLUMNS,
    REMEDY,
    SIDES,
    Cut,
    clusters_of,
    cut_rows,
    four_scores,
    left_out,
    notes_of,
    requests_of,
)
from ..task import Answers, Measured, Metric, Request, task

__all__ = ["TASK", "Features"]

#: Of each match: its pattern, where it lies in the whole text, and in which part of it.
_MATCH: Mapping[str, pl.DataType] = {
    "patterns": pl.List(pl.String),
    "starts": pl.List(pl.Int64),
    "ends": pl.List(pl.Int64),
    "parts": pl.List(pl.String),
}
_SCHEMA: Mapping[str, pl.DataType] = {
    "id": pl.String(),
    "cluster": pl.String(),
    "variety": pl.String(),
    "lp": pl.Float64(),
    **{f"{side}_{name}": dtype for side in SIDES for name, dtype in _MATCH.items()},
}


class Features:
    """Which features of the dialect's grammar a model's preference goes with."""

    def plan(self, rows: pl.DataFrame, answers: Answers) -> Iterable[Request]:
        """The requests of ``continuation``, of rows whose variety has a lexicon."""
        del answers  # nothing depends on them
        known = _lexicons(rows)
        for row_id, cut in cut_rows(rows).items():
            if known[row_id] is not None:
                yield from requests_of(row_id, cut).values()

    def measure(self, rows: pl.DataFrame, answers: Answers, *, bootstrap: Bootstrap) -> Measured:
        """LP per class and pattern; how often either side shows each class."""
        known, cut, authors = _lexicons(rows), cut_rows(rows), clusters_of(rows)
        varieties = dict(rows.select("id", "variety").iter_rows())
        excluded = left_out(rows, cut) | {"no_lexicon": 0}
        made, kept = [], []
        for row_id, sides in cut.items():
            patterns = known[row_id]
            if patterns is None:
                excluded["no_lexicon"] += 1
                continue
            scores = four_scores(requests_of(row_id, sides), answers)
            if isinstance(scores, str):
                excluded[scores] = excluded.get(scores, 0) + 1
                continue
            kept.append((sides, scores))
            made.append(
                {
                    "id": row_id,
                    "cluster": authors[row_id],
                    "variety": varieties[row_id],
                    "lp": scores.b("standard") - scores.b("dialect"),
                    **_matches(sides, patterns),
                }
            )
        items = pl.DataFrame(made, schema=_SCHEMA, orient="row")
        return Measured(
            metrics=[*_by_class(items, bootstrap), *_by_pattern(items, bootstrap)],
            items=items,
            excluded={reason: count for reason, count in excluded.items() if count},
            headline=("lp_by_class",),
            notes=notes_of(kept),
        )


def _lexicons(rows: pl.DataFrame) -> dict[str, Lexicon | None]:
    """By row id the lexicon of its variety.

    Raises:
        CorpusError: If varieties are no text.
    """
    if rows.schema["variety"] not in (pl.String, pl.Categorical, pl.Enum):
        raise CorpusError(
            f"the column 'variety' has the type {rows.schema['variety']}",
            remedy="give varieties as text, as `isogloss varieties` names them",
        )
    found: dict[str | None, Lexicon | None] = {None: None}
    for variety in rows["variety"].drop_nulls().unique():
        try:
            found[variety] = lexicon(variety)
        except RegistryError:
            found[variety] = None
    return {row_id: found[variety] for row_id, variety in rows.select("id", "variety").iter_rows()}


def _matches(cut: Cut, patterns: Lexicon) -> dict[str, list[Any]]:
    """What both sides show, and whether in the context, the continuation or across."""
    found: dict[str, list[Any]] = {}
    for side, (context, rest) in cut.items():
        matches = patterns.find(context + rest)
        found |= {
            f"{side}_patterns": [match.pattern_id for match in matches],
            f"{side}_starts": [match.start for match in matches],
            f"{side}_ends": [match.end for match in matches],
            f"{side}_parts": [_part(match, len(context)) for match in matches],
        }
    return found


def _part(match: Match, boundary: int) -> str:
    if match.end <= boundary:
        return "context"
    return "continuation" if match.start >= boundary else "across"


def _by_class(items: pl.DataFrame, bootstrap: Bootstrap) -> Iterator[Metric]:
    for map_name in CLASS_MAPS:
        dialect, standard = (_classes(items, side, map_name) for side in SIDES)
        # The paper's map is the one that is meant where none is named.
        suffix = "" if map_name == "paper" else f"_{map_name}"
        for name in CLASSES:
            has = [name in classes for classes in dialect]
            alone = [classes == {name} for classes in dialect]
            falsely = [name in classes for classes in standard]
            yield _lp(f"lp_by_class{suffix}", name, items, has, bootstrap)
            yield _lp(f"lp_by_class_exclusive{suffix}", name, items, alone, bootstrap)
            yield _share(f"class_rate{suffix}", name, items, has, bootstrap)
            yield _share(f"class_rate_standard{suffix}", name, items, falsely, bootstrap)
        if map_name == "paper":
            none = [not classes for classes in dialect]
            yield _lp("lp_by_class", "no feature", items, none, bootstrap)


def _by_pattern(items: pl.DataFrame, bootstrap: Bootstrap) -> Iterator[Metric]:
    dialect, standard = (_shown(items, side) for side in SIDES)
    for name in sorted(set().union(*dialect, *standard)):
        has = [name in shown for shown in dialect]
        yield _lp("lp_by_pattern", name, items, has, bootstrap)
        yield _share("pattern_rate", name, items, has, bootstrap)
        falsely = [name in shown for shown in standard]
        yield _share("pattern_rate_standard", name, items, falsely, bootstrap)


def _shown(items: pl.DataFrame, side: str) -> list[set[str]]:
    return [set(patterns) for patterns in items[f"{side}_patterns"].to_list()]


def _classes(items: pl.DataFrame, side: str, map_name: str) -> list[set[str]]:
    """The classes that each text shows."""
    return [
        {lexicon(variety)[name].class_under(map_name) for name in shown}
        for variety, shown in zip(items["variety"], _shown(items, side), strict=True)
    ]


def _lp(
    name: str, of: str, items: pl.DataFrame, among: Sequence[bool], bootstrap: Bootstrap
) -> Metric:
    kept = items.filter(np.array(among, dtype=np.bool_))
    clusters = kept["cluster"].to_list()
    estimate = mean_interval(kept["lp"].to_numpy(), clusters=clusters, options=bootstrap)
    return Metric(name, estimate, of=of, unit="nats")


def _share(
    name: str, of: str, items: pl.DataFrame, hits: Sequence[bool], bootstrap: Bootstrap
) -> Metric:
    clusters = items["cluster"].to_list()
    return Metric(
        name, proportion_interval(hits, clusters=clusters, options=bootstrap), of=of, unit="share"
    )


TASK = task(
    "features",
    version=1,
    columns=("variety", *COLUMNS),
    remedy={
        **REMEDY,
        "variety": "give each row its variety as `isogloss varieties` names it, or name other "
        "tasks with --tasks",
    },
)(Features)
