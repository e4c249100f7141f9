"""Chunks: rejections in a known form, and ids that a spreadsheet has spoilt."""

from __future__ import annotations

import pytest
from isogloss.builders.sources.chunk import SOURCE_ROWS, rejected_frame, row_id
from isogloss.corpus.reading import Refused
from isogloss.corpus.schema import REJECTED
from isogloss.errors import SourceError


def test_rejections_stand_in_the_order_of_the_source() -> None:
    refused = [
        Refused(9, "no_id", "the id is empty", "text"),
        Refused(2, "invalid_json", "", "", "7"),
    ]
    frame = rejected_frame(refused, stage="read")
    assert dict(frame.schema) == dict(REJECTED)
    assert frame.rows() == [
        (2, "7", "read", "invalid_json", "", ""),
        (9, None, "read", "no_id", "the id is empty", "text"),
    ]


def test_no_rejections_still_have_their_columns() -> None:
    assert dict(rejected_frame([], stage="read").schema) == dict(REJECTED)


def test_ids_are_never_numbers() -> None:
    assert str(SOURCE_ROWS["id"]) == "String"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("345678901234567890", "345678901234567890"),
        (345678901234567890, "345678901234567890"),
        (2**64 + 1, str(2**64 + 1)),
        (0, "0"),
        ("007", "007"),
        (" 12 ", "12"),
        ("de-1.txt", "de-1.txt"),
        ("1e", "1e"),
        ("e5", "e5"),
        ("3f8e21c0", "3f8e21c0"),
        ("1204e815", "1204e815"),
        ("88319e00347724410935", "88319e00347724410935"),
        (None, None),
        ("", None),
        ("  ", None),
        (True, None),
    ],
)
def test_an_id_is_text_as_it_stands_there(value: object, expected: str | None) -> None:
    # 1204e815 is a hash in hexadecimal digits: a spreadsheet writes one digit before the point.
    assert row_id(value, position=3, source="tweets.csv") == expected


@pytest.mark.parametrize(
    "value", ["2.8E+17", "2.83456789012346e+17", "2,8E+17", "3E+17", 2.8e17, 12.0, float("nan")]
)
def test_a_rounded_id_stops_the_reading(value: object) -> None:
    with pytest.raises(SourceError, match=r"tweets\.csv, row 3: .*rounded.*Export"):
        row_id(value, position=3, source="tweets.csv")
