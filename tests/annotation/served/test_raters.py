"""Many raters at once: everybody is answered, and every answer is there once."""

from __future__ import annotations

import os
import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from isogloss.annotation.backups import backup
from isogloss.annotation.labels import pseudonym
from isogloss.annotation.progress import project_progress
from isogloss.annotation.pull import pull
from isogloss.errors import AnnotationError
from isogloss.tests.annotation.made import project, question
from isogloss.tests.annotation.served.site import Asked, Site

pytestmark = pytest.mark.slow

RATERS = [f"rater{at:02d}" for at in range(20)]


def rated_at_once(site: Site, folder: Path, *, labels: int, name: str) -> None:
    """Twenty raters label as fast as they can, an owner pulls, and a backup is made."""
    asking = project(question("said", "text"), question("natural"), name=name)
    raters = [f"{name}-{rater}" for rater in RATERS]
    asked = site.asked(asking, raters=raters, number=labels + 4, min_raters=20)
    statuses: Counter[int] = Counter()
    texts: list[str] = []
    expected: dict[tuple[str, str], tuple[str, str]] = {}
    start = threading.Barrier(len(raters))
    stop = threading.Event()

    def rate(rater: str) -> None:
        draw = random.Random(rater)
        start.wait()
        for _ in range(labels):
            found = asked.search(rater, PENDING, limit=1)["items"][0]["record"]
            said = f"{rater} on {found['external_id']}"
            natural = draw.choice(["yes", "no"])
            answer = asked.submit(rater, found["id"], {"said": said, "natural": natural})
            statuses[answer.status_code] += 1
            texts.append(answer.text)
            expected[rater, found["external_id"]] = said, natural

    def manage() -> int:
        pulls = 0
        while not stop.is_set():
            with suppress(AnnotationError):  # nobody has submitted an answer yet
                assert pull(asked.owner, asking).labels.height % 2 == 0
            pulls += 1
            backup(site.home, folder / f"{pulls}.db")
            stop.wait(0.5)
        return pulls

    with ThreadPoolExecutor(len(raters) + 1) as pool:
        managed = pool.submit(manage)
        try:
            list(pool.map(rate, raters))
        finally:
            stop.set()
        assert managed.result() > 1

    assert statuses == {201: labels * len(raters)}
    assert not any("locked" in text for text in texts)
    assert "locked" not in site.home.log.read_text(encoding="utf-8")
    assert answered(asked) == expected
    progress = project_progress(asked.owner, name)
    assert {one.responses["submitted"] for one in progress.raters} == {labels}
    assert {one.pending for one in progress.raters} == {4}
    # Those items are complete that all twenty have labelled, and no others.
    all_of = Counter(item for _, item in expected)
    records = asked.owner.records(asked.dataset())
    assert {one["external_id"] for one in records if one["status"] == "completed"} == {
        item for item, number in all_of.items() if number == 20
    }


#: What the page of a rater asks for.
PENDING = {
    "filters": {
        "and": [
            {
                "type": "terms",
                "scope": {"entity": "response", "property": "status"},
                "values": ["pending"],
            }
        ]
    }
}


def answered(asked: Asked) -> dict[tuple[str, str], tuple[str, str]]:
    """The labels that a pull brings, by rater and item; none can be there twice."""
    name = asked.pushed.project.name
    names = {pseudonym(one.id, project=name): rater for rater, one in asked.raters.items()}
    given: dict[tuple[str, str], dict[str, str]] = {}
    for row in pull(asked.owner, asked.pushed.project).labels.iter_rows(named=True):
        one = given.setdefault((names[row["rater"]], row["item"]), {})
        assert row["question"] not in one
        one[row["question"]] = row["label"]
    return {key: (one["said"], one["natural"]) for key, one in given.items()}


def test_twenty_raters_at_once(site: Site, tmp_path: Path) -> None:
    rated_at_once(site, tmp_path, labels=5, name="crowd")


@pytest.mark.skipif("ISOGLOSS_SOAK" not in os.environ, reason="make soak: a thousand labels")
def test_soak_twenty_raters_with_fifty_labels_each(site: Site, tmp_path: Path) -> None:
    rated_at_once(site, tmp_path, labels=50, name="soak")
