"""What the models of a build would take, before any is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq

from ...models.budget import Limits
from ...models.translator import Estimate
from .pipeline import Pipeline

__all__ = ["estimate_line", "estimated"]


def estimated(pipeline: Pipeline, selected: Sequence[Path]) -> tuple[int, Estimate]:
    """Rows that go to the models, and what they would take beyond what the journal has."""
    total, rows = Estimate(), 0
    for path in selected:
        for batch in pq.ParquetFile(path).iter_batches(columns=["dialect"]):
            texts = batch["dialect"].to_pylist()
            rows += len(texts)
            total += pipeline.estimate(texts) if pipeline.estimate else Estimate()
    return rows, total


def estimate_line(
    found: tuple[int, Estimate], limits: Limits, spent_cost: float = 0.0, spent_tokens: int = 0
) -> str:
    """Rows, calls, tokens and cost in one line, and whether that will pass a limit."""
    rows, total = found
    tokens = f"about {total.input_tokens:,} tokens read and {total.output_tokens:,} written"
    cost = "price not known" if total.cost is None else f"about {total.cost:,.2f} {total.currency}"
    line = f"{rows:,} rows, {total.calls:,} calls, {tokens}, {cost.strip()}"
    over = []
    if limits.max_cost is not None and spent_cost + (total.cost or 0.0) > limits.max_cost:
        over.append(f"--max-cost {limits.max_cost:g}")
    read_and_written = total.input_tokens + total.output_tokens
    if limits.max_tokens is not None and spent_tokens + read_and_written > limits.max_tokens:
        over.append(f"--max-tokens {limits.max_tokens:,}")
    return line + (f"; more than {' and '.join(over)} allows" if over else "")
