"""Push, pull and status against a real server: nothing twice, nothing lost, nothing mistaken."""

from __future__ import annotations

import json
import random
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest
from isogloss.annotation.connection import Connection
from isogloss.annotation.items import Items, read_items
from isogloss.annotation.labels import pseudonym
from isogloss.annotation.merge import merge
from isogloss.annotation.people import Rater, rater_names
from isogloss.annotation.progress import project_progress
from isogloss.annotation.project import Project, Question
from isogloss.annotation.project_files import project_for
from isogloss.annotation.pull import pull
from isogloss.annotation.push import Pushed, push
from isogloss.annotation.server_project import find, names, project_name
from isogloss.errors import AnnotationError, OptionError
from isogloss.tests.annotation.made import corpus, manifest_of, project, question, rows_of
from isogloss.tests.annotation.served.site import Quiet, Site, items
from isogloss.tests.conftest import Command

pytestmark = pytest.mark.slow


def pushed_to(
    site: Site,
    asking: Project,
    *,
    raters: list[str],
    given: Items,
    min_raters: int | None = None,
) -> Pushed:
    return push(
        site.owner(),
        asking,
        given,
        raters=raters,
        min_raters=min_raters,
        progress=Quiet(),
        made=lambda _rater: None,
    )


def test_pushing_again_adds_what_is_missing_and_changes_nothing(site: Site) -> None:
    asking = project(name="grown")
    asked = site.asked(asking, raters=["grown-ada", "grown-grace"], number=6)
    assert (asked.pushed.added, asked.pushed.present, asked.pushed.min_raters) == (6, 0, 2)
    assert asked.answer("grown-ada", "i003", {"natural": "no"}).is_success
    order = list(asked.records("grown-ada"))

    again = pushed_to(site, asking, raters=["grown-ada"], given=items(6))
    assert (again.added, again.present, again.changed) == (0, 6, 0)
    assert [one.password for one, _ in again.raters] == [None]
    # Fewer raters named don't make an item complete earlier.
    assert project_progress(site.owner(), "grown").min_raters == 2

    other = [
        replace(one, fields={**one.fields, "standard": "we know it"}, sha256="f" * 64)
        for one in items(8).items[4:]
    ]
    changed = pushed_to(
        site,
        asking,
        raters=["GROWN-Ada", "grown-joan"],
        given=replace(items(0), items=tuple(other)),
        min_raters=1,
    )
    assert (changed.added, changed.present, changed.changed) == (2, 2, 2)
    # A name is one's own however it is written.
    assert [(one.name, bool(one.password)) for one, _ in changed.raters] == [
        ("grown-ada", False),
        ("grown-joan", True),
    ]
    found = {
        one["record"]["external_id"]: one["record"] for one in asked.search("grown-ada")["items"]
    }
    assert found["i004"]["fields"]["standard"] == "we know tune 4"
    assert found["i006"]["fields"]["standard"] == "we know it"
    assert len(found) == 8
    assert [item for item in asked.records("grown-ada") if item in set(order)] == order
    progress = project_progress(site.owner(), "grown")
    assert [one.name for one in progress.raters] == ["grown-ada", "grown-grace", "grown-joan"]
    assert (progress.items, progress.min_raters, progress.complete) == (8, 1, 1)
    assert names(site.owner()).count("grown") == 1


def test_who_and_what_cannot_be_asked(site: Site) -> None:
    asking = project(name="refused")
    for raters, minimum, part in (
        (["refused-ada"], 2, "2 raters for an item, but the project has only 1"),
        (["refused-ada"], 0, "0 can't be used"),
        (["owner"], 1, "the account 'owner' is an owner's, who sees everybody's answers"),
        (["refused-ada", "Owner"], 1, "the account 'owner' is an owner's"),
    ):
        with pytest.raises(OptionError) as refused:
            pushed_to(site, asking, raters=raters, given=items(2), min_raters=minimum)
        assert part in str(refused.value)
    accounts = {one["username"] for one in site.owner().request("GET", "/users")["items"]}
    assert "refused-ada" not in accounts
    for given in ("", " , ", "ada,ada", "ada,Ada", "a b", "ada,<b>", "-ada", "a" * 41, "ada\0"):
        with pytest.raises(OptionError):
            rater_names(given)
    for name in ("", "A", "a b", "a--b", "../a", "a" * 51, "é", "_a", "a\n"):
        with pytest.raises(OptionError):
            project_name(name)


