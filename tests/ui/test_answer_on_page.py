"""What can be done with an answer: stop it, ask again, copy it, read above its end."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.loopback import Signal
from tests.loopback.models import HANG
from tests.ui.chat_page import DESKTOP, ChatPage, Site, tab
from tests.ui.geometry import box

pytestmark = pytest.mark.browser


def test_an_answer_that_is_stopped_keeps_what_was_written(chat: ChatPage) -> None:
    chat.site.model.says("Tea [1] is", HANG)
    chat.site.model.says("Still here.")
    chat.turn_on()
    chat.say("tea")
    expect(chat.part("answer")).to_contain_text("Tea [1] is")
    expect(chat.page.locator("#send")).to_be_hidden()
    chat.page.locator("#stop").click()
    expect(chat.last).to_have_attribute("data-outcome", "stopped")
    expect(chat.part("ending")).to_have_text("回答已停止。")
    expect(chat.part("answer")).to_have_text("Tea [1] is")
    expect(chat.part("references").locator('.source[data-cited="true"]')).to_have_count(1)
    expect(chat.page.locator("#stop")).to_be_hidden()
    chat.site.model.requests[-1].http.closed.wait()
    chat.page.reload()
    expect(chat.part("answer")).to_have_text("Tea [1] is")
    chat.ask("and now?")
    expect(chat.part("answer")).to_have_text("Still here.")


def test_escape_stops_as_well(chat: ChatPage) -> None:
    chat.site.model.says("Tea is", HANG)
    chat.say("tea")
    expect(chat.part("answer")).to_have_text("Tea is")
    # The one button that stops is that of the composer: below the answer it would move.
    expect(chat.part("actions")).to_be_hidden()
    chat.page.keyboard.press("Escape")
    expect(chat.last).to_have_attribute("data-outcome", "stopped")
    expect(chat.message).to_be_focused()


def test_a_question_is_asked_again(chat: ChatPage) -> None:
    chat.site.model.fails(500, always=True)
    chat.ask("What is <b>tea</b>?\nAnd why?", "failed")
    expect(chat.last.locator(".notice")).to_contain_text("模型没有完成回答")
    chat.site.model.says("A plant.")
    chat.part("actions").locator(".retry").click()
    expect(chat.part("answer")).to_have_text("A plant.")
    expect(chat.turns).to_have_count(1)
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    expect(chat.last.locator(".question")).to_have_text("What is <b>tea</b>?\nAnd why?")
    assert chat.site.model.requests[-1].prompt == "What is <b>tea</b>?\nAnd why?"


@pytest.mark.release
def test_an_answer_is_copied_as_markdown_with_its_links(browser: Browser, served: Site) -> None:
    served.model.says("**Tea** [1] is a `plant`.")
    permissions = ["clipboard-read", "clipboard-write"]
    with tab(browser, served, DESKTOP, permissions=permissions) as chat:
        chat.open().turn_on()
        chat.ask("tea")
        chat.part("actions").locator(".copy").click()
        expect(chat.confirmation).to_have_text("已复制")
        text = chat.page.evaluate("() => navigator.clipboard.readText()")
        address = served.engine.url("/page/1")
        body, _, listed = text.partition("References")  # the answer's language
        assert f"**Tea** [[1]]({address}) is a `plant`." in body
        assert f"1. [Title 1]({address}) - 127.0.0.1" in listed


@pytest.mark.release
def test_code_is_copied_as_it_stands(browser: Browser, served: Site) -> None:
    served.model.says("Try:\n\n```sh\nls -l | grep '<a>'\n```\n")
    permissions = ["clipboard-read", "clipboard-write"]
    with tab(browser, served, DESKTOP, permissions=permissions) as chat:
        chat.open().ask("how?")
        chat.part("answer").get_by_role("button", name="复制代码").click()
        expect(chat.confirmation).to_have_text("已复制")
        text = chat.page.evaluate("() => navigator.clipboard.readText()")
        assert text.rstrip("\n") == "ls -l | grep '<a>'"


@pytest.mark.release
def test_a_question_comes_to_the_top_and_its_answer_grows_beneath_it(
    browser: Browser, served: Site
) -> None:
    begun, more = Signal(), Signal()
    served.model.says("Tea.")
    served.model.says("Line.\n\n" * 60, begun, "Next.\n\n" * 60, more, "The end.")
    with tab(browser, served) as chat:
        chat.open().ask("tea")
        chat.say("tell me")
        messages = chat.page.locator("#messages")
        newest = chat.page.locator("#newest")
        expect(chat.part("answer").get_by_text("Line.")).to_have_count(60)
        top = box(messages)["y"]
        question = box(chat.last.locator(".question"))
        assert 0 <= question["y"] - top < 64
        expect(chat.part("answer").get_by_text("Line.").first).to_be_in_viewport()
        expect(chat.part("answer").get_by_text("Line.").last).not_to_be_in_viewport()
        expect(newest).to_be_visible()
        begun.set()
        expect(chat.part("answer").get_by_text("Next.")).to_have_count(60)
        assert box(chat.last.locator(".question")) == question
        # The arrow covers no text, and leads to the end, where the reader then stays.
        assert box(newest)["y"] >= top + box(messages)["height"]
        newest.click()
        expect(newest).to_be_hidden()
        more.set()
        expect(chat.part("answer").get_by_text("The end.")).to_be_in_viewport()


@pytest.mark.release
def test_who_reads_above_is_left_there(browser: Browser, served: Site) -> None:
    begun, more = Signal(), Signal()
    served.model.says("Line.\n\n" * 60, begun, "Next.\n\n" * 60, more, "The end.")
    with tab(browser, served) as chat:
        chat.open().say("tell me")
        messages = chat.page.locator("#messages")
        newest = chat.page.locator("#newest")
        expect(chat.part("answer").get_by_text("Line.")).to_have_count(60)
        newest.click()
        expect(chat.part("answer").get_by_text("Line.").last).to_be_in_viewport()
        messages.evaluate("messages => { messages.scrollTop -= 600; }")
        expect(newest).to_be_visible()
        place = messages.evaluate("messages => messages.scrollTop")
        begun.set()
        expect(chat.part("answer").get_by_text("Next.")).to_have_count(60)
        assert messages.evaluate("messages => messages.scrollTop") == place
        more.set()


MOVED = """() => {
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries()) {
      const names = sources.map(({ node }) => node?.parentElement?.outerHTML.slice(0, 120));
      if (!hadRecentInput) window.moved.push([value, ...names]);
    }
  }).observe({ type: "layout-shift" });
}"""


@pytest.mark.release
@pytest.mark.parametrize("mode", ["chat", "agent"])
def test_nothing_moves_while_an_answer_is_written(
    browser: Browser, served: Site, mode: str
) -> None:
    steps = [Signal() for _ in range(4)]
    said = zip(
        ("Tea [1] is", " a plant [2].\n\n", "- One\n- Two [3]\n\n", "Well."), steps, strict=True
    )
    if mode == "agent":
        served.model.calls("web_search", {"query": "tea"}, text="Let me look.")
        served.model.calls("web_search", {"query": "tea leaves"})
    served.model.says(*(part for pair in said for part in pair))
    with tab(browser, served, DESKTOP) as chat:
        chat.open().turn_on()
        if mode == "agent":
            chat.mode("agent").click()
            expect(chat.switch).to_be_disabled()
        if mode == "chat":
            chat.page.evaluate(MOVED)
        chat.say("What is tea?")
        if mode == "agent":
            # What was said before a search was taken for the answer until then.
            expect(chat.part("answer")).to_contain_text("Tea [1] is")
            chat.page.evaluate(MOVED)
        for text, step in zip(("Tea [1] is", "plant [2].", "Two [3]", "Well."), steps, strict=True):
            expect(chat.part("answer")).to_contain_text(text)
            step.set()
        expect(chat.last).to_have_attribute("data-outcome", "answered")
        expect(chat.last.locator(".source-list")).to_be_visible()
        expect(chat.part("actions")).to_be_visible()
        assert chat.page.evaluate("() => window.moved") == []
