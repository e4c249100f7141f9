"""The sample: shares are kept, order doesn't matter, and a larger one holds a smaller one."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from isogloss.annotation.sample import sample_items, strata_of

SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=6)


def frame_of(sizes: list[int]) -> pl.DataFrame:
    strata = [name for name, size in zip("abcdef", sizes, strict=False) for _ in range(size)]
    return pl.DataFrame({"id": [f"{n:03d}" for n in range(len(strata))], "variety": strata})


@given(SIZES, st.integers(1, 250), st.integers(0, 5))
def test_as_many_as_wanted_with_one_of_each_stratum(sizes: list[int], n: int, seed: int) -> None:
    frame = frame_of(sizes)
    drawn = sample_items(frame, strata=["variety"], n=n, seed=seed)
    assert drawn.height == min(n, frame.height)
    assert drawn["id"].is_sorted()
    assert drawn["variety"].n_unique() == min(len(sizes), n)


@given(SIZES, st.integers(1, 120), st.integers(0, 120), st.integers(0, 5))
def test_a_larger_sample_holds_a_smaller_one(
    sizes: list[int], n: int, more: int, seed: int
) -> None:
    frame = frame_of(sizes)
    small = sample_items(frame, strata=["variety"], n=n, seed=seed)
    large = sample_items(frame, strata=["variety"], n=n + more, seed=seed)
    assert set(small["id"]) <= set(large["id"])


@given(SIZES, st.integers(1, 60), st.randoms())
def test_the_order_of_the_rows_does_not_matter(sizes: list[int], n: int, random: object) -> None:
    frame = frame_of(sizes)
    order = list(range(frame.height))
    random.shuffle(order)  # type: ignore[attr-defined]
    first = sample_items(frame, strata=["variety"], n=n, seed=1)
    assert sample_items(frame[order], strata=["variety"], n=n, seed=1).equals(first)


def test_strata_keep_their_shares() -> None:
    drawn = sample_items(frame_of([40, 20, 15, 4, 1]), strata=["variety"], n=20, seed=0)
    counts = dict(drawn["variety"].value_counts().iter_rows())
    # By share 10, 5, 3.75, 1 and 0.25: the last one gets its one row, the first gives it.
    assert counts == {"a": 9, "b": 5, "c": 4, "d": 1, "e": 1}


def test_another_seed_draws_others_and_no_strata_are_one() -> None:
    frame = frame_of([40])
    draws = {tuple(sample_items(frame, strata=[], n=5, seed=seed)["id"]) for seed in range(5)}
    assert len(draws) == 5


def test_strata_of_several_columns_are_told_apart() -> None:
    frame = pl.DataFrame({"a": ["x", "x / y", None], "b": ["y / z", "z", "y"]})
    assert strata_of(frame, ["a", "b"]).n_unique() == 3
    assert strata_of(frame, ["a"]).to_list() == ["x", "x / y", ""]
    assert strata_of(frame, []).to_list() == ["", "", ""]
