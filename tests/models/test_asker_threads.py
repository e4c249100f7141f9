"""The asker with several threads: nothing is asked twice, and no error leaves one waiting."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from isogloss.corpus.journal import Answer, Journal
from isogloss.errors import ModelError, ServiceError
from isogloss.models.asker import Asker, Session
from isogloss.models.budget import Budget, Limits
from isogloss.models.chat import ChatRequest, Deliver, Fault, Reply
from isogloss.tests.models.conftest import question
from isogloss.tests.models.test_asker import IDENTITY, Fake, asker, texts

WAIT = 5


class Gated(Fake):
    """Waits before it answers until it is let through, or raises instead."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.asking, self.go = threading.Event(), threading.Event()
        self.error = error

    def answer(self, requests: Sequence[ChatRequest], deliver: Deliver, budget: Budget) -> None:
        self.asking.set()
        assert self.go.wait(WAIT)
        if self.error is not None:
            raise self.error
        super().answer(requests, deliver, budget)


def two(
    model: Asker, fake: Gated, first: str, second: str
) -> tuple[Future[list[Reply | Fault]], Future[list[Reply | Fault]]]:
    """Asks from two threads, the second while the first is being answered."""
    pool = ThreadPoolExecutor(2)
    one = pool.submit(model.ask, [question(text) for text in first])
    assert fake.asking.wait(WAIT)
    other = pool.submit(model.ask, [question(text) for text in second])
    pool.shutdown(wait=False)
    threading.Timer(0.1, fake.go.set).start()
    return one, other


@pytest.mark.parametrize("second", ["ab", "ba", "bcb", "c"])
def test_what_another_thread_is_asking_is_waited_for(session: Session, second: str) -> None:
    fake = Gated()
    model = asker(fake)
    with model.open(session):
        one, other = two(model, fake, "ab", second)
        assert texts(one.result(WAIT)) == ["a!", "b!"]
        assert texts(other.result(WAIT)) == [f"{text}!" for text in second]
    assert sorted(fake.asked) == sorted(set("ab" + second))


def test_a_fatal_error_reaches_every_thread(session: Session) -> None:
    fake = Gated(ServiceError("the key is not accepted"))
    model = asker(fake)
    with model.open(session):
        for future in two(model, fake, "a", "a"):
            with pytest.raises(ServiceError, match="key is not accepted"):
                future.result(WAIT)


def test_after_an_error_the_same_request_can_be_asked_again(session: Session) -> None:
    fake = Gated(ServiceError("gone"))
    fake.go.set()
    model = asker(fake)
    with model.open(session):
        with pytest.raises(ServiceError):
            model.ask([question("a")])
        fake.error = None
        assert texts(model.ask([question("a")])) == ["a!"]


def test_a_model_that_could_not_be_made_leaves_nobody_waiting(session: Session) -> None:
    made: Iterator[ModelError | Fake] = iter([ModelError("the model can't be loaded"), Fake()])

    def make() -> Fake:
        backend = next(made)
        if isinstance(backend, ModelError):
            raise backend
        return backend

    model = Asker(make, "fake:m", IDENTITY, None)
    with model.open(session):
        with pytest.raises(ModelError, match="can't be loaded"):
            model.ask([question("a")])
        again = ThreadPoolExecutor(1).submit(model.ask, [question("a")])
        assert texts(_finished(again, model)) == ["a!"]


def _finished(asked: Future[list[Reply | Fault]], model: Asker) -> list[Reply | Fault]:
    """The result; a thread that would wait for ever is let go first."""
    try:
        return asked.result(2)
    except TimeoutError:
        for future in list(model._coming.values()):
            future.set_exception(AssertionError("nobody would ever have answered"))
        raise


class Late(Journal):
    """A journal whose next look-up is held up after it has looked."""

    hold: Callable[[], object] | None = None

    def answers(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        found = super().answers(keys)
        hold, self.hold = self.hold, None
        if hold is not None:
            hold()
        return found


def test_an_answer_that_comes_between_looking_and_asking_is_not_asked_for(tmp_path: Path) -> None:
    fake = Fake()
    model = asker(fake)
    with Late(tmp_path / "journal") as journal, model.open(Session(journal, Limits())):
        journal.hold = lambda: model.ask([question("a")])  # as another thread would, just now
        assert texts(model.ask([question("a")])) == ["a!"]
    assert fake.asked == ["a"]


def test_many_threads_ask_each_text_once(session: Session) -> None:
    fake = Fake()
    model = asker(fake)
    start = threading.Barrier(8)

    def work(first: int) -> list[str]:
        start.wait(WAIT)
        numbers = [(first * 7 + step) % 40 for step in range(40)]
        for at in range(0, 40, 5):
            part = [str(number) for number in numbers[at : at + 5]]
            assert texts(model.ask([question(text) for text in part])) == [f"{t}!" for t in part]
        return fake.asked

    with model.open(session), ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(set(fake.asked)) == 40
    assert sorted(fake.asked) == sorted(set(fake.asked))
