"""Reserves the worst case of every call before it is sent, so that no budget is passed."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

from ..errors import BudgetError, OptionError
from .chat import ChatRequest, Price
from .stop import Stop, StoppedError
from .usage import Usage

__all__ = ["Budget", "Limits", "worst_case"]

#: Tokens that a chat format adds to a message, at most.
_OVERHEAD = 16


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be spent on a work folder in all its runs together.

    Raises:
        OptionError: If a limit is no finite number over 0.
    """

    max_cost: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        for option, value in (("--max-cost", self.max_cost), ("--max-tokens", self.max_tokens)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise OptionError(
                    f"{value} can't be used", where=option, remedy="give a number over 0"
                )


def worst_case(request: ChatRequest) -> tuple[int, int]:
    """Most tokens that a request can read and write: a token is at least one byte."""
    texts = [request.system, *(text for _, text in request.messages)]
    schema = str(dict(request.schema)) if request.schema else ""
    read = sum(len(text.encode()) + _OVERHEAD for text in [*texts, schema])
    return read, request.sampling.max_tokens


class Budget:
    """What is spent and what is reserved, for one model and one work folder.

    Args:
        limits: What may be spent.
        price: Price of the model.
        spent_cost: Spent in earlier runs.
        spent_tokens: Likewise, tokens read and written.
        model: Its name, for messages.
        usage: Counts what this run takes.
        stop: Keeps everything from being sent once it is set.

    Raises:
        OptionError: If a cost is limited and the price is not known.
    """

    def __init__(
        self,
        limits: Limits,
        price: Price | None,
        *,
        spent_cost: float = 0.0,
        spent_tokens: int = 0,
        model: str = "",
        usage: Usage | None = None,
        stop: Stop | None = None,
    ) -> None:
        if limits.max_cost is not None and price is None:
            raise OptionError(
                f"the price of {model} is not known",
                where="--max-cost",
                remedy=f'give input_price and output_price under [models."{model}"] in '
                "isogloss.toml, or use --max-tokens",
            )
        self.limits, self.price = limits, price
        self._model = model
        self._cost, self._tokens = spent_cost, spent_tokens
        self._reserved_cost, self._reserved_tokens = 0.0, 0
        self._in_flight = 0
        self._loose = (0, 0)
        self._lock = threading.Lock()
        self.usage = usage or Usage()
        self._stop = stop or Stop()
        self._stop.watch(lambda: self._in_flight)

    @property
    def stopped(self) -> bool:
        """Whether the run has been asked to stop: nothing more may be reserved."""
        return self._stop.asked

    def cost(self, read: int, written: int) -> float | None:
        """Price of so many tokens, None if it is not known."""
        return None if self.price is None else self.price.of(read, written)

    def try_reserve(self, read: int, written: int) -> bool:
        """Reserves so many tokens; False while only what is in flight stands in the way.

        Raises:
            BudgetError: If they don't fit even with nothing else in flight.
            StoppedError: If the run has been asked to stop.
        """
        if self.stopped:
            raise StoppedError(
                "the run was asked to stop",
                where=self._model,
                remedy="everything received is kept; the same command goes on from here",
            )
        with self._lock:
            cost = self.cost(read, written) or 0.0
            if self._fits(cost + self._reserved_cost, read + written + self._reserved_tokens):
                self._reserved_cost += cost
                self._reserved_tokens += read + written
                self._in_flight += 1
                return True
            if self._reserved_tokens:
                return False
            raise self._exceeded(cost, read + written)

    def settle(self, reserved: tuple[int, int], used: tuple[int, int] | None) -> None:
        """Gives back a reservation and books what was used; None books the reservation."""
        with self._lock:
            tokens = sum(reserved)
            self._reserved_cost -= self.cost(*reserved) or 0.0
            self._reserved_tokens -= tokens
            self._in_flight -= 1
            used = reserved if used is None else used
            cost = self.cost(*used)
            self._cost += cost or 0.0
            self._tokens += sum(used)
            self._loose = (self._loose[0] + used[0], self._loose[1] + used[1])
            self.usage.add(*used, cost)

    def recorded(self, read: int, written: int) -> None:
        """So many tokens of those booked stand in the journal now, with an answer or a failure."""
        with self._lock:
            self._loose = (self._loose[0] - read, self._loose[1] - written)

    def take_loose(self) -> tuple[int, int]:
        """Tokens that were booked and went into no entry of the journal; 0 from then on."""
        with self._lock:
            loose, self._loose = self._loose, (0, 0)
        return max(0, loose[0]), max(0, loose[1])

    def _fits(self, cost: float, tokens: int) -> bool:
        most_cost, most_tokens = self.limits.max_cost, self.limits.max_tokens
        return (most_cost is None or self._cost + cost <= most_cost + 1e-12) and (
            most_tokens is None or self._tokens + tokens <= most_tokens
        )

    def _exceeded(self, cost: float, tokens: int) -> BudgetError:
        if self.limits.max_cost is not None and self._cost + cost > self.limits.max_cost:
            currency = self.price.currency if self.price else ""
            what = (
                f"{self._cost:.4f} {currency} are spent, the next call could cost up to "
                f"{cost:.4f}, and --max-cost is {self.limits.max_cost:g}"
            )
        else:
            what = (
                f"{self._tokens:,} tokens are spent, the next call could take up to {tokens:,}, "
                f"and --max-tokens is {self.limits.max_tokens:,}"
            )
        return BudgetError(
            what,
            where=self._model,
            remedy="everything received is kept; run the same command with a higher limit to go on",
        )
