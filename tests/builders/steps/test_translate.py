"""The translate step: an answer to each row, and a reason where there is none."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest
from isogloss.builders.engine.step import Step, apply_step
from isogloss.builders.steps.translate import translate_step
from isogloss.errors import IsoglossError
from isogloss.models import Translation

FRAME = pl.DataFrame(
    {
        "position": [3, 5, 9],
        "id": ["a", "b", "c"],
        "dialect": ["we was late", "she been ready", "he done ate"],
    }
)


class Scripted:
    """A translator that answers what it was told to, and remembers what it was asked."""

    def __init__(self, answers: Sequence[Translation], version: int = 1) -> None:
        self.answers = answers
        self.version = version
        self.asked: list[tuple[list[str], str, str]] = []

    def describe(self) -> dict[str, int]:
        return {"version": self.version}

    def translate(self, texts: Sequence[str], *, source: str, target: str) -> Sequence[Translation]:
        self.asked.append((list(texts), source, target))
        return self.answers


def step(translator: Scripted, target: str = "standard-american-english") -> Step:
    return translate_step(
        "translate",
        translator,
        column="dialect",
        into="standard",
        source="african-american-english",
        target=target,
    )


def test_each_row_gets_its_own_answer() -> None:
    texts = ["we were late", "she has been ready", "he has eaten"]
    translator = Scripted([Translation(text) for text in texts])
    outcome = apply_step(step(translator), FRAME)
    assert outcome.rows.rows() == [
        (*row, text) for row, text in zip(FRAME.rows(), texts, strict=True)
    ]
    assert outcome.rejected.is_empty()
    asked = (FRAME["dialect"].to_list(), "african-american-english", "standard-american-english")
    assert translator.asked == [asked]


@pytest.mark.parametrize("failed", [[0], [1], [0, 2], [0, 1, 2]])
def test_a_row_without_an_answer_is_rejected_with_the_reason(failed: list[int]) -> None:
    answers = [
        Translation(None, f"reason_{n}", f"more about {n}") if n in failed else Translation(f"t{n}")
        for n in range(3)
    ]
    outcome = apply_step(step(Scripted(answers)), FRAME)
    kept = [n for n in range(3) if n not in failed]
    assert outcome.rows.select("id", "standard").rows() == [("abc"[n], f"t{n}") for n in kept]
    assert outcome.rejected.rows() == [
        (
            FRAME["position"][n],
            "abc"[n],
            "translate",
            f"reason_{n}",
            f"more about {n}",
            FRAME["dialect"][n],
        )
        for n in failed
    ]


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_more_or_fewer_answers_than_rows_are_the_translators_bug(count: int) -> None:
    with pytest.raises(IsoglossError, match="translate"):
        apply_step(step(Scripted([Translation("an answer")] * count)), FRAME)


def test_no_rows() -> None:
    outcome = apply_step(step(Scripted([])), FRAME.clear())
    assert outcome.rows.columns == [*FRAME.columns, "standard"]


def test_the_key_names_the_translator_and_the_way() -> None:
    keys = [
        step(Scripted([])),
        step(Scripted([], version=2)),
        step(Scripted([]), target="nigerian-english"),
    ]
    assert len({str(key.describe()) for key in keys}) == 3
