"""Batches that depend on the texts of one call alone, so that the same call gives the same bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

__all__ = ["by_length", "padded"]


def by_length(tokens: Sequence[Sequence[int]], most: int) -> Iterator[list[int]]:
    """Batches rows of like length, whatever order they came in.

    Args:
        tokens: Token ids of each row.
        most: Tokens at once, padding counted; a row that is longer is a batch of its own.

    Yields:
        Indices of the rows of one batch.

    Example:
        >>> list(by_length([[5, 6], [1], [2, 3, 4], [0]], most=4))
        [[3, 1], [0], [2]]
    """
    batch: list[int] = []
    for at in sorted(range(len(tokens)), key=lambda at: (len(tokens[at]), tokens[at])):
        if batch and (len(batch) + 1) * len(tokens[at]) > most:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def padded(rows: Sequence[Sequence[int]], filling: int, device: Any) -> tuple[Any, Any]:
    """A batch as a model takes it.

    Args:
        rows: Token ids of each row, one row or more.
        filling: What shorter rows are filled with on the right.
        device: A device of torch.

    Returns:
        Token ids and attention mask (1 for a token of the row), int64 tensors of shape
        ``(rows, longest row)``.
    """
    import torch

    lengths = np.array([len(row) for row in rows])
    mask = np.arange(lengths.max())[None, :] < lengths[:, None]
    ids = np.full(mask.shape, filling, dtype=np.int64)
    ids[mask] = np.concatenate([np.asarray(row, dtype=np.int64) for row in rows])
    return torch.from_numpy(ids).to(device), torch.from_numpy(mask.astype(np.int64)).to(device)
