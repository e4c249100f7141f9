"""The extraction against a naive one, on random weights and on a real encoder."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from isogloss.models.align_awesome import AwesomeAligner, probable_links
from isogloss.models.alignment import WordPair
from isogloss.models.encoder import Encoder, load_encoder
from isogloss.tests.conftest import MINILM
from isogloss.tests.models.bert_tiny import tiny

pytestmark = pytest.mark.usefixtures("one_thread")
PAIRS: list[WordPair] = [
    ("She is always working late on Mondays.".split(), "She be working late Mondays.".split()),
    ("We are about to eat.".split(), "We finna eat".split()),
    ("He doesn't want any cake".split(), "He don't want no cake".split()),
]


def naive(encoder: Encoder, layer: int, pair: WordPair) -> set[tuple[int, int]]:
    """Cell after cell, as the paper says it."""
    first, second = (encoder.word_states([side], layer)[0] for side in pair)
    s = [[math.fsum(a * b) for b in second.states] for a in first.states.astype(float)]
    links = set()
    for i, row in enumerate(s):
        for j, value in enumerate(row):
            forward = 1 / math.fsum(math.exp(min(other - value, 700)) for other in row)
            column = [other[j] for other in s]
            backward = 1 / math.fsum(math.exp(min(other - value, 700)) for other in column)
            if forward > 0.001 and backward > 0.001:
                links.add((int(first.words[i]), int(second.words[j])))
    return links


@pytest.mark.slow
def test_links_are_those_of_the_naive_extraction(tmp_path: Path) -> None:
    encoder = tiny(tmp_path)
    found = AwesomeAligner(encoder, 2).align(PAIRS)
    for pair, alignment in zip(PAIRS, found, strict=True):
        assert set(alignment.links) == naive(encoder, 2, pair)
        assert alignment.links
        assert list(alignment.links) == sorted(alignment.links)


@pytest.mark.slow
def test_links_of_a_real_encoder() -> None:
    encoder = load_encoder(MINILM, device="cpu")
    found = AwesomeAligner(encoder, 3).align(PAIRS)
    for pair, alignment in zip(PAIRS, found, strict=True):
        assert set(alignment.links) == naive(encoder, 3, pair)
    assert {(0, 0), (3, 2), (4, 3), (6, 4)} <= set(found[0].links)


def test_large_similarities_do_not_overflow() -> None:
    kept = probable_links(np.array([[900.0, 0.0], [0.0, 900.0]], dtype=np.float32))
    assert kept.tolist() == [[True, False], [False, True]]
