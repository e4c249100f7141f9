"""Label Studio: the files are what it imports, and its export becomes our table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from isogloss.annotation.items import read_items
from isogloss.annotation.label_studio import export, interface
from isogloss.annotation.label_studio_answers import read_export
from isogloss.annotation.project_files import project_for
from isogloss.errors import AnnotationError, OutputError
from isogloss.tests.annotation.made import corpus, project, question

ASKED = project(
    question("natural", title="Natural & <sound>?", description="Spelling doesn't matter."),
    question("keep", "choice"),
    question("much", "scale"),
    question("corrected", "text", required=False, prefill="standard"),
)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = corpus(
        tmp_path / "c",
        [{"dialect": '<b>"&\x00', "standard": "ü"}, {"dialect": "a", "standard": "b"}],
    )
    export(read_items(folder, ASKED), ASKED, tmp_path / "out")
    return tmp_path / "out"


def test_the_interface_shows_texts_and_asks_every_question(out: Path) -> None:
    view = ElementTree.parse(out / "config.xml").getroot()
    assert view.tag == "View"
    texts = {one.get("name"): one.get("value") for one in view.iter("Text")}
    # Nobody has a note, so that there is nothing to show.
    assert texts == {"dialect": "$dialect", "standard": "$standard"}
    headers = [one.get("value") for one in view.iter("Header")]
    assert {"Natural & <sound>?", "Spelling doesn't matter."} <= set(headers)
    choices = {
        one.get("name"): [(c.get("value"), c.get("alias")) for c in one]
        for one in view.iter("Choices")
    }
    assert choices["natural"] == [("Yes", "yes"), ("No", "no")]
    assert [alias for _, alias in choices["keep"]] == ["keep", "drop", "ask"]
    [rating], [area] = view.iter("Rating"), view.iter("TextArea")
    assert (rating.get("name"), rating.get("maxRating")) == ("much", "5")
    assert (area.get("value"), area.get("required")) == ("$standard", "false")
    for control in (*view.iter("Choices"), rating, area):
        assert control.get("toName") in texts


def test_tasks_have_the_texts_and_no_predictions(out: Path) -> None:
    tasks = json.loads((out / "tasks.json").read_text())
    assert [set(task) for task in tasks] == [{"data"}, {"data"}]
    assert tasks[0]["data"]["dialect"] == '<b>"&'
    assert tasks[0]["data"]["isogloss_item"] == "r00"
    assert (out / "guidelines.md").read_text() == ASKED.guidelines


def exported(tasks: list[dict[str, Any]], **more: Any) -> list[dict[str, Any]]:
    """What a server exports after one rater answered everything."""
    values = {
        "natural": ("choices", {"choices": ["yes"]}),
        "keep": ("choices", {"choices": ["Drop"]}),
        "much": ("rating", {"rating": 4}),
        "corrected": ("textarea", {"text": ["zwei", "Zeilen"]}),
    }
    result = [
        {"id": name, "type": kind, "from_name": name, "to_name": "dialect", "value": value}
        for name, (kind, value) in values.items()
    ]
    annotation = {
        "id": 1,
        "completed_by": 7,
        "result": result,
        "was_cancelled": False,
        "created_at": "2026-03-01T12:00:00.5Z",
        "updated_at": "2026-03-01T12:01:00Z",
        **more,
    }
    return [{"id": at, "annotations": [annotation], **task} for at, task in enumerate(tasks)]


def read(out: Path, tasks: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    path = out / "export.json"
    path.write_text(json.dumps(tasks))
    table = read_export(path, ASKED)
    return table.select("item", "question", "label", "status").rows()


def test_answers_come_back_as_labels(out: Path) -> None:
    tasks = json.loads((out / "tasks.json").read_text())
    assert read(out, exported(tasks))[:4] == [
        ("r00", "corrected", "zwei\nZeilen", "submitted"),
        ("r00", "keep", "drop", "submitted"),
        ("r00", "much", "4", "submitted"),
        ("r00", "natural", "yes", "submitted"),
    ]
    table = read_export(out / "export.json", ASKED)
    assert table["text_sha256"][0] == tasks[0]["data"]["isogloss_sha256"]
    assert table["inserted_at"][0] == "2026-03-01T12:00:00.500000+00:00"
    assert table["rater"].n_unique() == 1
    named = exported(tasks, completed_by={"id": 7, "email": "ann@example.org"})
    (out / "export.json").write_text(json.dumps(named))
    assert read_export(out / "export.json", ASKED)["rater"].equals(table["rater"])


def test_what_was_skipped_is_discarded_and_the_later_answer_counts(out: Path) -> None:
    tasks = json.loads((out / "tasks.json").read_text())
    skipped = exported(tasks, was_cancelled=True, result=[])
    assert read(out, skipped)[0] == ("r00", "corrected", None, "discarded")
    earlier = {"was_cancelled": True, "result": [], "updated_at": "2026-03-01T11:00:00Z"}
    for one, other in zip(skipped, exported(tasks), strict=True):
        one["annotations"] = [other["annotations"][0], one["annotations"][0] | earlier]
    assert {status for *_, status in read(out, skipped)} == {"submitted"}


def test_what_answers_no_question_is_left_out(out: Path) -> None:
    tasks = exported(json.loads((out / "tasks.json").read_text()))
    for task in tasks:
        (one,) = task["annotations"]
        one["result"] += [
            {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"},
            {"from_name": "natural2", "type": "choices"},
        ]
    assert read(out, tasks)[1:4] == [
        ("r00", "keep", "drop", "submitted"),
        ("r00", "much", "4", "submitted"),
        ("r00", "natural", "yes", "submitted"),
    ]
    for task in tasks:
        for result in task["annotations"][0]["result"]:
            if result.get("type") in ("choices", "textarea") and "value" in result:
                result["value"] = {key: [] for key in result["value"]}
    assert read(out, tasks)[:4] == [
        ("r00", "corrected", None, "submitted"),
        ("r00", "keep", None, "submitted"),
        ("r00", "much", "4", "submitted"),
        ("r00", "natural", None, "submitted"),
    ]


def test_an_export_takes_no_other_files_place(out: Path, tmp_path: Path) -> None:
    items = read_items(tmp_path / "c", ASKED)
    before = (out / "tasks.json").read_bytes()
    export(items, ASKED, out)
    assert (out / "tasks.json").read_bytes() == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("notes")
    with pytest.raises(OutputError, match=r"holds other files, 'notes.txt' among them"):
        export(items, ASKED, tmp_path / "mine")
    for folder in (tmp_path / "c", tmp_path / "c" / "out"):
        with pytest.raises(OutputError, match="would lie in a corpus folder"):
            export(items, ASKED, folder)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
    assert not (tmp_path / "c" / "out").exists()


WRONG = {
    "no JSON": ("<xml>", "can't be read as JSON"),
    "JSON-MIN": ('[{"natural": "yes"}]', "no export of tasks"),
    "one task": ('{"data": {}}', "no export of tasks"),
    "a number": ("3", "no export of tasks"),
}


@pytest.mark.parametrize("case", WRONG)
def test_another_file_is_refused_in_a_line(case: str, tmp_path: Path) -> None:
    text, message = WRONG[case]
    (tmp_path / "e.json").write_text(text)
    with pytest.raises(AnnotationError) as caught:
        read_export(tmp_path / "e.json", ASKED)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(AnnotationError, match="no such file"):
        read_export(tmp_path / "other.json", ASKED)


def test_what_a_file_can_not_say_is_refused(tmp_path: Path) -> None:
    zero = project(question("much", "scale", labels={"0": "0", "1": "1"}))
    with pytest.raises(AnnotationError, match=r"scale of much doesn't begin at 1"):
        interface(zero, shown=["dialect"])
    apart = project(assignment="others", author="author")
    items = read_items(corpus(tmp_path / "c"), project())
    with pytest.raises(AnnotationError, match="must not see their own items"):
        export(items, apart, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["realaae", "toxigen-dialects", "wikidir"])
def test_our_projects_can_all_be_written(name: str) -> None:
    found = project_for(name)
    shown = [field.column for field in found.fields]
    view = ElementTree.fromstring(interface(found, shown=shown))
    named = {one.get("name") for one in view if one.get("toName")}
    assert named == {question.name for question in found.questions}
