"""A model that is asked in words: asked once, found again, and told what stands before all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from isogloss.errors import CorpusError, ModelError, OptionError
from isogloss.evaluation import Corpus, Result, chosen_tasks, evaluate
from isogloss.evaluation import run as run_module
from isogloss.evaluation.asking import read_prompt
from isogloss.models.config import Config, ModelSettings
from isogloss.tests.evaluation.made import Toy, by_length, pairs
from isogloss.tests.models.conftest import StartStub, near, one_thread
from isogloss.tests.models.scoring.tiny_models import CPU, make_model

__all__ = ["near", "one_thread"]

ROWS = pairs(6, authors=3).with_columns(back=pl.col("dialect"))
CORPUS = Corpus("made", "evaluation", ROWS, "0" * 64)
Run = Callable[..., list[Result]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def evaluated(model: str, tasks: list[str], settings: ModelSettings = CPU, **more: object):  # type: ignore[no-untyped-def]
        return evaluate(
            CORPUS, [model], chosen_tasks(tasks), out=tmp_path / "run", resamples=20,
            config=Config(models={model: settings}), **more,  # type: ignore[arg-type]
        )  # fmt: skip

    return evaluated


def written(folder: Path) -> dict[str, bytes]:
    paths = (path for path in (folder / "results").rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_a_model_answers_and_is_measured_when_it_is_gone(tmp_path: Path, run: Run) -> None:
    folder = make_model("llama", tmp_path / "tiny")
    tasks = ["invariance", "continuation"]
    first, second = run(f"hf:{folder}", tasks)
    assert first.measured.items.height == second.measured.items.height == 6
    assert first.measured.items["answer_dialect"].to_list() == (
        first.measured.items["answer_back"].to_list()
    )
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["chats"][f"hf:{folder}"]["chat"] == "auto"
    assert record["found"][f"hf:{folder}"]["trees"] is True  # though the scorer had made room
    before = written(tmp_path / "run")
    shutil.move(folder, tmp_path / "away")
    run(f"hf:{folder}", tasks)
    assert written(tmp_path / "run") == before


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_a_template_can_be_insisted_on(tmp_path: Path, run: Run) -> None:
    folder = make_model("gpt2", tmp_path / "tiny")
    for template in folder.glob("chat_template*"):
        template.unlink()
    with pytest.raises(ModelError, match="no chat template"):
        run(f"hf:{folder}", ["invariance"], chat="on")
    (result,) = run(f"hf:{folder}", ["invariance"])
    assert result.measured.items.height == 6


def test_a_server_is_asked_once_and_what_is_cut_off_counts(
    run: Run, near: StartStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = near("--always", "length")
    settings = ModelSettings(base_url=server.url)
    (result,) = run("openai:stub", ["invariance"], settings)
    assert result.measured.items["answer_dialect"].str.starts_with("Answer").all()
    assert set(result.measured.items["label_dialect"]) == {"unparsed"}
    sent = len(server.requests())
    assert sent == 2 * 6  # a back-translation is the same text as its dialect
    monkeypatch.delenv("OPENAI_API_KEY")
    run("openai:stub", ["invariance"], settings)
    assert len(server.requests()) == sent


def test_answers_that_fail_are_counted_with_their_reason(run: Run, near: StartStub) -> None:
    server = near("--always", "content_filter")
    (result,) = run("openai:stub", ["invariance"], ModelSettings(base_url=server.url))
    sides = ("dialect", "standard", "back")
    assert dict(result.measured.notes) == {f"failed_content_filter_{side}": 6 for side in sides}
    assert {one.estimate.n for one in result.measured.metrics} == {0}


def test_a_refusal_is_an_answer_that_cant_be_read(run: Run, near: StartStub) -> None:
    server = near("--always", "refusal")
    (result,) = run("openai:stub", ["invariance"], ModelSettings(base_url=server.url))
    assert set(result.measured.items["label_standard"]) == {"unparsed"}


def test_a_prompt_stands_before_everything_and_belongs_to_the_run(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    toy = Toy(by_length)
    monkeypatch.setattr(run_module, "load_scorer", lambda name, **_: toy.scorer(name))
    (plain,) = run("toy:a", ["continuation"])
    with pytest.raises(CorpusError, match="another prompt"):
        run("toy:a", ["continuation"], prompt="Be fair.")
    shutil.rmtree(tmp_path / "run")
    (fair,) = run("toy:a", ["continuation"], prompt="Be fair.")
    bare, prompted = toy.asked
    assert [one.context for one in prompted] == [f"Be fair.\n\n{one.context}" for one in bare]
    assert not plain.measured.items.equals(fair.measured.items)
    assert fair.how["prompt"] == "Be fair."


def test_a_prompt_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text("Be fair.\n", encoding="utf-8")
    assert read_prompt(f"@{tmp_path / 'prompt.txt'}") == "Be fair."
    with pytest.raises(OptionError, match="can't be read"):
        read_prompt(f"@{tmp_path / 'none'}")


def test_a_suite_is_its_tasks_and_a_wrong_one_is_told() -> None:
    names = [one.name for one in chosen_tasks(["features"], suite="realaae")]
    assert names == ["features", "invariance", "continuation", "forced_choice"]
    with pytest.raises(OptionError, match="there is no suite 'real'"):
        chosen_tasks([], suite="real")
