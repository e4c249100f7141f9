"""The mark step: which features of the lexicon a text carries, in its order, each once."""

from __future__ import annotations

import polars as pl
import pytest
from isogloss.builders.engine.step import apply_step
from isogloss.builders.steps.mark import mark_step
from isogloss.corpus.lexicon import lexicon
from isogloss.errors import RegistryError

AAE = "african-american-english"


def marked(*texts: str) -> list[list[str]]:
    frame = pl.DataFrame(
        {
            "position": range(len(texts)),
            "id": [str(n) for n in range(len(texts))],
            "dialect": texts,
        }
    )
    outcome = apply_step(mark_step(variety=AAE), frame)
    assert outcome.rejected.is_empty()
    assert outcome.rows.drop("markers").equals(frame)
    assert outcome.rows.schema["markers"] == pl.List(pl.String)
    return outcome.rows["markers"].to_list()


def test_markers_stand_in_the_order_of_the_text_and_each_once() -> None:
    first, second = (marked(text)[0] for text in ("We was there.", "I'm finna eat."))
    assert first
    assert second
    there, back, twice = marked(
        "We was there. I'm finna eat.", "I'm finna eat. We was there.", "We was there. " * 2
    )
    assert (there, back, twice) == (first + second, second + first, first)


def test_rows_without_a_feature_stay_with_an_empty_list() -> None:
    assert marked("We were there.", "", "We was there.")[:2] == [[], []]


def test_markers_are_ids_of_the_lexicon() -> None:
    known = {pattern.id for pattern in lexicon(AAE).patterns}
    found = marked("She don't never be late, ain't nobody finna wait", "he done ate")
    assert {marker for markers in found for marker in markers} <= known


def test_no_rows_still_have_the_column() -> None:
    frame = pl.DataFrame(schema={"position": pl.Int64, "dialect": pl.String})
    columns = apply_step(mark_step(variety=AAE), frame).rows.columns
    assert columns == ["position", "dialect", "markers"]


def test_the_key_names_the_lexicon_and_its_version() -> None:
    key = str(mark_step(variety=AAE).describe())
    assert AAE in key
    assert repr(lexicon(AAE).version) in key


def test_a_variety_without_a_lexicon_is_refused_at_once() -> None:
    with pytest.raises(RegistryError, match="bavarian"):
        mark_step(variety="bavarian")
