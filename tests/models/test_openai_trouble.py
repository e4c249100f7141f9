"""The OpenAI backend where it is in doubt whether a request or the server is to blame."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from isogloss.corpus.journal import Journal
from isogloss.errors import ModelError, ServiceError
from isogloss.models import openai_chat
from isogloss.models.asker import Session
from isogloss.models.budget import Limits
from isogloss.models.chat import ChatRequest, Fault, Price, Reply
from isogloss.models.chat_translator import ChatTranslator
from isogloss.models.config import ModelSettings
from isogloss.models.prompts import translation_prompts
from isogloss.models.stop import StoppedError
from isogloss.models.translator import Translation
from isogloss.models.usage import Usage
from isogloss.tests.models.conftest import StartStub, Stub, question
from isogloss.tests.stub.server import translated

pytestmark = pytest.mark.slow

DIALECT, STANDARD = "african-american-english", "standard-american-english"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_chat, "_FIRST_PAUSE", 0.01)


def settings(server: Stub, **more: Any) -> ModelSettings:
    values: dict[str, Any] = {"base_url": server.url, "attempts": 2, "concurrency": 4}
    return ModelSettings(**(values | more))


def ask(
    server: Stub, session: Session, requests: list[ChatRequest], **more: Any
) -> list[Reply | Fault]:
    model = openai_chat.openai_asker("stub", settings(server, **more))
    with model.open(session):
        return model.ask(requests)


def buses(count: int) -> list[ChatRequest]:
    return [question(f"bus number {number}") for number in range(count)]


def translate(server: Stub, session: Session, texts: list[str], **more: Any) -> list[Translation]:
    asker = openai_chat.openai_asker("stub", settings(server, **more))
    model = ChatTranslator(asker, translation_prompts("realaae"), structured=True)
    with model.open(session):
        return model.translate(texts, source=DIALECT, target=STANDARD)


def test_a_server_that_ignores_the_schema_is_asked_for_plain_text(
    near: StartStub, session: Session
) -> None:
    server = near("--plain")
    texts = [f"we finna go {number}" for number in range(6)]
    assert translate(server, session, texts) == [Translation(translated(text)) for text in texts]
    first = len(server.requests())
    assert first == 3 * 2 + 6  # three texts with a schema, two attempts each; then all in plain
    more = [f"she ain't go {number}" for number in range(4)]
    assert translate(server, session, more) == [Translation(translated(text)) for text in more]
    assert len(server.requests()) == first + 4  # the journal remembers


def test_what_the_journal_remembers_holds_whatever_is_asked_first(
    near: StartStub, session: Session
) -> None:
    server = near("--named-faults")
    assert translate(server, session, ["we finna go"]) == [Translation("we about to go")]
    bad = [f"always:bad-json {number}" for number in range(4)]
    found = translate(server, session, [*bad, "she ain't go"])
    assert [answer.finish for answer in found] == ["invalid_json"] * 4 + ["stop"]


def test_a_first_text_that_no_answer_can_be_read_of_stops_nothing(
    near: StartStub, session: Session
) -> None:
    server = near("--named-faults")
    texts = ["always:bad-json a", "we finna go", "she ain't go"]
    for _ in range(2):
        found = translate(server, session, texts)
        assert [answer.finish for answer in found] == ["invalid_json", "stop", "stop"]
    assert len(server.requests()) == 4


def test_an_outage_stops_the_run_and_no_text_is_blamed(near: StartStub, session: Session) -> None:
    server = near("--outage", "21:")
    with pytest.raises(ServiceError, match=r"stopped answering \(4 requests in a row"):
        ask(server, session, buses(100))
    assert session.journal.summary().failures == {}
    assert session.journal.summary().answers["openai:stub", "test"][0] == 20
    assert len(server.requests()) < 20 + 20
    server.options.outage = ""
    answers = ask(server, session, buses(100))
    assert all(isinstance(answer, Reply) for answer in answers)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_who_met_a_short_outage_is_asked_once_more(
    near: StartStub, session: Session, concurrency: int
) -> None:
    # Six refusals are three requests given up at most: one less than an outage that stops.
    server = near("--outage", "21:27")
    row = {"concurrency": concurrency} | ({"attempts": 4} if concurrency == 1 else {})
    answers = ask(server, session, buses(60), **row)
    assert all(isinstance(answer, Reply) for answer in answers)
    assert session.journal.summary().failures == {}


@pytest.mark.parametrize("outage", ["1:", "20:"])
def test_an_outage_at_the_end_of_a_call_blames_no_text_either(
    near: StartStub, session: Session, outage: str
) -> None:
    server = near("--outage", outage)
    said = "stopped answering" if outage == "20:" else "has not answered anything"
    with pytest.raises(ServiceError, match=said):
        ask(server, session, buses(20) if outage == "20:" else buses(1), concurrency=1)
    assert session.journal.summary().failures == {}


@pytest.mark.parametrize("fault", ["500", "429", "dead", "status-503"])
def test_a_text_that_alone_gets_no_answer_is_to_blame_itself(
    near: StartStub, session: Session, fault: str
) -> None:
    server = near("--named-faults", "--retry-after", "0.01")
    answer = ask(server, session, [question(f"always:{fault} We was late")])[0]
    assert isinstance(answer, Fault)
    assert len(server.requests()) == 2 + 1  # a harmless text was asked in its place
    assert session.journal.summary().failures.popitem()[1] == 1


@pytest.mark.parametrize("count", [1, 100])
def test_a_server_that_refuses_all_is_quoted_and_no_text_is_blamed(
    near: StartStub, session: Session, count: int
) -> None:
    server = near("--refuse")
    with pytest.raises(ModelError, match="System role not supported"):
        ask(server, session, buses(count))
    assert session.journal.summary().failures == {}
    assert len(server.requests()) < 12


def test_texts_that_are_refused_are_to_blame_where_a_harmless_one_is_not(
    near: StartStub, session: Session
) -> None:
    server = near("--named-faults")
    answers = ask(server, session, [question(f"always:http-400 {n}") for n in range(6)])
    assert [a.reason for a in answers if isinstance(a, Fault)] == ["http_400"] * 6


@pytest.mark.parametrize(
    "without", [["max_tokens"], ["seed"], ["max_tokens", "temperature", "seed", "top_p"]]
)
def test_a_parameter_that_the_server_does_not_take_is_left_out(
    near: StartStub, journal: Journal, without: list[str]
) -> None:
    server = near(*(part for name in without for part in ("--without", name)))
    told: list[str] = []
    session = Session(journal, Limits(), usage=Usage(told.append))
    answers = ask(server, session, buses(20))
    assert all(isinstance(answer, Reply) for answer in answers)
    assert session.usage.notes == told
    assert [note.split("doesn't take ")[1].split(":")[0] for note in told] == without
    refused = [entry for entry in server.requests() if entry.get("done") == "400"]
    assert len(refused) <= 4 * len(without)
    assert journal.served_by()["openai:stub"] == [
        {"model": "stub-2025-01-01", "system_fingerprint": "fp_stub", "without": without}
    ]


def test_what_was_billed_before_a_stop_is_booked(near: StartStub, journal: Journal) -> None:
    server = near("--named-faults")
    price = {"input_price": 1.0, "output_price": 2.0}
    requests = [question(f"always:dead We was late {number}") for number in range(9)]
    session = Session(journal, Limits(max_cost=1.0))
    with pytest.raises(ServiceError, match="connection 4"):
        ask(server, session, requests, **price)
    assert journal.summary().failures == {}
    cost, tokens = journal.spent()
    usage = session.usage
    assert tokens == usage.input_tokens + usage.output_tokens > 8 * 20
    assert cost == pytest.approx(Price(1.0, 2.0).of(usage.input_tokens, usage.output_tokens))
    assert usage.cost == pytest.approx(cost)


def test_stopping_waits_for_what_is_in_flight_and_sends_nothing_more(
    near: StartStub, session: Session
) -> None:
    server = near("--latency", "0.4")
    counts: list[int] = []

    def stop() -> None:
        while len(server.log.read_text().splitlines()) < 4:
            time.sleep(0.01)
        counts.append(session.stop.ask())

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(StoppedError):
        ask(server, session, buses(50))
    thread.join()
    assert counts == [4]
    assert len(server.requests()) == 4
    assert session.journal.summary().answers["openai:stub", "test"][0] == 4


def test_stopping_ends_a_pause(near: StartStub, session: Session) -> None:
    server = near("--named-faults", "--retry-after", "30")
    threading.Timer(0.3, session.stop.ask).start()
    start = time.monotonic()
    with pytest.raises(StoppedError):
        ask(server, session, [question("always:429 We was late")])
    assert time.monotonic() - start < 5


def test_what_is_sent_again_and_what_failed_is_counted(near: StartStub, session: Session) -> None:
    server = near("--named-faults", "--retry-after", "0.01")
    texts = ["once:500 a", "once:429 b", "always:length c", "d"]
    ask(server, session, [question(text) for text in texts])
    record = session.usage.record()
    assert record["calls"] == len(server.requests()) == 6
    assert record["sent_again"] == {"http_429": 1, "http_500": 1}
    assert record["failed"] == {"length": 1}
    assert record["input_tokens"] + record["output_tokens"] == session.journal.spent()[1]
