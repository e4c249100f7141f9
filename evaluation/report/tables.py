"""Tables 2 and 7 of the paper: metrics, and LP by feature class, models side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...corpus.lexicon import CLASS_MAPS, CLASSES
from ...stats import Estimate
from ..preference import SIDES
from ..tasks.forced_choice import WORDINGS
from .names import Names
from .numbers import shown_n
from .sections import Section

__all__ = ["NOT_MEASURED", "Row", "Table", "tables_of"]

NOT_MEASURED = "not measured"
"""Why a model has no number at all where another has one."""

_LABELS = {
    "dgi": "DGI: same label for both sides",
    "dgi_three_way": "DGI, three ways: same label for the back-translation too",
    "cdgi": "cDGI: same label, given the same for the back-translation",
    "kappa": "κ of both sides' labels",
    "cdgi_all": "cDGI over all back-translations",
    "dgi_natural": "DGI of rows with a natural back-translation",
    "back_agreement": "same label for the back-translation",
    "label_share": "label",
}
_SCALES = {"": "nats", "_per_token": "nats/token", "_per_byte": "nats/byte"}


@dataclass(frozen=True, slots=True)
class Row:
    """One number of every model.

    Attributes:
        group: Heading that it stands under.
        label: What it is.
        unit: ``nats``, ``share``, ….
        cells: The models' numbers; None where a model has none.
    """

    group: str
    label: str
    unit: str
    cells: Sequence[Estimate | None]

    @property
    def n(self) -> str:
        """Rows that the numbers rest on."""
        return shown_n([cell.n for cell in self.cells if cell is not None])

    @property
    def same_n(self) -> bool:
        """Whether they all rest on as many."""
        return len({cell.n for cell in self.cells if cell is not None}) < 2


@dataclass(frozen=True, slots=True)
class Table:
    """A table, whatever it is written as.

    Attributes:
        name: Of its files.
        title: In words.
        models: Its columns.
        rows: Its rows.
    """

    name: str
    title: str
    models: Sequence[str]
    rows: Sequence[Row]

    @property
    def few(self) -> bool:
        """Whether a number in it rests on few clusters."""
        return any(
            cell is not None and cell.few_clusters for row in self.rows for cell in row.cells
        )

    @property
    def reasons(self) -> dict[str, list[str]]:
        """Why numbers aren't there, and the labels of the rows that lack them."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            for cell in row.cells:
                if cell is None or not math.isfinite(cell.value):
                    why = NOT_MEASURED if cell is None else cell.reason or "no reason is known"
                    found.setdefault(why, []).append(row.label)
        return found


def tables_of(section: Section) -> list[Table]:
    """The tables that a section has numbers for."""
    models = [column.label for column in section.columns]
    made = [
        Table("table-2-metrics", "Table 2. Metrics of each model", models, list(_metrics(section))),
        Table("table-7-features", "Table 7. LP by feature class", models, list(_features(section))),
    ]
    return [table for table in made if table.rows]


def _row(
    section: Section, group: str, label: str, task: str, name: str, of: str = ""
) -> Row | None:
    found = [column.results.get(task) for column in section.columns]
    metrics = [result.metrics.get((name, of)) if result else None for result in found]
    if not any(metrics):
        return None
    unit = next(metric.unit for metric in metrics if metric)
    return Row(group, label, unit, [metric.estimate if metric else None for metric in metrics])


def _metrics(section: Section) -> Iterator[Row]:
    for rows in (_preference(section), _choice(section), _others(section)):
        yield from (row for row in rows if row is not None)


def _preference(section: Section) -> Iterator[Row | None]:
    names = section.names
    for scale, unit in _SCALES.items():
        for name, label in (
            ("lp", "LP"),
            ("matching", "I, the matching effect"),
            ("b_standard", f"b_{names.standard}"),
            ("b_dialect", f"b_{names.dialect}"),
        ):
            yield _row(section, f"Preference, {unit}", label, "continuation", name + scale)
    for name, group in (
        ("perplexity", "Perplexity over all tokens (continuation | context)"),
        ("mean_item_perplexity", "Mean perplexity of items (continuation | context)"),
        ("bits_per_byte", "Bits per byte (continuation | context)"),
    ):
        for context in SIDES:
            for continuation in SIDES:
                label = f"{names.side(continuation)} | {names.side(context)}"
                of = f"{continuation} | {context}"
                yield _row(section, group, label, "continuation", name, of)


def _choice(section: Section) -> Iterator[Row | None]:
    for name, group in (
        ("match", "Forced choice: the context's own continuation is named (both orders)"),
        ("match_one_order", "Forced choice, one random order"),
        ("log_odds", "Forced choice: log-odds of the own continuation"),
        ("pull_of_a", "Forced choice: pull of the letter A"),
    ):
        for wording in WORDINGS:
            for side in SIDES:
                label = f"“{wording}”, {section.names.side(side)} context"
                yield _row(
                    section, group, label, "forced_choice", name, f"{wording}, {side} context"
                )


def _others(section: Section) -> Iterator[Row | None]:
    """Every number of every other task, as it names them."""
    for task in section.tasks:
        if task in ("continuation", "forced_choice", "features"):
            continue
        found = [column.results[task] for column in section.columns if task in column.results]
        for name, of in dict.fromkeys(key for result in found for key in result.metrics):
            label = _LABELS.get(name, name) + (f", {of}" if of else "")
            yield _row(section, task.replace("_", " ").capitalize(), label, task, name, of)


def _features(section: Section) -> Iterator[Row]:
    for map_name in CLASS_MAPS:
        suffix = "" if map_name == "paper" else f"_{map_name}"
        for metric, what in (
            ("lp_by_class", "LP, inclusive"),
            ("lp_by_class_exclusive", "LP, exclusive"),
            ("class_rate", f"rows that show it, {section.names.dialect} side"),
            ("class_rate_standard", _false(section.names)),
        ):
            for name in (*CLASSES, "no feature"):
                group = f"Classes after {_maps()[map_name]}: {what}"
                row = _row(section, group, name, "features", metric + suffix, name)
                if row is not None:
                    yield row


def _false(names: Names) -> str:
    return f"false positives: the same found on the {names.standard} side"


def _maps() -> dict[str, str]:
    return {"paper": "the paper", "green2002": "Green (2002)"}
