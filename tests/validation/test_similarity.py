"""Similarity: centred cosine and shared characters."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.tests.conftest import MINILM
from isogloss.validation.gates import thresholds
from isogloss.validation.similarity import (
    Floats,
    centred_cosines,
    character_ratios,
    similarities,
)


def unit(rows: Sequence[Sequence[float]]) -> Floats:
    array = np.asarray(rows, dtype=np.float32)
    return np.asarray(array / np.linalg.norm(array, axis=1, keepdims=True), dtype=np.float32)


def random_vectors(number: int, seed: int) -> Floats:
    return unit(np.random.default_rng(seed).normal(size=(number, 16)).tolist())


def test_a_shared_direction_says_nothing() -> None:
    sources, targets = random_vectors(40, 1), random_vectors(40, 2)
    corner = np.full(16, 3.0)
    crowded = unit((sources + corner).tolist()), unit((targets + corner).tolist())
    assert (crowded[0] * crowded[1]).sum(axis=1).min() > 0.9
    assert abs(centred_cosines(*crowded).mean()) < 0.1
    assert centred_cosines(sources, sources) == pytest.approx(1, abs=1e-5)


def test_unreadable_rows_are_nan_and_count_for_nothing() -> None:
    sources, targets = random_vectors(6, 1), random_vectors(6, 2)
    alone = centred_cosines(sources, targets)
    nothing = np.full((2, 16), np.nan, dtype=np.float32)
    more = centred_cosines(
        np.concatenate([sources, nothing, sources[:1]]),
        np.concatenate([targets, targets[:2], nothing[:1]]),
    )
    assert more[:6] == pytest.approx(alone, abs=1e-5)
    assert np.isnan(more[6:]).all()


@pytest.mark.parametrize("number", [0, 1])
def test_one_pair_alone_has_no_neighbours(number: int) -> None:
    vectors = random_vectors(4, 1)[:number]
    assert np.isnan(centred_cosines(vectors, vectors)).tolist() == [True] * number


def test_a_block_of_one_text_has_no_directions() -> None:
    same = np.repeat(random_vectors(1, 1), 3, axis=0)
    assert np.isnan(centred_cosines(same, random_vectors(3, 2))).all()


@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12)), max_size=8))
def test_numbers_stay_in_their_range(pairs: list[tuple[str, str]]) -> None:
    def embed(texts: Sequence[str]) -> Floats:
        rows = [np.random.default_rng([len(text), *text.encode()]).normal(size=5) for text in texts]
        vectors = unit([row.tolist() for row in rows]) if rows else np.empty((0, 5), np.float32)
        vectors[[not text for text in texts]] = np.nan
        return vectors

    sources, targets = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = similarities(sources, targets, embed)
    assert found.dtype == np.float32
    assert found.shape == (len(pairs),)
    assert ((found >= -0.501) & (found <= 1.001) | np.isnan(found)).all()
    assert np.isnan(found[[not a or not b for a, b in pairs]]).all()
    assert np.array_equal(found, similarities(sources, targets, embed), equal_nan=True)
    ratios = character_ratios(sources, targets)
    assert ((ratios >= 0) & (ratios <= 1)).all()


def test_case_is_no_difference() -> None:
    assert character_ratios(["ABC", "Äb"], ["abc", "äB"]).tolist() == [1.0, 1.0]


def rates(pairs: list[dict[str, str]], encoder: str, varieties: tuple[str, str]) -> list[float]:
    """False alarms of meaning_drift's line, and how many swapped pairs lie below it."""
    import torch
    from isogloss.models.encoder import load_encoder

    torch.set_num_threads(1)
    embed = load_encoder(encoder, device="cpu").embed
    sources = [pair["dialect"] for pair in pairs]
    targets = [pair["standard"] for pair in pairs]
    swaps = range(0, len(pairs), 10)
    spoilt = list(targets)
    for row in swaps:
        spoilt[row] = targets[(row + len(pairs) // 2) % len(pairs)]
    right = similarities(sources, targets, embed)
    wrong = similarities(sources, spoilt, embed)[list(swaps)]
    median = float(np.median(right))
    limits = thresholds("meaning_drift", *varieties)
    deviation = float(np.median(np.abs(right - median)))
    line = min(median - limits["deviations"] * deviation, limits["at_most"])
    return [float((right < line).mean()), float((wrong < line).mean())]


@pytest.mark.slow
def test_swapped_english_pairs(shared: Path) -> None:
    lines = (shared / "data/aae/redial_pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines][::3]
    alarms, recall = rates(pairs, MINILM, ("african-american-english", "standard-american-english"))
    assert alarms < 0.02
    assert recall >= 0.95


@pytest.mark.slow
def test_swapped_bavarian_pairs(shared: Path) -> None:
    folder = os.environ.get("ISOGLOSS_E5")
    if folder is None:
        pytest.skip("no multilingual encoder: ISOGLOSS_E5 names a folder with e5-small")
    lines = (shared / "data/german/xsid_pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [pair for pair in map(json.loads, lines) if pair["variety"] == "de-ba"][::2]
    alarms, recall = rates(pairs, f"hf:{folder}", ("upper-bavarian", "standard-german"))
    assert alarms < 0.02
    assert recall >= 0.9