def patch_labels(site: Site, dataset: str, name: str, labels: list[str]) -> None:
    """Changes a question as an owner may in the pages' settings."""
    questions = site.owner().request("GET", f"/datasets/{dataset}/questions")["items"]
    (one,) = [each for each in questions if each["name"] == name]
    settings = {
        "type": "label_selection",
        "visible_options": one["settings"].get("visible_options"),
        "options": [{"value": label, "text": label} for label in labels],
    }
    site.owner().request("PATCH", f"/questions/{one['id']}", json={"settings": settings})


def test_a_project_changed_on_the_server_is_noticed(site: Site) -> None:
    asking = project(question("natural"), question("keep", "choice"), name="changed")
    asked = site.asked(asking, raters=["changed-ada"], number=3)
    assert asked.answer("changed-ada", "i000", {"natural": "yes", "keep": "ask"}).is_success
    assert pull(asked.owner, asking).notes == ()
    patch_labels(site, asked.dataset(), "keep", ["ask", "drop", "keep"])
    with pytest.raises(AnnotationError) as refused:
        pushed_to(site, asking, raters=["changed-ada"], given=items(5))
    assert "the question keep has another set of labels" in str(refused.value)
    assert "push under another --project name" in str(refused.value)
    pulled = pull(asked.owner, asking)
    assert pulled.notes == ("on the server the question keep has another set of labels",)
    assert pulled.items == 3
    # The project itself may have gained or lost a question since.
    for other, part in (
        (replace(asking, questions=asking.questions[:1]), "the question keep was added"),
        (replace(asking, questions=(*asking.questions, question("clear"))), "clear is gone"),
    ):
        with pytest.raises(AnnotationError) as refused:
            pushed_to(site, other, raters=["changed-ada"], given=items(3))
        assert part in str(refused.value)
    alone = replace(asking, assignment="others")
    with pytest.raises(AnnotationError) as refused:
        pushed_to(site, alone, raters=["changed-ada"], given=items(3))
    assert "a project of that name with another assignment" in str(refused.value)


def test_what_is_not_submitted_stays_there_unless_it_is_asked_for(site: Site) -> None:
    asking = project(question("natural"), question("said", "text", required=False), name="drafts")
    asked = site.asked(asking, raters=["drafts-ada", "drafts-joan"], number=4)
    with pytest.raises(AnnotationError) as nobody:
        pull(asked.owner, asking)
    assert "nobody has submitted an answer yet" in str(nobody.value)
    ada = "drafts-ada"
    assert asked.answer(ada, "i000", {"natural": "no"}, status="draft").is_success
    assert asked.answer(ada, "i001", {}, status="discarded").is_success
    with pytest.raises(AnnotationError) as nobody:
        pull(asked.owner, asking)
    assert "yet (1 discarded, 1 draft)" in str(nobody.value)
    assert asked.answer(ada, "i002", {"natural": "yes", "said": "läuft\n=1+1"}).is_success
    pulled = pull(asked.owner, asking)
    assert (pulled.responses, pulled.left) == ({"submitted": 1}, {"discarded": 1, "draft": 1})
    columns = ["item", "question", "label", "status"]
    submitted = [
        ("i002", "natural", "yes", "submitted"),
        ("i002", "said", "läuft\n=1+1", "submitted"),
    ]
    assert pulled.labels.select(columns).rows() == submitted
    assert pulled.labels["rater"].unique().to_list() == [
        pseudonym(asked.raters[ada].id, project="drafts")
    ]
    assert pulled.labels["text_sha256"].to_list() == [f"{2:064d}"] * 2
    every = pull(asked.owner, asking, all_statuses=True)
    assert every.left == {}
    assert every.labels.select(columns).rows() == [
        ("i000", "natural", "no", "draft"),
        ("i000", "said", None, "draft"),
        ("i001", "natural", None, "discarded"),
        ("i001", "said", None, "discarded"),
        *submitted,
    ]
    ada_s, joan_s = project_progress(asked.owner, "drafts").raters
    assert ada_s.responses == {"submitted": 1, "draft": 1, "discarded": 1}
    assert (ada_s.pending, joan_s.pending) == (1, 4)
    # Raters are told how far they are themselves, and not who else there is.
    path = f"/api/v1/datasets/{asked.dataset()}/users/progress"
    told = {name: client.get(path).json()["users"] for name, client in asked.clients.items()}
    assert [one["username"] for one in told[ada]] == [ada]
    assert told["drafts-joan"] == []
    # A description of the API would ask other machines for its scripts.
    assert httpx.get(f"{site.url}/api/v1/docs").status_code == 404


