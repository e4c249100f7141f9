"""How the engine tells what it is doing, without knowing who listens."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "Silent"]


class Progress(Protocol):
    """Told of the phases of a build, in order."""

    def phase(self, label: str, total: int | None) -> None:
        """A phase begins; ``total`` units of work are expected."""

    def advance(self, done: int, rows: int) -> None:
        """``done`` of the phase's units and ``rows`` rows are done, counted from its start."""

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
