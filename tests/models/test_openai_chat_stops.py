"""The OpenAI backend where no request can succeed, and what it never lets out: the key."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from isogloss.corpus.journal import Journal
from isogloss.errors import IsoglossError, ServiceError
from isogloss.models import openai_chat
from isogloss.models.asker import Session
from isogloss.models.budget import Limits
from isogloss.models.chat import Fault
from isogloss.models.config import ModelSettings
from isogloss.models.openai_address import without_credentials
from isogloss.models.openai_chat import openai_asker
from isogloss.tests.models.conftest import KEY, StartStub, question
from isogloss.tests.models.test_openai_chat import ask

MANY = [question(f"bus number {n}") for n in range(200)]


def stopped(session: Session, model: str = "stub", **settings: Any) -> str:
    """What the user reads when the run stops; one line."""

    def run() -> None:
        asker = openai_asker(model, ModelSettings(**{"timeout": 10.0, **settings}))
        with asker.open(session):
            asker.ask(MANY)

    with pytest.raises(IsoglossError) as caught:
        run()
    said = str(caught.value)
    assert "\n" not in said
    assert KEY not in said
    assert caught.value.remedy
    return said


@pytest.mark.slow
def test_a_wrong_key_stops_at_once(
    stub: StartStub, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = stub("--latency", "0.05")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-wrong")
    said = stopped(session, base_url=server.url, concurrency=6)
    assert "the key is not accepted" in said
    assert "OPENAI_API_KEY" in said
    assert "planted" not in said
    assert 1 <= len(server.requests()) <= 6
    assert session.journal.summary().answers == {}
    assert session.journal.summary().failures == {}


@pytest.mark.slow
@pytest.mark.parametrize("model", ["other", "monkey"])
def test_an_unknown_model_stops_at_once(stub: StartStub, session: Session, model: str) -> None:
    said = stopped(session, model, base_url=stub().url)
    assert f"model {model} does not exist" in said
    assert "check the model's name" in said.lower()
    assert session.journal.summary().failures == {}


@pytest.mark.slow
def test_an_account_that_can_not_pay_stops_at_once(stub: StartStub, session: Session) -> None:
    server = stub("--named-faults", "--latency", "0.05")
    model = openai_asker("stub", ModelSettings(base_url=server.url, concurrency=4))
    with pytest.raises(ServiceError, match="can't pay"), model.open(session):
        model.ask([question(f"always:status-402 bus {n}") for n in range(50)])
    assert len(server.requests()) <= 4


@pytest.mark.slow
def test_nothing_more_is_sent_once_another_request_has_found_no_hope(
    stub: StartStub, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_chat, "_FIRST_PAUSE", 0.6)
    server = stub("--named-faults", "--latency", "0.1")
    texts = ["always:500 late", "always:status-401 late"]
    with pytest.raises(ServiceError, match="key"):
        ask(server, session, [question(text) for text in texts], attempts=4)
    assert len(server.requests()) == 2


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://127.0.0.1:1/v1", "127.0.0.1:1"),
        ("http://no-such-host.invalid/v1", "no-such-host"),
        ("http://[::1]:1/v1", "[::1]:1"),
        ("localhost:1/v1", "localhost:1"),
        ("http://127.0.0.1:port/v1", "127.0.0.1"),
    ],
)
def test_a_server_that_is_not_there_stops_the_run(
    session: Session, monkeypatch: pytest.MonkeyPatch, url: str, host: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(openai_chat, "_FIRST_PAUSE", 0.02)
    start = time.monotonic()
    assert host in stopped(session, base_url=url)
    assert time.monotonic() - start < 10
    assert session.journal.summary().failures == {}


@pytest.mark.slow
@pytest.mark.parametrize("key", ["sk-planted\n", "sk-planted\r", "sk-plänted", "sk-pl–nted"])
def test_a_key_that_can_not_be_sent_is_a_users_mistake(
    stub: StartStub, session: Session, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    server = stub()
    monkeypatch.setenv("OPENAI_API_KEY", key)
    said = stopped(session, base_url=server.url, attempts=1)
    assert "OPENAI_API_KEY" in said
    assert "sk-pl" not in said


@pytest.mark.slow
def test_a_dead_server_stops_the_run_and_answers_are_kept(
    stub: StartStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_chat, "_FIRST_PAUSE", 0.02)
    with Journal(tmp_path / "j") as journal:
        session = Session(journal, Limits())
        server = stub()
        model = openai_asker("stub", ModelSettings(base_url=server.url, attempts=3))
        with model.open(session):
            model.ask([question("We was late")])
            journal_before = journal.summary()
            gone = openai_asker("stub", ModelSettings(base_url="http://127.0.0.1:1/v1"))
            with pytest.raises(ServiceError, match="reached"), gone.open(session):
                gone.ask(MANY)
        assert journal.summary() == journal_before


@pytest.mark.slow
def test_no_key_gets_into_the_journal_or_a_fault(stub: StartStub, tmp_path: Path) -> None:
    server = stub("--named-faults")
    path = tmp_path / "j"
    with Journal(path) as journal:
        model = openai_asker("stub", ModelSettings(base_url=server.url, attempts=2))
        with model.open(Session(journal, Limits())):
            model.ask([question("We was late")])
            answers = model.ask(
                [question(f"always:{fault} late") for fault in ("echo", "echo95", "http-400")]
            )
    assert [type(answer) for answer in answers] == [Fault] * 3
    assert KEY[:6] not in repr(answers)
    assert KEY[:6].encode() not in path.read_bytes()


@pytest.mark.slow
def test_user_and_password_of_the_url_are_sent_and_kept_secret(
    stub: StartStub, tmp_path: Path
) -> None:
    server = stub("--authorization", "Basic bWU6cEBzcw==", "--named-faults")
    url = server.url.replace("http://", "http://me:p%40ss@")
    path = tmp_path / "j"
    with Journal(path) as journal:
        model = openai_asker("stub", ModelSettings(base_url=url, key_variable=""))
        with model.open(Session(journal, Limits())):
            model.ask([question("We was late")])
        assert journal.summary().answers["openai:stub", "test"][0] == 1
    assert "p@ss" not in str(model.identity)
    assert b"p%40ss" not in path.read_bytes()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://me@[::1]/v1", "http://[::1]/v1"),
        ("https://me:p%40@Host.example:81/v1/", "https://host.example:81/v1"),
        ("https://a.example/v1?key=x#y", "https://a.example/v1"),
    ],
)
def test_urls_are_shown_whole_but_for_their_secrets(url: str, shown: str) -> None:
    assert without_credentials(url) == shown


def test_nothing_is_left_running(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(openai_chat, "_FIRST_PAUSE", 0.02)
    before = set(threading.enumerate())
    stopped(session, base_url="http://127.0.0.1:1/v1", attempts=1)
    assert [t.name for t in set(threading.enumerate()) - before if t.name == "openai"] == []
