"""A model that is asked in words: asked once, found again, and told what stands before all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock, Mock

import polars as pl
import pytest
from isogloss.errors import CorpusError, ModelError, OptionError
from isogloss.evaluation import Corpus, Result, asking, chosen_tasks, evaluate
from isogloss.evaluation import run as run_module
from isogloss.evaluation.asking import Subject, read_prompt
from isogloss.models.asker import Asker
from isogloss.models.askers import load_asker
from isogloss.models.budget import Limits
from isogloss.models.chat import Fault, Price, Reply
from isogloss.models.config import Config, ModelSettings
from isogloss.models.scoring import ScoreRequest
from isogloss.tests.evaluation.made import Toy, by_length, pairs
from isogloss.tests.models.conftest import StartStub, near, one_thread, question
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
    ((noted, chat),) = record["chats"].items()
    assert noted.startswith(f"hf:{folder} chat=auto revision={chat['revision']}")
    assert chat["chat"] == "auto"
    assert record["found"][f"hf:{folder}"]["trees"] is True  # though the scorer had made room
    before = written(tmp_path / "run")
    shutil.move(folder, tmp_path / "away")
    run(f"hf:{folder}", tasks, limits=Limits(max_cost=1.0))
    assert written(tmp_path / "run") == before


class _Noted:
    """What a run has noted of chats."""

    def __init__(self) -> None:
        self.data: dict[str, Mapping[str, Any]] = {}

    def identity(self, name: str, *, kind: str) -> Mapping[str, Any] | None:
        return self.data.get(f"{kind} {name}")

    def model(self, name: str, identity: Mapping[str, Any], *, kind: str) -> None:
        self.data[f"{kind} {name}"] = identity


def test_a_model_that_is_gone_is_known_by_its_template_and_revision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noted: Any = _Noted()

    def asker(revision: str, chat: str) -> Asker:
        scorer = Toy(by_length).scorer("toy:a", revision=revision)
        return Subject(scorer, noted, None, chat=chat, prompt="")._asker_of()

    for revision, chat in (("1", "auto"), ("1", "off"), ("2", "auto")):
        made = Asker(Mock(), "toy:a", {"revision": revision, "chat": chat}, None)
        monkeypatch.setattr(asking, "load_asker", Mock(return_value=made))
        asker(revision, chat)
    monkeypatch.setattr(asking, "load_asker", Mock(side_effect=ModelError("it is gone")))
    assert asker("1", "auto").identity == {"revision": "1", "chat": "auto"}
    assert asker("1", "off").identity == {"revision": "1", "chat": "off"}
    assert asker("2", "auto").price == Price(0.0, 0.0, "")
    for revision, chat in (("2", "off"), ("3", "auto"), ("1", "on")):
        with pytest.raises(ModelError, match="it is gone"):
            asker(revision, chat)


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


def test_a_prompt_that_is_given_says_something(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text(" \n", encoding="utf-8")
    for option in (f"@{tmp_path / 'empty.txt'}", " \n "):
        with pytest.raises(OptionError, match="the prompt is empty"):
            read_prompt(option)
    assert read_prompt("") == ""


def subject(prompt: str = "", overlong: str = "raise") -> tuple[Subject, Mock]:
    """A subject whose scorer and asker are one mock."""
    model = Mock()
    made = Subject(model, Mock(), None, chat="auto", prompt=prompt, overlong=overlong)
    made._asker = MagicMock()
    made._asker.ask = model.ask
    return made, model


def test_a_prompt_goes_before_what_a_task_says_to_the_system() -> None:
    made, model = subject("Be fair.")
    model.ask.return_value = [Reply("A"), Reply("B")]
    texts = [replace(question("Hi"), system=system) for system in ("Be exact.", "")]
    made.reply(texts, Mock(), Mock())
    (asked,) = model.ask.call_args.args
    assert [one.system for one in asked] == ["Be fair.\n\nBe exact.", "Be fair."]
    user = ("user", "A or B?")
    chats = [(("system", "Be exact."), user), (user,)]
    made.score([ScoreRequest(chat, ("A", "B")) for chat in chats], Mock(), Mock())
    contexts = [one.context for one in model.score.call_args.args[0]]
    assert contexts == [
        (("system", "Be fair.\n\nBe exact."), user), (("system", "Be fair."), user)
    ]  # fmt: skip


def test_a_prompt_is_never_cut_away(run: Run, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="--overlong cut: the prompt would be cut away"):
        run("toy:a", ["continuation"], prompt="Be fair.", overlong="cut")
    assert not (tmp_path / "run").exists()


def test_a_question_beyond_the_window_is_heeded_as_a_context_is() -> None:
    faults = [Reply("A"), Fault("context_length", "9 tokens and room for 8"), Fault("refusal")]
    for overlong in ("skip", "cut"):
        made, model = subject(overlong=overlong)
        model.ask.return_value = faults
        replies = made.reply([question("Hi")] * 3, Mock(), Mock())
        assert [getattr(one, "reason", "") for one in replies] == ["", "too_long", "refusal"]
    made, model = subject()
    model.ask.return_value = faults
    with pytest.raises(OptionError, match="9 tokens and room for 8.*--overlong skip"):
        made.reply([question("Hi")] * 3, Mock(), Mock())


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_questions_beyond_the_window_are_counted(tmp_path: Path) -> None:
    folder = make_model("gpt2", tmp_path / "tiny")
    long = pl.when(pl.col("id") == "r0002").then(pl.lit("late " * 200)).otherwise("dialect")
    corpus = Corpus("made", "evaluation", ROWS.with_columns(dialect=long), "0" * 64)

    def failed(overlong: str) -> dict[str, Any]:
        (result,) = evaluate(
            corpus, [f"hf:{folder}"], chosen_tasks(["invariance"]), out=tmp_path / "run",
            resamples=20, config=Config(models={f"hf:{folder}": CPU}), overlong=overlong,
        )  # fmt: skip
        notes = result.measured.notes
        return {name: notes[name] for name in notes if name.startswith("failed_")}

    assert failed("skip") == {"failed_too_long_dialect": 1}
    with pytest.raises(OptionError, match="--overlong skip"):
        failed("raise")


def test_a_server_always_has_its_template() -> None:
    with pytest.raises(OptionError, match="--chat off: a chat endpoint is always asked by its"):
        load_asker("openai:stub", chat="off")


def test_a_suite_is_its_tasks_and_a_wrong_one_is_told() -> None:
    names = [one.name for one in chosen_tasks(["features"], suite="realaae")]
    assert names == ["features", "invariance", "continuation", "forced_choice"]
    with pytest.raises(OptionError, match="there is no suite 'real'"):
        chosen_tasks([], suite="real")
