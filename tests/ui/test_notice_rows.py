"""What a reader is told when the search fails, and that the conversation goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect
from tests.assistant.chatting import Answer
from tests.loopback import faults, refused_port, replies
from tests.ui.chat_page import ChatPage, site, tab

pytestmark = pytest.mark.browser

BODY = "<h1>Upstream-7f3a</h1>Traceback (most recent call last)"
LIMIT = "0.4"
UNAVAILABLE = "搜索服务不可用"
STEPS = ("docker ps", "docker compose up -d", "curl ")


@contextmanager
def chatting(browser: Browser, *answers: Answer, **env: str) -> Iterator[ChatPage]:
    """Give the page with the switch on over an engine that gives ``answers``."""
    with site(*answers, **env) as served, tab(browser, served) as chat:
        served.model.says("From memory.", always=True)
        chat.open().turn_on()
        yield chat


def degraded(chat: ChatPage) -> tuple[str, str]:
    """Ask, see that it is answered without a search, and return what is told and advised."""
    chat.ask("tea")
    expect(chat.part("answer")).to_have_text("From memory.")
    expect(chat.last.locator(".search")).to_have_attribute("data-state", "failed")
    expect(chat.last.locator(".chips, .source-list")).to_have_count(0)
    expect(chat.last.locator(".notice")).to_have_count(1)
    expect(chat.last.locator(".notice .text")).to_be_visible()
    expect(chat.last.locator(".notice .ways button")).to_have_count(2)
    expect(chat.last.locator(".notice pre").first).to_be_hidden()
    shown = chat.last.text_content() or ""
    for hidden in ("Traceback", "Upstream-7f3a", "<h1>", "Errno"):
        assert hidden not in shown
    # The address stands in the command that tries it, and beside that in the receipt alone.
    receipt = chat.last.locator(".egress").text_content() or ""
    told = shown.count("127.0.0.1") - receipt.count("127.0.0.1")
    assert told == shown.count("curl 'http://127.0.0.1:")
    return (
        chat.last.locator(".notice .text").inner_text(),
        "\n".join(chat.last.locator(".notice :is(.hint, pre)").all_text_contents()),
    )


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "answer",
    [replies.status(500, BODY), replies.status(403, BODY), replies.html(BODY)],
    ids=["500", "403", "HTML"],
)
@pytest.mark.requirement("S1-23", "S1-24", "S1-50", "S1-66", "S1-73")
def test_an_engine_that_answers_an_error(browser: Browser, answer: Answer) -> None:
    with chatting(browser, answer) as chat:
        text, hint = degraded(chat)
        assert UNAVAILABLE in text
        places = [hint.index(step) for step in STEPS]
        assert places == sorted(places)
        shown = chat.last.locator(".notice").inner_text()
        chat.page.reload()
        expect(chat.last.locator(".notice")).to_have_text(shown, use_inner_text=True)


@pytest.mark.release
@pytest.mark.requirement("S1-66", "S1-67")
def test_the_notice_leads_to_the_guide(browser: Browser) -> None:
    with chatting(browser, replies.status(500, BODY)) as chat:
        degraded(chat)
        here = chat.page.url
        with chat.page.expect_popup() as opening:
            chat.last.locator(".notice").get_by_role("link", name="如何启动").click()
        expect(opening.value.get_by_role("heading", level=1)).to_contain_text("SearXNG")
        expect(opening.value.get_by_text("docker compose up -d").first).to_be_visible()
        expect(chat.page).to_have_url(here)


@pytest.mark.release
@pytest.mark.requirement("S1-20", "S1-73")
def test_a_search_that_takes_too_long(browser: Browser) -> None:
    with chatting(browser, faults.hang(), CITESEEK_CHAT_TIMEOUT=LIMIT) as chat:
        text, hint = degraded(chat)
        assert "搜索超时" in text
        assert f"{LIMIT} 秒" in text
        assert "docker compose up -d" in hint


@pytest.mark.release
@pytest.mark.requirement("S1-23", "S1-73", "S1-78", "S1-79")
def test_an_engine_that_is_not_there(browser: Browser) -> None:
    with (
        refused_port() as port,
        chatting(browser, SEARXNG_BASE_URL=f"http://127.0.0.1:{port}") as chat,
    ):
        text, hint = degraded(chat)
        assert UNAVAILABLE in text
        assert "网络连接" in text
        assert "请检查网络连接" in hint
        assert "关闭联网搜索" in hint
        assert "docker compose up -d" in hint
        # What was advised helps: without a search there is nothing to tell.
        chat.switch.click()
        chat.ask("tea")
        expect(chat.last.locator(".notice")).to_have_count(0)


@pytest.mark.requirement("S1-73")
def test_the_conversation_goes_on_and_the_next_message_is_searched(browser: Browser) -> None:
    with chatting(browser, replies.status(500, BODY)) as chat:
        degraded(chat)
        chat.site.results(2)
        chat.ask("coffee")
        expect(chat.last.locator(".notice")).to_have_count(0)
        expect(chat.last.locator(".source")).to_have_count(2)
