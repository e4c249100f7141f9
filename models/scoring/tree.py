"""Token trees: what sequences begin with alike is computed once.

The sequences of one item form a tree. Its nodes are tokens, each behind its parent, and a node
attends to its ancestors alone, which is what it would have seen in a row of its own; its
position is its depth. A sequence's last token is predicted and never read, so leaves are no
nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .boundary import Encoded

__all__ = ["Tree", "joined", "plain_rows", "trees"]

#: Requests whose contexts begin with so many tokens alike share a tree.
_WORTH_SHARING = 8


@dataclass(slots=True)
class Tree:
    """Tokens that are read in one row.

    Attributes:
        tokens: Token ids.
        parents: For each node the node before it; -1 for the first.
        wanted: For each continuation, by the numbers of its request and its own: the nodes whose
            prediction is wanted, in order, and the tokens that they must predict.
    """

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    wanted: dict[tuple[int, int], tuple[list[int], list[int]]] = field(default_factory=dict)
    _children: dict[tuple[int, int], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def targets(self) -> list[tuple[int, int]]:
        """Every node with a token that it must predict, once, sorted."""
        return sorted({pair for nodes, tokens in self.wanted.values()
                       for pair in zip(nodes, tokens, strict=True)})  # fmt: skip

    def add(self, number: int, request: Encoded, *, only: int | None = None) -> None:
        """Adds a request's sequences, or that of one of its continuations."""
        last = self._walk(-1, request.context)
        for place, tokens in enumerate(request.continuations):
            if only is not None and place != only:
                continue
            nodes = [last]
            for token in tokens[:-1]:
                nodes.append(self._child(nodes[-1], token))
            self.wanted[number, place] = (nodes, list(tokens))

    def _walk(self, node: int, tokens: Iterable[int]) -> int:
        for token in tokens:
            node = self._child(node, token)
        return node

    def _child(self, parent: int, token: int) -> int:
        found = self._children.get((parent, token))
        if found is None:
            found = self._children[parent, token] = len(self.tokens)
            self.tokens.append(token)
            self.parents.append(parent)
        return found

    def depths(self) -> NDArray[np.int64]:
        """Position of each node in its sequence, shape ``(nodes,)``."""
        depths = np.zeros(len(self), dtype=np.int64)
        for node, parent in enumerate(self.parents):
            depths[node] = depths[parent] + 1 if parent >= 0 else 0
        return depths

    def sees(self) -> NDArray[np.bool_]:
        """Which nodes each node attends to: its ancestors and itself, shape ``(nodes, nodes)``."""
        mask = np.zeros((len(self), len(self)), dtype=np.bool_)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                mask[node] = mask[parent]
            mask[node, node] = True
        return mask


def trees(requests: Sequence[tuple[int, Encoded]]) -> list[Tree]:
    """Trees of one item's requests: those that begin alike share one.

    Args:
        requests: The requests with their numbers.

    Example:
        >>> a = Encoded((1, 2), ((3, 4), (3, 5)), ("", ""))
        >>> tree, = trees([(0, a)])
        >>> tree.tokens, tree.parents, tree.wanted[0, 1]
        ([1, 2, 3], [-1, 0, 1], ([1, 2], [3, 5]))
    """
    made: list[tuple[tuple[int, ...], Tree]] = []
    for number, request in requests:
        for context, tree in made:
            if _alike(context, request.context) >= min(_WORTH_SHARING, len(request.context)):
                tree.add(number, request)
                break
        else:
            tree = Tree()
            tree.add(number, request)
            made.append((request.context, tree))
    return [tree for _, tree in made]


def joined(parts: Sequence[Tree]) -> Tree:
    """Several trees as one row: a forest, whose trees don't see each other.

    Example:
        >>> one = Tree([1, 2], [-1, 0], {(0, 0): ([1], [9])})
        >>> row = joined([one, Tree([5], [-1], {(1, 0): ([0], [7])})])
        >>> row.parents, row.wanted[1, 0]
        ([-1, 0, -1], ([2], [7]))
    """
    row = Tree()
    for part in parts:
        start = len(row)
        row.tokens += part.tokens
        row.parents += [parent + start if parent >= 0 else -1 for parent in part.parents]
        for key, (nodes, tokens) in part.wanted.items():
            row.wanted[key] = ([node + start for node in nodes], tokens)
    return row


def plain_rows(number: int, request: Encoded) -> list[Tree]:
    """A request's sequences in rows of their own, for models that know no trees."""
    rows = []
    for place in range(len(request.continuations)):
        row = Tree()
        row.add(number, request, only=place)
        rows.append(row)
    return rows


def _alike(first: Sequence[int], second: Sequence[int]) -> int:
    most = min(len(first), len(second))
    return next((at for at in range(most) if first[at] != second[at]), most)
