"""Duplicates are found as a slow plain search finds them; the sample is seeded and stable."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.builders.engine.duplicates import DuplicateIndex, sample_bound, sample_ranks

COLUMNS = {"position": pl.Int64, "id": pl.String, "posterior": pl.Float64, "dialect": pl.String}


class Row(NamedTuple):
    position: int
    id: str
    posterior: float | None
    dialect: str


def decided(rows: list[Row], part: int = 100) -> dict[int, tuple[str | None, int | None]]:
    index = DuplicateIndex()
    for start in range(0, len(rows), part):
        index.add(pl.DataFrame(rows[start : start + part], schema=COLUMNS, orient="row"))
    table = index.decide()
    assert table["position"].to_list() == sorted(row.position for row in rows)
    return {position: (reason, original) for position, reason, original in table.iter_rows()}


def words(text: str) -> str:
    return " ".join("".join(s.lower() if s.isalnum() else " " for s in text).split())


def oracle(rows: list[Row]) -> dict[int, str | None]:
    """Goes from the best row to the worst; first the ids, then the texts of what is left."""
    reasons: dict[int, str | None] = {}
    for key, reason in ((lambda row: row.id, "duplicate_id"), (words_of, "duplicate_text")):
        seen = set()
        for row in sorted(
            rows, key=lambda r: (-(-1 if r.posterior is None else r.posterior), r[0])
        ):
            if reasons.get(row.position) is None:
                reasons[row.position] = reason if key(row) in seen else None
                seen.add(key(row))
    return reasons


def words_of(row: Row) -> str:
    return words(row.dialect)


texts = st.sampled_from(
    ["We was late", "we was late!", "We  was, late", "we wasnt late", "we wasn't late", "é 5", "É5"]
)
corpora = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from([None, 0.0, 0.8, 0.9]), texts), max_size=14
).map(lambda rows: [Row(3 * n + 1, *row) for n, row in enumerate(rows)])


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(rows=corpora, part=st.integers(1, 14))
def test_decisions_are_those_of_a_plain_search(rows: list[Row], part: int) -> None:
    found = decided(rows, part)
    assert {position: reason for position, (reason, _) in found.items()} == oracle(rows)
    assert decided(rows) == found, "the parts in which rows came changed something"


@settings(max_examples=80, deadline=None)
@given(rows=corpora)
def test_the_row_named_as_original_is_one_that_stays(rows: list[Row]) -> None:
    found = decided(rows)
    for reason, original in found.values():
        assert (reason is None) == (original is None)
        assert original is None or found[original] == (None, None)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("We was late", "WE WAS, LATE!!", True),
        ("we was late", "we was\u00a0late…", True),
        ("we was late", "wewas late", False),
        ("ain't", "aint", False),
        ("5 pm", "6 pm", False),
        ("ÉTÉ", "été", True),
        ("!!!", "???", False),
        ("কি", "কা", False),  # the same letter with two vowel signs: two words
    ],
)
def test_texts_that_differ_in_case_spaces_or_punctuation_are_one(
    one: str, other: str, same: bool
) -> None:
    found = decided([Row(1, "a", 0.9, one), Row(2, "b", 0.9, other)])
    assert found == {1: (None, None), 2: ("duplicate_text", 1) if same else (None, None)}


def test_nothing_added_and_nothing_in_what_was_added() -> None:
    assert decided([]) == {}
    index = DuplicateIndex()
    index.add(pl.DataFrame(schema=COLUMNS))
    assert index.decide().columns == ["position", "reason", "original"]


def sample(ids: list[str], limit: int, seed: int = 1) -> set[str]:
    ranks = sample_ranks(pl.Series(ids, dtype=pl.String), seed=seed)
    bound = sample_bound(ranks, limit)
    return {i for i, rank in zip(ids, ranks, strict=True) if bound is None or rank <= bound}


@settings(max_examples=60, deadline=None)
@given(count=st.integers(0, 60), limit=st.integers(1, 70), more=st.integers(0, 30))
def test_a_sample_has_its_size_and_hardly_changes_with_the_source(
    count: int, limit: int, more: int
) -> None:
    ids = [str(number) for number in range(count + more)]
    small = sample(ids[:count], limit)
    assert len(small) == min(limit, count)
    assert sample(ids[:count][::-1], limit) == small
    assert small <= sample(ids[:count], limit + 1)
    # What a bigger source pushes out of the sample, its new rows have taken the place of.
    assert sample(ids, limit) & set(ids[:count]) <= small


def test_ranks_are_pinned() -> None:
    # The same hash for another purpose would tie the sample to the splits.
    assert list(sample_ranks(pl.Series(["1"]), seed=0)) == [0x751006DA617CD7B0]


def test_a_sample_depends_on_the_seed_and_not_on_the_head() -> None:
    ids = [str(number) for number in range(1_000)]
    first, second = sample(ids, 200, seed=1), sample(ids, 200, seed=2)
    assert 15 <= len(first & second) <= 75, "40 are expected by chance"
    assert 15 <= len(first & set(ids[:200])) <= 75
