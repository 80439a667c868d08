"""What helps where an engine or the model is down: buttons beside what is said of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.loopback import refused_port, replies
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE, site, tab

pytestmark = [pytest.mark.browser, pytest.mark.release]


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_another_engine_answers_in_place_of_one_that_is_down(
    browser: Browser, device: dict[str, object]
) -> None:
    with refused_port() as port:
        down = {"CITESEEK_CHAT_ENGINE": "mojeek", "MOJEEK_BASE_URL": f"http://127.0.0.1:{port}"}
        with site(**down) as served, tab(browser, served, {**device, "bypass_csp": True}) as chat:
            chat.open("/?lang=en").turn_on()
            served.model.says("From memory.")
            chat.ask("tea")
            notice = chat.last.locator(".notice")
            expect(notice.locator(".ways > *")).to_have_text(["Retry", "Use SearXNG"])
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
        expect(chat.page.locator("#model-picked")).to_have_text("built-in")
        expect(chat.switch).to_have_attribute("aria-checked", "true")
        expect(chat.part("answer").locator(".citation a").first).to_be_visible()
