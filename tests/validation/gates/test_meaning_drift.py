"""meaning_drift: pairs far less similar than their corpus' pairs are."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.validation.gates import Context, CorpusFacts, Level, Row, thresholds
from isogloss.validation.gates.meaning_drift import GATE

AAE, SAE = "african-american-english", "standard-american-english"
ROW = Row.of("a", "b")


def verdict(
    similarity: float | None, level: Level | None = None, *, varieties: tuple[str, str] = (AAE, SAE)
) -> str | None:
    levels = {} if level is None else {"similarity": level}
    context = Context(
        *varieties,
        thresholds(GATE.code, *varieties),
        {"similarity": similarity},
        corpus=CorpusFacts(levels=levels),
    )
    return GATE.check(ROW, context)


@pytest.mark.parametrize(
    ("similarity", "level", "caught"),
    [
        (0.1, Level(0.87, 0.06, 1000), True),
        (0.49, Level(0.87, 0.06, 1000), True),
        (0.55, Level(0.87, 0.06, 1000), False),
        (0.87, Level(0.87, 0.06, 1000), False),
        (0.75, Level(1.0, 0.0, 1000), False),  # nearly all are copies, this one is a translation
        (0.2, Level(1.0, 0.0, 1000), True),
        (0.1, Level(0.3, 0.06, 1000), False),  # so is this corpus
        (0.1, Level(0.87, 0.06, 5), False),
        (0.1, Level(math.nan, math.nan, 0), False),
        (math.nan, Level(0.87, 0.06, 1000), False),
        (None, Level(0.87, 0.06, 1000), False),
        (0.1, None, False),
    ],
)
def test_verdicts(similarity: float | None, level: Level | None, caught: bool) -> None:
    assert (verdict(similarity, level) is not None) is caught


def test_encoders_know_some_dialects_less() -> None:
    level = Level(0.6, 0.1, 1000)
    assert verdict(0.25, level, varieties=("bernese", "standard-german")) is not None
    assert verdict(0.25, level, varieties=("south-tyrolean", "standard-german")) is None


def test_needs_the_levels_and_the_number() -> None:
    limits = thresholds(GATE.code, AAE, SAE)
    assert GATE.check(ROW, Context(AAE, SAE, limits, {"similarity": 0.1})) is None
    assert GATE.check(ROW, Context(AAE, SAE, limits, corpus=CorpusFacts())) is None


unit = st.floats(0, 1)


@given(unit, unit, st.floats(0, 0.3), unit)
def test_less_similar_is_no_better(a: float, median: float, mad: float, b: float) -> None:
    level = Level(median, mad, 100)
    low, high = sorted((a, b))
    assert verdict(low, level) is not None or verdict(high, level) is None
