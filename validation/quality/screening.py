"""The gates, asked about a whole corpus: the same ones that builders ask."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ..facts import collect
from ..gates import Context, CorpusFacts, gates
from ..gates.column import Column
from ..screen import PairColumns, screen
from .markers import Features, Markers, find_features, lexicon_or_none, markers
from .pairs import Pairs, standard_of
from .processes import Processes
from .progress import Progress

__all__ = ["CAUGHT", "GateCount", "Screened", "facts_of", "prepare", "screen_pairs"]

#: Columns of what was caught: row of the source, its id, variety, which pair, gate, detail.
CAUGHT: Mapping[str, pl.DataType] = {
    "position": pl.Int64(),
    "id": pl.String(),
    "variety": pl.String(),
    "pair": pl.String(),
    "gate": pl.String(),
    "detail": pl.String(),
}
#: Columns whose usual level gates ask for.
_LEVELS = ("similarity",)
_CHUNK_ROWS = 8_192


Facts = Mapping[str, CorpusFacts]


@dataclass(frozen=True, slots=True)
class GateCount:
    """What one gate found in one variety's pairs.

    Attributes:
        code: The gate.
        variety: Registry id of the dialect.
        pair: ``standard`` (dialect to standard) or ``back`` (standard to back-translation).
        n: Pairs it was asked about; 0 if it can say nothing about these.
        caught: How many it caught.
        unfit: Why it wasn't asked; None if it was.
    """

    code: str
    variety: str
    pair: str
    n: int
    caught: int
    unfit: str | None = None


@dataclass(frozen=True, slots=True)
class Screened:
    """What all gates found.

    Attributes:
        counts: One per gate, variety and pair, in the gates' order.
        caught: Columns ``CAUGHT``, in the order of the rows; a row appears once per gate.
        markers: The features of the varieties that have a lexicon.
    """

    counts: tuple[GateCount, ...]
    caught: pl.DataFrame
    markers: tuple[Markers, ...]


def facts_of(pairs: Pairs) -> Facts:
    """What the gates must know of the whole corpus, by variety and which pair."""
    return {job.key: job.facts() for job in _jobs(pairs)}


def screen_pairs(
    pairs: Pairs,
    facts: Facts | None = None,
    *,
    processes: Processes | None = None,
    progress: Progress | None = None,
) -> Screened:
    """Asks every gate about every pair, and looks for the lexicon's features.

    Args:
        pairs: The corpus.
        facts: Of :func:`facts_of`, where they are known already.
        processes: Share the work; they change the speed only.
        progress: Is told.

    Raises:
        ServiceError: If a process ends early, for want of memory for example.
    """
    jobs = _jobs(pairs)
    facts = facts_of(pairs) if facts is None else facts
    known = {job.key: (job.columns, facts[job.key]) for job in jobs}
    tasks = [(job.key, part) for job in jobs for part in job.frame.iter_slices(_CHUNK_ROWS)]
    rows, done = sum(part.height for _, part in tasks), 0
    if progress:
        progress.phase("gates", rows)
    found: dict[str, list[_Part]] = {job.key: [] for job in jobs}
    work = (processes or Processes()).map(_look, known, tasks)
    for (key, part), made in zip(tasks, work, strict=True):
        found[key].append(made)
        done += part.height
        if progress:
            progress.advance(done, done)
    frames = [part.caught for job in jobs for part in found[job.key]]
    caught = pl.concat([pl.DataFrame(schema=dict(CAUGHT)), *frames])
    counts = (
        count
        for job in jobs
        for count in job.counts(known[job.key][1], [part.caught for part in found[job.key]])
    )
    return Screened(
        counts=tuple(counts),
        caught=caught.sort("position", maintain_order=True),
        markers=tuple(_markers(pairs, jobs, found)),
    )


def prepare(varieties: Sequence[str]) -> None:
    """Loads what :func:`screen_pairs` will need for these varieties, and for any.

    It is for a process of its own: what is loaded stays, and the collector of garbage, which
    finds nothing here, would look at it again and again.
    """
    gates()
    for variety in varieties:
        lexicon_or_none(variety)
    gc.freeze()
    gc.set_threshold(50_000)


def _markers(
    pairs: Pairs, jobs: Iterable[_Job], found: Mapping[str, list[_Part]]
) -> Iterator[Markers]:
    features: dict[str, dict[str, list[Sequence[str]]]] = {}
    for job in jobs:
        for part in found[job.key]:
            for column, texts in part.features.items():
                features.setdefault(job.variety, {}).setdefault(column, []).extend(texts)
    for variety, columns in features.items():
        yield markers(pairs, variety, columns)


@dataclass(frozen=True, slots=True)
class _Job:
    """One variety's pairs of two columns."""

    variety: str
    name: str
    columns: PairColumns
    frame: pl.DataFrame

    @property
    def key(self) -> str:
        return f"{self.variety}:{self.name}"

    def facts(self) -> CorpusFacts:
        """What the gates must know of all of these pairs."""
        columns = self.columns
        measures = {name: column for name, column in columns.columns.items() if name in _LEVELS}
        wanted = self.frame.select(
            columns.source, columns.target, *(pl.col(c).alias(name) for name, c in measures.items())
        )
        return collect(
            lambda: [wanted], source=columns.source, target=columns.target, measures=list(measures)
        )

    def counts(self, facts: CorpusFacts, caught: Sequence[pl.DataFrame]) -> Iterator[GateCount]:
        """Every gate's count, or why it can't say anything of these pairs."""
        totals = Counter(code for frame in caught for code in frame["gate"])
        for gate in gates():
            context = Context(
                self.columns.source_variety,
                self.columns.target_variety,
                self.columns.thresholds(gate.code),
                columns=dict.fromkeys(self.columns.columns),
                corpus=facts,
            )
            why = gate.unfit(context) if gate.unfit else None
            n = 0 if why else self.frame.height
            yield GateCount(gate.code, self.variety, self.name, n, totals[gate.code], why)


