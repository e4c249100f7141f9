"""What a reader says of a row that it can't read."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Refused"]


@dataclass(frozen=True, slots=True)
class Refused:
    """One source row that can't be read."""

    position: int
    reason: str
    detail: str
    text: str
    id: str | None = None
