"""The page in a real Chromium: nothing overflows, nothing is fetched, everything can be read."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from isogloss.tests.contrast import CONTRASTS
from isogloss.tests.validation.quality.made import (
    AAE,
    BAVARIAN,
    BERNESE,
    SENTENCES,
    WORDS,
    jsonl,
    measured,
)
from isogloss.tests.validation.quality.test_write import ROWS
from isogloss.validation.quality import Quality, open_pairs, validate, write_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow
WIDTHS = (1200, 500, 360)
SCHEMES = ("light", "dark")
LONG = "Donaudampfschiffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 4


def ratings(folder: Path, *, question: str, label: str) -> str:
    path = folder / "ratings.jsonl"
    rows = [
        {"item": f"r{n}", "rater": who, "question": q, "label": f"{label}{(n + at) % 3}"}
        for q in (question, "fluent")
        for n in range(1, 9)
        for at, who in enumerate("abcd")
    ]
    path.write_bytes(jsonl(*rows))
    return str(path)


def sample(folder: Path, built: Path) -> Quality:
    del folder
    return validate(open_pairs(str(built)), models=WORDS)


def faulty(folder: Path, built: Path) -> Quality:
    del built
    return measured(
        ROWS * 3, models=WORDS, ratings=ratings(folder, question="natural", label="label ")
    )


def unbroken(folder: Path, built: Path) -> Quality:
    del built
    rows = [
        {"id": f"r{n}", "variety": variety, "dialect": a, "standard": b, "back": LONG}
        for n, (variety, a, b) in enumerate(
            [
                *((variety, LONG, f"{LONG} <unk>") for variety in (AAE, BAVARIAN, BERNESE)),
                *((variety, f"I {LONG}", "") for variety in (AAE, BAVARIAN, BERNESE)),
                (AAE, "@" + "a" * 500, "http://" + "b" * 5_000),
                (AAE, "\u202eمرحبا" * 90, "字" * 900),
                *((AAE, *pair) for pair in SENTENCES),
            ],
            start=1,
        )
    ]
    rows += [{**row, "id": LONG} for row in rows[:2]]
    given = ratings(folder, question=LONG[:190], label=LONG[:180])
    return measured(rows, models=WORDS, ratings=given)


MAKERS: dict[str, Callable[[Path, Path], Quality]] = {
    "the sample": sample,
    "faulty rows": faulty,
    "unbroken words": unbroken,
}


@dataclass
class Opened:
    """A page in the browser, and what it did."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no chromium in PATH")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def reports(built: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {}
    for name, make in MAKERS.items():
        folder = tmp_path_factory.mktemp("report")
        write_report(make(folder, built), folder / "out")
        made[name] = folder / "out" / "quality.html"
    return made


@pytest.fixture
def opened(browser: Browser, reports: dict[str, Path]) -> Iterator[Callable[..., Opened]]:
    contexts = []

    def look(name: str, *, width: int = 1200, scheme: str = "light") -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        contexts.append(context)
        found = Opened(context.new_page())
        found.page.on("console", lambda said: found.said.append(f"{said.type}: {said.text}"))
        found.page.on("pageerror", lambda error: found.said.append(str(error)))
        context.on("request", lambda request: found.asked.append(request.url))
        found.page.goto(reports[name].as_uri())
        return found

    yield look
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", MAKERS)
def test_nothing_overflows_nothing_is_fetched_and_nothing_goes_wrong(
    name: str, width: int, scheme: str, opened: Callable[..., Opened], reports: dict[str, Path]
) -> None:
    found = opened(name, width=width, scheme=scheme)
    sizes = found.page.evaluate(
        "[document.documentElement.scrollWidth, document.body.scrollWidth, window.innerWidth]"
    )
    assert max(sizes[:2]) <= sizes[2] == width, sizes
    assert found.said == []
    assert found.asked == [reports[name].as_uri()]


#: Elements that stick out of the page, but for what scrolls within a box of its own.
STICKING_OUT = """() => [...document.body.querySelectorAll("*")].filter(element => {
  const box = element.getBoundingClientRect();
  return box.right > window.innerWidth + 1 && !element.closest(".wide");
}).map(element => element.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", MAKERS)
def test_no_element_is_cut_off(name: str, width: int, opened: Callable[..., Opened]) -> None:
    assert opened(name, width=width).page.evaluate(STICKING_OUT) == []


def test_anchors_lead_from_the_table_to_the_examples(opened: Callable[..., Opened]) -> None:
    page = opened("faulty rows").page
    links = page.locator("a[href^='#gate-']")
    count = links.count()
    assert count >= 6
    for number in range(count):
        link = links.nth(number)
        target = link.get_attribute("href")
        assert target
        link.click()
        assert page.evaluate("location.hash") == target
        heading = page.locator(f"[id='{target[1:]}']")
        box = heading.bounding_box()
        assert box
        assert -1 < box["y"] < 800, target
        assert heading.locator("xpath=following::*[contains(@class, 'example')][1]").count() == 1


KINDS = (
    *(".badge", ".small", ".limits", ".who", ".note", "a", "th", "td"),
    *("mark.gone", "mark.new", "mark.changed"),
)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", KINDS)
def test_everything_has_contrast(kind: str, scheme: str, opened: Callable[..., Opened]) -> None:
    page = opened("faulty rows", scheme=scheme).page
    found = page.evaluate(CONTRASTS, kind)
    assert found
    assert min(found) >= 4.5


def test_all_badges_of_both_schemes_were_seen(opened: Callable[..., Opened]) -> None:
    page = opened("faulty rows").page
    kinds = page.evaluate("[...document.querySelectorAll('.badge')].map(e => e.className)")
    assert {"badge pass", "badge look", "badge fail", "badge none"} == set(kinds)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_scheme_is_the_readers(scheme: str, opened: Callable[..., Opened]) -> None:
    page = opened("the sample", scheme=scheme).page
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (colour == "rgb(255, 255, 255)") == (scheme == "light")


def test_hidden_directions_and_scripts_do_nothing(
    opened: Callable[..., Opened], tmp_path: Path
) -> None:
    found = opened("the sample")
    hostile = "<script>document.title='x'</script><img src=x onerror=\"document.title='y'\">"
    write_report(measured([(hostile, f"{hostile} <unk>")]), tmp_path)
    found.asked.clear()
    found.page.goto((tmp_path / "quality.html").as_uri())
    assert found.page.title() == "Quality of made"
    assert found.asked == [(tmp_path / "quality.html").as_uri()]
    assert found.said == []
    assert "onerror" in found.page.inner_text(".example")
