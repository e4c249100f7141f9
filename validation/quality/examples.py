"""Three rows that a gate caught, side by side with their differences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl
from rapidfuzz import fuzz

from ...corpus.hashing import seeded_hashes
from ...models.align_monotone import MonotoneAligner
from ...models.alignment import WordPair
from .pairs import Pairs

__all__ = ["Example", "Piece", "differences", "examples"]

#: So much of a text is shown.
_SHOWN = 600
#: A word with the white space around it.
_WORDS = re.compile(r"^\s*\S+\s*|\S+\s*")


@dataclass(frozen=True, slots=True)
class Example:
    """A row that a gate caught.

    Attributes:
        position: Row of the source, from 1.
        id: Its id.
        variety: Registry id of its dialect.
        pair: ``standard`` or ``back``.
        detail: What the gate says.
        source: The text that was translated; of a long one, the beginning.
        target: What came of it.
        hidden: Characters that are not shown.
    """

    position: int
    id: str
    variety: str
    pair: str
    detail: str
    source: str
    target: str
    hidden: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


State = Literal["same", "changed", "alone"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Words in a row.

    Attributes:
        text: The words, with the white space behind them.
        state: ``same`` as in the other text, ``changed`` (another spelling or word stands for
            it there), or ``alone`` (nothing does).
    """

    text: str
    state: State


def examples(
    pairs: Pairs, caught: pl.DataFrame, *, most: int, seed: int = 0
) -> dict[str, list[Example]]:
    """Picks rows for every gate by a seeded hash, so that the same corpus shows the same ones.

    Args:
        pairs: The corpus.
        caught: What :func:`~isogloss.validation.quality.screening.screen_pairs` caught.
        most: Examples of a gate.
        seed: Of the choice.

    Returns:
        By the gate's code; gates that caught nothing are missing.
    """
    if not most:
        return {}
    keys = [f"{gate} {position} {pair}" for gate, position, pair in
            caught.select("gate", "position", "pair").iter_rows()]  # fmt: skip
    order = pl.Series("order", seeded_hashes(keys, seed=seed, purpose="examples"), dtype=pl.Binary)
    picked = (
        caught.with_columns(order)
        .sort("order")
        .group_by("gate", maintain_order=True)
        .head(most)
        .join(pairs.frame.drop("id", "variety"), on="position", how="left", maintain_order="left")
    )
    found: dict[str, list[Example]] = {}
    for row in picked.iter_rows(named=True):
        source, target = (
            ("dialect", "standard") if row["pair"] == "standard" else ("standard", "back")
        )
        texts = row[source], row[target]
        found.setdefault(row["gate"], []).append(
            Example(
                position=row["position"],
                id=row["id"],
                variety=row["variety"],
                pair=row["pair"],
                detail=row["detail"],
                source=texts[0][:_SHOWN],
                target=texts[1][:_SHOWN],
                hidden=sum(max(0, len(text) - _SHOWN) for text in texts),
            )
        )
    return found


def differences(source: str, target: str) -> tuple[list[Piece], list[Piece]]:
    """Marks in two texts what stands in one only, and what is another word in the other.

    Words are aligned by their spelling, as for boundaries without an encoder; two spellings of
    a dialect word are therefore a change and no loss.

    Example:
        >>> ours, theirs = differences("Werds heid regna?", "Wird es heute regnen?")
        >>> [(piece.text.strip(), piece.state) for piece in theirs]
        [('Wird', 'changed'), ('es', 'alone'), ('heute regnen?', 'changed')]
        >>> [piece.state for piece in differences("We was late", "We were late")[0]]
        ['same', 'changed', 'same']
    """
    ours, theirs = _WORDS.findall(source), _WORDS.findall(target)
    words = [part.strip() for part in ours], [part.strip() for part in theirs]
    links = _counterparts(MonotoneAligner().align([words])[0].links, words)
    same = {
        (place, number)
        for pair in links
        if words[0][pair[0]].casefold() == words[1][pair[1]].casefold()
        for place, number in enumerate(pair)
    }
    linked = {(place, number) for pair in links for place, number in enumerate(pair)}

    def state(place: int, number: int) -> State:
        if (place, number) in same:
            return "same"
        return "changed" if (place, number) in linked else "alone"

    first, second = (
        _joined([Piece(part, state(place, number)) for number, part in enumerate(parts)])
        for place, parts in enumerate((ours, theirs))
    )
    return first, second


def _counterparts(links: Iterable[tuple[int, int]], words: WordPair) -> set[tuple[int, int]]:
    """Links without company.

    For the sake of boundaries an alignment lets words of the second text that have no
    counterpart cling to others; of a word's links only the nearest in spelling stands for it,
    and marks that are words by themselves.
    """
    by_first: dict[int, list[int]] = {}
    for i, j in links:
        by_first.setdefault(i, []).append(j)

    def likeness(i: int, j: int) -> float:
        return fuzz.ratio(words[0][i].casefold(), words[1][j].casefold())

    return {
        (i, j)
        for i, others in by_first.items()
        for j in {max(others, key=lambda other: likeness(i, other)),
                  *(other for other in others if not re.search(r"\w", words[1][other]))}
    }  # fmt: skip


def _joined(parts: Sequence[Piece]) -> list[Piece]:
    pieces: list[Piece] = []
    for part in parts:
        if pieces and pieces[-1].state == part.state:
            pieces[-1] = Piece(pieces[-1].text + part.text, part.state)
        else:
            pieces.append(part)
    return pieces
