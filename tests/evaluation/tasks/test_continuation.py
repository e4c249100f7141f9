"""The continuation task: four combinations by hand, and what must hold for any model."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.evaluation import Measured, Request
from isogloss.evaluation.preference import SIDES, cut_at
from isogloss.evaluation.tasks.continuation import TASK, Continuation
from isogloss.models.scoring import Score, Scored, ScoreRequest
from isogloss.stats import Bootstrap
from isogloss.tests.evaluation.made import Answers, by_length, pairs, scored_as, values

FEW = Bootstrap(resamples=50, seed=0)
SOME = settings(max_examples=12)
LOGPS = st.floats(-200, -0.01)


def measured(rows: pl.DataFrame, answers: Any) -> Measured:
    return Continuation().measure(rows, answers, bootstrap=FEW)


def row(**values_: Any) -> pl.DataFrame:
    return pl.DataFrame(
        {"id": "a", "dialect": "We was late", "standard": "We were too late",
         "dialect_boundary": 2, "standard_boundary": 2, **values_}
    )  # fmt: skip


class Table:
    """Answers by context and continuation: log-probabilities of tokens."""

    def __init__(self, table: dict[tuple[str, str], tuple[float, ...]]) -> None:
        self._table = table

    def get(self, request: Request) -> Score:
        assert isinstance(request.ask.context, str)
        context = request.ask.context
        return Score(
            tuple(
                Scored(self._table[context, text], len(text), len(text.encode()))
                for text in request.ask.continuations
            ),
            2, shortened=1, cut=3,
        )  # fmt: skip


BY_HAND = Table(
    {
        ("We was", " late"): (-1.0, -2.0),
        ("We was", " too läte"): (-4.0, -1.0, -1.0, -2.0),
        ("We were", " late"): (-2.0, -3.0),
        ("We were", " too läte"): (-1.0, -1.0, -0.5, -0.5),
    }
)


def test_four_combinations_by_hand() -> None:
    found = measured(row(standard="We were too läte"), BY_HAND)
    got = values(found.metrics)
    # b_SAE = P(y_SAE|x_SAE) - P(y_AAE|x_SAE); b_AAE = P(y_AAE|x_AAE) - P(y_SAE|x_AAE).
    b_standard, b_dialect = -3.0 - -5.0, -3.0 - -8.0
    assert got["b_standard"] == b_standard == 2
    assert got["b_dialect"] == b_dialect == 5
    assert got["lp"] == b_standard - b_dialect
    assert got["matching"] == b_standard + b_dialect
    assert got["b_standard_per_token"] == -3 / 4 - -5 / 2
    assert got["b_dialect_per_token"] == -3 / 2 - -8 / 4
    assert got["b_standard_per_byte"] == pytest.approx(-3 / 10 - -5 / 5)  # ä takes two
    assert got["b_dialect_per_byte"] == pytest.approx(-3 / 5 - -8 / 10)
    assert got["lp_per_token"] == got["b_standard_per_token"] - got["b_dialect_per_token"]
    assert got["perplexity dialect | dialect"] == pytest.approx(math.exp(3 / 2))
    assert got["perplexity standard | dialect"] == pytest.approx(math.exp(8 / 4))
    assert got["perplexity dialect | standard"] == pytest.approx(math.exp(5 / 2))
    assert got["perplexity standard | standard"] == pytest.approx(math.exp(3 / 4))
    assert got["bits_per_byte standard | dialect"] == pytest.approx(8 / math.log(2) / 10)
    assert got["mean_item_perplexity dialect | dialect"] == pytest.approx(math.exp(3 / 2))
    item = found.items.row(0, named=True)
    assert item["logprob_standard_given_dialect"] == -8
    assert (item["tokens_standard_given_dialect"], item["bytes_standard_given_dialect"]) == (4, 10)
    assert (item["shortened"], item["cut"]) == (2, 6)  # of both contexts
    assert found.excluded == {}


def test_perplexity_is_over_all_tokens_and_the_mean_of_items_is_another() -> None:
    rows = pl.concat([row(), row(id="b", dialect="He is so very late", standard="He is so")])
    logps = {" late": -2.0, " so very late": -9.0}
    found = measured(rows, Answers(lambda _, y: logps.get(y, -1.0)))
    got = values(found.metrics)
    assert got["perplexity dialect | dialect"] == pytest.approx(math.exp(11 / 4))
    assert got["mean_item_perplexity dialect | dialect"] == pytest.approx(
        (math.exp(2) + math.exp(3)) / 2
    )
    assert got["bits_per_byte dialect | dialect"] == pytest.approx(11 / math.log(2) / 18)


@SOME
@given(st.lists(st.tuples(LOGPS, LOGPS, LOGPS, LOGPS), min_size=1, max_size=8))
def test_lp_and_matching_are_means_of_the_two_sides(table: list[tuple[float, ...]]) -> None:
    rows = pairs(len(table))
    found = measured(rows, _tabled(rows, table))
    got = values(found.metrics)
    for scale in ("", "_per_token", "_per_byte"):
        dialect, standard = (found.items[f"b_{side}{scale}"] for side in SIDES)
        assert got[f"lp{scale}"] == pytest.approx((standard - dialect).mean(), abs=1e-9)
        assert got[f"matching{scale}"] == pytest.approx((standard + dialect).mean(), abs=1e-9)
    own, other = (found.items[f"logprob_{one}_given_standard"] for one in ("standard", "dialect"))
    assert (found.items["b_standard"] - (own - other)).abs().max() == pytest.approx(0, abs=1e-9)


@SOME
@given(st.lists(st.tuples(LOGPS, LOGPS), min_size=1, max_size=8))
def test_a_model_blind_to_contexts_has_no_matching_effect(table: list[tuple[float, ...]]) -> None:
    rows = pairs(len(table))
    found = measured(rows, _tabled(rows, [(d, s, d, s) for d, s in table]))
    for one in found.metrics:
        if one.name.startswith("matching"):
            assert one.estimate.value == 0
        if one.name == "lp":  # twice the preference for the standard continuation
            expected = sum(2 * (standard - dialect) for dialect, standard in table) / len(table)
            assert one.estimate.value == pytest.approx(expected, abs=1e-9)


@SOME
@given(st.lists(st.tuples(LOGPS, LOGPS, LOGPS, LOGPS), min_size=1, max_size=8))
def test_swapping_the_varieties_flips_lp_and_keeps_matching(
    table: list[tuple[float, ...]],
) -> None:
    rows = pairs(len(table))
    swapped = rows.rename(
        {"dialect": "standard", "standard": "dialect", "dialect_boundary": "standard_boundary",
         "standard_boundary": "dialect_boundary"}
    )  # fmt: skip
    first = values(measured(rows, _tabled(rows, table)).metrics)
    turned = [(ss, sd, ds, dd) for dd, ds, sd, ss in table]
    second = values(measured(swapped, _tabled(swapped, turned)).metrics)
    for scale in ("", "_per_token", "_per_byte"):
        assert second[f"lp{scale}"] == pytest.approx(-first[f"lp{scale}"], abs=1e-9)
        assert second[f"matching{scale}"] == pytest.approx(first[f"matching{scale}"], abs=1e-9)
        assert second[f"b_dialect{scale}"] == pytest.approx(first[f"b_standard{scale}"], abs=1e-9)
    assert second["perplexity standard | dialect"] == pytest.approx(
        first["perplexity dialect | standard"]
    )


def _tabled(rows: pl.DataFrame, table: Sequence[tuple[float, ...]]) -> Any:
    """Answers from four numbers a row: dd, ds, sd, ss (context, then continuation)."""
    by_id = dict(zip(rows["id"], table, strict=True))
    contexts = {
        (row_id, cut_at(text, at)[0]): side
        for row_id, *cells in rows.select(
            "id", "dialect", "dialect_boundary", "standard", "standard_boundary"
        ).iter_rows()
        for side, text, at in (("dialect", *cells[:2]), ("standard", *cells[2:]))
    }

    class Tabled:
        def get(self, request: Request) -> Score:
            ask = request.ask
            assert isinstance(ask.context, str)
            at = 2 * SIDES.index(contexts[ask.item, ask.context])
            logps = by_id[ask.item][at : at + 2]
            return Score(tuple(map(scored_as, logps, ask.continuations)), 3)

    return Tabled()


def test_each_context_is_asked_once_with_both_continuations() -> None:
    asked = [one.ask for one in Continuation().plan(row(), Answers(by_length))]
    assert asked == [
        ScoreRequest("We was", (" late", " too late"), item="a"),
        ScoreRequest("We were", (" late", " too late"), item="a"),
    ]


@pytest.mark.parametrize(
    "missing",
    [{"dialect_boundary": None}, {"dialect_boundary": 0}, {"standard_boundary": 4},
     {"dialect_boundary": 99}, {"dialect": "We was "}, {"standard_boundary": -1}],
)  # fmt: skip
def test_rows_without_boundaries_are_counted_not_asked(missing: dict[str, Any]) -> None:
    rows = pl.concat([row(id="b"), row(**missing)], how="vertical_relaxed")
    assert {one.ask.item for one in Continuation().plan(rows, Answers(by_length))} == {"b"}
    found = measured(rows, Answers(by_length))
    assert found.excluded == {"no_boundaries": 1}
    assert found.items["id"].to_list() == ["b"]


@pytest.mark.parametrize(
    "missing",
    [{"standard": None}, {"dialect": None}, {"dialect": ""}, {"dialect": " \t"},
     {"standard": None, "standard_boundary": None}],
)  # fmt: skip
def test_rows_without_text_are_counted_apart(missing: dict[str, Any]) -> None:
    other = row(id="c", dialect_boundary=None)
    rows = pl.concat([row(id="b"), row(**missing), other], how="vertical_relaxed")
    found = measured(rows, Answers(by_length))
    assert found.excluded == {"no_text": 1, "no_boundaries": 1}
    assert found.items["id"].to_list() == ["b"]


def test_tokens_that_were_cut_or_shortened_are_totalled() -> None:
    twice = pl.concat([row(standard="We were too läte"), row(id="b", standard="We were too läte")])
    assert measured(twice, BY_HAND).notes == {
        "rows_cut": 2, "tokens_cut": 2 * 2 * 3, "rows_shortened": 2, "tokens_shortened": 2 * 2,
        "same_continuation": 0,
    }  # fmt: skip
    assert set(measured(twice, Answers(by_length)).notes.values()) == {0}


def test_the_same_continuation_on_both_sides_counts_as_nothing_and_is_told() -> None:
    rows = pl.concat([row(), row(id="b", standard="We were late")])
    found = measured(rows, Answers(by_length))
    assert found.notes["same_continuation"] == 1
    same = found.items.row(1, named=True)
    assert same["b_dialect"] == same["b_standard"] == 0
    alone = measured(row(), Answers(by_length))
    for name in ("lp", "matching"):
        half, whole = (values(one.metrics)[name] for one in (found, alone))
        assert half == pytest.approx(whole / 2)


@pytest.mark.parametrize("bad", [math.nan, -math.inf])
def test_what_is_not_finite_is_counted_and_never_zero(bad: float) -> None:
    rows = pl.concat([row(), row(id="b", dialect="He is gone", standard="He has gone away")])
    found = measured(rows, Answers(lambda _, y: bad if y == " gone" else -3.0))
    assert found.excluded == {"not_finite": 1}
    assert found.items["id"].to_list() == ["a"]
    assert {one.estimate.n for one in found.metrics} == {1}


def test_nothing_that_could_be_measured_gives_nan_with_a_reason() -> None:
    found = measured(row(), Answers(lambda _, __: math.nan))
    assert found.items.height == 0
    assert all(math.isnan(one.estimate.value) for one in found.metrics)
    assert all(one.estimate.n == 0 and one.estimate.reason for one in found.metrics)


def test_a_model_that_expects_something_else_entirely_is_no_overflow() -> None:
    rows = pairs(60)
    found = measured(rows, Answers(lambda _, y: -900.0 * len(y)))
    perplexity = next(one for one in found.metrics if one.name == "perplexity")
    assert perplexity.estimate.value == math.inf
    assert perplexity.to_dict()["value"] is None
    assert perplexity.estimate.reason == "beyond the largest number"


def test_limits_of_few_items_keep_to_the_range_and_overflow_nothing() -> None:
    rows = pairs(4)
    found = measured(rows, _tabled(rows, [(one,) * 4 for one in (-1.0, -333.0, -1.5, -2.0)]))
    highs = [one.estimate.high for one in found.metrics if "perplexity" in one.name]
    assert math.inf in highs  # else the test would say little
    for one in found.metrics:
        least = {"bits_per_byte": 0, "perplexity": 1, "mean_item_perplexity": 1}.get(one.name)
        assert least is None or one.estimate.value >= one.estimate.low >= least


def test_intervals_are_over_authors() -> None:
    rows = pairs(60, authors=12)
    found = measured(rows, Answers(by_length))
    assert {one.estimate.clusters for one in found.metrics} == {12}
    assert {one.estimate.n for one in found.metrics} == {60}
    alone = measured(rows.drop("author"), Answers(by_length))
    assert {one.estimate.clusters for one in alone.metrics} == {60}
    # An author who isn't known is one of their own.
    half = rows.with_columns(
        author=pl.when(pl.col("author") == "a0").then(None).otherwise("author")
    )
    partly = measured(half, Answers(by_length))
    assert {one.estimate.clusters for one in partly.metrics} == {11 + 5}


def test_the_same_answers_give_the_same_numbers() -> None:
    rows = pairs(60)
    first, second = (measured(rows, Answers(by_length)) for _ in range(2))
    assert [one.to_dict() for one in first.metrics] == [one.to_dict() for one in second.metrics]
    assert first.items.equals(second.items)


@given(st.text("ab \n\t\u00a0é", max_size=20), st.integers(-2, 12))
def test_a_cut_joins_back_and_leaves_the_space_to_the_continuation(text: str, words: int) -> None:
    context, rest = cut_at(text, words)
    assert context + rest == text
    assert len(context.split()) == min(max(words, 0), len(text.split()))
    if 0 < words < len(text.split()):
        assert re.match(r"\s+\S", rest)
        assert not context[-1].isspace()


def test_the_task_says_what_it_needs() -> None:
    assert TASK.name == "continuation"
    assert "dialect_boundary" in TASK.columns
    assert not isinstance(TASK.remedy, str)
    assert "--encoder" in TASK.remedy["dialect_boundary"]
    assert "--encoder" not in TASK.remedy["standard"]
    assert TASK.summary.endswith(".")
