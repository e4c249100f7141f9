"""Two raters in a real Chromium: what they click and press is what comes back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from isogloss.annotation.items import Items
from isogloss.annotation.labels import pseudonym
from isogloss.annotation.people import reset_password
from isogloss.annotation.project_files import project_for
from isogloss.annotation.pull import pull
from isogloss.tests.annotation.served.conftest import Starts
from isogloss.tests.annotation.served.site import Asked, Site, items

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow
PROJECT = project_for("realaae")
QUESTIONS = [question.name for question in PROJECT.questions]
#: Waits for what a server of another process does on a busy machine.
PATIENCE = 60_000
#: A folder for pictures of the pages, for people who want to look at them.
PICTURES = os.environ.get("ISOGLOSS_PICTURES")

Opens = Callable[..., "Page"]


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


@pytest.fixture
def away() -> list[str]:
    """Addresses on other machines that a page asked for."""
    return []


@pytest.fixture
def opened(browser: Browser, away: list[str]) -> Iterator[Opens]:
    """Opens a browser of one's own for a rater."""
    contexts = []

    def opening(site: Site, **options: object) -> Page:
        context = browser.new_context(viewport={"width": 1360, "height": 850}, **options)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()

        def asked(address: str) -> None:
            if not address.startswith((site.url, "data:", "blob:")):
                away.append(address)

        context.on("request", lambda request: asked(request.url))
        return page

    yield opening
    for context in contexts:
        context.close()


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"))


def sign_in(page: Page, name: str, password: str) -> None:
    page.wait_for_selector("input[type=password]")
    page.fill("input[type=text]", name)
    page.fill("input[type=password]", password)
    page.get_by_role("button", name="Sign in").click()


def shown(page: Page) -> str:
    """The item that is on the page, once it and its questions are there and empty."""
    page.wait_for_selector("text=Pending")
    page.wait_for_function(
        "() => document.querySelectorAll('form input:checked').length === 0"
        " && /tune \\d+/.test(document.body.innerText)"
    )
    text = page.get_by_text("we been knowing tune").first.inner_text()
    return f"i{int(text.split()[-1]):03d}"


def next_item(page: Page, before: str) -> str:
    """The item after this one."""
    number = int(before[1:])
    page.wait_for_function(
        f"() => !new RegExp('tune {number}(?!\\\\d)').test(document.body.innerText)"
    )
    return shown(page)


def click(page: Page, answers: Mapping[str, str]) -> None:
    for question, answer in answers.items():
        page.locator(f"label[for={question}_{answer}]").click()
    page.get_by_role("button", name="Submit").click()


def press(page: Page, answers: Mapping[str, str]) -> None:
    """Answers by keyboard alone: 1 is yes, 2 is no; each goes on to the next question."""
    for question, answer in answers.items():
        page.keyboard.press("1" if answer == "yes" else "2")
        page.wait_for_selector(f"#{question}_{answer}:checked", state="attached")
    page.keyboard.press("Enter")


def verdicts(number: int) -> dict[str, str]:
    """Answers that tell items apart."""
    return {name: "yes" if number >> at & 1 else "no" for at, name in enumerate(QUESTIONS)}


def items_with_back(number: int) -> Items:
    """Items with the three texts of Real-AAE."""
    given = items(number)
    full = [replace(one, fields={**one.fields, "back": "we been knew that"}) for one in given.items]
    return replace(given, items=tuple(full))


@pytest.fixture(scope="module")
def asked(site: Site) -> Asked:
    return site.asked(
        PROJECT,
        raters=["ada", "grace"],
        min_raters=2,
        given=items_with_back(5),
    )


