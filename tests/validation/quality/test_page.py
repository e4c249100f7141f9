"""The page: complete, escaped, and made of nothing but itself."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from isogloss.corpus.varieties import varieties
from isogloss.errors import printable
from isogloss.stats import Estimate
from isogloss.tests.validation.quality.made import (
    AAE,
    BAVARIAN,
    SENTENCES,
    WORDS,
    jsonl,
    measured,
    opened,
    pairs_of,
    read_html,
    text_of,
)
from isogloss.tests.validation.quality.test_scores import Loud
from isogloss.validation.gates import gates
from isogloss.validation.quality import Models, Quality, validate
from isogloss.validation.quality.histogram import Histogram
from isogloss.validation.quality.page import render, shown_held, shown_value, worst_first
from isogloss.validation.quality.pairs import standard_of
from isogloss.validation.quality.progress import Silent
from isogloss.validation.quality.scores import sentiments
from isogloss.validation.quality.verdicts import judge, share_of

EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "\u202eevil\u202c",
    "a\x1b[31mb\x00\x07",
    "</style><style>*{display:none}",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "&lt;b&gt;&amp;",
    "http://evil.example/x.js",
]
#: What the template itself uses; anything else came in with a text.
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "section", "footer", "div", "p"),
    *("h1", "h2", "h3", "span", "strong", "code", "br", "a", "mark", "figure", "figcaption"),
    *("table", "thead", "tbody", "tr", "th", "td", "svg", "rect", "line", "caption", "nav", "ul"),
    *("li", "details", "summary", "main", "article", "g", "text", "small", "em", "dl", "dt", "dd"),
}


def evil(tmp_path: Path) -> Quality:
    """Every text, id, name, label and question is hostile."""
    rows = [
        {"Dia<script>": f"{sign} ain't {sign}", "\"Std'>": "", "<b>id": f"{n}{sign}"}
        for n, sign in enumerate(EVIL)
    ]
    rows += [{**row, "\"Std'>": f"<unk> {row['Dia<script>']}"} for row in rows]
    path = tmp_path / "<i>pairs\u202e&.jsonl"
    path.write_bytes(jsonl(*rows))
    labels = [
        {"item": f"{n}{sign}", "rater": who, "question": sign[:60], "label": f"{who}{other}"}
        for n, sign in enumerate(EVIL)
        for who in "ab"
        for other in EVIL[:1]
    ]
    (tmp_path / "r.jsonl").write_bytes(jsonl(*labels))
    pairs = opened(path, dialect="Dia<script>", standard="\"Std'>", id="<b>id")
    return validate(pairs, models=WORDS, ratings=str(tmp_path / "r.jsonl"), examples_per_gate=30)


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    page = render(evil(tmp_path))
    tags, text = read_html(page)
    assert {tag for tag, _ in tags} <= TAGS
    for tag, attributes in tags:
        assert not any(name.startswith("on") for name in attributes), tag
        for name in ("src", "href", "srcset", "data", "action", "poster", "background"):
            assert (attributes.get(name) or "#").startswith("#"), (tag, name)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)
    shown = " ".join(text.split())
    for sign in EVIL:
        # Words with the marks of differences between them.
        assert all(word in shown for word in printable(sign).split()), sign
    assert "49" not in re.sub(r"[\d,.]+ %|row \d+", "", text_of(page)).split()


def test_names_of_columns_and_files_are_shown_as_they_are(tmp_path: Path) -> None:
    shown = " ".join(text_of(render(evil(tmp_path))).split())
    assert "dialect = Dia<script>" in shown
    assert "standard = \"Std'>" in shown
    assert "Quality of <i>pairs &.jsonl" in shown


def test_a_page_is_made_of_nothing_from_elsewhere() -> None:
    page = render(measured([*SENTENCES, ("We late", "")], models=WORDS))
    tags, _ = read_html(page)
    names = {tag for tag, _ in tags}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert not re.search(r"https?://|//[a-z]|@import|url\(", page)
    assert {"lang": "en"} in [attributes for tag, attributes in tags if tag == "html"]


def test_every_number_is_on_the_page() -> None:
    rows = [*((*pair, pair[0]) for pair in SENTENCES), ("We late", "", "")]
    found = measured(rows, models=WORDS)
    page = text_of(render(found))
    for check in found.checks:
        assert not check.held or f"held: {shown_held(check)}" in page
        if not check.id.startswith("gate."):
            assert check.title in page
            assert shown_value(check) in page
    for gate in gates():
        assert gate.code in page
    assert "nan" not in page.casefold().split()
    assert "None" not in page


def test_anchors_lead_to_examples() -> None:
    tags, _ = read_html(render(measured([*SENTENCES, ("We ain't late", ""), ("Hey", "<unk>")])))
    targets = [attributes.get("href") for tag, attributes in tags if tag == "a"]
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert "#gate-empty" in targets
    assert {target for target in targets if target} <= {f"#{one}" for one in ids}
    assert len(ids) == len(set(ids))


def test_sides_have_their_languages() -> None:
    rows = [
        {"dialect": "We late", "standard": "", "back": "We late"},
        {"variety": BAVARIAN, "dialect": "Mia", "standard": "", "back": "Mia"},
    ]
    tags, _ = read_html(render(measured(rows)))
    languages = {attributes.get("lang") for tag, attributes in tags if tag == "div"} - {None}
    assert languages == {
        varieties()[name].bcp47 for side in (AAE, BAVARIAN) for name in (side, standard_of(side))
    }
    assert all(attributes["dir"] == "auto" for _, attributes in tags if "lang" in attributes
               and attributes["lang"] != "en")  # fmt: skip


def test_without_examples_a_page_has_none() -> None:
    page = render(measured([*SENTENCES, ("Zanzibar late", "")], examples_per_gate=0))
    assert "Zanzibar" not in page
    assert 'href="#gate' not in page


def test_what_isnt_measured_isnt_on_the_page() -> None:
    plain = text_of(render(measured(SENTENCES)))
    for title in ("BERTScore", "Sentiment preservation", "Agreement of raters"):
        assert title not in plain
    assert "Grammar of African American English" in plain
    german = text_of(render(measured([("Mia san do", "Wir sind da")], variety=BAVARIAN)))
    assert "Grammar of" not in german


def test_a_model_without_a_note_has_none() -> None:
    pairs = pairs_of(SENTENCES)
    found = validate(pairs)
    labelled = sentiments(pairs, lambda _: Loud(), Silent())
    fields = {name: getattr(found, name) for name in Quality.__slots__}
    page = text_of(render(Quality(**{**fields, "sentiment": labelled})))
    assert "Labels by hf:loud" in page


def test_a_corpus_of_its_own_scores_is_shown_without_a_model() -> None:
    rows: list[dict[str, Any]] = [
        {"dialect": "We late", "standard": "We are late", "bertscore": value}
        for value in (0.5, 0.75, None)
    ]
    page = " ".join(text_of(render(measured(rows))).split())
    assert "as the corpus has it: mean 0.625" in page
    assert "n = 2, 1 without a score" in page


def test_a_confusion_matrix_is_counted_on_the_page() -> None:
    rows = [("This is the best", "This is great"), ("This is awful", "This is the best")]
    found = measured(rows, models=Models(sentiment="words:"))
    [(_, one)] = found.sentiment
    tags, _ = read_html(render(found))
    shares = [a["style"] for tag, a in tags if a.get("class") == "cell"]
    assert len(shares) == 9
    cells = [cell for row in one.comparisons[0].confusion for cell in row]
    assert [share != "--share: 0" and share != "--share: 0.0" for share in shares] == [
        bool(cell) for cell in cells
    ]


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (0, 10, "0.0 % (0.0 – 27.8 %)"),
        (1, 10, "10.0 % (1.8 – 40.4 %)"),
        (10, 10, "100.0 % (72.2 – 100.0 %)"),
        (1, 10_000, "0.010 % (0.002 – 0.1 %)"),
        (9_999, 10_000, "99.990 % (99.9 – 99.998 %)"),
        (0, 0, "–"),
    ],
)
def test_shares_have_the_digits_that_tell_them_from_none_and_all(
    part: int, whole: int, shown: str
) -> None:
    assert shown_value(judge("near_identical", share_of(part, whole))) == shown


def test_values_without_an_interval_stand_alone() -> None:
    def ratio(value: float) -> str:
        return shown_value(judge("length_ratio", Estimate(value=value, n=1, clusters=1)))

    assert (ratio(1.25), ratio(math.nan)) == ("1.25", "–")


def test_what_fails_comes_first_and_else_nothing_moves() -> None:
    found = measured([*SENTENCES, ("We late", "")]).checks
    order = [check.verdict for check in worst_first(found)]
    assert order == sorted(order, key=["fail", "look", "pass", "none"].index)
    passes = [check for check in found if check.verdict == "pass"]
    assert [check for check in worst_first(found) if check.verdict == "pass"] == passes


def test_a_bar_has_its_height_and_an_empty_one_none() -> None:
    from isogloss.validation.quality.page import _bars

    bars = _bars(Histogram(start=0, width=0.5, counts=(0, 1, 4, 1_000), above=3))
    assert [bar["height"] for bar in bars] == [0, 0.6, 0.6, 40]
    assert [bar["y"] for bar in bars] == [40, 39.4, 39.4, 0]
    assert [bar["x"] for bar in bars] == [0, 25, 50, 75]
    assert bars[3]["says"] == "1.5 to 2: 1,000"
    empty = _bars(Histogram(start=0, width=1, counts=(0, 0), above=0))
    assert [bar["height"] for bar in empty] == [0, 0]


def test_the_header_says_how_much_was_read(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(jsonl({"dialect": "We late", "standard": "x"}, {"dialect": ""}))
    page = " ".join(text_of(render(validate(opened(path, variety=[AAE])))).split())
    assert "1 pairs of 2 rows: African American English beside Standard American English." in page
