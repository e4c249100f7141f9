"""What third parties add by entry points, beside what comes with Isogloss."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import EntryPoint
from typing import TypeVar

from ..errors import RegistryError

__all__ = ["add_third_parties"]

T = TypeVar("T")


def add_third_parties(
    found: dict[str, T], points: Iterable[EntryPoint], kind: type[T], *, what: str, key: str
) -> None:
    """Loads entry points and adds what they name.

    Args:
        found: What is there already, by its key; is added to.
        points: The entry points.
        kind: What each must be.
        what: What that is called, for messages.
        key: The attribute that must be unique.

    Raises:
        RegistryError: If one can't be loaded, is something else, or its key is taken.
    """
    for point in points:
        try:
            one = point.load()
        except Exception as error:
            # Foreign code: importing it may raise anything.
            raise RegistryError(
                f"the {what} {point.name!r} can't be loaded ({error})",
                remedy="reinstall the package that provides it",
            ) from error
        if not isinstance(one, kind) or getattr(one, key) in found:
            raise RegistryError(
                f"the entry point {point.name!r} is no {what}, or its {key} is taken",
                remedy=f"name a {kind.__name__} with a {key} of its own",
            )
        found[getattr(one, key)] = one
