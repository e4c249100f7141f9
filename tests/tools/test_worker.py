"""Workers: answers in order, whatever libraries print, whoever dies, however large a text is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from isogloss.errors import ToolError
from isogloss.tools import Failure, Worker

from .conftest import Script
from .test_lines import OBJECTS

pytestmark = pytest.mark.slow
ECHO = """
from isogloss.tools.inside.lines import serve

serve(lambda request: request)
"""
#: Does what it is told.
OBEDIENT = """
import os
import sys
import time
from pathlib import Path

from isogloss.tools.inside.channel import say
from isogloss.tools.inside.lines import serve


def answer(request):
    match request["do"]:
        case "print":
            print('{"number": 1, "answer": {}}')
            sys.stdout.flush()
            os.system("echo stray; printf half")
        case "die":
            print("the last word", file=sys.stderr, flush=True)
            os._exit(3)
        case "die once":
            if not Path(request["flag"]).exists():
                Path(request["flag"]).touch()
                os.kill(os.getpid(), 9)
        case "hang":
            time.sleep(3600)
        case "raise":
            raise KeyError("no such dialect")
        case "object":
            return {"no": object()}
        case "list":
            return [1]
        case "forge":
            say({"number": 999, "answer": {}})
        case "garble":
            os.write(3, b"{{{\\n")
            say([("number", 0)])
    return {"n": request["n"], "pid": os.getpid()}