def test_reviewers_see_the_items_of_others_and_not_each_other(site: Site) -> None:
    asking = project(name="reviewed", assignment="others", author="author", min_raters=1)
    raters = ["reviewed-ada", "reviewed-joan"]
    given = items(6, author=["reviewed-ada", "reviewed-joan", "somebody"])
    asked = site.asked(asking, raters=raters, given=given)
    assert (asked.pushed.added, asked.pushed.min_raters) == (8, 1)
    assert asked.records("reviewed-ada").keys() == {"i001", "i002", "i004", "i005"}
    assert asked.records("reviewed-joan").keys() == {"i000", "i002", "i003", "i005"}
    links = asked.links
    assert asked.dataset("reviewed-ada") in links["reviewed-ada"]
    assert links["reviewed-ada"] != links["reviewed-joan"]
    for one, other in (raters, raters[::-1]):
        client, dataset = asked.clients[one], asked.dataset(other)
        assert client.get(f"/api/v1/datasets/{dataset}").status_code == 403
        searched = client.post(f"/api/v1/me/datasets/{dataset}/records/search", json={})
        assert searched.status_code == 403
        own = client.get("/api/v1/me/datasets").json()["items"]
        assert [each["id"] for each in own] == [asked.dataset(one)]
    for rater, item in (("reviewed-ada", "i002"), ("reviewed-joan", "i002")):
        assert asked.answer(rater, item, {"natural": "yes"}).is_success
    assert asked.answer("reviewed-joan", "i000", {"natural": "no"}).is_success
    pulled = pull(asked.owner, asking)
    assert pulled.items == 6
    assert sorted(pulled.labels["item"]) == ["i000", "i002", "i002"]
    progress = project_progress(asked.owner, "reviewed")
    assert (progress.items, progress.complete) == (6, 2)
    assert {one.name: one.pending for one in progress.raters} == {raters[0]: 3, raters[1]: 2}
    # A third reviewer later gets a part of their own; the others keep theirs.
    more = pushed_to(site, asking, raters=["somebody"], given=given)
    assert (more.added, more.present) == (4, 0)
    assert asked.records("reviewed-ada").keys() == {"i001", "i002", "i004", "i005"}


def test_a_corrected_text_takes_the_place_of_the_machine_s(site: Site, tmp_path: Path) -> None:
    wikidir = project_for("wikidir")
    kept = tuple(
        one for one in wikidir.questions if one.name in ("translation_correct", "corrected")
    )
    prefilled: Question = kept[1]
    assert (prefilled.prefill, prefilled.replaces) == ("standard", "standard")
    asking = project(*kept, name="corrected", builder="toy")
    folder = corpus(tmp_path / "c", 4)
    given = read_items(folder, asking)
    asked = site.asked(asking, raters=["corrected-ada"], given=given)
    found = asked.search("corrected-ada", include="suggestions")["items"]
    assert {
        one["record"]["external_id"]: [each["value"] for each in one["record"]["suggestions"]]
        for one in found
    } == {f"r{at:02d}": [f"standard {at}"] for at in range(4)}
    for item, text in (("r00", "standard 0"), ("r01", "Der  Regen kommt."), ("r02", "")):
        values = {"translation_correct": "no" if item == "r01" else "yes", "corrected": text}
        if not text:
            del values["corrected"]
        assert asked.answer("corrected-ada", item, values).is_success
    merged = merge(folder, pull(asked.owner, asking).labels, asking)
    rows = rows_of(folder)
    assert rows["standard"].to_list() == [
        "standard 0",
        "Der  Regen kommt.",
        "standard 2",
        "standard 3",
    ]
    assert rows["standard_machine"].to_list() == [f"standard {at}" for at in range(4)]
    assert merged.entry["replaced"] == {"standard": {"rows": 1, "differ": 0}}
    # What raters see, and what a push compares, is what the machine wrote.
    again = pushed_to(site, asking, raters=["corrected-ada"], given=read_items(folder, asking))
    assert (again.added, again.present, again.changed) == (0, 4, 0)