def test_two_raters_answer_by_mouse_and_by_keyboard(
    site: Site, asked: Asked, opened: Opens, away: list[str]
) -> None:
    expected: dict[str, dict[str, dict[str, str] | None]] = {"ada": {}, "grace": {}}

    ada = opened(site)
    ada.goto(asked.links["ada"])
    ada.wait_for_selector("input[type=password]")
    picture(ada, "sign-in")
    sign_in(ada, "ada", "not-the-password")
    ada.wait_for_selector("text=Wrong username or password")
    sign_in(ada, "ada", asked.raters["ada"].password or "")
    item = shown(ada)
    ada.get_by_text("Guidelines", exact=False).first.click()
    ada.wait_for_selector("text=What we ask you")
    picture(ada, "guidelines")
    ada.get_by_text("Guidelines", exact=False).first.click()
    picture(ada, "item")

    # By clicking: two items, then one that is thrown out.
    for number in (5, 10):
        expected["ada"][item] = verdicts(number)
        click(ada, verdicts(number))
        item = next_item(ada, item)
    expected["ada"][item] = None
    ada.get_by_role("button", name="Discard").click()
    item = next_item(ada, item)
    # The page is loaded again: the place is kept, and so is what was answered.
    ada.reload()
    assert shown(ada) == item
    for number in (6, 9):
        expected["ada"][item] = verdicts(number)
        press(ada, verdicts(number))
        if number == 6:
            item = next_item(ada, item)
    ada.wait_for_selector("text=You have no pending records")
    picture(ada, "finished")

    # By keyboard alone, the other rater, in another order.
    grace = opened(site)
    grace.goto(asked.links["grace"])
    sign_in(grace, "grace", asked.raters["grace"].password or "")
    item = shown(grace)
    for number in range(5):
        expected["grace"][item] = verdicts(number)
        press(grace, verdicts(number))
        if number < 4:
            item = next_item(grace, item)
    grace.wait_for_selector("text=You have no pending records")

    labels = pull(asked.owner, PROJECT, all_statuses=True).labels
    by_rater: dict[str, dict[str, dict[str, str] | None]] = {}
    for row in labels.iter_rows(named=True):
        given = by_rater.setdefault(row["rater"], {})
        if row["status"] == "discarded":
            given[row["item"]] = None
        else:
            found = given.setdefault(row["item"], {})
            assert found is not None
            found[row["question"]] = row["label"]
    names = {pseudonym(one.id, project="realaae"): name for name, one in asked.raters.items()}
    assert {names[rater]: given for rater, given in by_rater.items()} == expected
    assert list(expected["ada"]) != list(expected["grace"])
    assert away == []


def test_a_text_is_shown_as_it_is_and_never_runs(site: Site, opened: Opens) -> None:
    texts = {
        "dialect": "<img src=x onerror=\"window.ran='dialect'\"> we been knowing tune 7",
        "standard": "a < b && <b>c</b> > d <script>window.ran='standard'</script>",
        "back": "&lt;not a tag&gt; &amp; **not bold**",
    }
    given = items_with_back(1)
    asked = site.asked(
        replace(PROJECT, name="as-it-is"),
        raters=["as-it-is-ada"],
        given=replace(given, items=(replace(given.items[0], fields=texts),)),
    )
    page = opened(site)
    said: list[str] = []
    page.on("console", lambda one: said.append(one.text))
    page.goto(asked.links["as-it-is-ada"])
    sign_in(page, "as-it-is-ada", asked.raters["as-it-is-ada"].password or "")
    page.wait_for_selector("text=tune 7")
    for text in texts.values():
        assert page.get_by_text(text, exact=True).count() == 1
    assert page.evaluate("window.ran") is None
    picture(page, "as-it-is")
    # And if a page put one in as HTML after all, the browser would not run it.
    page.evaluate(
        """() => {
            const one = document.createElement("div");
            one.innerHTML = "<img src=x onerror='window.ran = 1'>";
            document.body.append(one);
        }"""
    )
    page.wait_for_timeout(1_000)
    assert page.evaluate("window.ran") is None
    assert any("Content Security Policy" in line for line in said)


def test_a_project_that_is_not_there_has_a_page_that_says_so(site: Site, opened: Opens) -> None:
    page = opened(site)
    answer = page.goto(f"{site.url}/dataset/00000000-0000-4000-8000-000000000000/annotation-mode")
    assert answer is not None
    assert answer.status == 404
    picture(page, "no-project")
    page.get_by_role("link", name="your projects").click()
    page.wait_for_selector("input[type=password]")


def test_a_session_that_ran_out_leads_to_the_sign_in_page(
    start: Starts, tmp_path: Path, opened: Opens
) -> None:
    with start(tmp_path / "home", session_days=4 / 86_400) as site:
        asked = site.asked(
            PROJECT, raters=["ada"], number=2, given=items_with_back(2), min_raters=1
        )
        password = reset_password(asked.owner, "ada").password or ""
        page = opened(site)
        page.goto(asked.links["ada"])
        sign_in(page, "ada", password)
        shown(page)
        page.wait_for_timeout(5_000)
        page.reload()
        page.wait_for_selector("input[type=password]")
        picture(page, "expired")
        # Signed in again, the rater goes on where they were.
        sign_in(page, "ada", password)
        page.wait_for_selector("text=realaae")
