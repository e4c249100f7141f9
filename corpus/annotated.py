"""What annotation added to a corpus: as its manifest tells it, and how to take it away again.

``manifest["annotation"]`` has an entry for each project, with the ``columns`` it added, the
columns it ``replaced`` and its ``questions``. Every room that meets an annotated corpus reads
it here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from ..errors import CorpusError
from .manifest import Manifest
from .schema import Schema

__all__ = [
    "KEY",
    "Entries",
    "before",
    "before_schema",
    "code_columns",
    "entries",
    "machine_column",
]

#: The manifest's key.
KEY = "annotation"
#: By project, what it added.
Entries = Mapping[str, Mapping[str, Any]]

#: Keys of an entry, with what the rooms that read it take from there.
_NEEDED: Mapping[str, type] = {
    "version": int,
    "columns": list,
    "replaced": dict,
    "questions": list,
    "raters": int,
    "items": int,
    "labels": int,
    "min_labels": int,
}
_COUNTS = {"rows", "differ"}
_MEASURED = {"items", "ratings", "measures"}
_FIGURE = {"value", "low", "high", "reason"}
_FIGURES = {"exact", "gwet_ac1", "krippendorff_alpha"}


def entries(manifest: Manifest, *, where: str) -> Entries:
    """What the projects added, by their names; nothing for a corpus without annotation.

    Raises:
        CorpusError: If the manifest's entry is damaged.
    """
    found = manifest.get(KEY, {})
    if isinstance(found, dict) and all(map(_sound, found.values())):
        return found
    raise CorpusError(f"the manifest has no usable {KEY}", where=where, remedy="restore the file")


def _sound(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and all(isinstance(entry.get(key), kind) for key, kind in _NEEDED.items())
        and all(isinstance(name, str) for name in entry["columns"])
        and all(
            _has(question, {"name", "kind", "labels"}) and isinstance(question["labels"], list)
            for question in entry["questions"]
        )
        and all(_has(counts, _COUNTS) for counts in entry["replaced"].values())
        and isinstance(entry.get("agreement", {}), dict)
        and all(map(_measured, entry.get("agreement", {}).values()))
    )


def _measured(question: Any) -> bool:
    return (
        _has(question, _MEASURED)
        and _has(question["measures"], _FIGURES)
        and all(_has(measure, _FIGURE) for measure in question["measures"].values())
    )


def _has(table: Any, keys: set[str]) -> bool:
    return isinstance(table, dict) and keys <= table.keys()


def machine_column(column: str) -> str:
    """The column that keeps what stood in one before people's text replaced it."""
    return f"{column}_machine"


def before_schema(schema: Schema, projects: Iterable[Mapping[str, Any]]) -> dict[str, pl.DataType]:
    """The columns that a corpus has without what these projects added."""
    added = {column for entry in projects for column in entry["columns"]}
    return {name: dtype for name, dtype in schema.items() if name not in added}


def before(rows: pl.DataFrame, projects: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """The rows without what these projects added, replaced texts put back.

    Example:
        >>> rows = pl.DataFrame({"standard": ["mended"], "standard_machine": ["made"]})
        >>> entry = {"columns": ["standard_machine"], "replaced": {"standard": {}}}
        >>> before(rows, [entry]).to_dicts()
        [{'standard': 'made'}]
    """
    for entry in projects:
        kept = [column for column in entry["replaced"] if machine_column(column) in rows.columns]
        rows = rows.with_columns(pl.col(machine_column(name)).alias(name) for name in kept)
        rows = rows.drop(entry["columns"], strict=False)
    return rows


def code_columns(projects: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Columns of strings that hold labels, which are codes: the majority of each choice."""
    return tuple(
        f"{question['name']}_majority"
        for entry in projects
        for question in entry["questions"]
        if question["kind"] == "choice"
    )
