"""Batches: nothing is lost or done twice, they keep to their room, and to the requests alone."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.models.scoring.batches import Room, Unit, batches, units
from isogloss.models.scoring.boundary import Encoded
from isogloss.tests.models.scoring.test_tree import ENCODED

SOME = settings(max_examples=20)
#: Requests with their items; "" belongs to none.
REQUESTS = st.lists(st.tuples(ENCODED, st.sampled_from(["", "", "a", "b", "c"])), max_size=14)
ROOMS = st.builds(Room, st.integers(1, 90), st.integers(1, 40), st.integers(1, 30))
Given = list[tuple[Encoded, str]]


def units_of(given_: Given, room: Room, *, tree: bool = True) -> list[Unit]:
    return units(
        dict(enumerate([one for one, _ in given_])), [item for _, item in given_], room, tree=tree
    )


@SOME
@given(REQUESTS, ROOMS, st.booleans())
def test_each_request_is_in_one_unit_and_each_unit_in_one_batch(
    requests: Given, room: Room, tree: bool
) -> None:
    made = units_of(requests, room, tree=tree)
    keys = Counter(key for unit in made for row in unit.rows for key in row.wanted)
    wanted = {(n, p) for n, (one, _) in enumerate(requests) for p in range(len(one.continuations))}
    assert keys == Counter(wanted)
    by_unit = [number for unit in made for number in unit.requests]
    assert sorted(by_unit) == list(range(len(requests)))
    for unit in made:
        assert set(unit.requests) == {number for row in unit.rows for number, _ in row.wanted}
    batched = [unit for batch in batches(made, room) for unit in batch]
    assert Counter(unit.requests for unit in batched) == Counter(unit.requests for unit in made)


@SOME
@given(REQUESTS, ROOMS, st.booleans())
def test_rooms_are_kept_except_by_what_is_too_big_alone(
    requests: Given, room: Room, tree: bool
) -> None:
    made = units_of(requests, room, tree=tree)
    for unit in made:
        if tree and len({one.parents.count(-1) for one in unit.rows} - {1}):
            assert unit.length <= room.row
            assert unit.targets <= room.targets
    for batch in batches(made, room):
        rows = sum(len(unit.rows) for unit in batch)
        if len(batch) > 1:
            assert rows * max(unit.length for unit in batch) <= room.tokens
            assert sum(unit.targets for unit in batch) <= room.targets
    assert [unit.length for batch in batches(made, room) for unit in batch] == sorted(
        (unit.length for unit in made), reverse=True
    )


@SOME
@given(REQUESTS, ROOMS, st.booleans(), st.randoms(use_true_random=False))
def test_batches_hold_the_same_whatever_the_order_of_the_items(
    requests: Given, room: Room, tree: bool, random: Random
) -> None:
    # Requests of one item keep their order: it is the order of their task's plan.
    named = [(one, item or f"alone {number}") for number, (one, item) in enumerate(requests)]
    items = list(dict.fromkeys(item for _, item in named))
    random.shuffle(items)
    turned = [pair for item in items for pair in named if pair[1] == item]
    first, second = (
        [
            [[(row.tokens, row.parents, row.targets) for row in unit.rows] for unit in batch]
            for batch in batches(units_of(one, room, tree=tree), room)
        ]
        for one in (named, turned)
    )
    assert first == second


@SOME
@given(REQUESTS, ROOMS)
def test_the_same_requests_give_the_same_batches(requests: Given, room: Room) -> None:
    first, second = (list(batches(units_of(requests, room), room)) for _ in range(2))
    assert first == second


def test_trees_are_packed_into_rows() -> None:
    requests = [(Encoded((1, 2, 3 + n), ((4, 5),), ("",)), f"item {n}") for n in range(40)]
    made = units_of(requests, Room(tokens=64, row=16, targets=99))
    assert [unit.length for unit in made] == [16] * 10
    assert [len(batch) for batch in batches(made, Room(64, 16, 99))] == [4, 4, 2]
    few = units_of(requests, Room(tokens=64, row=16, targets=2))
    assert {unit.targets for unit in few} == {2}


def test_a_request_without_an_item_shares_with_no_other() -> None:
    same = Encoded(tuple(range(9)), ((4, 5),), ("",))
    room = Room(99, 99, 99)
    assert sum(unit.length for unit in units_of([(same, "")] * 3, room)) == 30
    assert sum(unit.length for unit in units_of([(same, "a")] * 3, room)) == 10