def test_from_a_push_to_a_report_by_the_command_line(
    site: Site, full: Path, tmp_path: Path, command: Command
) -> None:
    home = ["--home", site.home.folder]
    raters = ["report-ada", "report-grace", "report-joan"]
    asking = ["--project", "report", "--raters", ",".join(raters), "--sample", 24, "--seed", 7]
    pushed = command("annotate", "push", full, *asking, *home)
    assert pushed.returncode == 0, pushed
    (dataset,) = set(re.findall(r"/dataset/([0-9a-f-]{36})/", pushed.stdout))
    questions = [one.name for one in project_for("realaae").questions]
    draw = random.Random(7)
    truth: dict[str, dict[str, str]] = {}
    sent: dict[tuple[str, str, str], str] = {}
    for rater in raters:
        (password,) = re.findall(rf"{rater}\s*\|\s*(\S+)", pushed.stdout)
        client = site.sign_in(rater, password)
        found = search_all(client, dataset)
        ident = client.get("/api/v1/me").json()["id"]
        assert len(found) == 24
        for item, record in found.items():
            right = truth.setdefault(item, {name: draw.choice(["yes", "no"]) for name in questions})
            given = {name: value if draw.random() < 0.9 else "no" for name, value in right.items()}
            answer = client.post(
                f"/api/v1/records/{record}/responses",
                json={
                    "values": {name: {"value": value} for name, value in given.items()},
                    "status": "submitted",
                },
            )
            assert answer.is_success, answer.text

            for name, value in given.items():
                sent[item, pseudonym(ident, project="report"), name] = value

    shown = command("annotate", "status", full, *home)
    assert shown.returncode == 0, shown
    assert "24 of 24 items (100%) have the answers of 3 raters." in shown.stdout
    pulled = command("annotate", "pull", full, "--min-labels", 2, *home)
    assert pulled.returncode == 0, pulled
    assert "72 submitted responses to 24 items, 288 labels read" in pulled.stdout
    labels = pl.read_parquet(full / "annotations" / "report.parquet")
    assert {
        (item, rater, name): label
        for item, rater, name, label in labels.select("item", "rater", "question", "label").rows()
    } == sent
    assert not any(name in (full / "README.md").read_text() for name in raters)
    assert not any(name in json.dumps(manifest_of(full)) for name in raters)

    rows = {row["id"]: row for row in rows_of(full).iter_rows(named=True)}
    for item in truth:
        for name in questions:
            votes = [
                value for (one, _, which), value in sent.items() if (one, which) == (item, name)
            ]
            assert rows[item][f"{name}_majority"] == (votes.count("yes") >= 2)
            assert rows[item][f"{name}_unanimous"] == (votes.count("yes") == 3)
            assert rows[item][f"{name}_labels"] == 3
    texts = {item.id: item.sha256 for item in read_items(full, project_for("realaae")).items}
    assert set(texts) >= set(truth)
    entry = manifest_of(full)["annotation"]["report"]
    assert (entry["raters"], entry["items"], entry["labels"]) == (3, 24, 288)
    assert entry["sample"]["n"] == 24

    report = command("validate", full, "--out", tmp_path / "quality", "--examples", 0)
    assert report.returncode == 0, report
    quality = json.loads((tmp_path / "quality" / "quality.json").read_text())
    assert {one["question"] for one in quality["agreement"]["questions"]} == set(questions)


def search_all(client: httpx.Client, dataset: str) -> dict[str, str]:
    answer = client.post(
        f"/api/v1/me/datasets/{dataset}/records/search", params={"limit": 1000}, json={}
    )
    found = [one["record"] for one in answer.json()["items"]]
    return {record["external_id"]: record["id"] for record in found}


def test_names_are_ones_own_however_they_are_written(site: Site) -> None:
    asking = project(name="written", assignment="others", author="author", min_raters=1)
    given = items(4, author=["Written@Ada.org", "somebody"])
    asked = site.asked(asking, raters=["written@ada.org"], given=given)
    # Nobody sees an item of their own, and no second data set is made for another spelling.
    assert asked.records("written@ada.org").keys() == {"i001", "i003"}
    again = pushed_to(site, asking, raters=["WRITTEN@ada.org", "written-joan"], given=given)
    assert [one.name for one, _ in again.raters] == ["written@ada.org", "written-joan"]
    assert (again.added, again.present) == (4, 2)
    assert len(find(site.owner(), "written")) == 2
    # Such a name spoils nothing for other projects.
    other = pushed_to(site, project(name="written-2"), raters=["written-joan"], given=items(1))
    assert other.added == 1


