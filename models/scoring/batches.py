"""Batches of trees, of like length, that depend on the requests alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .boundary import Encoded
from .tree import Tree, plain_rows, trees

__all__ = ["Room", "Unit", "batches", "units"]


@dataclass(frozen=True, slots=True)
class Room:
    """What fits into one batch.

    Attributes:
        tokens: Tokens at once, padding counted.
        targets: Predictions at once; each is a row of logits over the whole vocabulary.
    """

    tokens: int
    targets: int


@dataclass(frozen=True, slots=True)
class Unit:
    """Rows that are computed in one batch, since a request's answer needs all of them.

    Attributes:
        rows: One tree, or the plain rows of one request.
        requests: Numbers of the requests that are answered then.
    """

    rows: tuple[Tree, ...]
    requests: tuple[int, ...]

    @property
    def length(self) -> int:
        """Tokens of the longest row."""
        return max(map(len, self.rows))

    @property
    def targets(self) -> int:
        """Predictions that are wanted."""
        return sum(len(row.targets) for row in self.rows)


def units(requests: Sequence[Encoded], items: Sequence[str], *, tree: bool) -> list[Unit]:
    """Units of all requests.

    Args:
        requests: In their order, which gives them their numbers.
        items: The item of each.
        tree: Whether sequences share what they begin with.
    """
    if not tree:
        return [
            Unit(tuple(plain_rows(number, request)), (number,))
            for number, request in enumerate(requests)
        ]
    by_item: dict[str, list[tuple[int, Encoded]]] = {}
    for number, (request, item) in enumerate(zip(requests, items, strict=True)):
        # A request without an item shares with no other.
        by_item.setdefault(item or f"\0{number}", []).append((number, request))
    return [
        Unit((one,), tuple(sorted({number for number, _ in one.wanted})))
        for numbered in by_item.values()
        for one in trees(numbered)
    ]


def batches(made: Sequence[Unit], room: Room) -> Iterator[list[Unit]]:
    """Units of like length together, the longest first: what doesn't fit fails at once.

    Args:
        made: The units.
        room: What fits; a unit that is bigger comes alone.
    """
    order = sorted(made, key=lambda unit: (-unit.length, unit.rows[0].tokens, unit.requests))
    batch: list[Unit] = []
    rows = targets = longest = 0
    for unit in order:
        more = rows + len(unit.rows), targets + unit.targets
        longest = max(longest, unit.length)
        if batch and (more[0] * longest > room.tokens or more[1] > room.targets):
            yield batch
            batch, more, longest = [], (len(unit.rows), unit.targets), unit.length
        batch.append(unit)
        rows, targets = more
    if batch:
        yield batch
