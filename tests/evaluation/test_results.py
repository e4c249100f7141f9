"""Folders of results: one for each model, safe as names, without the folders above a model."""

from __future__ import annotations

import re

import polars as pl
import pytest
from isogloss.evaluation import Measured, Metric
from isogloss.evaluation.results import Result, folder_of
from isogloss.evaluation.tasks.continuation import TASK
from isogloss.stats import Estimate

NAMES = [
    "hf:HuggingFaceTB/SmolLM2-135M", "hf:HuggingFaceTB-SmolLM2-135M", "hf:/data/secret/llama",
    "hf:./llama", "hf:~/llama", "hf:/other/llama", "hf:../llama", "openai:gpt 4o/mini:x", "hf:…",
]  # fmt: skip


def test_models_that_look_alike_have_folders_of_their_own() -> None:
    folders = [folder_of(name) for name in NAMES]
    assert len(set(folders)) == len(folders)
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", folder) for folder in folders)
    assert not any(folder.startswith((".", "-")) for folder in folders)


@pytest.mark.parametrize("name", ["hf:/data/secret/llama", "hf:~/secret/llama"])
def test_no_result_tells_where_a_model_lies(name: str) -> None:
    assert "secret" not in folder_of(name)
    metric = Metric("lp", Estimate(value=float("nan"), n=0, clusters=0, reason="no rows"))
    result = Result(
        name,
        TASK,
        0,
        Measured([metric], pl.DataFrame(), {"no_boundaries": 3}, ("lp",), {"rows_cut": 2}),
    )
    written = result.to_dict()
    assert "secret" not in str(written)
    assert written["model"] == "hf:llama"
    assert (written["task"], written["task_version"]) == ("continuation", TASK.version)
    assert (written["rows"], written["measured"], written["excluded"]) == (
        0,
        0,
        {"no_boundaries": 3},
    )
    assert written["notes"] == {"rows_cut": 2}
    assert written["metrics"][0]["value"] is None
    assert written["metrics"][0]["reason"] == "no rows"
    assert result.headline == [metric]
