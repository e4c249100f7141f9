"""Whether a server works at all, told from what came of the requests that were sent to it.

A request that ends without an answer is that request's fault only if the server answers
others. Where nothing tells, the fault is in doubt, and must not be recorded yet.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..errors import ModelError, ServiceError
from .openai_outcome import Outcome

__all__ = ["Health", "Streak"]

_FIRST_CONTACT = 3
_FIRST_REFUSALS = 3
_GO_ON = "the same command goes on from here"
_CHECK_SERVER = f"check base_url and that the server runs; {_GO_ON}"


@dataclass(slots=True)
class Streak:
    """Requests that gave up on the server one after another.

    Attributes:
        reasons: How many, by reason.
        outage: Whether others had trouble too before the server answered again; one that
            was alone with it is likely to blame itself.
    """

    reasons: Counter[str] = field(default_factory=Counter)
    outage: bool = False

    @property
    def length(self) -> int:
        """How many there were."""
        return self.reasons.total()


class Health:
    """Watches one server.

    Args:
        where: The model and the server, for messages.
        key_variable: Where the key comes from, for messages.
        row: So many requests in a row that give up on it are taken for an outage.
    """

    def __init__(self, where: str, key_variable: str, row: int) -> None:
        self._where, self._key_variable, self._most = where, key_variable, row
        #: Answers of whatever kind, from a model, in this process.
        self.answers = 0
        self._streak = Streak()
        self._refusals: Counter[str] = Counter()

    def saw(self, outcome: Outcome, attempt: int, attempts: int) -> None:
        """Takes note of one attempt.

        Raises:
            ServiceError: If no request can succeed.
        """
        if outcome.fatal:
            remedy = outcome.remedy or "check the model's name and base_url in isogloss.toml"
            if outcome.reason in ("http_401", "http_403"):
                remedy = f"check the key in {self._key_variable}"
            raise ServiceError(outcome.fatal, where=self._where, remedy=remedy)
        if self._streak.reasons:
            if outcome.transient:
                self._streak.outage = True
            else:
                self._streak = Streak()
        if outcome.answered:
            self.answers += 1
        if outcome.reason == "unreachable" and (
            attempt >= attempts or (not self.answers and attempt >= _FIRST_CONTACT)
        ):
            raise ServiceError(
                f"the server can't be reached ({outcome.detail})",
                where=self._where,
                remedy=_CHECK_SERVER,
            )

    def gave_up(self, outcome: Outcome) -> Streak | None:
        """Takes note of a request that ended without an answer.

        Returns:
            The streak that it belongs to, if the server may be to blame and not the request.

        Raises:
            ServiceError: If too many in a row have given up on the server.
        """
        if outcome.transient:
            streak = self._streak
            streak.reasons[outcome.reason] += 1
            if streak.length >= self._most:
                reasons = ", ".join(f"{name} {count}" for name, count in streak.reasons.items())
                raise self._silent(f"{streak.length} requests in a row gave up: {reasons}")
            return streak
        if outcome.refused and not self.answers:
            self._refusals[outcome.reason] += 1
            return Streak()
        return None

    @property
    def refuses_all(self) -> bool:
        """Whether the first requests were all refused alike, and that has just become so."""
        return not self.answers and list(self._refusals.values()) == [_FIRST_REFUSALS]

    def judge(self, outcome: Outcome, attempts: int) -> None:
        """Judges by what came of a harmless request.

        Raises:
            ServiceError: If the server doesn't answer that either.
            ModelError: If it refuses that too.
        """
        if outcome.transient:
            raise self._silent(f"{outcome.reason} after {attempts} attempts")
        if outcome.refused:
            raise ModelError(
                f"the server refuses every request: {outcome.reason}, {outcome.detail}",
                where=self._where,
                remedy=f"mend the model's settings in isogloss.toml, or the server's; {_GO_ON}",
            )

    def _silent(self, why: str) -> ServiceError:
        what = "has stopped answering" if self.answers else "has not answered anything"
        return ServiceError(f"the server {what} ({why})", where=self._where, remedy=_CHECK_SERVER)
