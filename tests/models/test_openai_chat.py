"""The OpenAI backend against a real server: every bad answer ends where it must."""

from __future__ import annotations

import time
from typing import Any

import pytest
from isogloss.corpus.journal import Journal
from isogloss.errors import BudgetError
from isogloss.models import openai_chat
from isogloss.models.asker import Session
from isogloss.models.budget import Limits, worst_case
from isogloss.models.chat import ChatRequest, Fault, Reply, request_key
from isogloss.models.config import ModelSettings
from isogloss.tests.models.conftest import StartStub, Stub, question

pytestmark = pytest.mark.slow

SCHEMA = {
    "type": "object",
    "properties": {"translation": {"type": "string"}},
    "required": ["translation"],
}


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_chat, "_FIRST_PAUSE", 0.02)


def ask(
    server: Stub, session: Session, requests: list[ChatRequest], **settings: Any
) -> list[Reply | Fault]:
    values: dict[str, Any] = {"base_url": server.url, "attempts": 3, "timeout": 10.0, **settings}
    model = openai_chat.openai_asker("stub", ModelSettings(**values))
    with model.open(session):
        return model.ask(requests)


FAULTS = {
    # fault: its reason, attempts in all, whether tokens are billed
    "429": ("http_429", 3, False),
    "500": ("http_500", 3, False),
    "status-503": ("http_503", 3, False),
    "http-400": ("http_400", 1, False),
    "cut": ("connection", 3, True),
    "dead": ("connection", 3, True),
    "hang": ("timeout", 3, True),
    "refusal": ("refusal", 1, True),
    "length": ("length", 1, True),
    "content_filter": ("content_filter", 1, True),
    "empty": ("empty", 3, True),
    "bad-json": ("invalid_json", 3, True),
}


def test_each_fault_ends_as_a_failure_with_its_reason(stub: StartStub, session: Session) -> None:
    server = stub("--named-faults", "--retry-after", "0.05")
    asked = [question(f"always:{fault} We was late", schema=SCHEMA) for fault in FAULTS]
    answers = [
        answer
        for number, request in enumerate(asked)
        for answer in ask(
            server, session, [request, question("He ain't late", repeat=number)], timeout=0.5
        )[: 1 if number + 1 < len(asked) else 2]
    ]
    identity = openai_chat.openai_asker("stub", ModelSettings(base_url=server.url)).identity
    keys = [request_key(identity, request) for request in asked]
    failures = session.journal.failures(keys)
    for fault, key, answer in zip(FAULTS, keys, answers, strict=False):
        reason, attempts, billed = FAULTS[fault]
        assert isinstance(answer, Fault), fault
        assert (answer.reason, answer.attempts) == (reason, attempts), fault
        assert (failures[key].reason, failures[key].attempts) == (reason, attempts), fault
        assert bool(failures[key].input_tokens) == billed, fault
    assert answers[-1] == Reply("He is not late", answers[-1].input_tokens, 4)
    counts = dict.fromkeys(FAULTS, 0)
    for entry in server.requests():
        if entry["fault"]:
            counts[entry["fault"]] += 1
    assert counts == {fault: attempts for fault, (_, attempts, _) in FAULTS.items()}
    assert session.journal.summary().failures.keys() == {
        ("openai:stub", "test", reason) for reason, _, _ in FAULTS.values()
    }


def test_a_fault_that_passes_ends_as_an_answer(stub: StartStub, session: Session) -> None:
    server = stub("--named-faults", "--retry-after", "0.05")
    again = [fault for fault, (_, attempts, _) in FAULTS.items() if attempts > 1]
    texts = [f"once:{fault} finna go" for fault in again]
    answers = ask(server, session, [question(t, schema=SCHEMA) for t in texts], timeout=0.5)
    assert [a.text for a in answers if isinstance(a, Reply)] == [
        f'{{"translation": "{text.replace("finna", "about to")}"}}' for text in texts
    ]
    assert len(server.requests()) == 2 * len(texts)


def test_a_lost_attempt_books_its_worst_case(stub: StartStub, session: Session) -> None:
    request = question("once:dead We was late")
    answer = ask(stub("--named-faults"), session, [request])[0]
    assert isinstance(answer, Reply)
    read, written = worst_case(request)
    assert answer.input_tokens is not None
    assert read < answer.input_tokens < read + 50
    assert answer.output_tokens is not None
    assert written < answer.output_tokens < written + 20
    assert session.journal.spent()[1] == answer.input_tokens + answer.output_tokens


@pytest.mark.parametrize("fault", ["429", "status-503"])
def test_retry_after_is_waited_for_by_all(stub: StartStub, session: Session, fault: str) -> None:
    server = stub("--named-faults", "--retry-after", "0.7", "--latency", "0.05")
    first = [question(f"once:{fault} We was late")]
    texts = [question(f"bus number {n}") for n in range(8)]
    ask(server, session, first + texts, concurrency=2)
    entries = server.requests()
    refused_at = next(e["at"] for e in entries if e["fault"])
    after = sorted(e["at"] for e in entries if e["at"] > refused_at + 0.1)
    assert len(entries) == 10
    if fault == "429":  # the other answer has no such header
        assert after[0] >= refused_at + 0.7


def test_no_more_are_in_flight_than_allowed_and_all_are_used(
    stub: StartStub, session: Session
) -> None:
    server = stub("--latency", "0.05")
    ask(server, session, [question(f"bus number {n}") for n in range(60)], concurrency=5)
    assert max(entry["in_flight"] for entry in server.requests()) == 5
    assert session.journal.summary().answers["openai:stub", "test"][0] == 60


def test_the_budget_stops_the_run_and_keeps_what_came(stub: StartStub, journal: Journal) -> None:
    server = stub()
    requests = [question(f"bus number {n:02}") for n in range(40)]
    limit = 2 * sum(worst_case(requests[0]))
    session = Session(journal, Limits(max_tokens=limit))
    with pytest.raises(BudgetError, match="max-tokens"):
        ask(server, session, requests)
    assert 0 < journal.spent()[1] <= limit
    received = journal.summary().answers["openai:stub", "test"][0]
    assert 5 <= received == len(server.requests()) < 40
    ask(server, Session(journal, Limits()), requests)
    assert len(server.requests()) == 40


def test_a_budget_smaller_than_one_call_sends_nothing(stub: StartStub, journal: Journal) -> None:
    server = stub()
    with pytest.raises(BudgetError):
        ask(server, Session(journal, Limits(max_tokens=20)), [question("We was late")])
    assert server.requests() == []


@pytest.mark.parametrize("limit", [{"requests_per_minute": 600.0}, {"tokens_per_minute": 12_000.0}])
def test_limits_per_minute_are_kept(
    stub: StartStub, session: Session, limit: dict[str, float]
) -> None:
    server = stub()
    requests = [question("We was late", repeat=n) for n in range(16)]
    start = time.monotonic()
    ask(server, session, requests, **limit)
    assert 0.4 < time.monotonic() - start < 10
    assert len(server.requests()) == 16
