"""Words as aligners by edit distance see them: what is compared, and what clings to what.

Punctuation at the end of a word is a unit of its own, so that a sentence's end can be found
where no word before it has a counterpart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Units", "skeleton", "units", "word_links"]

_EDGES = re.compile(r"^\W+|\W+$")
_END = re.compile(r"\w")
# How much a mark divides: a sentence's end, the end of a clause, a comma.
_MARKS = {
    **dict.fromkeys(".!?…。！？؟।۔", 3),
    **dict.fromkeys(";:；：؛", 2),
    **dict.fromkeys(",，、،", 1),
}
_END_OF_TEXT = 4
_CLOSING = re.compile(rf"[{re.escape(''.join(_MARKS))})\]}}»”’]+")
_VOWELS = re.compile(r"[aeiouy]+")
_TWICE = re.compile(r"(.)\1+")
# Consonants that dialect spellings exchange.
_CLASSES = str.maketrans("ptkcßzv", "bdggssf")


@dataclass(frozen=True, slots=True)
class Units:
    """A sentence as a row of units: words without punctuation, and punctuation marks.

    Attributes:
        forms: Of each unit what is compared, case-folded; empty for a mark.
        owners: Of each unit the word it belongs to, ascending.
        marks: Of each unit 0, or how much the mark divides: 3 for a sentence's end, 2 for a
            clause's, 1 for a comma.
        breaks: Of each word how much the punctuation after it divides; 0 for none.
        glued: Of each word whether it is closing punctuation alone, which belongs to the word
            before.
    """

    forms: tuple[str, ...]
    owners: NDArray[np.int64]
    marks: NDArray[np.int64]
    breaks: tuple[int, ...]
    glued: tuple[bool, ...]


def units(words: Sequence[str]) -> Units:
    """Takes words apart.

    Example:
        >>> units(["Is'", "hoaß", "?"]).forms, units(["So,", "ja"]).breaks
        (('is', 'hoass', ''), (1, 0))
    """
    found: list[tuple[str, int, int]] = []
    breaks: list[int] = []
    glued: list[bool] = []
    for at, word in enumerate(words):
        form, mark, closing = _parts(word)
        if form:
            found.append((form, at, 0))
        if mark:
            found.append(("", at, mark))
        glued.append(closing and at > 0)
        if glued[at]:
            mark, breaks[at - 1] = max(mark, breaks[at - 1]), 0
        breaks.append(mark)
    return Units(
        tuple(form for form, _, _ in found),
        np.array([at for _, at, _ in found], dtype=np.int64),
        np.array([mark for _, _, mark in found], dtype=np.int64),
        tuple(breaks),
        tuple(glued),
    )


@lru_cache(maxsize=1 << 16)
def _parts(word: str) -> tuple[str, int, bool]:
    """What is compared, how much the marks at the end divide, and if it is nothing but those."""
    core = _EDGES.sub("", word.casefold())
    mark = max((_MARKS.get(sign, 0) for sign in _END.split(word)[-1]), default=0)
    return core or ("" if mark else word), mark, _CLOSING.fullmatch(word) is not None


@lru_cache(maxsize=1 << 16)
def skeleton(form: str) -> str:
    """What of a word is left when dialects spell it: its consonants, in classes.

    Example:
        >>> skeleton("wetter") == skeleton("wödda"), skeleton("wetter"), skeleton("ei")
        (False, 'wdr', 'ei')
    """
    plain = "".join(
        sign for sign in unicodedata.normalize("NFKD", form) if not unicodedata.combining(sign)
    )
    bones = _TWICE.sub(r"\1", _VOWELS.sub("", plain.translate(_CLASSES)))
    return bones or form


def word_links(
    links: Iterable[tuple[int, int]], first: Units, second: Units
) -> tuple[tuple[int, int], ...]:
    """Turns links of units into links of words, and lets words without one cling to others.

    A run of words of the second sentence without a link is cut where punctuation divides it
    most: what stands before goes with the linked word before it, what stands after with the
    linked word after it. A run without punctuation in or beside it stays without links.
    Closing punctuation that stands alone goes with the word before it, in both sentences.
    Company is kept with a word's nearest link alone: links that didn't cross still don't.
    """
    found = {(int(first.owners[i]), int(second.owners[j])) for i, j in links}
    by_second: dict[int, list[int]] = {}
    for i, j in found:
        by_second.setdefault(j, []).append(i)
    end = len(second.breaks)
    held = [-1, *sorted(by_second), end]
    for before, after in pairwise(held):
        # Cuts lie after the words before, …, after - 1.
        strength = [second.breaks[at] if 0 <= at < end - 1 else _END_OF_TEXT
                    for at in range(before, after)]  # fmt: skip
        most = max(strength, default=0)
        if not most or not by_second:
            continue
        cuts = [before + at for at, value in enumerate(strength) if value == most]
        if before >= 0:
            found |= {(max(by_second[before]), j) for j in range(before + 1, cuts[0] + 1)}
        if after < end:
            found |= {(min(by_second[after]), j) for j in range(cuts[-1] + 1, after)}
    for j in (at for at, glued in enumerate(second.glued) if glued):
        linked = [i for i, other in found if other == j - 1]
        found |= {(max(linked), j)} if linked else set()
    for i in (at for at, glued in enumerate(first.glued) if glued):
        linked = [j for other, j in found if other == i - 1]
        found |= {(i, max(linked))} if linked else set()
    return tuple(sorted(found))