def test_the_number_of_raters_is_the_servers_until_it_is_changed(site: Site) -> None:
    asking = project(name="numbers")
    one = pushed_to(site, asking, raters=["numbers-ada"], given=items(2))
    assert (one.min_raters, one.spare) == (1, 0)
    more = pushed_to(site, asking, raters=["numbers-joan", "numbers-zed"], given=items(2))
    assert (more.min_raters, more.spare) == (1, 2)
    assert project_progress(site.owner(), "numbers").min_raters == 1
    raised = pushed_to(site, asking, raters=["numbers-zed"], given=items(2), min_raters=3)
    assert (raised.min_raters, raised.spare) == (3, 0)
    assert project_progress(site.owner(), "numbers").min_raters == 3


def test_answers_to_other_questions_never_pass_for_answers_to_these(site: Site) -> None:
    asking = project(name="versions")
    asked = site.asked(asking, raters=["versions-ada"], number=2)
    assert asked.answer("versions-ada", "i000", {"natural": "yes"}).is_success
    turned = replace(asking.questions[0], title="Does it sound unnatural?")
    for other, part in (
        (replace(asking, version=2), "it is version 1 of the questions, and not 2"),
        (replace(asking, questions=(turned,)), "the question natural has another title"),
        (replace(asking, fields=asking.fields[1:]), "it shows other texts"),
    ):
        with pytest.raises(AnnotationError) as refused:
            pushed_to(site, other, raters=["versions-ada"], given=items(2))
        assert part in str(refused.value)
    with pytest.raises(AnnotationError) as refused:
        pull(asked.owner, replace(asking, version=2))
    assert "the answers are to version 1 of the questions" in str(refused.value)
    noted = pull(asked.owner, replace(asking, questions=(turned,))).notes
    assert noted == ("on the server the question natural has another title",)


def test_every_sample_that_was_drawn_is_remembered(site: Site) -> None:
    asking = project(name="samples")
    first = replace(items(2), sample={"n": 2, "seed": 0})
    asked = site.asked(asking, raters=["samples-ada"], given=first)
    assert asked.answer("samples-ada", "i000", {"natural": "yes"}).is_success
    assert pull(asked.owner, asking).sample == {"n": 2, "seed": 0}
    pushed_to(site, asking, raters=["samples-ada"], given=replace(items(4), sample={"n": 4}))
    assert pull(asked.owner, asking).sample == {"samples": [{"n": 2, "seed": 0}, {"n": 4}]}


def test_a_project_whose_making_was_interrupted_is_made_anew(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = project(question("natural"), question("clear"), name="half-made")
    sent = Connection.request

    def dying(self: Connection, method: str, path: str, **options: Any) -> Any:
        if options.get("json", {}).get("name") == "clear":
            raise KeyboardInterrupt
        return sent(self, method, path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "request", dying)
        with pytest.raises(KeyboardInterrupt):
            pushed_to(site, asking, raters=["half-made-ada"], given=items(2))
    accounts = {one["username"] for one in site.owner().request("GET", "/users")["items"]}
    # No password was made that nobody has seen.
    assert "half-made-ada" not in accounts
    assert pushed_to(site, asking, raters=["half-made-ada"], given=items(2)).added == 2
    assert len(find(site.owner(), "half-made")) == 1


def test_two_pushes_at_once_share_an_account(site: Site) -> None:
    seen: list[Rater] = []
    given = ["twice-ada", "twice-joan"]

    def pushing(name: str) -> Pushed:
        return push(
            site.owner(),
            project(name=name),
            items(2),
            raters=given,
            min_raters=None,
            progress=Quiet(),
            made=seen.append,
        )

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(pushing, ["twice-a", "twice-b"]))
    assert sorted(one.name for one in seen if one.password) == given
    assert [[one.name for one, _ in each.raters] for each in both] == [given, given]


def test_texts_are_escaped_for_servers_that_take_them_for_html(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"dialect": "<b>we</b> & they", "standard": 'we > "they"'}
    given = replace(items(1), items=(replace(items(1).items[0], fields=texts),))

    def shown(name: str) -> dict[str, str]:
        asked = site.asked(project(name=name), raters=[f"{name}-ada"], given=given)
        (record,) = asked.owner.records(asked.dataset())
        return dict(record["fields"])

    assert shown("plain") == texts
    monkeypatch.setattr("isogloss.annotation.push.PLAIN_TEXTS", "x-no-such-header")
    assert shown("escaped") == {
        "dialect": "&lt;b&gt;we&lt;/b&gt; &amp; they",
        "standard": 'we &gt; "they"',
    }
