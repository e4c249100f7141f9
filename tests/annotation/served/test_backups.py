"""Backups of a server at work are whole, and bring back what was lost."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from isogloss.annotation.backups import backup, restore
from isogloss.annotation.home import open_home
from isogloss.annotation.pull import pull
from isogloss.errors import WorkFolderBusyError
from isogloss.tests.annotation.made import project, question
from isogloss.tests.annotation.served.conftest import Starts
from isogloss.tests.annotation.served.site import Asked, Site

pytestmark = pytest.mark.slow


@contextmanager
def writing(asked: Asked, rater: str) -> Iterator[list[str]]:
    """A rater who answers without a pause; yields the items answered so far."""
    records = asked.records(rater)
    done: list[str] = []
    failed: list[str] = []
    stop = threading.Event()

    def work() -> None:
        for item, record in records.items():
            if stop.is_set():
                return
            answer = asked.submit(rater, record, {"said": f"{rater} on {item}"})
            if not answer.is_success:
                failed.append(answer.text)
            done.append(item)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield done
    finally:
        stop.set()
        thread.join()
    assert not failed


def answers(path: Path) -> dict[str, str]:
    """The answers in a copy, by item; checks that everything in it fits together."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copy.execute("PRAGMA foreign_key_check").fetchall() == []
        assert copy.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        found = copy.execute(
            "SELECT d.name, r.external_id, json_extract(p.\"values\", '$.said.value'), r.status "
            "FROM responses p JOIN records r ON r.id = p.record_id JOIN datasets d "
            "ON d.id = r.dataset_id"
        ).fetchall()
        counted = copy.execute("SELECT count(*) FROM responses").fetchone()
    assert counted == (len(found),)
    return {item: said for name, item, said, _ in found if name == "copied"}


def test_backups_while_raters_answer_are_whole(site: Site, tmp_path: Path) -> None:
    asking = project(question("said", "text"), name="copied")
    asked = site.asked(asking, raters=["copied-ada"], number=60, min_raters=1)
    copies = []
    with writing(asked, "copied-ada") as done:
        for at in range(6):
            before = set(done)
            path = backup(site.home, tmp_path / f"{at}.db")
            copies.append(answers(path))
            # Everything is in it that was answered before it was begun.
            assert before <= copies[-1].keys()
            assert all(said == f"copied-ada on {item}" for item, said in copies[-1].items())
            assert path.stat().st_mode & 0o077 == 0
    for one, later in itertools.pairwise(copies):
        assert one.items() <= later.items()
    assert len(copies[-1]) > len(copies[0])
    assert not list(tmp_path.glob(".*.new"))


def test_restoring_brings_labels_back_and_keeps_what_was_there(
    start: Starts, tmp_path: Path
) -> None:
    asking = project(question("said", "text"), name="restored")
    (tmp_path / "c").mkdir()
    with start(tmp_path / "home") as site:
        asked = site.asked(asking, raters=["ada"], number=6, min_raters=1)
        records = asked.records("ada")
        for item in ("i000", "i001"):
            assert asked.submit("ada", records[item], {"said": "before"}).is_success
        made = backup(site.home)
        assert made.parent == site.home.folder / "backups"
        assert asked.submit("ada", records["i002"], {"said": "after"}).is_success
        asked.owner.request("DELETE", f"/records/{records['i001']}")
        with pytest.raises(WorkFolderBusyError) as busy:
            restore(site.home, made)
        assert site.url in str(busy.value)
        assert asked.search("ada")["total"] == 5
    home = open_home(tmp_path / "home")
    kept = restore(home, made)
    assert kept is not None
    assert kept.name.startswith("before-restore-")
    # On another machine: its home has another owner's key, and signs other sessions.
    elsewhere = open_home(tmp_path / "elsewhere", make=True)
    assert elsewhere.api_key != home.api_key
    assert restore(elsewhere, made) is None
    with start(tmp_path / "elsewhere") as site:
        again = site.sign_in("ada", asked.raters["ada"].password or "")
        asked = replace(asked.at(site), clients={"ada": again})
        assert list(asked.records("ada")) == list(records)
        labels = pull(asked.owner, asking).labels
        assert dict(labels.select("item", "label").iter_rows()) == {
            "i000": "before",
            "i001": "before",
        }
        # What is put back is searched, and can be answered.
        found = asked.search("ada", {"query": {"text": {"q": "tune 1"}}})
        assert found["total"] == 1
        assert asked.submit("ada", records["i002"], {"said": "again"}).is_success
    assert restore(home, kept) is not None
    # A database that is beyond copying keeps nobody from putting a backup in its place.
    home.database.write_bytes(b"no database at all" * 300)
    damaged = restore(home, kept)
    assert damaged is not None
    assert damaged.name.startswith("damaged-")
    assert damaged.read_bytes() == b"no database at all" * 300
    with closing(sqlite3.connect(home.database)) as database:
        said = database.execute('SELECT "values" FROM responses').fetchall()
    assert sorted(said) == [('{"said": {"value": "after"}}',), ('{"said": {"value": "before"}}',)]
