"""Boundaries: the best one by the paper's formula, carried over by the fewest crossings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.errors import OptionError
from isogloss.models.aligner import load_aligner
from isogloss.models.alignment import Alignment, WordPair
from isogloss.models.encoder import Encoder, load_encoder
from isogloss.models.segmenter import Projection, Segmenter, Split, project
from isogloss.tests.conftest import MINILM
from isogloss.tests.models.bert_tiny import tiny

pytestmark = pytest.mark.usefixtures("one_thread")
MONOTONE = load_aligner("monotone")
STANDARD = "we were here, and then they all went home"
DIALECT = "we was here, and then they all done gone home"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def segmenter(encoder: Encoder) -> Segmenter:
    return Segmenter(encoder, MONOTONE)


class NoLinks:
    """An aligner that finds nothing."""

    def describe(self) -> dict[str, str]:
        return {"aligner": "none"}

    def align(self, pairs: Sequence[WordPair]) -> list[Alignment]:
        return [Alignment(())] * len(pairs)


@pytest.mark.slow
@pytest.mark.parametrize("count", range(6, 14))
def test_the_boundary_is_the_best_by_the_formula(encoder: Encoder, count: int) -> None:
    words = [f"{letter}{n}" for n, letter in enumerate("we be at it so we go up to a hill".split())]
    words = (words + words)[:count]
    gamma, rho = 0.2, 0.6
    split = Segmenter(encoder, MONOTONE, gamma=gamma, rho=rho).segment([" ".join(words)])[0]
    scores = {}
    for j in range(3, count - 2):
        if 0.25 * count <= j <= 0.75 * count:
            left, right = encoder.embed([" ".join(words[:j]), " ".join(words[j:])])
            scores[j] = 1 - float(left @ right) - gamma * abs(j / count - rho)
    assert split == Split(max(scores, key=scores.__getitem__), ())


def test_one_boundary_for_all_counterparts(segmenter: Segmenter) -> None:
    split = segmenter.segment([STANDARD], [DIALECT], [STANDARD])[0]
    assert split.flag == ""
    dialect, back = split.projections
    assert back == Projection(split.standard_boundary, 0)
    assert dialect.crossings == 0
    alone = segmenter.segment([STANDARD], [DIALECT])[0]
    assert alone == Split(split.standard_boundary, (dialect,))


def test_an_empty_call(segmenter: Segmenter) -> None:
    assert segmenter.segment([], [], []) == []


@pytest.mark.parametrize("text", ["", "one", "a b c d e", "\u200b " * 8])
def test_texts_too_short_for_a_boundary(segmenter: Segmenter, text: str) -> None:
    nothing = Projection(None, None, "too_short")
    assert segmenter.segment([text], [DIALECT]) == [Split(None, (nothing,), "too_short")]


@pytest.mark.parametrize("text", ["", "one"])
def test_counterparts_too_short_for_a_boundary(segmenter: Segmenter, text: str) -> None:
    split = segmenter.segment([STANDARD], [text], [DIALECT])[0]
    assert split.standard_boundary
    assert split.projections[0] == Projection(None, None, "too_short")
    assert split.projections[1].boundary


def test_six_hundred_words_are_flagged_and_never_cut(encoder: Encoder) -> None:
    segmenter = Segmenter(encoder, load_aligner("hybrid", encoder))
    long = "word " * 600
    first, second, third = segmenter.segment([long, STANDARD, STANDARD], [DIALECT, long, DIALECT])
    assert first == Split(None, (Projection(None, None, "overlong"),), "overlong")
    assert second.flag == ""
    assert second.projections == (Projection(None, None, "overlong"),)
    assert third.projections[0].flag == ""


def test_emoji_alone(segmenter: Segmenter) -> None:
    split = segmenter.segment(["😀 " * 6], ["😀 " * 6])[0]
    assert split == Split(3, (Projection(3, 0),))


def test_without_links_the_place_is_proportional(encoder: Encoder) -> None:
    split = Segmenter(encoder, NoLinks()).segment(["😀 " * 6], ["😎 " * 4])[0]
    assert split.projections == (Projection(2, 0, "no_links"),)


def test_the_same_call_says_the_same(segmenter: Segmenter) -> None:
    columns = [STANDARD, DIALECT, "a b c d e f g h"], [DIALECT, STANDARD, "a b c d"]
    first = segmenter.segment(*columns)
    assert segmenter.segment(*columns) == first
    assert segmenter.segment(*(column[::-1] for column in columns)) == first[::-1]


def test_columns_are_equally_long(segmenter: Segmenter) -> None:
    with pytest.raises(ValueError, match="shorter"):
        segmenter.segment([STANDARD, STANDARD], [DIALECT])


@pytest.mark.parametrize(
    "options",
    [{"window": (0.6, 0.4)}, {"window": (-0.1, 0.5)}, {"rho": 2.0}, {"min_words": 0},
     {"gamma": float("nan")}],
)  # fmt: skip
def test_options_out_of_range(encoder: Encoder, options: dict[str, float]) -> None:
    with pytest.raises(OptionError):
        Segmenter(encoder, MONOTONE, **options)  # type: ignore[arg-type]


def test_a_description_says_everything(segmenter: Segmenter, encoder: Encoder) -> None:
    said = segmenter.describe()
    assert json.loads(json.dumps(said)) == said
    assert said["encoder"] == encoder.describe()
    assert (said["gamma"], said["rho"], said["window"], said["min_words"]) == (
        0.3, 0.5, [0.25, 0.75], 3,
    )  # fmt: skip


@settings(deadline=None)
@given(st.data())
def test_the_projected_boundary_has_the_fewest_crossings(data: st.DataObject) -> None:
    n, m = data.draw(st.integers(2, 9)), data.draw(st.integers(2, 9))
    cell = st.tuples(st.integers(0, n - 1), st.integers(0, m - 1))
    links = data.draw(st.sets(cell, max_size=20))
    boundary = data.draw(st.integers(1, n - 1))
    words = data.draw(st.lists(st.sampled_from(["a", "a,", "."]), min_size=m, max_size=m))

    def crossings(k: int) -> int:
        return sum((i < boundary) != (j < k) for i, j in links)

    def rank(k: int) -> tuple[int, int, bool, int]:
        away = abs(k * n - m * boundary)
        return crossings(k), away, words[k - 1] == "a", k

    best = min(range(1, m), key=rank)
    assert project(sorted(links), boundary, n, words) == (best, crossings(best))


@pytest.mark.parametrize(
    ("words", "expected"),
    [("a b c", 1), ("a b, c", 2), ("a b?) c", 2), ("a, b, c", 1), ("ain' b. c", 2)],
)
def test_of_equal_boundaries_one_after_punctuation(words: str, expected: int) -> None:
    assert project([], 1, 2, words.split()) == (expected, 0)


@pytest.fixture(scope="module")
def marked(shared: Path) -> list[tuple[list[str], list[str], int, int, bool]]:
    """Boundaries that a person marked: words, the standard's boundary, the dialect's."""
    path = shared / "data" / "aae" / "redial_pairs.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = {row["id"]: row for row in rows}
    lines = Path(__file__).with_name("marked_boundaries.tsv").read_text("utf-8").splitlines()
    found = []
    for name, *numbers in (line.split("\t") for line in lines[1:]):
        sides = (texts[name][side].split() for side in ("standard", "dialect"))
        standard, dialect, moved = map(int, numbers)
        found.append((*sides, standard, dialect, bool(moved)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least", "least_in_order"),
    [("monotone", 75, 90), ("awesome", 60, 85), ("hybrid", 76, 91)],
)
def test_aligners_agree_with_a_person(
    name: str,
    least: float,
    least_in_order: float,
    marked: list[tuple[list[str], list[str], int, int, bool]],
) -> None:
    aligner = load_aligner(name, load_encoder(MINILM, device="cpu"))
    assert len(marked) == 100
    found = aligner.align([(standard, dialect) for standard, dialect, *_ in marked])
    right = [
        project(alignment.links, given, len(standard), dialect)[0] == wanted
        for alignment, (standard, dialect, given, wanted, _) in zip(found, marked, strict=True)
    ]
    in_order = [hit for hit, row in zip(right, marked, strict=True) if not row[-1]]
    assert 100 * np.mean(right) >= least
    assert 100 * np.mean(in_order) >= least_in_order


@pytest.mark.slow
def test_the_marked_boundaries_are_those_of_the_segmenter(
    marked: list[tuple[list[str], list[str], int, int, bool]],
) -> None:
    segmenter = Segmenter(load_encoder(MINILM, device="cpu"), MONOTONE)
    splits = segmenter.segment([" ".join(standard) for standard, *_ in marked])
    assert [split.standard_boundary for split in splits] == [row[2] for row in marked]
