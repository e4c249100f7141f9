"""The forced choice: orders, wordings, letters with a pull of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.evaluation import Measured, Question, Request
from isogloss.evaluation.tasks.forced_choice import TASK, WORDINGS, ForcedChoice
from isogloss.models.chat import Fault
from isogloss.models.scoring import Score, Scored
from isogloss.stats import Bootstrap

FEW = Bootstrap(resamples=20, seed=0)
#: Log-odds of the text of option A over that of option B, of a question.
Odds = Callable[[str, str, str], float]


def rows(count: int = 1, **more: Any) -> pl.DataFrame:
    return pl.DataFrame(
        {"id": [f"r{n}" for n in range(count)], "dialect": "We was finna go",
         "standard": "We were about to go", "dialect_boundary": 2, "standard_boundary": 2, **more}
    )  # fmt: skip


class Chooser:
    """A model whose choice is a function of the question's end and of both options."""

    def __init__(self, odds: Odds) -> None:
        self._odds = odds
        self.asked: list[str] = []

    def get(self, request: Request) -> Score:
        context = request.ask.context
        assert not isinstance(context, str)
        ((role, text),) = context
        assert (role, request.ask.continuations) == ("user", ("A", "B"))
        self.asked.append(text)
        first, second = (text.split(f"\n{letter}: ")[1].split("\n")[0] for letter in "AB")
        a = self._odds(text.rsplit("\n", 1)[1], first, second)
        logs = -math.log1p(math.exp(-a)), -math.log1p(math.exp(a))
        return Score(tuple(Scored((one,), 1, 1) for one in logs), 9)

    def reply(self, question: Question) -> None:
        """It is not asked for words."""


def measured(frame: pl.DataFrame, answers: Any) -> Measured:
    return ForcedChoice().measure(frame, answers, bootstrap=FEW)


def values(found: Measured) -> dict[str, float]:
    return {f"{one.name} {one.of}": one.estimate.value for one in found.metrics}


def test_a_model_that_likes_the_standard_and_letter_a() -> None:
    def odds(_: str, first: str, second: str) -> float:
        return 1.5 + 2 * (("about" in first) - ("about" in second))

    got = values(measured(rows(), Chooser(odds)))
    for wording in WORDINGS:
        assert got[f"match {wording}, standard context"] == 1
        assert got[f"match {wording}, dialect context"] == 0
        assert got[f"log_odds {wording}, standard context"] == pytest.approx(2)
        assert got[f"log_odds {wording}, dialect context"] == pytest.approx(-2)
        for side in ("dialect", "standard"):
            assert got[f"pull_of_a {wording}, {side} context"] == pytest.approx(1.5)


@settings(max_examples=20)
@given(st.floats(-9, 9), st.floats(-0.9, 0.9))
def test_a_letters_pull_changes_no_average(pull: float, liking: float) -> None:
    def odds(_: str, first: str, second: str) -> float:
        return pull + liking * (("finna" in first) - ("finna" in second))

    got = values(measured(rows(), Chooser(odds)))
    for wording in WORDINGS:
        assert got[f"log_odds {wording}, dialect context"] == pytest.approx(liking, abs=1e-9)
        assert got[f"log_odds {wording}, standard context"] == pytest.approx(-liking, abs=1e-9)
        assert got[f"pull_of_a {wording}, dialect context"] == pytest.approx(pull, abs=1e-9)


def test_a_model_that_always_says_a_matches_half_of_one_order_and_draws_in_both() -> None:
    found = measured(rows(400), Chooser(lambda *_: 3.0))
    got = values(found)
    for wording in WORDINGS:
        assert got[f"match {wording}, dialect context"] == 0.5
        assert 0.4 < got[f"match_one_order {wording}, dialect context"] < 0.6


def test_wordings_are_asked_apart_and_begin_alike() -> None:
    chooser = Chooser(lambda question, *_: -1.0 if "likely" in question else 1.0)
    found = measured(rows(), chooser)
    assert len(set(chooser.asked)) == 12
    assert len({text.rsplit("\n", 1)[0] for text in chooser.asked}) == 4
    item = found.items.row(0, named=True)
    assert item["log_odds_likely_dialect_own_first"] == pytest.approx(-1)
    assert item["log_odds_best_dialect_own_first"] == pytest.approx(1)
    assert [one.ask for one in ForcedChoice().plan(rows(), chooser)]


def test_what_has_no_choice_is_counted() -> None:
    same = rows(standard="We were finna go")
    assert dict(measured(same, Chooser(lambda *_: 1.0)).excluded) == {"same_continuation": 1}
    assert list(ForcedChoice().plan(same, Chooser(lambda *_: 1.0))) == []
    assert dict(measured(rows(dialect_boundary=4), None).excluded) == {"no_boundaries": 1}

    class Failing:
        def get(self, request: Any) -> Any:
            return Fault("timeout") if "likely" in request.ask.context[0][1] else one

    one = Score((Scored((math.nan,), 1, 1), Scored((-1.0,), 1, 1)), 9)
    assert dict(measured(rows(), Failing()).excluded) == {"failed_timeout": 1}
    one = Score((Scored((-math.inf,), 1, 1), Scored((-1.0,), 1, 1)), 9)

    class Never(Failing):
        def get(self, request: Any) -> Any:  # noqa: ARG002
            return one

    found = measured(rows(), Never())
    assert dict(found.excluded) == {"not_finite": 1}
    assert {one.estimate.n for one in found.metrics} == {0}


def test_it_is_a_task() -> None:
    assert TASK.name == "forced_choice"
