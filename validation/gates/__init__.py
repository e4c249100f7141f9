"""Gates for parallel text: one file each, found by their file.

A gate is a module here with a :class:`~isogloss.validation.gates.gate.Gate` named ``GATE``,
or an object of that type named by an entry point of the group ``isogloss.gates``.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from ...errors import RegistryError
from .gate import Context, CorpusFacts, Gate, Level, Row, Text
from .thresholds import thresholds

__all__ = ["Context", "CorpusFacts", "Gate", "Level", "Row", "Text", "gates", "thresholds"]

_GROUP = "isogloss.gates"
_NO_GATES = {"gate", "thresholds"}


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
    for point in entry_points(group=_GROUP):
        try:
            gate = point.load()
        except (ImportError, AttributeError) as error:
            raise RegistryError(
                f"the gate {point.name!r} can't be loaded ({error})",
                remedy="reinstall the package that provides it",
            ) from error
        if not isinstance(gate, Gate) or gate.code in found:
            raise RegistryError(
                f"the entry point {point.name!r} is no gate, or its code is taken",
                remedy="name a Gate with a code of its own",
            )
        found[gate.code] = gate
    return tuple(sorted(found.values(), key=lambda gate: (gate.rank, gate.code)))
