"""Rows, answers and a toy model for the tests of evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from isogloss.evaluation import Question, Request
from isogloss.models.scoring import Score, Scored, Scorer, ScoreRequest
from isogloss.tests.models.scoring.tiny_tokenizers import sample_lines

#: Log-probability of a continuation behind a context.
LogP = Callable[[str, str], float]


def pairs(count: int, *, authors: int = 0) -> pl.DataFrame:
    """Rows as a corpus has them; the texts differ in length and words."""
    lines = sample_lines()
    words = [line.split() for line in lines]
    rows = [
        {
            "id": f"r{number:04d}",
            "variety": "african-american-english",
            "dialect": " ".join(words[number % len(words)] + [f"n{number}"]),
            "standard": " ".join(words[(number + 7) % len(words)] + [f"n{number}"]),
            "dialect_boundary": len(words[number % len(words)]) // 2,
            "standard_boundary": len(words[(number + 7) % len(words)]) // 2,
            "author": f"a{number % authors}" if authors else None,
        }
        for number in range(count)
    ]
    return pl.DataFrame(
        rows,
        schema_overrides={
            "author": pl.String, "dialect_boundary": pl.Int32, "standard_boundary": pl.Int32
        },
    )  # fmt: skip


def write_corpus(folder: Path, rows: pl.DataFrame, split: str = "evaluation") -> Path:
    """A folder that ``datasets.load_dataset`` opens."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    rows.write_parquet(folder / "data" / f"{split}-00000.parquet")
    # Without a word on splits, `datasets` would call this one "test".
    splits = [path.name.split("-")[0] for path in sorted((folder / "data").iterdir())]
    files = [f"  - split: {name}\n    path: data/{name}-*.parquet\n" for name in splits]
    head = "configs:\n- config_name: default\n  data_files:\n" + "".join(files)
    (folder / "README.md").write_text(f"---\n{head}---\n# Made\n", encoding="utf-8")
    return folder


def scored_as(logp: float, text: str) -> Scored:
    """A continuation of as many tokens as words, each equally likely."""
    tokens = max(1, len(text.split()))
    return Scored((logp / tokens,) * tokens, len(text), len(text.encode()))


def score(request: ScoreRequest, logp: LogP) -> Score:
    assert isinstance(request.context, str)
    context = request.context
    return Score(tuple(scored_as(logp(context, y), y) for y in request.continuations), 3)


class Answers:
    """Answers from a table or a function."""

    def __init__(self, logp: LogP) -> None:
        self._logp = logp

    def get(self, request: Request) -> Score:
        return score(request.ask, self._logp)

    def reply(self, question: Question) -> None:
        """It doesn't speak."""


class Toy:
    """A model that scores by a function of the texts alone, and counts what it is asked."""

    def __init__(self, logp: LogP) -> None:
        self.logp, self.loaded = logp, 0
        self.asked: list[list[ScoreRequest]] = []

    def scorer(self, name: str = "toy:a", **identity: Any) -> Scorer:
        def make() -> Toy:
            self.loaded += 1
            return self

        return Scorer(name, {"model": name, **identity}, make)

    def answer(
        self, requests: Sequence[ScoreRequest], missing: Any, deliver: Any, notes: Any
    ) -> None:
        del notes
        self.asked.append([requests[number] for number in sorted(missing)])
        for number in sorted(missing):
            deliver(number, score(requests[number], self.logp)).result()

    def describe(self) -> Mapping[str, Any]:
        return {}

    def close(self) -> None:
        pass


def by_length(context: str, continuation: str) -> float:
    """Log-probabilities that depend on both, and repeat."""
    return -1.0 - len(continuation) / 7 - (len(context) * len(continuation)) % 11 / 3


def values(metrics: Sequence[Any]) -> Mapping[str, float]:
    """Values by name, with what they are about where they are about something."""
    return {
        f"{one.name} {one.of}".strip(): one.estimate.value
        for one in metrics
        if not math.isnan(one.estimate.value)
    }
