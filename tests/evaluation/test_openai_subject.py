"""An evaluation of a model behind a server: what fails is counted, and never asked in vain."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from isogloss.evaluation import Corpus, chosen_tasks, evaluate
from isogloss.models.config import Config, ModelSettings
from isogloss.models.scoring import openai_scorer
from isogloss.tests.models.conftest import StartStub, near
from isogloss.tests.stub.toy import logprobs, tokenized

__all__ = ["near"]

ROWS = [
    ("a", "We was late again", "We were late again"),
    ("b", "always:status-400 was so late", "always:status-400 were so late"),
    ("c", "He ain't here no more", "He is not here any more"),
]


def test_items_that_failed_are_excluded_and_counted(
    near: StartStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_scorer, "_FIRST_PAUSE", 0.01)
    rows = pl.DataFrame(ROWS, schema=["id", "dialect", "standard"], orient="row").with_columns(
        dialect_boundary=pl.lit(2), standard_boundary=pl.lit(2)
    )
    server = near("--named-faults")
    config = Config(models={"openai:stub": ModelSettings(base_url=server.url)})

    def measured() -> dict[str, float]:
        [result] = evaluate(
            Corpus("rows", "train", rows, "0"), ["openai:stub"], chosen_tasks(["continuation"]),
            out=tmp_path / "run", config=config, resamples=10,
        )  # fmt: skip
        assert dict(result.measured.excluded) == {"failed_http_400": 1}
        assert result.measured.items["id"].to_list() == ["a", "c"]
        items = result.measured.items.filter(pl.col("id") == "a")
        return {name: items[name].item() for name in items.columns if name.startswith("logprob")}

    first = measured()
    own = logprobs("We was late again")[len(tokenized("We was")) :]
    assert first["logprob_dialect_given_dialect"] == pytest.approx(sum(own), abs=1e-12)
    sent = len(server.requests())
    monkeypatch.delenv("OPENAI_API_KEY")
    assert measured() == first
    assert len(server.requests()) == sent
