"""Asks a run to stop: what is in flight ends and is recorded, nothing new is sent."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..errors import IsoglossError

__all__ = ["Stop", "StoppedError"]


class StoppedError(IsoglossError):
    """The user has asked the run to stop."""

    code = "stopped"
    exit_status = 130


class Stop:
    """Set once, by whoever hears the user; looked at before anything is sent."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._counts: list[Callable[[], int]] = []

    @property
    def asked(self) -> bool:
        """Whether nothing new may be sent."""
        return self._asked.is_set()

    def watch(self, in_flight: Callable[[], int]) -> None:
        """Takes the function that counts the calls which a model has in flight."""
        self._counts.append(in_flight)

    def ask(self) -> int:
        """Asks to stop; returns how many calls are in flight."""
        self._asked.set()
        return sum(count() for count in self._counts)
