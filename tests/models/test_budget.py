"""The budget: never passed, whoever asks at the same time, and honest about the worst case."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.errors import BudgetError, OptionError
from isogloss.models.budget import Budget, Limits, worst_case
from isogloss.models.chat import ChatRequest, Price, Sampling
from isogloss.models.stop import Stop, StoppedError
from isogloss.tests.models.conftest import question

PRICE = Price(2.0, 8.0, "EUR")
CALLS = st.lists(
    st.tuples(st.integers(1, 400), st.integers(1, 400), st.floats(0, 1), st.booleans()),
    max_size=40,
)


@given(CALLS, st.integers(1, 5000), st.integers(0, 500))
def test_no_order_of_calls_passes_either_limit(
    calls: list[tuple[int, int, float, bool]], most: int, spent: int
) -> None:
    limits = Limits(max_cost=most * 3e-6, max_tokens=most)
    budget = Budget(limits, PRICE, spent_cost=spent * 2e-6, spent_tokens=spent)
    cost, tokens = spent * 2e-6, spent
    open_calls: list[tuple[int, int, float, bool]] = []
    for call in calls:
        try:
            if budget.try_reserve(call[0], call[1]):
                open_calls.append(call)
        except BudgetError:
            assert not open_calls
        worst = [(c[0], c[1]) for c in open_calls]
        reserved = sum(PRICE.of(*pair) for pair in worst)
        if open_calls:
            assert cost + reserved <= most * 3e-6 + 1e-9
            assert tokens + sum(map(sum, worst)) <= most
        if open_calls and call[3]:
            read, written, share, _ = open_calls.pop(0)
            used = (int(read * share), int(written * share))
            budget.settle((read, written), used)
            cost, tokens = cost + PRICE.of(*used), tokens + sum(used)


def test_threads_together_never_pass_it() -> None:
    budget = Budget(Limits(max_tokens=10_000), None)
    lock, in_use, most = threading.Lock(), [0], [0]
    booked = [0]

    def work() -> None:
        while True:
            try:
                if not budget.try_reserve(60, 40):
                    continue
            except BudgetError:
                return
            with lock:
                in_use[0] += 100
                most[0] = max(most[0], in_use[0] + booked[0])
            with lock:
                in_use[0] -= 100
                booked[0] += 70
                budget.settle((60, 40), (50, 20))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert most[0] <= 10_000
    assert booked[0] + 100 > 10_000  # all of it was used


def test_what_is_in_flight_is_waited_for_and_what_can_never_fit_is_said() -> None:
    budget = Budget(Limits(max_tokens=100), None, model="openai:m")
    assert budget.try_reserve(60, 0)
    assert not budget.try_reserve(50, 0)
    budget.settle((60, 0), (30, 0))
    assert budget.try_reserve(50, 0)
    budget.settle((50, 0), None)  # not known: the worst case is booked
    with pytest.raises(BudgetError, match=r"openai:m: 80 tokens are spent.*21.*max-tokens is 100"):
        budget.try_reserve(21, 0)
    assert budget.try_reserve(20, 0)


def test_a_cost_limit_says_what_is_spent() -> None:
    budget = Budget(Limits(max_cost=1.0), Price(1.0, 1.0, "EUR"), spent_cost=0.75)
    with pytest.raises(BudgetError, match=r"0\.7500 EUR are spent.*0\.5000.*max-cost is 1") as c:
        budget.try_reserve(250_000, 250_000)
    assert "higher limit" in c.value.remedy
    assert budget.try_reserve(250_000, 0)


def test_an_unknown_price_with_a_cost_limit_is_an_error() -> None:
    with pytest.raises(OptionError, match=r"price of openai:m.*input_price"):
        Budget(Limits(max_cost=1.0), None, model="openai:m")
    assert Budget(Limits(max_tokens=5), None).cost(1, 1) is None


def test_without_limits_everything_fits() -> None:
    assert Budget(Limits(), None).try_reserve(10**9, 10**9)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), st.integers(1, 999))
def test_the_worst_case_has_a_token_for_every_byte_and_every_token_written(
    text: str, most: int
) -> None:
    request = ChatRequest("", text, (("user", text), ("assistant", "a")), Sampling(most))
    read, written = worst_case(request)
    assert read >= 2 * len(text.encode()) + 1 + 3 * 4  # three messages with their marks
    assert written == most


def test_a_schema_is_read_too() -> None:
    schema = {"type": "object", "properties": {"translation": {"type": "string"}}}
    more = worst_case(question("x", schema=schema))[0] - worst_case(question("x"))[0]
    assert more >= len(str(schema))


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf")])
def test_a_limit_that_can_not_hold_is_refused(limit: float) -> None:
    with pytest.raises(OptionError, match="--max-cost"):
        Limits(max_cost=limit)
    if limit <= 0:
        with pytest.raises(OptionError, match="--max-tokens"):
            Limits(max_tokens=int(limit))


def test_what_went_into_no_entry_is_loose_once() -> None:
    budget = Budget(Limits(), PRICE)
    for _ in range(3):
        assert budget.try_reserve(100, 50)
        budget.settle((100, 50), (60, 20))
    budget.recorded(120, 40)
    assert budget.take_loose() == (60, 20)
    assert budget.take_loose() == (0, 0)
    assert (budget.usage.sent, budget.usage.input_tokens, budget.usage.output_tokens) == (
        3,
        180,
        60,
    )


def test_nothing_is_reserved_once_the_run_is_to_stop() -> None:
    stop = Stop()
    budget = Budget(Limits(), None, stop=stop)
    assert budget.try_reserve(1, 1)
    assert budget.try_reserve(1, 1)
    budget.settle((1, 1), None)
    assert stop.ask() == 1
    with pytest.raises(StoppedError):
        budget.try_reserve(1, 1)
