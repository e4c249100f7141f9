"""What the work reports to."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "Silent"]


class Progress(Protocol):
    """Is told how far the work is."""

    def phase(self, label: str, total: int | None) -> None:
        """A phase of ``total`` rows begins."""

    def advance(self, done: int, rows: int) -> None:
        """So many rows of the phase are done."""


class Silent:
    """Tells nobody."""

    def phase(self, label: str, total: int | None) -> None:
        """Nothing."""

    def advance(self, done: int, rows: int) -> None:
        """Nothing."""
