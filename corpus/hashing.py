"""Hashes that mean the same on every machine and in every version.

Sampling, splits and author ordinals are drawn in the order of a seeded hash, never
in the order of the file: a bigger input then leaves earlier draws as they were.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["canonical_json", "file_sha256", "json_sha256", "seeded_hashes"]


def canonical_json(value: Any) -> str:
    """Serialises ``value`` so that equal values give equal text.

    Example:
        >>> canonical_json({"b": 1, "a": [True, None]})
        '{"a":[true,null],"b":1}'
    """
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def json_sha256(value: Any) -> str:
    """SHA-256 (hex) of the canonical JSON of ``value``."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def file_sha256(path: Path) -> str:
    """SHA-256 (hex) of a file's bytes, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seeded_hashes(keys: Iterable[str], *, seed: int, purpose: str) -> list[bytes]:
    """Hashes each key under a seed and a purpose; 16 bytes each, to be sorted by.

    Different purposes give unrelated orders, so that being sampled says nothing
    about the split a row falls into.

    Args:
        keys: The keys, for example row ids.
        seed: The user's seed.
        purpose: Names the draw, for example ``"sample"``.

    Example:
        >>> a, b = seeded_hashes(["1", "2"], seed=0, purpose="sample")
        >>> a == seeded_hashes(["1"], seed=0, purpose="sample")[0], len(b)
        (True, 16)
    """
    salt = hashlib.sha256(canonical_json([purpose, seed]).encode()).digest()
    hasher = hashlib.blake2b(key=salt, digest_size=16)
    digests = []
    for key in keys:
        one = hasher.copy()
        one.update(key.encode())
        digests.append(one.digest())
    return digests
