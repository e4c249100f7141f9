"""Project files: ours can all be asked, and a mistake in a user's is named in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from isogloss.annotation.project_files import project_for, project_names, read_project_file
from isogloss.errors import AnnotationError

GOOD = """
name = "greetings"
version = 1
builder = "realaae"
title = "Greetings"
language = "en"
guidelines = "Say how it sounds to you."
raters = 2

[[field]]
column = "dialect"
title = "The text"

[[question]]
name = "natural"
kind = "yes_no"
title = "Does it sound natural?"
labels = { yes = "Yes", no = "No" }
"""
CHOICE = '\n[[question]]\nname = "which"\nkind = "choice"\ntitle = "Which?"\n'
TEXT = '\n[[question]]\nname = "remark"\nkind = "text"\ntitle = "Remark"\n'
SCALE = '\n[[question]]\nname = "much"\nkind = "scale"\ntitle = "How much?"\n'


def test_every_corpus_of_the_paper_has_its_questions() -> None:
    assert project_names() == ["bavground", "realaae", "toxigen-dialects", "wikidir"]
    asked = {
        name: [(one.name, one.kind, one.required) for one in project_for(name).questions]
        for name in project_names()
    }
    yes_no = ("yes_no", True)
    assert asked == {
        "realaae": [
            *(("sentiment_preserved", *yes_no), ("meaning_preserved", *yes_no)),
            *(("dialect_natural", *yes_no), ("back_natural", *yes_no)),
        ],
        "wikidir": [
            ("translation_correct", *yes_no),
            ("corrected", "text", False),
            ("keep", "choice", True),
            ("drop_reason", "choice", False),
        ],
        "bavground": [
            *(("factually_correct", *yes_no), ("plausible_options", *yes_no)),
            *(("free_of_discrimination", *yes_no), ("clear_wording", *yes_no)),
            *(("source_supports", *yes_no), ("comment", "text", False)),
        ],
        "toxigen-dialects": [
            *(("meaning_kept", *yes_no), ("natural", *yes_no)),
            ("offensiveness", "scale", True),
        ],
    }


def test_raters_see_the_texts_they_judge_and_nothing_else() -> None:
    shown = {field.column for field in project_for("realaae").fields}
    assert shown == {"dialect", "standard", "back"}
    assert all(not question.prefill for question in project_for("realaae").questions)


def test_a_correction_starts_from_the_translation_and_takes_its_place() -> None:
    corrected = project_for("wikidir").question("corrected")
    assert corrected is not None
    assert (corrected.prefill, corrected.replaces) == ("standard", "standard")


def test_reviewers_see_the_items_of_others() -> None:
    found = project_for("bavground")
    assert (found.assignment, found.author, found.min_raters) == ("others", "author", 1)
    supports = found.question("source_supports")
    assert supports is not None
    assert list(supports.labels) == ["yes", "no", "not_applicable"]
    assert found.question("nothing") is None


@pytest.mark.parametrize("name", ["bavground", "realaae", "toxigen-dialects", "wikidir"])
def test_guidelines_explain_every_question_in_the_words_raters_see(name: str) -> None:
    found = project_for(name)
    unwrapped = " ".join(found.guidelines.split())
    for question in found.questions:
        title = question.title.removeprefix("Wenn weglassen: ")
        assert f"### {title}" in found.guidelines or title == "warum?", title
    german = found.language == "de"
    buttons = ("**Verwerfen**", "**Entwurf") if german else ("**Discard**", "**Save as draft**")
    for said in (*buttons, "r-16b8bb3f3d"):
        assert said in found.guidelines
    assert ("Ihr Name" if german else "Your name") in unwrapped
    assert ("Schreibweise" if german else "Spelling") in unwrapped
    assert not re.search(r"<[a-z]", found.guidelines), "raters' pages show Markdown, not HTML"


def test_raters_of_offensive_statements_are_warned_first() -> None:
    guidelines = project_for("toxigen-dialects").guidelines
    assert guidelines.startswith("# Before you begin")
    assert guidelines.index("stop at any time") < guidelines.index("# What we ask you")


def test_a_key_follows_what_raters_see(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    keys = set()
    for text in (GOOD, GOOD.replace("The text", "Text"), GOOD.replace("Say how", "Tell us how")):
        path.write_text(text)
        keys.add(read_project_file(path).key)
    assert len(keys) == 3


def test_guidelines_may_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "g.md").write_text("# Grüß Gott\n")
    path = tmp_path / "p.toml"
    path.write_text(
        GOOD.replace('guidelines = "Say how it sounds to you."', 'guidelines_file = "g.md"')
    )
    assert read_project_file(path).guidelines == "# Grüß Gott\n"
    # A text is a text, also if there is a file of that name.
    path.write_text(GOOD.replace("Say how it sounds to you.", "g.md"))
    assert read_project_file(path).guidelines == "g.md"


WRONG = {
    "no TOML": ("name = ", "", "no TOML"),
    "an unknown key": ('title = "Greetings"', 'titel = "Greetings"', "titel is none of"),
    "a missing key": ('builder = "realaae"', "", "builder must be a text"),
    "a name that is no file's": ('"greetings"', '"../greetings"', "name must be of a-z"),
    "a version that is none": ("version = 1", "version = true", "version must be a whole number"),
    "no raters": ("raters = 2", "raters = 0", "raters must be a whole number from 1"),
    "no guidelines": ('guidelines = "Say how it sounds to you."', "", "guidelines must be there"),
    "no fields": ("[[field]]", "[[fields]]", "fields is none of"),
    "strata that are no list": ("raters = 2", 'raters = 2\nstrata = "split"', "strata must be a"),
    "another kind": ('"yes_no"', '"maybe"', "question 1: kind must be one of"),
    "a name for no column": ('"natural"', '"Is it natural?"', "question 1: name must be of a-z"),
    "other labels": ('no = "No"', 'nope = "No"', "labels must be yes, no"),
    "a label without a title": ('no = "No"', 'no = ""', "with a title"),
    "labels of a text": ("", TEXT + "labels = { a = 'A', b = 'B' }\n", "labels is none of"),
    "one label": ("", CHOICE + "labels = { a = 'A' }\n", "must be a table of 2 to 50"),
    "two labels alike": ('no = "No"', 'no = "Yes"', "two labels of natural have the title 'Yes'"),
    "a title too long": ('"Greetings"', f'"{"a" * 501}"', "title has 501 letters, and at most 500"),
    "a question too long": (
        'title = "Does it sound natural?"',
        f'title = "Natural?"\ndescription = "{"a" * 1001}"',
        "the description of natural has 1,001 letters",
    ),
    "a label too long": ('no = "No"', f'no = "{"a" * 501}"', "natural's label 'no' has 501"),
    "a field too long": ('"The text"', f'"{"a" * 501}"', "the field 'dialect' has 501 letters"),
    "guidelines too long": ("Say how", "Say how " * 2000, "guidelines has 16,0"),
    "a sign nobody sees": ('"Yes"', '"Y\\u0001es"', "has a sign that no page shows (U+0001)"),
    "a sign no XML holds": ('"The text"', '"The\\uFFFE"', "no page shows (U+FFFE)"),
    "guidelines from above": (
        'guidelines = "Say how it sounds to you."',
        'guidelines_file = "a/../../secret.md"',
        "guidelines_file must lie beside the project file or below it",
    ),
    "guidelines from anywhere": (
        'guidelines = "Say how it sounds to you."',
        'guidelines_file = "/etc/hostname"',
        "guidelines_file must lie beside the project file or below it",
    ),
    "a scale without an end": ("", SCALE + "low = 1\n", "high must be a whole number from 2"),
    "a scale too long": ("", SCALE + "low = 1\nhigh = 11\n", "high must be at most 10"),
    "a question twice": ("", GOOD[GOOD.index("[[question]]") :], "question 'natural' stands twice"),
    "a field that isn't shown": ("", TEXT + 'prefill = "standard"\n', "which isn't shown"),
    "nothing required": ("labels = { yes", "required = false\nlabels = { yes", "is required"),
    "others without an author": ("raters = 2", 'raters = 2\nassignment = "others"', "needs author"),
    "an author for all": ("raters = 2", 'raters = 2\nauthor = "who"', "needs author"),
    "not true": (
        'column = "dialect"',
        'column = "dialect"\nrequired = 1',
        "field 1: required must",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_is_named_with_its_place(case: str, tmp_path: Path) -> None:
    old, new, message = WRONG[case]
    path = tmp_path / "p.toml"
    path.write_text(GOOD.replace(old, new, 1) if old else GOOD + new)
    with pytest.raises(AnnotationError) as caught:
        read_project_file(path)
    said = str(caught.value)
    assert message in said
    assert said.startswith(f"error[annotation]: {path}: ")
    assert "\n" not in said


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(AnnotationError, match="no such file"):
        read_project_file(tmp_path / "p.toml")
    (tmp_path / "p.toml").write_text(GOOD.replace("guidelines =", "guidelines_file ="))
    with pytest.raises(AnnotationError, match=r"Say how.*no such file"):
        read_project_file(tmp_path / "p.toml")
    (tmp_path / "p.toml").write_bytes(b"\xff")
    with pytest.raises(AnnotationError, match="can't be read"):
        read_project_file(tmp_path / "p.toml")
    with pytest.raises(AnnotationError, match=r"no questions .* 'poems'.*bavground, realaae"):
        project_for("poems")
