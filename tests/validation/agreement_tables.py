"""Tables of ratings for tests: published ones, and random ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

#: Fleiss 1971, table 1: 30 patients, six psychiatrists each, five diagnoses.
FLEISS = [
    [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0],
    [2, 0, 4, 0, 0], [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6],
    [1, 0, 0, 5, 0], [1, 1, 0, 4, 0], [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1],
    [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0], [0, 2, 0, 4, 0], [1, 0, 2, 0, 3],
    [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0], [1, 0, 0, 4, 1],
    [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6],
]  # fmt: skip

#: The example of many textbooks: ten subjects, 14 raters, five categories.
TEXTBOOK = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


def tidy(matrix: Sequence[Sequence[str | None]], *, question: str = "natural") -> pl.DataFrame:
    """A row for each cell of an items by raters matrix of labels."""
    return pl.DataFrame(
        [
            {"item": f"i{i:04}", "rater": f"name {r}", "question": question, "label": label}
            for i, row in enumerate(matrix)
            for r, label in enumerate(row)
        ],
        schema=dict.fromkeys(("item", "rater", "question", "label"), pl.String),
    )


def from_counts(counts: Sequence[Sequence[int]]) -> list[list[str | None]]:
    """A matrix with these counts of labels; which rater gave which doesn't matter for them."""
    return [[f"l{k}" for k, n in enumerate(row) for _ in range(n)] for row in counts]


def random_matrix(
    seed: int, *, raters: int | None = None, gaps: bool = False
) -> list[list[str | None]]:
    """Ratings that agree more or less: two to six raters and labels, up to forty items."""
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(5, 41)), raters or int(rng.integers(2, 7))
    labels = int(rng.integers(2, 7))
    truth = rng.choice(labels, size=(shape[0], 1), p=rng.dirichlet(np.full(labels, 2)))
    codes = np.where(rng.random(shape) < rng.random(), truth, rng.integers(labels, size=shape))
    # Two items keep all ratings and two labels, so that every measure is defined.
    codes[0], codes[1] = 0, 1
    absent = rng.random(shape) < (rng.uniform(0.05, 0.5) if gaps else 0)
    absent[:2] = False
    return [
        [None if gone else f"l{code}" for code, gone in zip(*row, strict=True)]
        for row in zip(codes.tolist(), absent.tolist(), strict=True)
    ]
