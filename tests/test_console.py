"""What is printed: a text of the corpus does nothing to the terminal and reads as it is."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.console import ConsoleProgress, table
from isogloss.errors import printable
from rich.console import Console
from rich.table import Table

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
signs = st.sampled_from(
    [*"ab[]/\\ :\n\t\x1b\x07\x7f\x9b", *BIDI, "[bold]", "[/]", "[@click=x]", "[1]"]
)


def drawn(made: Table, width: int = 60) -> str:
    file = io.StringIO()
    Console(file=file, width=width, color_system=None).print(made)
    return file.getvalue()


@settings(max_examples=300, deadline=None)
@given(text=st.lists(signs, max_size=10).map("".join) | st.text(max_size=10))
def test_a_text_is_shown_as_it_is_without_its_controls(text: str) -> None:
    controls = {sign for sign in text if unicodedata.category(sign) == "Cc" or sign in BIDI}
    expected = "".join(" " if sign in controls else sign for sign in text)
    assert printable(text) == " ".join(expected.split())


@pytest.mark.parametrize("text", ["a\x1b[31mb", "a\x1b]0;title\x07b", "a\x9b2Jb", "a\rb", "a\x08b"])
def test_nothing_reaches_the_terminal_as_a_command(text: str) -> None:
    assert all(sign.isprintable() for sign in printable(text))
    assert all(
        sign.isprintable() for sign in drawn(table("t", ["text"], [[text]])).replace("\n", "")
    )


@pytest.mark.parametrize("sign", BIDI, ids=lambda sign: f"U+{ord(sign):04X}")
def test_a_text_does_not_turn_the_line_around(sign: str) -> None:
    assert sign not in printable(f"a{sign}b")


@pytest.mark.parametrize(
    "text", ["[bold]loud", "[/]", ":pizza: for two", "[link=http://a.b]c", "50%"]
)
def test_a_cell_is_text_and_not_markup(text: str) -> None:
    assert text in drawn(table("t", ["text"], [[text]]))


def test_numbers_have_commas_and_stand_right() -> None:
    rows: list[list[object]] = [["kept", 1_234_567, "a"], ["lost", 8, "b"]]
    lines = drawn(table("Stages", ["stage", "rows", "x"], rows, numbers=["rows"])).splitlines()
    big, small = (next(line for line in lines if word in line) for word in ("kept", "lost"))
    assert "1,234,567" in big
    assert big.index("7") == small.index("8"), "the last digits stand below each other"
    assert "Stages" in lines[0]


def test_a_long_cell_is_folded_and_nothing_of_it_lost() -> None:
    text = "abcdefghij" * 20
    shown = drawn(table("", ["text"], [[text]]), width=40)
    assert "".join(sign for sign in shown if sign in "abcdefghij").endswith(text)
    assert max(map(len, shown.splitlines())) <= 40


def test_without_a_terminal_lines_are_plain() -> None:
    assert drawn(table("Stages", ["stage"], [["kept"]])).isascii()


@pytest.mark.parametrize(("options", "unit"), [({}, "rows"), ({"unit": "requests"}, "requests")])
def test_progress_says_what_it_counts(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, str],
    unit: str,
) -> None:
    monkeypatch.setattr("isogloss.console._PLAIN_SECONDS", 0.0)
    with ConsoleProgress(**options) as progress:
        progress.phase("work", 4)
        progress.advance(2, 2)
    said = capsys.readouterr().err
    assert f"work: 50%, 2 {unit}, " in said
    assert f" {unit}/s, " in said
