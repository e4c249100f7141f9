"""Gates asked about every row of a frame."""

from __future__ import annotations

import polars as pl
from isogloss.validation.gates import Context, CorpusFacts, Gate, Row
from isogloss.validation.screen import PairColumns, screen, screen_params

AAE, SAE = "african-american-english", "standard-american-english"
FRAME = pl.DataFrame(
    {"a": ["We late", "He gone", "Y'all here"], "b": ["We are late", "", "You are here"],
     "near": [0.9, None, 0.1]}
)  # fmt: skip


def empty(row: Row, context: Context) -> str | None:
    return None if row.target.raw else f"nothing for {context.target_variety}"


def far(row: Row, context: Context) -> str | None:
    assert row.source.words
    similarity = context.columns["similarity"]
    level = context.corpus.levels if context.corpus else None
    return "far" if similarity is not None and similarity < 0.5 and level == {} else None


GATES = [Gate("empty", 1, 1, empty), Gate("far", 3, 2, far, whole_corpus=True)]
PAIR = PairColumns("a", "b", AAE, SAE, AAE, {"similarity": "near"})


def test_every_row_gets_what_each_gate_finds_in_their_order() -> None:
    found = list(screen(FRAME, PAIR, GATES, facts=CorpusFacts()))
    assert [[(f.row, f.code, f.detail) for f in findings] for findings in found] == [
        [],
        [(1, "empty", f"nothing for {SAE}")],
        [(2, "far", "far")],
    ]


def test_columns_are_known_to_gates_by_the_gates_own_names() -> None:
    seen: list[object] = []

    def look(row: Row, context: Context) -> str | None:
        assert row.target.raw is not None
        seen.append(dict(context.columns))
        return None

    list(screen(FRAME, PAIR, [Gate("look", 1, 1, look)]))
    assert seen == [{"similarity": 0.9}, {"similarity": None}, {"similarity": 0.1}]


def test_versions_and_thresholds_are_in_the_key() -> None:
    params = screen_params(PAIR, GATES)
    assert params["gates"] == {"empty": {"version": 1}, "far": {"version": 3}}
    assert params["pair"] == ["a", "b", AAE, SAE]
