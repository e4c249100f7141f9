"""Steps are held to their word: columns as declared, and every row kept or rejected once."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.builders.engine.step import Outcome, Rejection, Step, apply_step, reject_where
from isogloss.corpus.schema import REJECTED
from isogloss.errors import InternalError

FRAME = pl.DataFrame(
    {"position": [1, 2, 3], "id": ["a", "b", "c"], "text": ["one", "two", "three"]}
)
NONE = pl.DataFrame(schema=dict(REJECTED))


def rejected(frame: pl.DataFrame) -> pl.DataFrame:
    lengths = Rejection("any", pl.lit(True), pl.lit(""))
    return reject_where(frame, [lengths], stage="test", text="text").rejected


def declared(run: Callable[[pl.DataFrame], Outcome]) -> Step:
    return Step("count", 1, run, adds={"words": pl.Int64()}, drops=("text",))


def counted(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.drop("text").with_columns(words=pl.lit(1, dtype=pl.Int64))


def test_a_step_that_keeps_its_word_passes() -> None:
    step = declared(lambda frame: Outcome(counted(frame[:2]), rejected(frame[2:])))
    outcome = apply_step(step, FRAME)
    assert outcome.rows["id"].to_list() == ["a", "b"]
    assert outcome.rejected["id"].to_list() == ["c"]
    assert list(step.output(dict(FRAME.schema))) == ["position", "id", "words"]


BROKEN: dict[str, Callable[[pl.DataFrame], Outcome]] = {
    "a row lost": lambda frame: Outcome(counted(frame[1:]), NONE),
    "a row doubled": lambda frame: Outcome(counted(frame), rejected(frame[:1])),
    "one lost, one doubled": lambda frame: Outcome(counted(frame[[0, 0, 2]]), NONE),
    "one lost, one kept and rejected": lambda f: Outcome(counted(f[[0, 1]]), rejected(f[:1])),
    "a column not added": lambda frame: Outcome(frame.drop("text"), NONE),
    "a column not dropped": lambda frame: Outcome(counted(frame).with_columns(frame["text"]), NONE),
    "a column of another type": lambda f: Outcome(counted(f).cast({"words": pl.Int32}), NONE),
    "a rejection without a reason": lambda f: Outcome(
        counted(f[1:]), rejected(f[:1]).drop("reason")
    ),
}


@pytest.mark.parametrize("run", BROKEN.values(), ids=BROKEN)
def test_a_step_that_breaks_its_word_is_a_bug_with_its_name(
    run: Callable[[pl.DataFrame], Outcome],
) -> None:
    with pytest.raises(InternalError, match="step count") as caught:
        apply_step(declared(run), FRAME)
    assert caught.value.exit_status == 1


def test_a_step_is_keyed_by_name_version_and_parameters() -> None:
    def run(frame: pl.DataFrame) -> Outcome:
        return Outcome(frame, NONE)

    steps = [
        Step("a", 1, run),
        Step("b", 1, run),
        Step("a", 2, run),
        Step("a", 1, run, params={"x": 1}),
    ]
    assert len({str(step.describe()) for step in steps}) == 4


SHORT = Rejection("short", pl.col("text").str.len_chars() < 4, pl.lit("too few"))
VOWEL = Rejection("vowel", pl.col("text").str.contains("^[aeiou]"), pl.col("text") + "!")


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.text("abe", max_size=6), max_size=8),
    order=st.permutations([SHORT, VOWEL]),
)
def test_rows_are_kept_in_order_or_rejected_for_the_first_reason(
    texts: list[str], order: list[Rejection]
) -> None:
    holds: dict[str, Callable[[str], bool]] = {
        "short": lambda text: len(text) < 4,
        "vowel": lambda text: text[:1] in tuple("ae"),
    }
    frame = pl.DataFrame(
        {"position": range(len(texts)), "id": texts, "text": texts},
        schema={"position": pl.Int64, "id": pl.String, "text": pl.String},
    )
    outcome = reject_where(frame, order, stage="test", text="text")
    reasons = [next((r.reason for r in order if holds[r.reason](t)), None) for t in texts]
    details: dict[str, Callable[[str], str]] = {
        "short": lambda _: "too few",
        "vowel": lambda text: f"{text}!",
    }
    assert outcome.rows["position"].to_list() == [n for n, r in enumerate(reasons) if r is None]
    assert outcome.rejected.rows() == [
        (n, texts[n], "test", reason, details[reason](texts[n]), texts[n])
        for n, reason in enumerate(reasons)
        if reason is not None
    ]
    assert dict(outcome.rejected.schema) == dict(REJECTED)


def test_a_reason_that_can_not_be_told_keeps_the_row() -> None:
    frame = FRAME.with_columns(score=pl.Series([0.1, None, 0.9]))
    low = Rejection("low", pl.col("score") < 0.5, pl.lit(""))
    outcome = reject_where(frame, [low], stage="test", text="text")
    assert outcome.rows["id"].to_list() == ["b", "c"]
    assert outcome.rejected["id"].to_list() == ["a"]
