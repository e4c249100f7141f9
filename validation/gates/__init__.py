"""Gates for parallel text: one file each, found by their file.

A gate is a module here with a :class:`~isogloss.validation.gates.gate.Gate` named ``GATE``,
or an object of that type named by an entry point of the group ``isogloss.gates``.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from ...corpus.plugins import add_third_parties
from .gate import Context, CorpusFacts, Gate, Hints, Level, Row, Text
from .thresholds import thresholds

__all__ = ["Context", "CorpusFacts", "Gate", "Hints", "Level", "Row", "Text", "gates", "thresholds"]

_GROUP = "isogloss.gates"
_NO_GATES = {"column", "gate", "keys", "thresholds"}


@cache
def gates() -> tuple[Gate, ...]:
    """All gates in the order of their rank.

    Raises:
        RegistryError: If a third party's gate can't be loaded, or two have one code.
    """
    found: dict[str, Gate] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name in _NO_GATES or module.name.startswith("_"):
            continue
        gate = import_module(f".{module.name}", __name__).GATE
        found[gate.code] = gate
    add_third_parties(found, entry_points(group=_GROUP), Gate, what="gate", key="code")
    return tuple(sorted(found.values(), key=lambda gate: (gate.rank, gate.code)))
