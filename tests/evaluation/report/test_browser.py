"""The page in a real Chromium: nothing overflows, nothing is fetched, everything can be read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from isogloss.evaluation.report import read_runs, write_report
from isogloss.tests.contrast import CONTRASTS
from isogloss.tests.evaluation.report.made import make_run, rows

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow
LONG = "hf:" + "A-very-long-name-of-a-model-" * 8


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
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    first = make_run(folder / "a", ["hf:one", LONG, "openai:three"], unfinished=["hf:late"])
    other = make_run(folder / "b", ["hf:one"], frame=rows(20), sha256="b" * 64, ends=False)
    return write_report(read_runs([first, other]), folder / "out")[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_it_fits_fetches_nothing_and_can_be_read(
    width: int, scheme: str, browser: Browser, page: Path
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    said: list[str] = []
    asked: list[str] = []
    tab = context.new_page()
    tab.on("console", lambda one: said.append(one.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    context.on("request", lambda request: asked.append(request.url))
    tab.goto(page.as_uri())
    sizes = tab.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert sizes[0] <= sizes[1] == width
    assert said == []
    assert asked == [page.as_uri()]
    tab.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for kind in ("p", "td", "th", ".small", ".who", ".t", ".note", "summary", "figcaption"):
        assert min(tab.evaluate(CONTRASTS, kind)) >= 4.5, kind
    context.close()


def test_the_filter_shows_items_with_a_word(browser: Browser, page: Path) -> None:
    tab = browser.new_page()
    tab.goto(page.as_uri())
    tab.locator("input[type=search]").first.fill("finna")
    items = tab.locator("#corpus1-browser .item:visible")
    assert items.count() > 0
    assert all("finna" in text for text in items.all_inner_texts())
    tab.close()


def test_without_scripts_everything_but_the_filter_is_there(browser: Browser, page: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(page.as_uri())
    assert not tab.locator("input[type=search]").first.is_visible()
    assert tab.locator("figure svg").first.is_visible()
    tab.locator("summary").nth(1).click()
    assert tab.locator("#corpus1-browser details").nth(1).locator(".item").first.is_visible()
    context.close()
