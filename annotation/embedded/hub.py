"""Leaves out Argilla's way to and from the Hugging Face Hub, and the packages behind it.

A corpus goes to the Hub from its folder, with its card, and not from here. Without the package
``datasets``, pyarrow and pandas the server takes a third less memory and half the disk.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, NoReturn

__all__ = ["leave_out_datasets"]


class _LeftOut:
    """Stands where Argilla expects something of ``datasets``; refuses to be used."""

    def __init__(self, *_given: Any, **_named: Any) -> None:
        _refuse()

    def __getattr__(self, _name: str) -> NoReturn:
        _refuse()


def leave_out_datasets() -> None:
    """Puts a stand-in in the place of ``datasets``; before Argilla is imported."""
    stand_in = ModuleType("datasets")
    for name in ("Dataset", "NamedSplit", "load_dataset"):
        setattr(stand_in, name, _LeftOut)
    features = ModuleType("datasets.features")
    for name in ("ClassLabel", "Value", "Image", "Sequence"):
        setattr(features, name, _LeftOut)
    vars(stand_in)["features"] = features
    sys.modules["datasets"] = stand_in
    sys.modules["datasets.features"] = features


def _refuse() -> NoReturn:
    raise RuntimeError("this server has no way to the Hub: pull the labels into a corpus instead")
