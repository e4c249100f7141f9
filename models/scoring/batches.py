"""Batches of trees, of like length, that depend on the requests alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .boundary import Encoded
from .tree import Tree, joined, plain_rows, trees

__all__ = ["Room", "Unit", "batches", "units"]

_OPEN_ROWS = 32


@dataclass(frozen=True, slots=True)
class Room:
    """What fits into one batch.

    Attributes:
        tokens: Tokens at once, padding counted.
        row: Tokens of one row; trees are packed into rows of that length, so that little is
            padding. Attention within a row takes the square of it.
        targets: Predictions at once; each is a row of logits over the whole vocabulary.
    """

    tokens: int
    row: int
    targets: int


@dataclass(frozen=True, slots=True)
class Unit:
    """Rows that are computed in one batch, since a request's answer needs all of them.

    Attributes:
        rows: One row of trees, or the plain rows of one request.
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


def units(
    requests: Mapping[int, Encoded], items: Sequence[str], room: Room, *, tree: bool
) -> list[Unit]:
    """Units of all requests.

    Args:
        requests: By their numbers.
        items: The item of each number.
        room: What fits into a row.
        tree: Whether sequences share what they begin with.
    """
    if not tree:
        return [
            Unit(tuple(plain_rows(number, request)), (number,))
            for number, request in requests.items()
        ]
    by_item: dict[str, list[tuple[int, Encoded]]] = {}
    for number, request in requests.items():
        # A request without an item shares with no other.
        by_item.setdefault(items[number] or f"\0{number}", []).append((number, request))
    made = [one for numbered in by_item.values() for one in trees(numbered)]
    return [_unit(parts) for parts in _packed(made, room)]


def _packed(made: Sequence[Tree], room: Room) -> Iterator[list[Tree]]:
    """Trees that share a row, the longest first; each goes into the first row with space."""
    open_rows: list[tuple[int, int, list[Tree]]] = []
    for one in sorted(made, key=lambda tree: (-len(tree), _content(tree))):
        targets = len(one.targets)
        for at, (tokens, wanted, parts) in enumerate(open_rows):
            if tokens + len(one) <= room.row and wanted + targets <= room.targets:
                parts.append(one)
                open_rows[at] = (tokens + len(one), wanted + targets, parts)
                break
        else:
            open_rows.append((len(one), targets, [one]))
        # Rows that are nearly full are looked at no more, so that many trees take little time.
        while len(open_rows) > _OPEN_ROWS:
            yield open_rows.pop(0)[2]
    yield from (parts for _, _, parts in open_rows)


def _content(tree: Tree) -> tuple[Any, ...]:
    """What tells trees of one length apart; equal ones may change places."""
    return tree.tokens, tree.parents, tree.targets


def _unit(parts: Sequence[Tree]) -> Unit:
    row = joined(parts)
    return Unit((row,), tuple(sorted({number for number, _ in row.wanted})))


def batches(made: Sequence[Unit], room: Room) -> Iterator[list[Unit]]:
    """Units of like length together, the longest first: what doesn't fit fails at once.

    Args:
        made: The units.
        room: What fits; a unit that is bigger comes alone.
    """
    order = sorted(
        made, key=lambda unit: (-unit.length, list(map(_content, unit.rows)), unit.requests)
    )
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
