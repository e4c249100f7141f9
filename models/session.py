"""What a run gives to its models."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..corpus.journal import Journal
from .budget import Limits
from .stop import Stop
from .usage import Usage

__all__ = ["Session", "session_of"]


@dataclass(frozen=True, slots=True)
class Session:
    """What a run gives to its models.

    Attributes:
        journal: Where answers are looked for and recorded.
        limits: What may be spent.
        retry_failed: Ask failed requests again, each once.
        retry_since: When that was begun, in an earlier run that was killed perhaps: what
            has failed since then is not asked a second time; "" for now.
        usage: Counts what the run takes.
        stop: Keeps the models from sending anything once it is set.
    """

    journal: Journal
    limits: Limits
    retry_failed: bool = False
    retry_since: str = ""
    usage: Usage = field(default_factory=Usage)
    stop: Stop = field(default_factory=Stop)


def session_of(journal: Journal | Session) -> Session:
    """The run; one without limits where there is only a journal."""
    return journal if isinstance(journal, Session) else Session(journal, Limits())
