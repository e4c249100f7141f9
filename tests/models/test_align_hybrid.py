"""Spelling and meaning together."""

from __future__ import annotations

import numpy as np
import pytest
from isogloss.models.align_hybrid import HybridAligner, meaning_distance
from isogloss.models.align_units import units
from isogloss.models.encoder import load_encoder
from isogloss.tests.conftest import MINILM

pytestmark = pytest.mark.usefixtures("one_thread")


def test_meaning_distance_forgets_what_all_words_share() -> None:
    words = ["a", "b"], ["b", "a"]
    shared = np.array([100.0, 100.0, 0.0], dtype=np.float32)
    one, other = (np.array(row, dtype=np.float32) for row in ([1, 0, 0], [0, 1, 0]))
    vectors = [np.stack([one, other]) + shared, np.stack([other, one]) + shared]
    found = meaning_distance((units(words[0]), units(words[1])), vectors)
    np.testing.assert_allclose(found, [[2, 0], [0, 2]], atol=1e-3)


def test_words_without_vectors_mean_nothing() -> None:
    sides = units(["a", "b"]), units(["c"])
    vectors = [np.full((2, 3), np.nan, np.float32), np.full((1, 3), np.nan, np.float32)]
    assert meaning_distance(sides, vectors).tolist() == [[1], [1]]


@pytest.mark.slow
def test_meaning_links_what_spelling_does_not() -> None:
    aligner = HybridAligner(load_encoder(MINILM, device="cpu"), 3)
    pair = "The kid is sleeping now".split(), "Him child sleepin' already now".split()
    assert {(1, 1), (3, 2), (4, 4)} <= set(aligner.align([pair])[0].links)
