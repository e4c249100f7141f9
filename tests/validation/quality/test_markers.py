"""Features of the dialect on every side, counted by hand."""

from __future__ import annotations

import polars as pl
import pytest
from isogloss.tests.validation.quality.made import AAE, BAVARIAN, measured, pairs_of
from isogloss.validation.gates.column import Column
from isogloss.validation.quality.markers import find_features, lexicon_or_none, markers
from isogloss.validation.quality.screening import screen_pairs

ROWS = [
    ("We was finna go", "We were about to go", "We was finna go"),
    ("We was there", "We was there", "We were there"),
    ("She finna go", "She is about to go", "They was about to go"),
    ("Hello there", "Hello there, they was here", "Hello there, they was here"),
]
LEVEL = "was/is levelling"


def test_features_are_counted_on_their_side() -> None:
    [found] = screen_pairs(pairs_of(ROWS)).markers
    assert (found.variety, found.rows, found.back) == (AAE, 4, True)
    assert (found.marked, found.residual) == (3, 2)
    # Marked again: the first, and the third by another feature.
    assert (found.survived, found.same) == (2, 1)
    rows = {one.feature: (one.dialect, one.standard, one.kept) for one in found.features}
    assert rows == {LEVEL: (2, 2, 1), "finna": (2, 0, 1)}
    assert [one.feature for one in found.features] == [LEVEL, "finna"]


def test_without_back_translations_nothing_survives_and_no_check_says_so() -> None:
    quality = measured([row[:2] for row in ROWS])
    [found] = quality.screened.markers
    assert (found.back, found.survived, found.same) == (False, 0, 0)
    ids = [check.id for check in quality.checks]
    assert "residual_markers" in ids
    assert "surviving_markers" not in ids


def test_shares_of_the_checks() -> None:
    checks = {check.id: check for check in measured(ROWS).checks}
    residual, survived = checks["residual_markers"], checks["surviving_markers"]
    assert (residual.value.value, residual.value.n, residual.verdict) == (0.5, 4, "fail")
    assert survived.value.value == pytest.approx(2 / 3)
    # One of three is lost: of three rows alone that says nothing.
    assert (survived.value.n, survived.verdict) == (3, "pass")
    assert survived.note == "1 with the same feature"


def test_where_nothing_is_marked_nothing_can_survive() -> None:
    checks = {check.id: check for check in measured([("Hello", "Hello", "Hello")]).checks}
    survived = checks["surviving_markers"]
    assert (survived.verdict, survived.value.n) == ("none", 0)
    assert survived.value.value != survived.value.value


def test_a_variety_without_a_lexicon_has_no_table() -> None:
    assert lexicon_or_none(BAVARIAN) is None
    assert lexicon_or_none(AAE) is not None
    quality = measured([("Mia san do", "Wir sind da", "Mia san do")], variety=BAVARIAN)
    assert quality.screened.markers == ()
    assert not {"residual_markers", "surviving_markers"} & {check.id for check in quality.checks}


def test_a_feature_of_a_text_counts_once() -> None:
    column = Column(pl.Series(["We was here and they was there"]))
    features = find_features({"dialect": column}, AAE)
    assert features == {"dialect": [[LEVEL]]}
    found = markers(
        pairs_of([("We was here and they was there", "x")]), AAE, {**features, "standard": [[]]}
    )
    assert [one.dialect for one in found.features] == [1]
