"""Reading ratings: gaps, repetitions, contradictions, strangers."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from isogloss.errors import RatingsError
from isogloss.validation.ratings import read_ratings

Row = tuple[Any, str, str, Any]


def frame(*rows: Row) -> pl.DataFrame:
    return pl.DataFrame(
        rows, schema=["item", "rater", "question", "label"], orient="row", strict=False
    )


@pytest.mark.parametrize("gap", [None, "", "  ", "-1", "-1.0", "−1", "NaN", "nan"])
def test_gaps_are_no_label(gap: str | None) -> None:
    found = read_ratings(frame(("a", "x", "q", "yes"), ("a", "y", "q", gap)))
    assert found.table["label"].to_list() == ["yes"]
    assert found.missing == {"q": 1}
    assert found.raters == 2


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([1.0, float("nan"), -1.0, 0.0], ["0", "1"]),
        ([1.0, None, -1.0, 0.5], ["0.5", "1.0"]),
        ([1, None, -1, 0], ["0", "1"]),
        ([True, None, None, False], ["false", "true"]),
    ],
)
def test_labels_of_other_kinds(labels: list[Any], expected: list[str]) -> None:
    rows = [("a", f"r{i}", "q") for i in range(4)]
    table = frame(*((*row, "") for row in rows)).with_columns(pl.Series("label", labels))
    found = read_ratings(table)
    assert sorted(found.table["label"]) == expected
    assert found.missing == {"q": 2}


def test_codes_for_gaps_are_the_callers_choice() -> None:
    table = frame(("a", "x", "q", "-1"), ("a", "y", "q", "can't say"))
    found = read_ratings(table, missing=["Can't say"])
    assert found.table["label"].to_list() == ["-1"]


def test_the_same_rating_twice_counts_once() -> None:
    row: Row = ("a", "x", "q", "yes")
    gap: Row = ("a", "x", "q", None)
    found = read_ratings(frame(row, ("a", "y", "q", "no"), row, row, gap))
    assert found.table.height == 2
    assert found.repeated == {"q": 2}
    assert found.missing == {"q": 1}


def test_contradictions_are_told_without_the_name() -> None:
    table = frame(
        ("a", "Ms Secret", "q", "yes"), ("b", "Ms Secret", "q", "yes"),
        ("b", "Ms Secret", "other", "no"), ("a", "Ms Secret", "q", "no"),
    )  # fmt: skip
    with pytest.raises(RatingsError, match=r"rows 1, 4: .*item 'a' 2 labels") as caught:
        read_ratings(table)
    assert "Secret" not in str(caught.value)


def test_items_that_the_corpus_lacks() -> None:
    table = frame(("a", "x", "q", "yes"), ("zz", "x", "q", "yes"), ("z", "y", "q", "no"),
                  ("z", "y", "q", "yes"))  # fmt: skip
    found = read_ratings(table, items=["a", "b"])
    assert (found.unknown, found.unknown_ratings) == (("z", "zz"), 3)
    assert found.items == 2
    assert found.raters == 1
    numbers = frame((1, "x", "q", "yes"), (2, "x", "q", "yes"))
    assert read_ratings(numbers, items=["2"]).unknown == ("1",)


@pytest.mark.parametrize("role", ["item", "rater", "label", "question"])
def test_a_missing_column(role: str) -> None:
    table = frame(("a", "x", "q", "yes")).rename({role: "else"})
    with pytest.raises(RatingsError, match=f"columns .*else.*: no column '{role}' for the {role}"):
        read_ratings(table)
    names: dict[str, Any] = {role: "else"}
    assert read_ratings(table, **names).table.height == 1


@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize("value", [None, ""])
def test_a_row_of_nobody(column: int, value: str | None) -> None:
    row: list[str | None] = ["a", "x", "q", "yes"]
    row[column] = value
    with pytest.raises(RatingsError, match="row 2: ratings without an? .*, 1 in all"):
        read_ratings(frame(("b", "x", "q", "yes"), tuple(row)))  # type: ignore[arg-type]


def test_ids_that_lost_digits() -> None:
    with pytest.raises(RatingsError, match="floating-point"):
        read_ratings(frame((2.8e17, "x", "q", "yes")))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["yes", "n" * 10_000_000], "row 2: a label of 10000000 characters"),
        ([str(number) for number in range(201)], "question 'q': 201 different labels"),
        ([["yes"]], "the label column: a column of List"),
    ],
)
def test_what_is_no_label(labels: list[Any], message: str) -> None:
    rows = [(f"i{i}", "x", "q") for i in range(len(labels))]
    table = frame(*((*row, "") for row in rows)).with_columns(pl.Series("label", labels))
    with pytest.raises(RatingsError, match=message) as caught:
        read_ratings(table)
    assert len(str(caught.value)) < 300


def test_raters_are_numbered_by_a_seeded_hash() -> None:
    rows: list[Row] = [("a", f"name {r}", "q", f"l{r}") for r in range(8)]
    orders = {tuple(read_ratings(frame(*rows), seed=seed).table["label"]) for seed in range(5)}
    assert len(orders) > 1
    assert read_ratings(frame(*rows)).table.equals(read_ratings(frame(*rows[::-1])).table)
    assert sorted(read_ratings(frame(*rows)).table["rater"]) == list(range(1, 9))