serve(answer)
"""


@contextmanager
def working(argv: list[str], tmp_path: Path, **options: Any) -> Iterator[Worker]:
    with Worker("toy", argv, log=tmp_path / "logs" / "toy.log", **options) as worker:
        yield worker


def orders(*wanted: str, **more: object) -> list[dict[str, object]]:
    return [{"n": n, "do": do, **more} for n, do in enumerate(wanted)]


def numbers(answers: list[dict[str, Any] | Failure]) -> list[int | str]:
    return [one.reason if isinstance(one, Failure) else one["n"] for one in answers]


def test_answers_come_in_order_and_one_process_gives_them(script: Script, tmp_path: Path) -> None:
    with working(script(OBEDIENT), tmp_path, window=7) as worker:
        answers = list(worker.ask(orders(*["work"] * 100)))
        more = list(worker.ask(orders("work")))
    assert numbers(answers) == list(range(100))
    assert len({one["pid"] for one in [*answers, *more] if isinstance(one, dict)}) == 1
    assert not (tmp_path / "logs" / "toy.log").exists()  # it had nothing to say


def test_requests_are_drawn_within_the_window_only(script: Script, tmp_path: Path) -> None:
    drawn = 0

    def endless() -> Iterator[dict[str, object]]:
        nonlocal drawn
        while True:
            yield {"n": drawn, "do": "work"}
            drawn += 1

    with working(script(OBEDIENT), tmp_path, window=5) as worker:
        answers = worker.ask(endless())
        assert numbers([next(answers) for _ in range(10)]) == list(range(10))
        assert drawn <= 15
        with pytest.raises(RuntimeError, match="must end before the next"):
            next(worker.ask([]))
        answers.close()  # type: ignore[attr-defined]
        assert numbers(list(worker.ask(orders("work")))) == [0]


def test_stray_prints_go_to_the_log(script: Script, tmp_path: Path) -> None:
    with working(script(OBEDIENT), tmp_path) as worker:
        assert numbers(list(worker.ask(orders(*["print"] * 3)))) == [0, 1, 2]
    assert (tmp_path / "logs" / "toy.log").read_text().count("stray") == 3


def test_one_that_dies_is_started_again_and_the_rest_goes_on(
    script: Script, tmp_path: Path
) -> None:
    with working(script(OBEDIENT), tmp_path) as worker:
        answers = list(worker.ask(orders("work", "die", "work", "die", "die", "work")))
    died = "worker_died"
    assert numbers(answers) == [0, died, 2, died, died, 5]
    assert answers[1] == Failure(died, "the last word")


def test_one_that_dies_once_loses_nothing(script: Script, tmp_path: Path) -> None:
    wanted = orders("work", "die once", "work", flag=str(tmp_path / "flag"))
    with working(script(OBEDIENT), tmp_path) as worker:
        answers = list(worker.ask(wanted))
    assert numbers(answers) == [0, 1, 2]
    assert len({one["pid"] for one in answers if isinstance(one, dict)}) == 2


def test_one_that_dies_between_two_calls_is_started_again(script: Script, tmp_path: Path) -> None:
    with working(script(OBEDIENT), tmp_path) as worker:
        (first,) = worker.ask(orders("work"))
        assert isinstance(first, dict)
        os.kill(first["pid"], 9)
        assert numbers(list(worker.ask(orders("work", "work")))) == [0, 1]


def test_an_item_has_its_time(script: Script, tmp_path: Path) -> None:
    with working(script(OBEDIENT), tmp_path, seconds=3) as worker:
        answers = list(worker.ask(orders("work", "hang", "work")))
    assert numbers(answers) == [0, "timeout", 2]
    assert answers[1] == Failure("timeout", "no answer within 3 s")


def test_failures_belong_to_their_item(script: Script, tmp_path: Path) -> None:
    wanted = ["raise", "object", "list", "work", "forge", "garble", "work"]
    with working(script(OBEDIENT), tmp_path) as worker:
        answers = list(worker.ask([*orders(*wanted), {"n": object(), "do": "work"}]))
        assert numbers(list(worker.ask(orders("work")))) == [0]
    assert numbers(answers) == [
        *["exception"] * 3,
        3,
        "bad_answer",
        "bad_answer",
        6,
        "bad_request",
    ]
    assert answers[0] == Failure("exception", "KeyError: 'no such dialect'")


@pytest.mark.parametrize("window", [1, 8])
def test_large_texts_both_ways_make_nobody_wait(
    script: Script, tmp_path: Path, window: int
) -> None:
    texts = [chr(0x61 + n) * (3_000_000 + n) for n in range(8)]
    with working(script(ECHO), tmp_path, window=window) as worker:
        answers = list(worker.ask({"text": text} for text in texts))
    assert [one["text"] for one in answers if isinstance(one, dict)] == texts


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    from isogloss.tools.processes import command

    folder = tmp_path_factory.mktemp("echo")
    (folder / "main.py").write_text(ECHO)
    argv = command(Path(os.sys.executable), "main", package=folder)  # type: ignore[attr-defined]
    with working(argv, folder) as worker:
        yield worker


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(requests=st.lists(OBJECTS, max_size=5))
def test_any_text_comes_back_as_it_went(echo: Worker, requests: list[dict[str, Any]]) -> None:
    assert list(echo.ask(requests)) == requests


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "import nothing_of_this_name",
            "could not start: it left with status 1; it said last: Mod",
        ),
        ("import os; os.kill(os.getpid(), 9)", "could not start: it was ended by SIGKILL"),
        ("from isogloss.tools.inside.channel import say; say({})", "did not say that it is ready"),
    ],
)
def test_a_start_that_fails_says_why_and_where_the_log_is(
    script: Script, tmp_path: Path, code: str, said: str
) -> None:
    with working(script(code), tmp_path) as worker, pytest.raises(ToolError) as told:
        list(worker.ask(orders("work")))
    assert said in str(told.value)
    assert f"Read {tmp_path / 'logs' / 'toy.log'}" in str(told.value)


def test_a_start_has_its_time(script: Script, tmp_path: Path) -> None:
    argv = script("import time; time.sleep(3600)")
    with (
        working(argv, tmp_path, start_seconds=0.2) as worker,
        pytest.raises(ToolError, match=r"it was not ready within 0\.2 s"),
    ):
        list(worker.ask(orders("work")))


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with (
        working([str(tmp_path / "none")], tmp_path) as worker,
        pytest.raises(ToolError, match="it can't be started"),
    ):
        list(worker.ask(orders("work")))
