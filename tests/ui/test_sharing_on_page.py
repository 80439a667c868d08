"""A link to an answer or a report: made on the page, opened by anybody, taken back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.jobs.library import QUESTION
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE, Site, site, tab
from tests.ui.geometry import box, sideways
from tests.ui.test_reports_on_page import reading

pytestmark = [pytest.mark.browser, pytest.mark.release]


def link_of(place: Locator) -> str:
    """Let a link be made in an open menu, and return it."""
    place.get_by_role("button", name="Make a link").click()
    field = place.get_by_role("textbox", name="Link")
    expect(field).to_be_focused()
    return field.input_value()


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_an_answer_is_shared_and_taken_back(
    browser: Browser, served: Site, device: dict[str, object]
) -> None:
    with tab(browser, served, {**device, "bypass_csp": True}) as chat:
        chat.open("/?lang=en").turn_on()
        served.model.says("Tea is a plant [1].")
        chat.ask("What is tea?")
        share = chat.last.locator(".share")
        icons = chat.part("actions").locator(":scope > .icon-button, :scope > .fold > summary")
        # What can be done stands in one row.
        tops = [box(each)["y"] for each in icons.all()]
        assert max(tops) - min(tops) < box(icons.first)["height"] / 2
        share.locator("summary").click()
        address = link_of(share)
        assert address.startswith(f"{served.base_url}/s/")
        expect(share.locator(".fold-body")).to_be_in_viewport(ratio=1)
        assert sideways(chat.page) == []
        assert violations(chat.page) == []
        # Another menu closes it; the same link is there again, after a reload as well.
        chat.last.locator(".exports > summary").click()
        expect(share.locator(".fold-body")).to_be_hidden()
        expect(chat.last.locator(".exports .fold-body")).to_be_in_viewport(ratio=1)
        chat.page.reload()
        share.locator("summary").click()
        expect(share.get_by_role("textbox")).to_have_value(address)
        chat.page.context.new_page().goto(address)
        shown = chat.page.context.pages[-1]
        expect(shown.locator("h1.question")).to_have_text("What is tea?")
        shown.close()
        share.get_by_role("button", name="Take it back").click()
        expect(share.get_by_role("button", name="Make a link")).to_be_focused()
        assert chat.page.request.get(address).status == 404


EXAMPLES = "Demo: the results are example pages served by this machine"


def background(page: Page) -> str:
    return page.evaluate("() => getComputedStyle(document.body).backgroundColor")


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_what_is_shared_is_as_dark_as_its_reader_wants_and_says_that_it_is_an_example(
    browser: Browser, device: dict[str, object]
) -> None:
    with site(demo=True) as served, tab(browser, served, {**device, "bypass_csp": True}) as chat:
        chat.open("/?lang=en").turn_on()
        served.model.says("Tea is a plant [1].")
        chat.ask("What is tea?")
        chat.last.locator(".share > summary").click()
        address = link_of(chat.last.locator(".share"))
        export = chat.last.locator(".export-page").get_attribute("href")
        grounds = {"light": "rgb(251, 250, 247)", "dark": "rgb(21, 23, 22)"}
        for chosen, system, shown in (
            ("auto", "light", "light"),
            ("auto", "dark", "dark"),
            ("dark", "light", "dark"),
            ("light", "dark", "light"),
        ):
            cookie = {"name": "citeseek_theme", "value": chosen, "url": served.base_url}
            chat.page.context.add_cookies([cookie])
            chat.page.emulate_media(color_scheme=system)
            chat.page.goto(address)
            assert background(chat.page) == grounds[shown]
            expect(chat.page.get_by_role("region", name="Demo")).to_contain_text(EXAMPLES)
            assert sideways(chat.page) == []
            assert violations(chat.page) == []
        assert EXAMPLES in chat.page.request.get(f"{served.base_url}{export}").text()
        # What the model said by itself is no example.
        chat.open("/?lang=en")
        served.model.says("Good morning.")
        chat.ask("Good morning")
        chat.last.locator(".share > summary").click()
        chat.page.goto(link_of(chat.last.locator(".share")))
        expect(chat.page.locator("h1.question")).to_have_text("Good morning")
        expect(chat.page.get_by_role("region", name="Demo")).to_have_count(0)
        chat.open("/reports?lang=en")
        expect(chat.page.get_by_role("region", name="Demo")).to_contain_text(EXAMPLES)
        assert violations(chat.page) == []


def test_a_report_is_shared(browser: Browser) -> None:
    with reading() as desk, tab(browser, desk, {**DESKTOP, "bypass_csp": True}) as chat:
        chat.open(f"/reports/{desk.ask()}?lang=en")
        share = chat.page.locator(".forms .share")
        expect(share).to_be_attached()
        share.locator("summary").click()
        address = link_of(share)
        assert violations(chat.page) == []
        assert sideways(chat.page) == []
        chat.page.goto(address)
        expect(chat.page.get_by_role("heading", level=1)).to_have_text(QUESTION)