def _jobs(pairs: Pairs) -> list[_Job]:
    return [
        _Job(variety, name, columns, pairs.frame.filter(pl.col("variety") == variety))
        for variety in pairs.varieties
        for name, columns in _pairs_of(pairs, variety).items()
    ]


def _pairs_of(pairs: Pairs, variety: str) -> dict[str, PairColumns]:
    standard = standard_of(variety)
    here = set(pairs.frame.columns)
    forth = {"similarity": "similarity"} if "similarity" in here else {}
    found = {"standard": PairColumns("dialect", "standard", variety, standard, variety, forth)}
    if pairs.has_back:
        back = {"dialect": "dialect"}
        if "back_similarity" in here:
            back["similarity"] = "back_similarity"
        found["back"] = PairColumns("standard", "back", standard, variety, variety, back)
    return found


@dataclass(frozen=True, slots=True)
class _Part:
    """What is found in one task's rows: columns ``CAUGHT``, and features by column."""

    caught: pl.DataFrame
    features: Features


_Known = Mapping[str, tuple[PairColumns, CorpusFacts]]
_Task = tuple[str, pl.DataFrame]


def _look(known: _Known, task: _Task) -> _Part:
    key, frame = task
    variety, _, name = key.rpartition(":")
    columns, facts = known[key]
    sides = {side: Column(frame[side]) for side in (columns.source, columns.target)}
    # First the features: what is found in the standard is remembered for a gate.
    new = sides if name == "standard" else {columns.target: sides[columns.target]}
    has_lexicon = lexicon_or_none(variety) is not None
    features = find_features(new, variety) if has_lexicon else {}
    both = sides[columns.source], sides[columns.target]
    found = [one for row in screen(frame, columns, gates(), facts=facts, sides=both) for one in row]
    caught = frame[[one.row for one in found]].select(
        "position",
        "id",
        "variety",
        pl.lit(name).alias("pair"),
        pl.Series("gate", [one.code for one in found], dtype=pl.String),
        pl.Series("detail", [one.detail for one in found], dtype=pl.String),
    )
    return _Part(caught, features)
