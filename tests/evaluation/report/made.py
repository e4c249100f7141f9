"""Runs without a model, through the writers that real runs go through."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
from isogloss.evaluation import TaskClass, tasks
from isogloss.evaluation.data import Corpus
from isogloss.evaluation.record import Record
from isogloss.evaluation.results import Result, write_results
from isogloss.models.scoring import Score, Scored, ScoreRequest
from isogloss.stats import Bootstrap

TASKS = ("continuation", "features", "forced_choice")
FEW = Bootstrap(resamples=100, seed=0)
_BEGINNINGS = (
    ("She be working late at the", "She works late at the"),
    ("We was waiting on them by the", "We were waiting for them by the"),
    ("He done told me about his", "He has told me about his"),
    ("Ain't nobody seen her since the", "Nobody has seen her since the"),
    ("They finna move into my", "They are about to move into my"),
    ("My cousin drove us to the", "My cousin drove us to the"),
)
_ENDINGS = (
    ("store and she don't never call nobody", "store and she never calls anybody"),
    ("house cause it's a party going on", "house because there is a party going on"),
    ("game, we was there all night", "game, we were there all night"),
    ("job and he steady talking about it", "job and he keeps talking about it"),
    ("bus stop, we stayed there for two hours", "bus stop, we stayed there for two whole hours"),
)


def rows(count: int) -> pl.DataFrame:
    """Pairs of made sentences; nobody's speech."""
    random, made = Random(0), []
    for number in range(count):
        start, end = random.choice(_BEGINNINGS), random.choice(_ENDINGS)
        made.append(
            {
                "id": f"r{number:05d}",
                "variety": "african-american-english",
                "dialect": f"{start[0]} {end[0]} {number}",
                "standard": f"{start[1]} {end[1]} {number}",
                "dialect_boundary": len(start[0].split()),
                "standard_boundary": len(start[1].split()),
                "author": f"a{number % 300}",
            }
        )
    return pl.DataFrame(made)


class Answers:
    """What a made model says: log-probabilities by a seeded draw for each token."""

    def __init__(self, model: str, *, ends: bool = True) -> None:
        self._model, self._ends = model, ends

    def get(self, request: Any) -> Score:
        ask: ScoreRequest = request.ask
        return Score(tuple(self._scored(ask.context, y) for y in ask.continuations), 5)

    def reply(self, question: Any) -> Any:
        raise AssertionError(f"nobody answers {question}")

    def _scored(self, context: Any, text: str) -> Scored:
        random = Random(f"{self._model}\0{context}\0{text}")
        words = text.split(" ")
        pieces = [word if not at else f" {word}" for at, word in enumerate(words)]
        pieces = [piece for piece in pieces if piece]
        logprobs = tuple(-random.expovariate(0.4) for _ in pieces)
        ends = tuple(accumulate(map(len, pieces))) if self._ends else ()
        return Scored(logprobs, len(text), len(text.encode()), ends)


def make_run(
    folder: Path,
    models: Sequence[str] = ("hf:made",),
    *,
    frame: pl.DataFrame | None = None,
    names: Sequence[str] = TASKS,
    name: str = "made-corpus",
    sha256: str = "a" * 64,
    bootstrap: Bootstrap = FEW,
    unfinished: Sequence[str] = (),
    ends: bool = True,
    dtype: str = "bfloat16",
) -> Path:
    """Writes a run of made models; those in ``unfinished`` were asked and have no result."""
    frame = rows(40) if frame is None else frame
    corpus = Corpus(name, "evaluation", frame, sha256)
    chosen: list[TaskClass] = [tasks()[one] for one in names]
    folder.mkdir(parents=True)
    results = []
    with Record.open(folder, corpus, limit=None, seed=0) as record:
        for model in (*models, *unfinished):
            identity = {
                "backend": "hf", "model": model.partition(":")[2], "revision": "r" * 12,
                "dtype": "auto",
            }  # fmt: skip
            record.model(model, identity)
            record.found(model, {"dtype": dtype})
            if model in unfinished:
                continue
            how = {
                "model": identity, "chat": "auto", "overlong": "raise",
                "corpus": record.data["corpus"], "resamples": bootstrap.resamples,
            }  # fmt: skip
            for one in chosen:
                answers: Any = Answers(model, ends=ends)
                measured = one.make().measure(frame, answers, bootstrap=bootstrap)
                results.append(Result(model, one, frame.height, measured, how))
    write_results(folder, results)
    return folder
