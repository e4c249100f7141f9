"""The check steps: what a gate catches is rejected with the gate's code, each row once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl
import pytest
from isogloss.builders.engine.step import apply_step
from isogloss.builders.steps.check import check_corpus_step, check_step
from isogloss.corpus.schema import REJECTED
from isogloss.validation.gates import Context, CorpusFacts, Gate, Row
from isogloss.validation.screen import PairColumns

AAE, SAE = "african-american-english", "standard-american-english"
THERE = PairColumns("dialect", "standard", AAE, SAE, AAE, {"similarity": "near"})
BACK = PairColumns("standard", "back", SAE, AAE, AAE, {"similarity": "back_near"})
UseGates = Callable[..., None]


@pytest.fixture
def use_gates(monkeypatch: pytest.MonkeyPatch) -> UseGates:
    """Puts other gates in the place of the real ones."""

    def use(*stubs: Gate) -> None:
        monkeypatch.setattr("isogloss.builders.steps.check.gates", lambda: stubs)

    return use


def on_word(code: str, word: str, *, whole_corpus: bool = False) -> Gate:
    """A gate that catches targets with a word."""

    def check(row: Row, context: Context) -> str | None:
        return f"{word} for {context.target_variety}" if word in row.target.words else None

    return Gate(code, 1, 1, check, whole_corpus=whole_corpus)


def never(row: Row, context: Context) -> str | None:
    raise AssertionError(f"asked about {row.target.raw!r} in {context.target_variety}")


def rows(*standards: str, first: int = 1, back: str = "back {}") -> pl.DataFrame:
    positions = range(first, first + len(standards))
    return pl.DataFrame(
        {
            "position": pl.Series(positions, dtype=pl.Int64),
            "id": pl.Series([f"id{n}" for n in positions], dtype=pl.String),
            "dialect": pl.Series([f"dialect {n}" for n in positions], dtype=pl.String),
            "standard": pl.Series(standards, dtype=pl.String),
            "back": pl.Series([back.format(n) for n in positions], dtype=pl.String),
            "near": pl.Series([n / 10 for n in positions], dtype=pl.Float64),
            "back_near": pl.Series([n / 100 for n in positions], dtype=pl.Float64),
        }
    )


def test_the_first_gate_that_catches_a_row_is_its_reason(use_gates: UseGates) -> None:
    use_gates(on_word("reds", "red"), on_word("blues", "blue"), Gate("all", 1, 1, never, True))
    frame = rows("blue and red", "green", "blue", "red", "grey")
    outcome = apply_step(check_step("check_it", THERE), frame)
    assert outcome.rows.equals(frame[[1, 4]])
    assert outcome.rejected.rows() == [
        (1, "id1", "check_it", "reds", f"red for {SAE}", "blue and red"),
        (3, "id3", "check_it", "blues", f"blue for {SAE}", "blue"),
        (4, "id4", "check_it", "reds", f"red for {SAE}", "red"),
    ]


def test_rows_stay_in_their_order_and_none_may_be_caught_or_all(use_gates: UseGates) -> None:
    use_gates(on_word("reds", "red"))
    frame = rows("a red", "green", "red", "blue")[::-1]
    outcome = apply_step(check_step("check", THERE), frame)
    assert outcome.rows["position"].to_list() == [4, 2]
    assert outcome.rejected["position"].to_list() == [3, 1]
    for part in (frame[:0], frame.filter(position=2), frame.filter(position=1)):
        outcome = apply_step(check_step("check", THERE), part)
        assert outcome.rejected.height == part["standard"].str.contains("red").sum()


def test_the_key_names_the_gates_that_are_asked(use_gates: UseGates) -> None:
    use_gates(on_word("reds", "red"), on_word("blues", "blue", whole_corpus=True))
    assert set(check_step("check", THERE).params["gates"]) == {"reds"}
    closing = check_corpus_step("corpus", [THERE, BACK], measures=["similarity"])
    assert [set(pair["gates"]) for pair in closing.params["pairs"]] == [{"blues"}, {"blues"}]
    assert closing.params["measures"] == ["similarity"]


def test_facts_are_counted_over_all_frames_for_each_pair(use_gates: UseGates) -> None:
    seen: list[CorpusFacts] = []
    columns: list[object] = []

    def look(row: Row, context: Context) -> str | None:
        assert row.source.raw
        assert context.corpus is not None
        if context.corpus not in seen:
            seen.append(context.corpus)
        columns.append(context.columns["similarity"])
        return None

    use_gates(Gate("one", 1, 1, never), Gate("look", 1, 1, look, whole_corpus=True))
    frames = [rows("Same.", "other"), rows("more", "same", first=3)]
    calls = 0

    def stream() -> Iterator[pl.DataFrame]:
        nonlocal calls
        calls += 1
        yield from frames

    step = check_corpus_step("corpus", [THERE, BACK], measures=["similarity"])
    rejected = step.run(stream)
    assert rejected.schema == REJECTED
    assert rejected.is_empty()
    there, back = seen
    assert there.shared == {"same": ["dialect 1", "dialect 4"]}
    assert back.shared == {}
    assert (there.levels["similarity"].median, there.levels["similarity"].n) == (0.25, 4)
    assert back.levels["similarity"].median == pytest.approx(0.025)
    # Both pairs' facts, the shared outputs of the one that has any, and the gates.
    assert calls == 4
    assert sorted(map(str, columns)) == sorted(str(n / by) for n in range(1, 5) for by in (10, 100))


def test_the_first_pair_wins_and_a_row_is_rejected_once(use_gates: UseGates) -> None:
    use_gates(on_word("reds", "red", whole_corpus=True), on_word("3s", "3", whole_corpus=True))
    frames = [
        rows("red", "green", "red 3", first=4, back="red {}"),
        rows("green", "green", "red", back="{} black"),
    ]
    step = check_corpus_step("corpus", [THERE, BACK], measures=["similarity"])
    rejected = step.run(lambda: iter(frames))
    assert rejected.rows() == [
        (3, "id3", "corpus", "reds", f"red for {SAE}", "red"),
        (4, "id4", "corpus", "reds", f"red for {SAE}", "red"),
        (5, "id5", "corpus", "reds", f"red for {AAE}", "red 5"),
        (6, "id6", "corpus", "reds", f"red for {SAE}", "red 3"),
    ]


def test_a_corpus_without_rows_or_gates_rejects_nothing(use_gates: UseGates) -> None:
    use_gates()
    parts: list[list[pl.DataFrame]] = [[], [rows()], [rows("red")]]
    for frames in parts:
        rejected = check_corpus_step("corpus", [THERE], measures=[]).run(frames.copy)
        assert rejected.schema == REJECTED
        assert rejected.is_empty()
