"""The items with the strongest preference, token by token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...errors import SourceError, printable
from ..preference import SIDES
from .reading import TaskResult

__all__ = ["STEPS", "Example", "Piece", "Shown", "examples_of", "pieces_of", "visible"]

STEPS = (-0.1, -0.5, -1.0, -2.0, -3.5, -5.5, -8.0)
"""Log-probabilities between the shades of a token's background, from likely to unlikely."""
_TEXTS = tuple(f"{part}_{side}" for side in SIDES for part in ("context", "continuation"))
_NUMBERS = ("b_standard", "b_dialect")


@dataclass(frozen=True, slots=True)
class Piece:
    """A token's text; or several tokens' that can't be told apart, such as parts of a character.

    Attributes:
        text: With the space before it.
        shade: From 0, likely, to the number of steps; None where nothing is known.
        logprob: Natural log-probability; None likewise.
    """

    text: str
    shade: int | None
    logprob: float | None


@dataclass(frozen=True, slots=True)
class Shown:
    """One continuation behind one context.

    Attributes:
        side: Whose continuation it is.
        total: Its log-probability, the sum over its tokens.
        tokens: How many they are.
        pieces: Of its text.
        cut: Whether the pieces are tokens; no where it isn't known where tokens end.
    """

    side: str
    total: float
    tokens: int
    pieces: Sequence[Piece]
    cut: bool


@dataclass(frozen=True, slots=True)
class Example:
    """One item.

    Attributes:
        id: Its id.
        lp: b_standard − b_dialect, in nats.
        b: By side.
        contexts: By side, the context's text.
        shown: By the side of the context, both continuations behind it.
        shortened: Tokens of the contexts that were scored with the continuations.
    """

    id: str
    lp: float
    b: Mapping[str, float]
    contexts: Mapping[str, str]
    shown: Mapping[str, Sequence[Shown]]
    shortened: int


def examples_of(result: TaskResult, limit: int) -> dict[str, list[Example]] | None:
    """The items with the strongest preference for either side's continuation.

    Args:
        result: Of the task ``continuation``.
        limit: How many for each side at most.

    Returns:
        By the preferred side, strongest first; None if the items have no texts, as those of
        older versions.

    Raises:
        SourceError: If the file of items is missing or damaged.
    """
    try:
        columns = pl.read_parquet_schema(result.items)
        if not {*_TEXTS, *_NUMBERS} <= columns.keys():
            return None
        items = pl.scan_parquet(result.items).with_columns(
            lp=pl.col("b_standard") - pl.col("b_dialect")
        )
        chosen = {
            "standard": items.filter(pl.col("lp") > 0).sort(["lp", "id"], descending=[True, False]),
            "dialect": items.filter(pl.col("lp") < 0).sort(["lp", "id"]),
        }
        return {
            side: [_example(row) for row in frame.head(limit).collect().iter_rows(named=True)]
            for side, frame in chosen.items()
        }
    except (OSError, LookupError, TypeError, pl.exceptions.PolarsError) as error:
        raise SourceError(
            f"the items can't be read ({printable(str(error))[:120]})",
            where=str(result.items),
            remedy="call `isogloss evaluate` again on that folder, which asks nothing anew",
        ) from error


def _example(row: Mapping[str, Any]) -> Example:
    return Example(
        id=row["id"],
        lp=row["lp"],
        b={side: row[f"b_{side}"] for side in SIDES},
        contexts={side: row[f"context_{side}"] for side in SIDES},
        shown={context: [_shown(row, context, side) for side in SIDES] for context in SIDES},
        shortened=row["shortened"],
    )


def _shown(row: Mapping[str, Any], context: str, side: str) -> Shown:
    name = f"{side}_given_{context}"
    text = row[f"continuation_{side}"]
    logprobs = row.get(f"token_logprobs_{name}") or ()
    ends = row.get(f"token_ends_{name}") or ()
    cut = len(ends) == len(logprobs) > 0
    pieces = list(pieces_of(text, logprobs, ends)) if cut else [_plain(text)]
    return Shown(side, row[f"logprob_{name}"], row[f"tokens_{name}"], pieces, cut)


def pieces_of(text: str, logprobs: Sequence[float], ends: Sequence[int]) -> Iterator[Piece]:
    """Cuts a text where its tokens end.

    A token of no width is counted with the one before it, or, at the beginning, behind it.

    Example:
        >>> [(piece.text, piece.logprob) for piece in pieces_of(" late, sí", [-1, -2, -3, -4],
        ...                                                     [5, 6, 9, 9])]
        [(' late', -1.0), (',', -2.0), (' sí', -7.0)]
    """
    cut: list[tuple[str, float]] = []
    begin, waiting = 0, 0.0
    for logprob, end in zip(logprobs, ends, strict=True):
        if end > begin:
            cut.append((text[begin:end], logprob + waiting))
            begin, waiting = end, 0.0
        elif cut:
            cut[-1] = (cut[-1][0], cut[-1][1] + logprob)
        else:
            waiting += logprob
    for piece, logprob in cut:
        yield Piece(visible(piece), sum(logprob < step for step in STEPS), logprob)
    if begin < len(text):
        yield _plain(text[begin:])


def _plain(text: str) -> Piece:
    return Piece(visible(text), None, None)


def visible(text: str) -> str:
    r"""A text as a page can show it, with its spaces: other control characters become signs.

    Example:
        >>> visible(" so\n\x1b[1m")
        ' so⏎ [1m'
    """
    text = text.replace("\r\n", "\n")
    return "".join(
        one if one == " " or printable(one) else ("⏎" if one == "\n" else " ") for one in text
    )
