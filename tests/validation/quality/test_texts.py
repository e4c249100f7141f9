"""Lengths, duplicates and likeness of small corpora, by hand."""

from __future__ import annotations

import math

import pytest
from isogloss.tests.validation.quality.made import BAVARIAN, BERNESE, SENTENCES, measured, pairs_of
from isogloss.validation.quality.texts import NEAR, Duplicates, duplicates, lengths, likeness
from rapidfuzz import fuzz


def test_characters_words_and_tokens() -> None:
    found = lengths(
        pairs_of(
            [
                ("We ain't late, y'all!", "We are not late, all of you!"),
                ("two  blanks\tand\na line", ""),
                ("«Zürich» 42 e\u0301t\u00e9", "Zürich, 42 Sommer."),
            ]
        )
    )
    dialect = found.sides["dialect"]
    assert dialect.characters.mean == pytest.approx((21 + 22 + 16) / 3)
    assert dialect.words.mean == pytest.approx((4 + 5 + 3) / 3)
    # we, ain't, late, y'all; two, blanks, and, a, line; zürich, 42, été with a mark.
    assert (dialect.tokens, dialect.types) == (12, 12)
    standard = found.sides["standard"]
    assert (standard.words.least, standard.words.most) == (0, 7)
    # Shared with the standard: we, late, zürich, 42.
    assert found.only_dialect == 8


def test_the_ratio_is_of_pairs_with_text_on_both_sides() -> None:
    found = lengths(pairs_of([("abcd", "ab"), ("abcd", ""), ("abcd", "  "), ("ab", "abcdefgh")]))
    assert (found.ratio.n, found.ratio.missing) == (2, 2)
    assert (found.ratio.least, found.ratio.most) == (0.5, 4.0)
    counts = found.ratio_histogram.counts
    assert (counts[10], counts[-1], sum(counts)) == (1, 1, 2)


def test_without_any_ratio_there_is_none() -> None:
    found = measured([("abcd", ""), ("abc", "")])
    assert math.isnan(found.lengths.ratio.median)
    [check] = [check for check in found.checks if check.id == "length_ratio"]
    assert (check.verdict, check.note) == ("none", "no pair has text on both sides")
    assert found.to_dict()["lengths"]["ratio"]["median"] is None


def test_all_sides_have_one_scale() -> None:
    found = lengths(pairs_of([("a" * 9, "b" * 90, "c" * 270)] * 3))
    edges = {(h.start, h.width, len(h.counts)) for h in
             (side.characters_histogram for side in found.sides.values())}  # fmt: skip
    assert len(edges) == 1
    assert [sum(s.characters_histogram.counts) for s in found.sides.values()] == [3, 3, 3]


def test_a_repeated_pair_text_or_id_is_counted_once_where_it_belongs() -> None:
    rows = [
        {"id": "a", "dialect": "We late", "standard": "We are late"},
        {"id": "b", "dialect": "we  LATE ", "standard": " We are\nlate"},  # the pair
        {"id": "c", "dialect": "We late", "standard": "We were late"},  # the dialect
        {"id": "c", "dialect": "We tardy", "standard": "We are late"},  # the standard, and the id
        {"id": "d", "dialect": "We tardy", "standard": "We were late"},  # both, of two rows
        {"id": "e", "dialect": "Hey", "standard": "Hello"},
    ]
    assert duplicates(pairs_of(rows)) == Duplicates(pairs=1, dialect=2, standard=1, ids=1)


def test_varieties_dont_repeat_each_other() -> None:
    row = {"id": "a", "dialect": "Moin", "standard": "Hallo"}
    both = pairs_of([{**row, "variety": BERNESE}, {**row, "variety": BAVARIAN}])
    assert duplicates(both) == Duplicates(pairs=0, dialect=0, standard=0, ids=0)


def test_likeness_by_hand() -> None:
    rows = [
        ("We late", "We late"),
        ("We late", "WE LATE"),
        ("abcdefghij", "abcdefghijk"),
        ("abc", "xyz"),
        ("abc", ""),
    ]
    found = likeness(pairs_of(rows))
    assert (found.identical, found.near, found.cut) == (1, 2, 0)
    expected = [1, 1, 20 / 21, 0, 0]
    assert found.ratios.mean == pytest.approx(sum(expected) / 5)
    assert found.ratios_histogram.counts[-1] == 2
    assert sum(found.ratios_histogram.counts) == 5


def test_likeness_is_that_of_rapidfuzz() -> None:
    found = likeness(pairs_of(SENTENCES))
    ratios = [fuzz.ratio(a.lower(), b.lower()) / 100 for a, b in SENTENCES]
    assert found.ratios.mean == pytest.approx(sum(ratios) / len(ratios), abs=1e-6)
    assert found.near == sum(ratio >= NEAR for ratio in ratios)


def test_the_edge_of_near() -> None:
    # 18 of 20 characters shared: a ratio of exactly 0.9.
    on, below = ("abcdefghij", "abcdefghix"), ("abcdefghi", "abcdefghx")
    assert likeness(pairs_of([on])).near == 1
    assert likeness(pairs_of([below])).near == 0


def test_of_long_texts_the_beginning_is_compared() -> None:
    long = "a" * 5_000
    found = likeness(pairs_of([(long + "b", long + "c"), (long + "b", long + "b"), (long, long)]))
    assert (found.identical, found.near, found.cut) == (2, 1, 2)
