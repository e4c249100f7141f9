"""Token trees: what goes in can be read back, and a node sees what a row of its own would show."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.models.scoring.boundary import Encoded
from isogloss.models.scoring.tree import Tree, joined, plain_rows, trees

SOME = settings(max_examples=20)
TOKENS = st.integers(0, 3)


def encoded(context: list[int], continuations: list[list[int]]) -> Encoded:
    rests = tuple(map(tuple, continuations))
    return Encoded(tuple(context), rests, ("",) * len(rests))


#: Few different tokens, so that much is shared.
ENCODED = st.builds(
    encoded,
    st.lists(TOKENS, min_size=1, max_size=12),
    st.lists(st.lists(TOKENS, min_size=1, max_size=6), min_size=1, max_size=3),
)
ITEMS = st.lists(ENCODED, min_size=1, max_size=6)


def path(tree: Tree, node: int) -> list[int]:
    """Nodes from the first to this one, along parents."""
    nodes = []
    while node >= 0:
        nodes.append(node)
        node = tree.parents[node]
    return nodes[::-1]


def check_reads_back(tree: Tree, requests: dict[int, Encoded]) -> None:
    """Every wanted node stands behind exactly the tokens that the sequence has before it."""
    for (number, place), (nodes, tokens) in tree.wanted.items():
        request = requests[number]
        assert tuple(tokens) == request.continuations[place]
        sequence = [*request.context, *tokens]
        for node, token, at in zip(nodes, tokens, range(len(request.context), 99), strict=False):
            assert [tree.tokens[one] for one in path(tree, node)] == sequence[:at]
            assert sequence[at] == token


@SOME
@given(ITEMS)
def test_every_sequence_is_read_back_from_its_tree(requests: list[Encoded]) -> None:
    made = trees(list(enumerate(requests)))
    for tree in made:
        check_reads_back(tree, dict(enumerate(requests)))
    keys = sorted(key for tree in made for key in tree.wanted)
    assert keys == [(n, p) for n, r in enumerate(requests) for p in range(len(r.continuations))]


@SOME
@given(ITEMS)
def test_nothing_is_computed_twice_in_a_tree(requests: list[Encoded]) -> None:
    for tree in trees(list(enumerate(requests))):
        assert all(parent < node for node, parent in enumerate(tree.parents))
        paths = {tuple(tree.tokens[one] for one in path(tree, node)) for node in range(len(tree))}
        assert len(paths) == len(tree)
        # A last token is predicted, never read: each node leads to one that is wanted.
        wanted = {node for nodes, _ in tree.wanted.values() for node in nodes}
        assert {one for node in wanted for one in path(tree, node)} == set(range(len(tree)))


@SOME
@given(ITEMS)
def test_mask_and_positions_are_those_along_the_parents(requests: list[Encoded]) -> None:
    row = joined(trees(list(enumerate(requests))))
    naive = np.zeros((len(row), len(row)), dtype=bool)
    for node in range(len(row)):
        naive[node, path(row, node)] = True
    assert np.array_equal(row.sees(), naive)
    assert row.depths().tolist() == [len(path(row, node)) - 1 for node in range(len(row))]


@SOME
@given(ITEMS)
def test_joined_trees_do_not_see_each_other(requests: list[Encoded]) -> None:
    parts = [tree for number, request in enumerate(requests) for tree in trees([(number, request)])]
    row = joined(parts)
    assert len(row) == sum(map(len, parts))
    check_reads_back(row, dict(enumerate(requests)))
    sees, start = row.sees(), 0
    for part in parts:
        own = slice(start, start + len(part))
        assert np.array_equal(sees[own, own], part.sees())
        assert not sees[own, :start].any()
        assert not sees[own, start + len(part) :].any()
        start += len(part)


@SOME
@given(ENCODED)
def test_plain_rows_are_chains_with_one_continuation_each(request: Encoded) -> None:
    rows = plain_rows(5, request)
    assert [set(row.wanted) for row in rows] == [{(5, p)} for p in range(len(rows))]
    for row, tokens in zip(rows, request.continuations, strict=True):
        check_reads_back(row, {5: request})
        assert row.tokens == [*request.context, *tokens[:-1]]
        assert row.parents == list(range(-1, len(row) - 1))


@SOME
@given(ITEMS)
def test_targets_are_every_wanted_pair_once(requests: list[Encoded]) -> None:
    for tree in trees(list(enumerate(requests))):
        pairs = [pair for nodes, tokens in tree.wanted.values() for pair in zip(nodes, tokens)]  # noqa: B905
        assert tree.targets == sorted(set(pairs))


def test_four_combinations_share_what_they_begin_with() -> None:
    context = [9, 1, 1, 2, 3, 4, 5, 6]
    first = encoded([*context, 7], [[10, 11, 12], [10, 11, 13]])
    second = encoded([*context, 8], [[10, 11, 12], [10, 11, 13]])
    (tree,) = trees([(0, first), (1, second)])
    # Eight tokens once; behind either end of the context two more, once for both continuations.
    assert len(tree) == 8 + 2 * 3
    assert tree.wanted[0, 0][0][:2] == tree.wanted[0, 1][0][:2]


def test_requests_that_hardly_begin_alike_have_trees_of_their_own() -> None:
    first, second = encoded([9, *range(8)], [[1]]), encoded([9, *range(20, 28)], [[1]])
    assert [set(tree.wanted) for tree in trees([(0, first), (1, second)])] == [{(0, 0)}, {(1, 0)}]
