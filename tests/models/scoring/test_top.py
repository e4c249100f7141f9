"""First tokens through a chat endpoint: as the server gives them, journalled, or a reason."""

from __future__ import annotations

import math
from typing import Any

import pytest
from isogloss.corpus.journal import Journal
from isogloss.errors import ModelError, OptionError, ServiceError
from isogloss.models.budget import Limits
from isogloss.models.config import Config, ModelSettings
from isogloss.models.scoring import Fault, Top, TopRequest, TopScorer, load_top, openai_top
from isogloss.models.session import Session
from isogloss.tests.models.conftest import StartStub, Stub
from isogloss.tests.stub.toy import likeliest


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_top, "_FIRST_PAUSE", 0.01)


def model(server: Stub, **more: Any) -> TopScorer:
    settings = ModelSettings(**{"base_url": server.url, "attempts": 2, "timeout": 5.0, **more})
    return load_top("openai:stub", config=Config(models={"openai:stub": settings}))


def asks(text: str, **more: Any) -> TopRequest:
    return TopRequest((("system", "One letter."), ("user", text)), **more)


def test_alternatives_are_the_servers_and_asked_once(near: StartStub, journal: Journal) -> None:
    server = near()
    requests = [asks("Who was late?"), asks("Who ain't?", top=3), asks("Who was late?")]
    found = model(server).ask(requests, journal)
    assert found == [
        Top(tuple(likeliest("Who was late?", 20))),
        Top(tuple(likeliest("Who ain't?", 3))),
        found[0],
    ]
    assert len(server.requests()) == 2
    assert model(server).ask(requests, journal) == found
    assert len(server.requests()) == 2
    [((name, purpose), (count, *_))] = journal.summary().answers.items()
    assert (name, purpose, count) == ("openai:stub", "top", 2)


def test_a_token_outside_the_list_has_no_probability() -> None:
    top = Top((("A", -0.5), ("B", -2.0), ("A", -1.0)))
    assert top.logprob("A") == pytest.approx(math.log(math.exp(-0.5) + math.exp(-1.0)))
    assert top.logprob("B") == -2.0
    assert top.logprob("C") == -math.inf
    assert Top((("A", -math.inf),)).logprob("A") == -math.inf


def test_faults_end_as_an_answer_or_with_their_reason(near: StartStub, journal: Journal) -> None:
    server = near("--named-faults", "--retry-after", "0.05")
    asker = model(server)
    asker.ask([asks("fine")], journal)
    faults = {
        "null": "no_logprobs",
        "words": "invalid_logprobs",
        "content_filter": "content_filter",
        "500": "http_500",
        "status-400": "http_400",
    }
    stay = [asks(f"always:{fault} text") for fault in faults]
    pass_by = [asks(f"once:{fault} text") for fault in ("null", "words", "500", "429", "cut")]
    found = asker.ask([*stay, *pass_by], journal)
    reasons = [one.reason for one in found if isinstance(one, Fault)]
    assert reasons == list(faults.values())
    assert all(isinstance(one, Top) for one in found[len(stay) :])
    sent = len(server.requests())
    assert model(server).ask(stay, journal) == found[: len(stay)]
    assert len(server.requests()) == sent
    session = Session(journal, Limits(), retry_failed=True)
    assert model(server).ask(stay[-1:] + pass_by, session)[0] == found[len(stay) - 1]
    # A harmless text too, since nothing else told whether the server answers at all.
    assert len(server.requests()) == sent + 2


@pytest.mark.parametrize("options", [("--always", "null"), ("--without", "logprobs")])
def test_a_server_without_logprobs_stops_the_run(
    near: StartStub, journal: Journal, options: tuple[str, str]
) -> None:
    server = near(*options, "--latency", "0.05")
    with pytest.raises(ServiceError, match="no log-probabilities") as caught:
        model(server, concurrency=4).ask([asks(f"bus {n}") for n in range(30)], journal)
    assert "top_logprobs" in str(caught.value)
    assert len(server.requests()) <= 4
    assert journal.summary().failures == {}


def test_what_can_not_be_asked_is_a_users_mistake() -> None:
    with pytest.raises(OptionError):
        TopRequest(())
    with pytest.raises(OptionError):
        asks("x", top=0)
    with pytest.raises(ModelError, match="openai:MODEL"):
        load_top("hf:somewhere")
