"""Seams: two sentence pairs joined, so that the right boundary is known on both sides.

The pairs are published human ones. They fall into two halves by a hash of their group (pairs
of a group share sentences): aligners were made with the development half in view, figures
are of the held-out half.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(os.environ.get("ISOGLOSS_SHARED", Path(__file__).resolve().parents[2] / "shared"))
VARIETIES = ("redial", "de-ba", "gsw")
NAMES = {"redial": "AAE (ReDial)", "de-ba": "Upper Bavarian", "gsw": "Bernese"}
HALVES = ("development", "held-out")
SEED = 20_240_601
# What a sentence's end and the next one's beginning look like, and a split inside one doesn't.
_EDGE = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, slots=True)
class Seam:
    """Two pairs joined; words are split at whitespace.

    Attributes:
        standard: Words of both standard sentences.
        dialect: Words of both dialect sentences.
        standard_boundary: Words before the seam in ``standard``: given.
        dialect_boundary: Words before the seam in ``dialect``: wanted.
    """

    standard: tuple[str, ...]
    dialect: tuple[str, ...]
    standard_boundary: int
    dialect_boundary: int


def half(group: str) -> str:
    """The half that a group of pairs falls into."""
    return HALVES[hashlib.sha256(group.encode()).digest()[-1] % 2]


def read_pairs(variety: str, part: str) -> list[tuple[str, str]]:
    """Standard and dialect text of each pair of a half.

    Raises:
        FileNotFoundError: If the shared data is not there.
    """
    redial = variety == "redial"
    path = SHARED / "data" / ("aae/redial_pairs.jsonl" if redial else "german/xsid_pairs.jsonl")
    pairs = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not redial and row["variety"] != variety:
            continue
        group = row["id"].rpartition("-")[0] if redial else row["english"]
        if half(group) == part:
            pairs.append((row["standard"], row["dialect"]))
    return pairs


def make_seams(pairs: Sequence[tuple[str, str]], count: int, *, bare: bool = False) -> list[Seam]:
    """Joins random pairs, always the same ones.

    Args:
        pairs: Standard and dialect text.
        count: How many seams.
        bare: Without what gives a seam away: no punctuation at its two words, and the word
            after it in lower case on both sides.
    """
    draw = random.Random(SEED)
    seams: list[Seam] = []
    while len(seams) < count:
        left, right = draw.sample(pairs, 2)
        sides = [_joined(left[at].split(), right[at].split(), bare=bare) for at in (0, 1)]
        (standard, at_standard), (dialect, at_dialect) = sides
        if at_standard and at_dialect:
            seams.append(Seam(standard, dialect, at_standard, at_dialect))
    return seams


def _joined(left: list[str], right: list[str], *, bare: bool) -> tuple[tuple[str, ...], int]:
    if bare:
        while left and not (last := _EDGE.sub("", left[-1])):
            left = left[:-1]
        while right and not (first := _EDGE.sub("", right[0])):
            right = right[1:]
        if left and right:
            left, right = [*left[:-1], last], [first.lower(), *right[1:]]
    at = len(left) if left and right else 0
    return (*left, *right), at
