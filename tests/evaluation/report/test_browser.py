"""The page in a real Chromium: nothing overflows, nothing is fetched, everything can be read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from isogloss.evaluation.report import read_runs, write_report
from isogloss.tests.evaluation.report.made import make_run, rows

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow
LONG = "hf:" + "A-very-long-name-of-a-model-" * 8
#: Least ratio of contrast (WCAG 2.2) of elements with the colour behind them.
CONTRAST = r"""(kind) => {
  const parts = colour => {
    const numbers = colour.match(/[\d.]+/g).map(Number), [red, green, blue, alpha = 1] = numbers;
    const most = colour.startsWith("color(") ? 1 : 255;
    return [red / most, green / most, blue / most, alpha];
  };
  const over = (top, below) => below.map((value, at) => top[at] * top[3] + value * (1 - top[3]));
  const behind = element => {
    if (!element) return [1, 1, 1, 1];
    return over(parts(getComputedStyle(element).backgroundColor), behind(element.parentElement));
  };
  const light = colour => colour.slice(0, 3).map(
    value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  ).reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  return Math.min(...[...document.querySelectorAll(kind)].map(element => {
    const back = behind(element), front = over(parts(getComputedStyle(element).color), back);
    const [low, high] = [light(back), light(front)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }));
}"""


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
        assert tab.evaluate(CONTRAST, kind) >= 4.5, kind
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
