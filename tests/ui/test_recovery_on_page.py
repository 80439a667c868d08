"""What helps where an engine or the model is down: buttons beside what is said of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.loopback import Signal, refused_port, replies
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE, site, tab
from tests.ui.geometry import sideways
from tests.ui.test_tasks_on_page import Hands

pytestmark = [pytest.mark.browser, pytest.mark.release]

EVERY = ("SEARXNG", "DDG_HTML", "BING_HTML", "MOJEEK", "BRAVE_HTML", "STARTPAGE")


def down(port: int, *engines: str) -> dict[str, str]:
    """Return the environment in which nothing answers where ``engines`` are asked."""
    return {f"{engine}_BASE_URL": f"http://127.0.0.1:{port}" for engine in engines}


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_where_every_engine_is_down_two_presses_find_it_out_and_a_third_answers(
    browser: Browser, device: dict[str, object]
) -> None:
    with refused_port() as port, site(**down(port, *EVERY)) as served:
        served.model.says("From memory.", always=True)
        with tab(browser, served, {**device, "bypass_csp": True}) as chat:
            hands = Hands(chat, is_finger=device is PHONE)
            chat.open("/?lang=en").turn_on()
            chat.ask("tea")
            notice = chat.last.locator(".notice")
            hands.press(notice.get_by_role("button", name="Use DuckDuckGo"))
            others = notice.locator(".use-engine")
            expect(others).to_have_text("Use Bing, Mojeek, Brave's pages, Startpage")
            hands.press(others)
            expect(others).to_have_count(0)
            expect(notice.locator(".text")).to_contain_text("none of the engines")
            expect(notice.locator(".hint")).to_have_count(0)
            expect(notice.get_by_role("link", name="A SearXNG of your own")).to_be_visible()
            expect(chat.page.locator("#choice-engine option:checked")).to_have_text(
                "Bing, Mojeek, Brave's pages, Startpage"
            )
            assert hands.counted() == 2
            hands.press(notice.get_by_role("button", name="Answer without searching"))
            expect(notice).to_have_count(0)
            expect(chat.part("answer")).to_have_text("From memory.")
            expect(chat.switch).to_have_attribute("aria-checked", "false")
            expect(chat.turns).to_have_count(1)


def test_the_built_in_model_is_not_told_to_do_without(browser: Browser) -> None:
    with (
        refused_port() as port,
        site(CITESEEK_MODEL="extractive", **down(port, *EVERY)) as served,
        tab(browser, served) as chat,
    ):
        chat.open("/?lang=en")
        chat.ask("tea")
        notice = chat.last.locator(".notice")
        expect(notice.locator(".hint")).to_have_text("Check the network connection.")
        notice.locator(".use-engine").click()
        expect(notice.locator(".use-engine")).to_contain_text("Mojeek")
        notice.locator(".use-engine").click()
        expect(notice.locator(".ways > *")).to_have_text(
            ["Retry", "A SearXNG of your own", "Status"]
        )


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_start_page_says_what_is_down_and_one_press_asks_another(
    browser: Browser, device: dict[str, object]
) -> None:
    with (
        refused_port() as port,
        site(looks=True, **down(port, *EVERY)) as served,
        tab(browser, served, {**device, "bypass_csp": True}) as chat,
    ):
        chat.open("/?lang=en")
        finding = chat.page.locator('#start-report .finding[data-status="error"]')
        expect(finding).to_contain_text("searches with SearXNG fail")
        expect(finding.locator(".ways > *")).to_have_text(
            ["Use DuckDuckGo", "Use Bing", "Use Mojeek", "How to deploy it"]
        )
        expect(finding.locator("summary svg")).to_be_visible()
        expect(finding).not_to_contain_text("docs/")
        assert sideways(chat.page) == []
        assert violations(chat.page) == []
        finding.get_by_role("button", name="Use Mojeek").click()
        expect(chat.page.locator("#start-report")).to_be_empty()
        expect(chat.page.locator("#choice-engine")).to_have_value("mojeek")
        expect(chat.page.locator(".search-sentence")).to_contain_text("Mojeek")


def test_the_start_page_offers_no_other_engine_where_one_is_set(browser: Browser) -> None:
    with (
        refused_port() as port,
        site(looks=True, CITESEEK_CHAT_ENGINE="mojeek", **down(port, "SEARXNG")) as served,
        tab(browser, served) as chat,
    ):
        chat.open("/?lang=en")
        expect(chat.page.locator("#start-report .ways > *")).to_have_text("How to deploy it")


def test_an_engine_is_asked_once_however_often_its_button_is_pressed(browser: Browser) -> None:
    with (
        refused_port() as port,
        site(CITESEEK_CHAT_ENGINE="mojeek", **down(port, "MOJEEK")) as served,
        tab(browser, served) as chat,
    ):
        more = Signal()
        served.model.says("From ", more, "memory.")
        served.model.says("Found [1].", always=True)
        chat.open("/?lang=en").turn_on()
        chat.say("tea")
        # It is offered before the answer is whole, which is stopped.
        button = chat.last.get_by_role("button", name="Use SearXNG")
        button.evaluate("button => { button.click(); button.click(); }")
        expect(chat.part("answer").locator(".citation a")).to_have_count(1)
        expect(chat.turns).to_have_count(1)
        expect(chat.page.locator("#problem")).to_be_hidden()
        assert served.searches == 1
        more.set()


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_another_engine_answers_in_place_of_one_that_is_down(
    browser: Browser, device: dict[str, object]
) -> None:
    with refused_port() as port:
        where = {"CITESEEK_CHAT_ENGINE": "mojeek", **down(port, "MOJEEK")}
        with site(**where) as served, tab(browser, served, {**device, "bypass_csp": True}) as chat:
            chat.open("/?lang=en").turn_on()
            served.model.says("From memory.")
            chat.ask("tea")
            notice = chat.last.locator(".notice")
            expect(notice.locator(".ways > *")).to_have_text(["Retry", "Use SearXNG", "Status"])
            notice.get_by_text("Details").click()
            expect(notice.locator("pre").first).to_have_text("citeseek search test --engine mojeek")
            expect(notice.locator("pre").last).to_have_text("citeseek doctor engines")
            assert violations(chat.page) == []
            served.model.says("Tea [1].")
            notice.get_by_role("button", name="Use SearXNG").click()
            expect(chat.part("answer").locator(".citation a")).to_have_count(1)
            expect(chat.turns).to_have_count(1)
            expect(chat.page.locator("#choice-engine")).to_have_value("searxng")


def test_quotes_answer_where_the_model_takes_no_key(browser: Browser) -> None:
    with site() as served, tab(browser, served) as chat:
        refusal = replies.as_json({"error": {"message": "no"}}, status=401)
        served.model.http.on("/v1/chat/completions", refusal)
        served.results(2, content="Tea is a plant whose leaves are brewed.")
        chat.open("/?lang=en")
        chat.ask("What is tea?", outcome="failed")
        ways = chat.last.locator(".notice .ways")
        expect(ways.locator("button")).to_have_count(2)
        ways.get_by_role("button", name="Answer with quotes").click()
        expect(chat.last).to_have_attribute("data-outcome", "answered")
        expect(chat.turns).to_have_count(1)
        expect(chat.page.locator("#model-picked")).to_have_text("Built-in")
        expect(chat.switch).to_have_attribute("aria-checked", "true")
        expect(chat.part("answer").locator(".citation a").first).to_be_visible()
