"""What the models of one run took: calls, repeats, tokens, failures, and what is worth a line."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Usage"]

_log = logging.getLogger("isogloss.models")


@dataclass(slots=True)
class Usage:
    """Counts of one run; a budget's lock guards the numbers.

    Attributes:
        tell: Is told what is worth a line, once each.
        sent: Calls that were sent.
        again: Calls that were sent again, by the reason of the attempt before.
        input_tokens: Tokens read, as billed or, where that is not known, at their most.
        output_tokens: Likewise, written.
        cost: Their price; None once a call's price was not known.
        failed: Requests that ended without an answer, by reason.
        notes: What was worth a line, such as a parameter that a server doesn't take.
    """

    tell: Callable[[str], None] = lambda _: None
    sent: int = 0
    again: Counter[str] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    failed: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def add(self, read: int, written: int, cost: float | None) -> None:
        """Counts a call that has ended."""
        self.sent += 1
        self.input_tokens += read
        self.output_tokens += written
        self.cost = None if cost is None or self.cost is None else self.cost + cost

    def note(self, message: str) -> None:
        """Tells something that is worth a line, unless it was told before."""
        if message not in self.notes:
            self.notes.append(message)
            _log.info("%s", message)
            self.tell(message)

    def record(self) -> dict[str, Any]:
        """The counts as JSON values."""
        return {
            "calls": self.sent,
            "sent_again": dict(sorted(self.again.items())),
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost": None if self.cost is None else round(self.cost, 6),
            "failed": dict(sorted(self.failed.items())),
            "notes": list(self.notes),
        }
