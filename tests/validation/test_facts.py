"""Facts of a whole corpus: shared outputs and levels, in two passes."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.validation.facts import collect
from isogloss.validation.gates import CorpusFacts
from isogloss.validation.gates.column import Column
from isogloss.validation.gates.gate import MAX_SOURCES
from isogloss.validation.gates.keys import output_key

SCHEMA = {"source": pl.String, "target": pl.String, "near": pl.Float64}
Rows = list[tuple[str | None, str | None, float | None]]


def collected(rows: Rows, size: int = 3) -> CorpusFacts:
    frames = [
        pl.DataFrame(rows[at : at + size], schema=SCHEMA, orient="row")
        for at in range(0, len(rows), size)
    ]
    return collect(lambda: iter(frames), source="source", target="target", measures=["near"])


def test_shared_outputs_with_their_sources() -> None:
    found = collected(
        [
            ("We late", "No.", 1),
            ("Who was it", "no", 2),
            ("we LATE!", "NO", 3),
            ("Tryna sleep", "Yes", 4),
            ("Tryna sleep.", "yes", 5),
            (None, "no", 6),
            ("Where", None, 7),
        ]
    )
    assert found.shared == {"no": ["We late", "Who was it"]}


def test_level_of_a_measure() -> None:
    level = collected([("a", "b", value) for value in (0.1, 0.2, 0.3, 0.9, None, math.nan)])
    assert level.levels["near"].n == 4
    assert level.levels["near"].median == pytest.approx(0.25)
    assert level.levels["near"].mad == pytest.approx(0.1)


@pytest.mark.parametrize("rows", [[], [("a", "b", None)], [(None, None, math.inf)]])
def test_nothing_to_count(rows: Rows) -> None:
    found = collected(rows)
    assert found.shared == {}
    assert found.levels["near"].n == 0
    assert math.isnan(found.levels["near"].median)


def test_empty_outputs_are_no_outputs() -> None:
    assert collected([("a", " ", 1), ("b", "", 1), ("c", "?!", 1), ("d", "?!", 1)]).shared == {
        "?!": ["c", "d"]
    }


def test_a_refusal_does_not_fill_the_memory() -> None:
    number = MAX_SOURCES + 40
    found = collected([(f"source {n}", "I can't.", 1) for n in range(number)], size=50)
    assert found.shared["i can t"] == [f"source {n}" for n in range(MAX_SOURCES)]


def test_texts_are_kept_in_the_second_pass_only() -> None:
    passes = []

    def frames() -> Iterator[pl.DataFrame]:
        passes.append(1)
        yield pl.DataFrame([("a", "b", 1.0), ("c", "d", 1.0)], schema=SCHEMA, orient="row")

    collect(frames, source="source", target="target", measures=[])
    assert len(passes) == 1


def test_hash_collisions_share_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sevens = property(lambda column: np.full(len(column.texts), 7, dtype=np.uint64))
    monkeypatch.setattr(Column, "key_bags", sevens)
    found = collected([("a", "one", 1), ("b", "two", 1), ("c", "one", 1)])
    assert found.shared == {"one": ["a", "c"]}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("He's here!", "he s HERE", True),
        ("Straße", "STRASSE", True),
        ("কা", "কি", False),  # vowel signs are no punctuation
        ("2:30", "2.30", True),
        ("...", "?", False),
    ],
)
def test_what_counts_as_the_same_output(one: str, other: str, same: bool) -> None:
    assert (output_key(one) == output_key(other)) is same


texts = st.sampled_from(["we late", "We late!", "who", "no", "No.", "", "?", "yes"])
rows = st.lists(st.tuples(texts, texts, st.floats(0, 1) | st.none()), max_size=30)


@given(rows, st.integers(1, 31))
def test_the_pieces_it_comes_in_are_no_matter(rows: Rows, size: int) -> None:
    assert repr(collected(rows, size)) == repr(collected(rows))


@given(rows)
def test_the_same_as_counting_in_memory(rows: Rows) -> None:
    by_output: dict[str, dict[str, str]] = defaultdict(dict)
    for source, target, _ in rows:
        assert source is not None
        assert target is not None
        if output_key(target):
            by_output[output_key(target)].setdefault(output_key(source), source)
    found = collected(rows)
    expected = {key: [*texts.values()] for key, texts in by_output.items() if len(texts) > 1}
    assert found.shared == expected
    values = [value for _, _, value in rows if value is not None]
    if values:
        assert found.levels["near"].median == pytest.approx(statistics.median(values))
