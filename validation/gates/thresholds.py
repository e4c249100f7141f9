"""Thresholds of the gates: data, per variety, in ``thresholds.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["thresholds"]


def thresholds(code: str, dialect: str, standard: str) -> Mapping[str, Any]:
    """A gate's thresholds for a pair of varieties.

    They are the gate's defaults, then the standard's own values, then the dialect's, each
    winning over the one before.

    Args:
        code: The gate's code.
        dialect: Id of the dialect variety.
        standard: Id of the standard variety.
    """
    table = _table().get(code, {})
    varieties = table.get("variety", {})
    own = {key: value for key, value in table.items() if key != "variety"}
    return {**own, **varieties.get(standard, {}), **varieties.get(dialect, {})}


@cache
def _table() -> Mapping[str, Any]:
    source = resources.files(__package__).joinpath("thresholds.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))
