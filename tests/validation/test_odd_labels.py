"""Labels that may not mean what they are counted as."""

from __future__ import annotations

import pytest
from isogloss.validation.odd_labels import odd_labels
from isogloss.validation.ratings import MISSING


@pytest.mark.parametrize("label", ["n/a", "N/A", "None", "NA", "-", "—", "null", "<NA>", "N / A"])
def test_what_looks_like_a_missing_rating_is_told(label: str) -> None:
    [warning] = odd_labels({label: 3, "yes": 1_000})
    assert f"look like missing ratings, but count: {label!r} (3); leave" in warning


@pytest.mark.parametrize(
    "label", ["no", "none of them", "0", "not sure", "-2", "?", "nah", "native"]
)
def test_what_is_a_label_is_not_told(label: str) -> None:
    assert odd_labels({label: 3, "yes": 2}) == []


def test_what_counts_as_missing_is_no_label_and_never_told() -> None:
    assert not [warning for code in MISSING for warning in odd_labels({code: 1})]


@pytest.mark.parametrize(
    "labels",
    [("YES", "yes"), ("Yes", "yes"), ("not ok", "Not  OK"), ("not ok", "notok"), ("ẞ", "ss")],
)
def test_spellings_of_one_label_are_told_with_their_numbers(labels: tuple[str, str]) -> None:
    [warning] = odd_labels({labels[0]: 2, "x": 1, labels[1]: 1_500})
    assert "differ only by case or spaces, but count as different: " in warning
    for label, count in zip(labels, ("2", "1,500"), strict=True):
        assert f"{label!r} ({count})" in warning
    assert "'x'" not in warning


def test_several_spellings_are_in_one_warning_in_a_fixed_order() -> None:
    counts = {"yes": 1, "No": 1, "YES": 1, "no": 1, "NA": 1, "na": 1}
    assert odd_labels(counts) == odd_labels(dict(reversed(counts.items())))
    missing, spelled = odd_labels(counts)
    assert "'NA' (1), 'na' (1); leave" in missing
    assert spelled.endswith("'NA' (1), 'na' (1); 'No' (1), 'no' (1); 'YES' (1), 'yes' (1)")


def test_a_long_label_is_cut() -> None:
    assert len(odd_labels({"a" * 200: 1, "A" * 200: 1})[0]) < 200


def test_of_many_labels_some_are_shown() -> None:
    spelled = {label: 1 for n in range(500) for label in (f"a{n}", f"A{n}")}
    missing = {"none" + " " * n: 1 for n in range(500)}
    for counts in (spelled, missing):
        for warning in odd_labels(counts):
            assert len(warning) < 800
            assert "490 more" in warning
