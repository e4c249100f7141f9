"""Hashes: the same on every machine and in every version, and unrelated between purposes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.corpus.hashing import canonical_json, file_sha256, json_sha256, seeded_hashes

KEYS = [str(number) for number in range(2_000)]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def backwards(value: Any) -> Any:
    """The same value with the keys of every object put in the opposite order."""
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(list(value))}
    return [backwards(one) for one in value] if isinstance(value, list) else value


@settings(max_examples=80, deadline=None)
@given(value=json_values)
def test_canonical_json_keeps_the_value_and_forgets_the_order_of_keys(value: Any) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(backwards(value)) == text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("one", "other"),
    [({"a": 1}, {"a": "1"}), ([1, 2], [2, 1]), ({"a": None}, {}), ("é", "e"), ([[1], 2], [1, [2]])],
)
def test_different_values_have_different_hashes(one: Any, other: Any) -> None:
    assert json_sha256(one) != json_sha256(other)


def test_json_sha256_is_the_hash_of_the_utf_8_text() -> None:
    assert json_sha256({"b": 1, "a": "é"}) == hashlib.sha256('{"a":"é","b":1}'.encode()).hexdigest()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [float("-inf")]}])
def test_what_json_can_not_say_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(value)


@pytest.mark.parametrize("size", [0, 1, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 3_000_000])
def test_file_sha256_is_the_hash_of_all_bytes(tmp_path: Path, size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    path = tmp_path / "file"
    path.write_bytes(data[:size])
    assert file_sha256(path) == hashlib.sha256(data[:size]).hexdigest()


@pytest.mark.parametrize(
    ("key", "seed", "purpose", "expected"),
    [
        ("1", 0, "sample", "751006da617cd7b0cdd8a5a5bf6f480a"),
        ("author é", 7, "split", "0ae847ad06c572533efb61a0bde1bff8"),
    ],
)
def test_seeded_hashes_are_pinned(key: str, seed: int, purpose: str, expected: str) -> None:
    # A change here redraws every sample and every split that was ever published.
    assert seeded_hashes([key], seed=seed, purpose=purpose)[0].hex() == expected


def test_a_key_has_its_hash_whatever_stands_beside_it() -> None:
    alone = [seeded_hashes([key], seed=3, purpose="split")[0] for key in KEYS[:50]]
    assert seeded_hashes(reversed(KEYS[:50]), seed=3, purpose="split") == alone[::-1]
    assert len(set(seeded_hashes(KEYS, seed=3, purpose="split"))) == len(KEYS)


@pytest.mark.parametrize("other", [{"seed": 1, "purpose": "sample"}, {"seed": 0, "purpose": "cut"}])
def test_another_seed_or_purpose_gives_an_unrelated_order(other: dict[str, Any]) -> None:
    def first_tenth(**how: Any) -> set[str]:
        return {key for _, key in sorted(zip(seeded_hashes(KEYS, **how), KEYS, strict=True))[:200]}

    shared = len(first_tenth(seed=0, purpose="sample") & first_tenth(**other))
    assert 5 <= shared <= 40, "20 are expected by chance"
