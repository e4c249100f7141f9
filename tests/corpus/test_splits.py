"""Splits: groups stay whole, no split is too big, and what is frozen stays where it is."""

from __future__ import annotations

from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.corpus.splits import REST, SplitRule, draw_splits

RULES = (
    SplitRule("evaluation", 3, 17),
    SplitRule("trace", 2, 17, marked=True),
    SplitRule("direction", 7, 17),
)
#: A corpus as (group, marked) per row; few groups, so that some are big.
corpora = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.booleans()), max_size=40)


def table(corpus: list[tuple[str, bool]], start: int = 0) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [str(start + n) for n in range(len(corpus))],
            "group": [group for group, _ in corpus],
            "marked": [marked for _, marked in corpus],
            "eligible": True,
        },
        schema={"id": pl.String, "group": pl.String, "marked": pl.Boolean, "eligible": pl.Boolean},
    )


def draw(rows: pl.DataFrame, seed: int, frozen: dict[str, str] | None = None) -> dict[str, str]:
    return dict(zip(rows["id"], draw_splits(rows, RULES, seed=seed, frozen=frozen), strict=True))


def splits_by_group(rows: pl.DataFrame, split: dict[str, str]) -> dict[str, set[str]]:
    found = defaultdict(set)
    for row_id, group in zip(rows["id"], rows["group"], strict=True):
        if split[row_id] is not None:
            found[group].add(split[row_id])
    return found


@settings(max_examples=150, deadline=None)
@given(corpus=corpora, seed=st.integers(0, 5))
def test_groups_stay_whole_and_splits_are_as_full_as_groups_allow(
    corpus: list[tuple[str, bool]], seed: int
) -> None:
    rows = table(corpus)
    split = draw(rows, seed)
    assert all(len(found) == 1 for found in splits_by_group(rows, split).values())
    sizes, groups = Counter(split.values()), Counter(rows["group"])
    of_group = {group: names.pop() for group, names in splits_by_group(rows, split).items()}
    unmarked = set(rows.filter(~pl.col("marked"))["group"])
    for rule in RULES:
        wanted = min(rule.share, round(rows.height * rule.share / rule.of))
        assert sizes[rule.name] <= wanted
        left = [group for group, name in of_group.items() if name == REST]
        fits = [group for group in left if groups[group] <= wanted - sizes[rule.name]]
        if rule.marked:
            assert unmarked.isdisjoint(g for g, name in of_group.items() if name == rule.name)
            fits = [group for group in fits if group not in unmarked]
        assert not fits, "a group that fits was left over"


@settings(max_examples=60, deadline=None)
@given(corpus=corpora, order=st.randoms(use_true_random=False), seed=st.integers(0, 5))
def test_the_order_of_rows_changes_nothing(
    corpus: list[tuple[str, bool]], order: object, seed: int
) -> None:
    rows = table(corpus)
    shuffled = list(range(rows.height))
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert draw(rows[shuffled], seed) == draw(rows, seed)


@settings(max_examples=150, deadline=None)
@given(corpus=corpora.filter(len), more=corpora, seed=st.integers(0, 5), other=st.integers(0, 5))
def test_rows_added_later_move_nothing_and_reach_no_drawn_split(
    corpus: list[tuple[str, bool]], more: list[tuple[str, bool]], seed: int, other: int
) -> None:
    old, new = table(corpus), table(more, start=1_000)
    before = draw(old, seed)
    frozen = {row_id: name for row_id, name in before.items() if name != REST}
    if not frozen:
        return
    rows = pl.concat([new, old])
    after = draw(rows, other, frozen)
    assert {row_id: after[row_id] for row_id in before} == before
    taken = {
        group for row_id, group in zip(old["id"], old["group"], strict=True) if row_id in frozen
    }
    for row_id, group in zip(new["id"], new["group"], strict=True):
        assert after[row_id] == (None if group in taken else REST)
    assert all(len(found) == 1 for found in splits_by_group(rows, after).values())


@pytest.mark.parametrize(
    ("rows", "wanted"), [(17_495, 3_000), (60_000_000, 3_000), (8_748, 1_500), (6, 1), (0, 0)]
)
def test_fewer_rows_are_split_in_the_same_proportion(rows: int, wanted: int) -> None:
    assert SplitRule("evaluation", 3_000, 17_495).wanted(rows) == wanted


def test_scarce_marked_rows_are_shared_fairly() -> None:
    # One row in six is marked: evaluation, drawn first, must not be robbed of them by trace.
    rows = table([(f"group {n}", n % 6 == 0) for n in range(1_700)])
    rules = [SplitRule("evaluation", 300, 1_700), SplitRule("trace", 120, 1_700, marked=True)]
    split = draw_splits(rows, rules, seed=1)
    assert Counter(split) == {"evaluation": 300, "trace": 120, REST: 1_280}
    assert 30 <= rows.filter(split == "evaluation")["marked"].sum() <= 70
    assert rows.filter(split == "trace")["marked"].all()


def test_another_seed_draws_other_rows() -> None:
    rows = table([(f"group {n}", False) for n in range(170)])
    assert draw(rows, 1) != draw(rows, 2)


@given(corpora, st.sets(st.integers(0, 39)))
def test_a_group_with_a_row_that_cannot_serve_is_rest(
    corpus: list[tuple[str, bool]], useless: set[int]
) -> None:
    rows = table(corpus)
    eligible = pl.Series("eligible", [n not in useless for n in range(rows.height)], pl.Boolean)
    rows = rows.with_columns(eligible)
    split = draw(rows, seed=3)
    barred = set(rows.filter(~pl.col("eligible"))["group"])
    assert all(
        split[row_id] == REST
        for row_id, group in zip(rows["id"], rows["group"], strict=True)
        if group in barred
    )
