"""The local backend where a row, a folder or a setting is not as it should be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from isogloss.errors import BudgetError, IsoglossError, ModelError
from isogloss.models.asker import Session
from isogloss.models.budget import Limits
from isogloss.models.chat import Fault, Reply
from isogloss.models.config import ModelSettings
from isogloss.models.hf_chat import HFChat, hf_asker
from isogloss.models.model_files import resolve_model
from isogloss.tests.models.hf_tiny import make_model
from isogloss.tests.models.test_hf_chat import SETTINGS, TEXTS, one_by_one, request, run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def model(folder: Path) -> HFChat:
    return HFChat(str(folder), *resolve_model(str(folder)), SETTINGS)


def test_a_model_that_never_ends_gives_length(tmp_path: Path) -> None:
    path = str(make_model(tmp_path, ends=0))
    outcomes = run(
        HFChat(path, *resolve_model(path), SETTINGS), [request(text) for text in TEXTS[:3]]
    )
    assert [getattr(o, "reason", "") for o in outcomes] == ["length"] * 3


def test_what_there_is_of_a_cut_answer_counts_where_that_is_wanted(tmp_path: Path) -> None:
    path = str(make_model(tmp_path, ends=0))
    model = HFChat(path, *resolve_model(path), SETTINGS)
    (outcome,) = run(model, [replace(request(TEXTS[0]), whole=False)])
    assert isinstance(outcome, Reply)
    assert (outcome.output_tokens, bool(outcome.text)) == (request("").sampling.max_tokens, True)


def test_a_context_that_is_too_long_is_the_fault_of_that_row_alone(model: HFChat) -> None:
    requests = [request(text) for text in (TEXTS[0], "late " * 300, TEXTS[1])]
    outcomes = run(model, requests)
    assert isinstance(outcomes[1], Fault)
    assert outcomes[1].reason == "context_length"
    others = [requests[0], requests[2]]
    assert [outcomes[0], outcomes[2]] == one_by_one(model, others)
    assert [o.reason for o in run(model, requests[1:2]) if isinstance(o, Fault)]


def test_a_limit_of_tokens_stops_it_before_it_is_passed(model: HFChat) -> None:
    with pytest.raises(BudgetError):
        run(model, [request(TEXTS[0])], Limits(max_tokens=30))


def test_whole_batches_are_repeated_and_answers_kept(folder: Path, session: Session) -> None:
    requests = [request(text) for text in TEXTS]
    settings = replace(SETTINGS, batch_size=4)
    model = hf_asker(str(folder), settings)
    with model.open(session):
        first = model.ask(requests[:6])
        everything = model.ask(requests)
        assert everything[:6] == first
        assert model.ask(requests) == everything
    assert str(folder) not in str(model.identity)


def test_the_revision_follows_the_files(tmp_path: Path) -> None:
    path = make_model(tmp_path)
    before = resolve_model(str(path))[1]
    (path / "notes.md").write_text("not part of the model")
    assert resolve_model(str(path))[1] == before
    (path / "generation_config.json").write_text("{}")
    assert resolve_model(str(path))[1] != before


@pytest.mark.parametrize("broken", ["template", "weights", "tokenizer", "config"])
def test_a_folder_that_is_not_whole_is_said_to_be(tmp_path: Path, broken: str) -> None:
    path = make_model(tmp_path)
    names = {"template": "chat_template*", "weights": "*.safetensors", "tokenizer": "tokenizer*"}
    for file in path.glob(names.get(broken, "config.json")):
        file.unlink()
    with pytest.raises(ModelError) as caught:
        HFChat("m", str(path), resolve_model(str(path))[1], SETTINGS)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("setting", [{"dtype": "float99"}, {"device": "moon"}])
def test_a_setting_that_does_not_exist(folder: Path, setting: dict[str, str]) -> None:
    with pytest.raises(IsoglossError):
        HFChat("m", str(folder), "r", ModelSettings(**setting))  # type: ignore[arg-type]


def test_a_template_without_system_messages_gets_the_rules_another_way(tmp_path: Path) -> None:
    path = str(make_model(tmp_path, system=False))
    model = HFChat(path, *resolve_model(path), SETTINGS)
    merged = request(f"Be exact.\n\n{TEXTS[0]}", system="")
    assert model._ids(request(TEXTS[0], system="Be exact.")) == model._ids(merged)
