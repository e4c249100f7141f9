"""A server killed at its worst moments has every answer that a rater was told it has."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]
import pytest
from isogloss.annotation.pull import pull
from isogloss.annotation.push import push
from isogloss.errors import ServiceError
from isogloss.tests.annotation.made import project, question
from isogloss.tests.annotation.served.command import PATIENCE, free, serve
from isogloss.tests.annotation.served.conftest import Starts
from isogloss.tests.annotation.served.site import Asked, Quiet, Site, items

pytestmark = pytest.mark.slow

#: Each is passed once in a rater's label, in this order.
POINTS = ["label-received:4", "label-committed:5", "label-saved:3", "label-answered:6"]
RATERS = ["ada", "grace", "joan"]
#: What a rater said about an item.
Found = dict[tuple[str, str], str]
PROJECT = project(question("said", "text"), question("natural"), name="kills")


class Told:
    """What raters sent, and what they were told is saved."""

    def __init__(self) -> None:
        self.sent: dict[tuple[str, str], str] = {}
        self.saved: dict[tuple[str, str], str] = {}

    def label(self, asked: Asked, rater: str, item: str, record: str) -> bool:
        """Sends one label; whether the server is still there."""
        value = self.sent[rater, item] = f"{rater} on {item}, {random.random()}"
        try:
            answer = asked.submit(rater, record, {"said": value, "natural": "yes"})
        except httpx.TransportError:
            return False
        assert answer.is_success, answer.text
        self.saved[rater, item] = value
        return True


def own(asked: Asked, rater: str) -> dict[str, str]:
    """A rater's own part of the items, in the order shown, so that every label completes one."""
    place = RATERS.index(rater)
    return {
        item: record for item, record in asked.records(rater).items() if int(item[1:]) % 3 == place
    }


def rate(asked: Asked, told: Told, parts: dict[str, dict[str, str]], there: Found) -> None:
    """All raters label at once what they haven't, until they are through or the server dies."""

    def work(rater: str) -> None:
        for item, record in parts[rater].items():
            if (rater, item) not in there and not told.label(asked, rater, item, record):
                return

    with ThreadPoolExecutor(len(RATERS)) as pool:
        list(pool.map(work, RATERS))


def check(asked: Asked, told: Told) -> Found:
    """Holds the server against what raters were told; gives the labels that it has."""
    names = {rater.id: name for name, rater in asked.raters.items()}
    found: Found = {}
    for record in asked.owner.records(asked.dataset(), responses=True):
        for response in record["responses"]:
            key = names[response["user_id"]], record["external_id"]
            assert key not in found
            assert response["values"]["natural"] == {"value": "yes"}
            assert response["status"] == "submitted"
            found[key] = response["values"]["said"]["value"]
        assert record["status"] == ("completed" if record["responses"] else "pending")
    assert told.saved.items() <= found.items()
    # What was on its way may be there, as it was sent.
    assert found.items() <= told.sent.items()
    return found


def test_a_kill_at_any_named_point_loses_no_label(start: Starts, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    told = Told()
    asked: Asked | None = None
    parts: dict[str, dict[str, str]] = {}
    for point in [*POINTS, ""]:
        with start(tmp_path / "home", kill_at=point) as site:
            if asked is None:
                asked = site.asked(PROJECT, raters=RATERS, number=27, min_raters=1)
                parts = {rater: own(asked, rater) for rater in RATERS}
            asked = asked.at(site)
            # Signed in still, and everything in the order that it was in.
            for rater in RATERS:
                assert list(own(asked, rater).items()) == list(parts[rater].items())
            rate(asked, told, parts, check(asked, told))
            assert not point or killed(site)
            if not point:
                assert len(check(asked, told)) == 27
                labels = pull(asked.owner, PROJECT).labels
                assert Counter(labels["question"]) == {"said": 27, "natural": 27}


def killed(site: Site) -> bool:
    """Whether the server is no more, or will be in a moment."""
    with suppress(psutil.NoSuchProcess):
        server = psutil.Process(site.server())
        deadline = time.monotonic() + PATIENCE
        while server.status() != psutil.STATUS_ZOMBIE:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
    return True


class InterruptedPushError(Exception):
    pass


def test_an_interrupted_push_goes_on_where_it_was(site: Site) -> None:
    class Once(Quiet):
        def advance(self, *_: int) -> None:
            raise InterruptedPushError

    asked = project(name="interrupted")
    for progress in (Once(), Once()):
        with pytest.raises(InterruptedPushError):
            push(
                site.owner(),
                asked,
                items(1_200),
                raters=["emmy"],
                min_raters=1,
                progress=progress,
                made=lambda _rater: None,
            )
    pushed = push(
        site.owner(),
        asked,
        items(1_200),
        raters=["emmy"],
        min_raters=1,
        progress=Quiet(),
        made=lambda _rater: None,
    )
    assert (pushed.added, pushed.present) == (200, 1_000)
    assert every_item_once(site, "interrupted", 1_200)


def every_item_once(site: Site, name: str, number: int) -> bool:
    owner = site.owner()
    dataset = next(
        one["id"] for one in owner.request("GET", "/me/datasets")["items"] if one["name"] == name
    )
    there = [record["external_id"] for record in owner.records(dataset)]
    return sorted(there) == sorted(item.id for item in items(number).items)


def test_the_server_goes_with_its_command_and_a_push_goes_on_afterwards(
    start: Starts, tmp_path: Path
) -> None:
    asked = project(name="orphaned")
    (tmp_path / "c").mkdir()
    options = {"raters": ["ada"], "min_raters": 1, "made": lambda _rater: None}
    with serve(tmp_path / "home") as running:

        class Kills(Quiet):
            def advance(self, *_: int) -> None:
                running.process.kill()
                running.gone()

        with pytest.raises(ServiceError) as left:
            push(running.site().owner(), asked, items(700), progress=Kills(), **options)  # type: ignore[arg-type]
        assert "can't be reached" in str(left.value)
        assert running.ended() == -signal.SIGKILL
        assert free(running.url)
    with start(tmp_path / "home") as site:
        pushed = push(site.owner(), asked, items(700), progress=Quiet(), **options)  # type: ignore[arg-type]
        assert (pushed.added, pushed.present) == (200, 500)
        assert every_item_once(site, "orphaned", 700)


@contextmanager
def killed_after(site: Site, seconds: float) -> Iterator[None]:
    """Kills the server after a while, whatever it does then."""
    timer = threading.Timer(seconds, os.kill, (site.server(), signal.SIGKILL))
    timer.start()
    yield
    timer.join()


@pytest.mark.skipif("ISOGLOSS_SOAK" not in os.environ, reason="make soak: twenty random kills")
def test_soak_twenty_random_kills_lose_no_label(start: Starts, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    draw = random.Random(20)
    told = Told()
    asked: Asked | None = None
    parts: dict[str, dict[str, str]] = {}
    for _ in range(20):
        with start(tmp_path / "home") as site:
            if asked is None:
                asked = site.asked(PROJECT, raters=RATERS, number=999, min_raters=1)
                parts = {rater: own(asked, rater) for rater in RATERS}
            asked = asked.at(site)
            there = check(asked, told)
            with killed_after(site, draw.uniform(0.1, 3.0)):
                rate(asked, told, parts, there)
    assert asked is not None
    with start(tmp_path / "home") as site:
        assert len(check(asked.at(site), told)) > 20
