"""The asker: from the journal if it stands there, asked once if not, recorded before it counts."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from isogloss.corpus.journal import Journal
from isogloss.errors import BudgetError, InternalError, OptionError
from isogloss.models.asker import Asker, Session
from isogloss.models.budget import Budget, Limits
from isogloss.models.chat import ChatRequest, Deliver, Fault, Price, Reply, request_key
from isogloss.tests.models.conftest import question

IDENTITY: dict[str, object] = {"backend": "fake", "model": "m"}
Outcome = Reply | Fault


class Fake:
    """Answers from a script, or by repeating the text; remembers what it was asked."""

    name = "fake:m"
    identity: Mapping[str, Any] = IDENTITY

    def __init__(self, script: dict[str, list[Outcome]] | None = None, batch: int = 0) -> None:
        self.script = script or {}
        self.batch = batch
        self.whole_batches = batch > 0
        self.calls: list[list[str]] = []
        self.closed = 0

    @property
    def asked(self) -> list[str]:
        return [text for call in self.calls for text in call]

    def batches(self, requests: Sequence[ChatRequest]) -> list[list[int]]:
        size = self.batch or 1
        return [
            list(range(at, min(at + size, len(requests)))) for at in range(0, len(requests), size)
        ]

    def answer(self, requests: Sequence[ChatRequest], deliver: Deliver, budget: Budget) -> None:  # noqa: ARG002
        texts = [request.messages[-1][1] for request in requests]
        self.calls.append(texts)
        for index in reversed(range(len(texts))):
            outcomes = self.script.get(texts[index])
            outcome = outcomes.pop(0) if outcomes else Reply(f"{texts[index]}!", 10, 2)
            deliver(index, outcome).result(timeout=10)

    def close(self) -> None:
        self.closed += 1


def asker(fake: Fake, price: Price | None = None) -> Asker:
    return Asker(lambda: fake, "fake:m", IDENTITY, price)


def texts(outcomes: Sequence[Outcome]) -> list[str]:
    return [o.text if isinstance(o, Reply) else o.reason for o in outcomes]


def test_answers_come_in_order_and_equal_requests_are_asked_once(session: Session) -> None:
    fake = Fake()
    model = asker(fake)
    with model.open(session):
        asked = [question(text) for text in ("b", "a", "b", "c", "a")]
        assert texts(model.ask(asked)) == ["b!", "a!", "b!", "c!", "a!"]
        assert texts(model.ask(asked)) == ["b!", "a!", "b!", "c!", "a!"]
        assert model.ask([]) == []
    assert fake.calls == [["b", "a", "c"]]
    assert fake.closed == 1


def test_a_run_that_finds_everything_makes_no_backend(session: Session) -> None:
    with (model := asker(Fake())).open(session):
        first = model.ask([question("a")])

    def never() -> Fake:
        raise AssertionError("a backend was made")

    again = Asker(never, "fake:m", IDENTITY, None)
    with again.open(session):
        assert again.ask([question("a")]) == first


def test_answers_of_another_model_are_not_served(session: Session) -> None:
    with (model := asker(Fake())).open(session):
        model.ask([question("a")])
    fake = Fake()
    other = Asker(lambda: fake, "fake:m", {**IDENTITY, "revision": "2"}, None)
    with other.open(session):
        other.ask([question("a")])
    assert fake.asked == ["a"]


def test_what_has_failed_since_a_time_is_not_asked_a_second_time(journal: Journal) -> None:
    fake = Fake({"a": [Fault("length")], "b": [Fault("length")]})
    with (model := asker(fake)).open(Session(journal, Limits())):
        model.ask([question("a")])
    since = datetime.now(UTC).isoformat(timespec="microseconds")
    time.sleep(0.002)  # the journal's times have three digits of the second
    for _ in range(2):  # a run that was killed, and the next one
        with (model := asker(fake)).open(Session(journal, Limits(), True, since)):
            assert texts(model.ask([question("a"), question("b")])) == ["a!", "length"]
    assert fake.asked == ["a", "a", "b"]


def test_what_was_found_out_about_a_model_is_remembered_for_it_alone(session: Session) -> None:
    with (model := asker(Fake())).open(session):
        assert model.recall("x") is None
        model.remember("x", "yes")
        assert (model.recall("x"), model.recall("y")) == ("yes", None)
    assert model.recall("x") is None
    other = Asker(Fake, "fake:n", {**IDENTITY, "model": "n"}, None)
    with other.open(session):
        assert other.recall("x") is None
    assert session.journal.spent() == (0.0, 0)


def test_what_is_known_is_told_without_asking(session: Session) -> None:
    fake = Fake({"b": [Fault("length")]})
    model = asker(fake)
    requests = [question(text) for text in "abc"]
    assert model.known(requests) == [None] * 3
    with model.open(session):
        model.ask(requests[:2])
        found = model.known(requests)
    assert [None if f is None else texts([f])[0] for f in found] == ["a!", "length", None]
    assert fake.asked == ["a", "b"]


def test_what_the_server_says_of_itself_is_in_the_row_and_not_in_the_key(session: Session) -> None:
    by = {"model": "m-2025"}
    fake = Fake({"a": [Reply("x", 1, 1, by)]})
    with (model := asker(fake)).open(session):
        model.ask([question("a"), question("b")])
    key = request_key(IDENTITY, question("a"))
    assert session.journal.answers([key])[key].request["served_by"] == by
    assert session.journal.served_by() == {"fake:m": [by]}


def test_what_is_recorded_says_who_what_and_how_dear(session: Session) -> None:
    fake = Fake({"b": [Fault("length", "cut", 3, 10, 20)]})
    with (model := asker(fake, Price(1e6, 2e6))).open(session):
        model.ask([question("a"), question("b")])
    keys = [request_key(IDENTITY, question(text)) for text in "ab"]
    answer = session.journal.answers(keys)[keys[0]]
    failure = session.journal.failures(keys)[keys[1]]
    assert (answer.answer, answer.model, answer.purpose) == ("a!", "fake:m", "test")
    assert answer.request == question("a").content()
    assert (answer.input_tokens, answer.output_tokens, answer.cost) == (10, 2, 14.0)
    assert (failure.reason, failure.detail, failure.attempts) == ("length", "cut", 3)
    assert failure.cost == 50.0


@pytest.mark.parametrize("retry", [False, True])
def test_failures_are_served_as_failures_unless_they_are_to_be_retried(
    journal: Journal, retry: bool
) -> None:
    faults: list[Outcome] = [Fault("timeout", "slow", 6), Fault("http_500", "no", 6)]
    fake = Fake({"b": faults if retry else faults[:1]})
    asked = [question("a"), question("b")]
    for _ in range(2):
        model = asker(fake)
        with model.open(Session(journal, Limits(), retry_failed=retry)):
            first = texts(model.ask(asked))
            assert texts(model.ask(asked)) == first  # each once per run
    assert first == ["a!", "http_500" if retry else "timeout"]
    assert fake.asked == (["a", "b", "b"] if retry else ["a", "b"])
    with (model := asker(fake)).open(Session(journal, Limits(), retry_failed=True)):
        assert texts(model.ask(asked)) == ["a!", "b!"]
    assert journal.failures([request_key(IDENTITY, asked[1])]) == {}


def test_a_model_that_is_opened_twice_retries_in_each_run(journal: Journal) -> None:
    faults: list[Outcome] = [Fault("timeout")] * 2
    model = asker(fake := Fake({"a": faults}))
    for wanted in ("timeout", "timeout", "a!"):
        with model.open(Session(journal, Limits(), retry_failed=True)):
            assert texts(model.ask([question("a")])) == [wanted]
    assert fake.asked == ["a"] * 3


def test_a_refusal_in_words_is_a_failure(session: Session) -> None:
    def unusable(request: ChatRequest, text: str) -> str:
        return "refusal" if text == "no" and request.messages[-1][1] == "a" else ""

    fake = Fake({"a": [Reply("no", 5, 1)], "b": [Reply("no", 5, 1)]})
    with (model := asker(fake)).open(session):
        answers = model.ask([question("a"), question("b")], unusable=unusable)
    assert texts(answers) == ["refusal", "no"]
    assert session.journal.answers([request_key(IDENTITY, question("a"))]) == {}
    assert session.journal.summary().failures == {("fake:m", "test", "refusal"): 1}


def test_whole_batches_are_repeated_and_journalled_answers_kept(session: Session) -> None:
    asked = [question(text) for text in "abcdef"]
    with (model := asker(Fake())).open(session):
        model.ask([asked[i] for i in (0, 1, 2, 5)])
    fake = Fake({"c": [Reply("other bits")], "f": [Fault("length")]}, batch=2)
    with (model := asker(fake)).open(session):
        assert texts(model.ask(asked)) == [f"{text}!" for text in "abcdef"]
    assert fake.asked == list("cdef")


def test_a_backend_that_forgets_a_request_is_a_bug(session: Session) -> None:
    class Forgets(Fake):
        def answer(self, requests: Sequence[ChatRequest], deliver: Deliver, budget: Budget) -> None:
            super().answer(requests[1:], deliver, budget)

    with (model := asker(Forgets())).open(session), pytest.raises(InternalError, match="1 req"):
        model.ask([question("a"), question("b")])


def test_asking_outside_a_run_is_a_bug() -> None:
    with pytest.raises(InternalError):
        asker(Fake()).ask([question("a")])


def test_earlier_runs_count_and_a_cost_limit_needs_a_price(journal: Journal) -> None:
    with (model := asker(Fake())).open(Session(journal, Limits())):
        model.ask([question("a")])

    class Careful(Fake):
        def answer(self, requests: Sequence[ChatRequest], deliver: Deliver, budget: Budget) -> None:
            assert budget.try_reserve(5, 5)
            super().answer(requests, deliver, budget)

    model = asker(Careful())
    with (
        model.open(Session(journal, Limits(max_tokens=21))),
        pytest.raises(BudgetError, match="12"),
    ):
        model.ask([question("b")])
    with pytest.raises(OptionError, match="fake:m"), model.open(Session(journal, Limits(1.0))):
        pass
