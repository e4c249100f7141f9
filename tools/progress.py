"""How an installation tells what it is doing, without knowing who listens."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "Silent"]


class Progress(Protocol):
    """Told of the phases of an installation, in order."""

    def phase(self, label: str, total: int | None) -> None:
        """A phase begins; ``total`` units of work are expected."""

    def advance(self, done: int, rows: int) -> None:
        """``done`` of the phase's units, as packages ``rows``, are done, counted from its start."""

    def note(self, message: str) -> None:
        """Something worth a line."""


class Silent:
    """Tells nobody."""

    def phase(self, label: str, total: int | None) -> None:
        """Ignored."""

    def advance(self, done: int, rows: int) -> None:
        """Ignored."""

    def note(self, message: str) -> None:
        """Ignored."""
