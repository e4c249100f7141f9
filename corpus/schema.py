"""Column types of a corpus: one declaration, three spellings.

A schema is a mapping from column name to polars type. The same declaration is
written to Parquet as plain Arrow types (``string``, never ``large_string``) and to
the card as the features that ``datasets.load_dataset`` checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
import pyarrow as pa

from ..errors import InternalError

__all__ = ["COMMON", "REJECTED", "Schema", "arrow_schema", "check_columns", "features", "schema_of"]

Schema = Mapping[str, pl.DataType]

#: Columns that every corpus has, in this order (SPEC 2).
COMMON: Schema = {
    "id": pl.String(),
    "variety": pl.String(),
    "dialect": pl.String(),
    "standard": pl.String(),
    "split": pl.String(),
}

#: A row that could not be read or kept. ``position`` counts the source's lines or
#: rows from 1; ``text`` is the text that offended, as it was at that stage.
REJECTED: Schema = {
    "position": pl.Int64(),
    "id": pl.String(),
    "stage": pl.String(),
    "reason": pl.String(),
    "detail": pl.String(),
    "text": pl.String(),
}

_SCALARS: dict[type[pl.DataType], tuple[pa.DataType, str]] = {
    pl.String: (pa.string(), "string"),
    pl.Int64: (pa.int64(), "int64"),
    pl.Int32: (pa.int32(), "int32"),
    pl.Float64: (pa.float64(), "float64"),
    pl.Boolean: (pa.bool_(), "bool"),
}

_DTYPES: Mapping[str, pl.DataType] = {name: kind() for kind, (_, name) in _SCALARS.items()}


def _scalar(dtype: pl.DataType) -> tuple[pa.DataType, str]:
    try:
        return _SCALARS[type(dtype)]
    except KeyError:
        raise InternalError(f"a corpus column can't have the type {dtype}") from None


def arrow_schema(schema: Schema) -> pa.Schema:
    """The Arrow schema that ``schema`` is stored as."""
    fields = []
    for name, dtype in schema.items():
        if isinstance(dtype, pl.List):
            inner = pa.field("element", _element(dtype)[0])
            fields.append(pa.field(name, pa.list_(inner)))
        else:
            fields.append(pa.field(name, _scalar(dtype)[0]))
    return pa.schema(fields)


def features(schema: Schema) -> list[dict[str, Any]]:
    """The ``dataset_info.features`` entries of ``schema`` for a card's front matter.

    Example:
        >>> features({"id": pl.String(), "markers": pl.List(pl.String())})
        [{'name': 'id', 'dtype': 'string'}, {'name': 'markers', 'list': 'string'}]
    """
    entries: list[dict[str, Any]] = []
    for name, dtype in schema.items():
        if isinstance(dtype, pl.List):
            entries.append({"name": name, "list": _element(dtype)[1]})
        else:
            entries.append({"name": name, "dtype": _scalar(dtype)[1]})
    return entries


def schema_of(columns: Iterable[Mapping[str, Any]]) -> Schema:
    """The schema that a manifest's ``columns`` spell.

    Raises:
        KeyError: If an entry is of an unknown spelling.

    Example:
        >>> schema_of([{"name": "id", "dtype": "string"}, {"name": "markers", "list": "string"}])
        {'id': String, 'markers': List(String)}
    """
    return {
        entry["name"]: pl.List(_DTYPES[entry["list"]])
        if "list" in entry
        else _DTYPES[entry["dtype"]]
        for entry in columns
    }


def check_columns(frame: pl.DataFrame, schema: Schema, *, stage: str) -> None:
    """Raises InternalError unless ``frame`` has exactly the columns of ``schema``."""
    if list(frame.schema.items()) != list(schema.items()):
        missing = [name for name in schema if name not in frame.columns]
        extra = [name for name in frame.columns if name not in schema]
        wrong = [
            f"{name} is {frame.schema[name]}, {dtype} was declared"
            for name, dtype in schema.items()
            if name in frame.columns and frame.schema[name] != dtype
        ]
        order = [] if missing or extra or wrong else ["the columns stand in another order"]
        found = [f"{name} is missing" for name in missing]
        found += [f"{name} was not declared" for name in extra]
        raise InternalError("; ".join(found + wrong + order), where=f"step {stage}")


def _element(dtype: pl.List) -> tuple[pa.DataType, str]:
    inner = dtype.inner
    return _scalar(inner if isinstance(inner, pl.DataType) else inner())
