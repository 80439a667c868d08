"""The search switch in both modes, as a person sees and clicks it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, Request, expect
from tests.loopback import Signal, faults, refused_port, replies
from tests.serving.running import Caller
from tests.ui.chat_page import DESKTOP, ChatPage, Site, site, tab
from tests.ui.geometry import is_seen, style
from tests.ui.holding import Held

pytestmark = [pytest.mark.browser, pytest.mark.release]

HINT = "启用后将使用SearXNG搜索实时信息"
AGENT_HINT = "Agent 模式下由 AI 自动决策搜索"
ON, OFF, DISABLED = "开启", "关闭", "禁用"
SAVING = "正在保存…"
AT_ONCE_MS = 500

# Clicks, and tells what the switch shows before anything else can happen.
CLICK = """button => {
  button.click();
  return [button.getAttribute("aria-checked"), button.querySelector(".state").textContent];
}"""
# Clicks, and tells after how many milliseconds something is said.
TIME_TO_WORDS = """button => new Promise(resolve => {
  const line = document.getElementById("confirmation");
  line.textContent = "";
  new MutationObserver((_, observer) => {
    if (!line.textContent) return;
    observer.disconnect();
    resolve([performance.now() - began, line.textContent]);
  }).observe(line, { childList: true, characterData: true, subtree: true });
  const began = performance.now();
  button.click();
})"""
# Clicks and sends without a pause for anything.
CLICK_AND_SEND = """(button, text) => {
  button.click();
  document.getElementById("message").value = text;
  document.getElementById("composer").requestSubmit();
}"""


def shows(chat: ChatPage, state: str) -> None:
    """See that the switch is in ``state``, in words and for screen readers."""
    expect(chat.page.locator("#search-state")).to_have_text(state)
    expect(chat.switch).to_have_attribute("aria-checked", "true" if state == ON else "false")
    expect(chat.switch).to_have_attribute("aria-disabled", "true" if state == DISABLED else "false")
    hint = AGENT_HINT if state == DISABLED else HINT
    expect(chat.page.locator("#search-hint")).to_have_text(hint)


def choose(chat: ChatPage, mode: str) -> None:
    """Click a mode and see that it is the one."""
    chat.mode(mode).click()
    expect(chat.mode(mode)).to_have_attribute("aria-checked", "true")
    expect(chat.page.locator("#confirmation")).to_contain_text(f"已切换到 {mode.capitalize()} 模式")


def command(chat: ChatPage, text: str) -> Locator:
    """Give a command and return what it says."""
    return chat.ask(text, "command").locator(".notice .text")


@pytest.mark.requirement("S0-25", "S0-26", "S1-1", "S1-2", "S1-112..S1-116")
def test_the_switch_of_chat_mode(chat: ChatPage) -> None:
    expect(chat.switch).to_be_visible()
    expect(chat.switch).to_be_enabled()
    expect(chat.switch.locator(".icon")).to_have_text("🔍")
    expect(chat.page.locator("#search-label")).to_have_text("联网搜索")
    expect(chat.page.locator(".search-sentence")).to_have_text(HINT)
    assert is_seen(chat.page.locator(".search-sentence"))
    shows(chat, OFF)
    chat.switch.click()
    shows(chat, ON)
    chat.switch.click()
    shows(chat, OFF)


@pytest.mark.requirement("S1-115", "S1-116")
def test_three_states_that_differ_in_more_than_colour(chat: ChatPage) -> None:
    looks = set()
    for name, act in (
        (OFF, lambda: None),
        (ON, chat.switch.click),
        (DISABLED, lambda: choose(chat, "agent")),
    ):
        act()
        shows(chat, name)
        expect(chat.page.locator("#search-state")).to_be_visible()
        looks.add((style(chat.switch, "borderStyle"), chat.switch.get_attribute("aria-checked")))
    assert looks == {("solid", "false"), ("solid", "true"), ("dashed", "false")}


@pytest.mark.requirement("S1-3")
def test_a_command_and_a_click_move_the_same_switch(chat: ChatPage) -> None:
    expect(command(chat, "/search on")).to_contain_text("联网搜索：开启")
    shows(chat, ON)
    chat.switch.click()
    shows(chat, OFF)
    expect(command(chat, "/search")).to_contain_text("联网搜索：关闭")
    chat.switch.click()
    expect(command(chat, "/search")).to_contain_text("联网搜索：开启")
    expect(command(chat, "/search off")).to_contain_text("联网搜索：关闭")
    shows(chat, OFF)


@pytest.mark.requirement("S1-3")
def test_what_a_command_moved_is_what_the_next_message_obeys(chat: ChatPage) -> None:
    chat.site.model.says("Tea.", always=True)
    command(chat, "/search on")
    chat.ask("tea")
    assert chat.site.searches == 1
    command(chat, "/search off")
    chat.ask("coffee")
    assert chat.site.searches == 1


@pytest.mark.requirement("S1-3")
def test_a_command_that_is_faster_than_the_stream_of_the_page_is_shown(
    chat: ChatPage,
) -> None:
    held = Held(chat.page, "/c/[^/]+/events")
    with chat.page.expect_response("**/messages") as told:
        chat.say("/search on")
    # The events of an answer end with it.
    chat.page.request.get(chat.site.base_url + told.value.json()["events"])
    held.release()
    expect(chat.last).to_have_attribute("data-outcome", "command")
    shows(chat, ON)


@pytest.mark.requirement("S0-27", "S1-5", "S1-7", "S1-10")
def test_agent_mode_shows_the_switch_disabled(chat: ChatPage) -> None:
    usual = style(chat.switch, "backgroundColor")
    choose(chat, "agent")
    shows(chat, DISABLED)
    expect(chat.switch).to_be_visible()
    expect(chat.switch).to_be_disabled()
    assert is_seen(chat.page.locator("#search-hint"))
    expect(chat.page.locator("#search-hint")).to_have_text(AGENT_HINT)
    expect(chat.page.locator(".search-sentence")).to_have_text(AGENT_HINT)
    automatic = chat.page.locator(".automatic:visible")
    expect(automatic).to_have_text(["自动", "自动"])  # beside what reads pages as well
    assert is_seen(automatic.first)
    # To the eye it takes the place of the state, which would say that nothing is searched.
    assert not is_seen(chat.page.locator("#search-state"))
    assert style(chat.switch, "backgroundColor") != usual
    assert style(chat.switch.locator(".icon"), "filter") == "grayscale(1)"
    chat.page.locator("#settings-button").click()
    expect(automatic).to_have_count(4)
    choose(chat, "chat")
    expect(automatic).to_have_count(0)
    assert is_seen(chat.page.locator("#search-state"))


def test_an_agent_without_a_search_is_not_called_automatic(browser: Browser) -> None:
    agents = {"agents": [{"id": "plain", "webSearch": {"enabled": False}}]}
    with site(agents=agents) as served, tab(browser, served) as chat:
        told = {"agent_id": "plain", "mode": "agent"}
        begun = Caller(served.base_url)("POST", "/api/v1/sessions", told).json()
        chat.open(f"/c/{begun['id']}")
        shows_disabled = chat.page.locator("#search-state")
        expect(shows_disabled).to_have_text(DISABLED)
        assert is_seen(shows_disabled)
        expect(chat.page.locator("#search-control .automatic")).to_have_count(0)


def test_another_engine_is_no_other_state_of_the_switch(chat: ChatPage) -> None:
    told = chat.page.locator("#search-hint[data-told]")
    chat.page.locator("#pick-engine").select_option("mojeek")
    expect(chat.page.locator("#search-hint")).to_contain_text("Mojeek")
    expect(chat.confirmation).to_have_text("已保存")
    expect(told).to_have_count(0)
    chat.switch.click()
    expect(told).to_have_count(1)


@pytest.mark.requirement("S1-6")
def test_in_agent_mode_nothing_moves_the_switch(chat: ChatPage) -> None:
    choose(chat, "agent")
    changes: list[str] = []
    chat.page.on("request", lambda request: _note_change(request, changes))
    chat.page.locator("#settings-button").click()
    for switch in (chat.switch, chat.page.locator("#settings-search")):
        switch.click(force=True)
        switch.evaluate("button => button.click()")
        switch.focus()
        for key in ("Space", "Enter"):
            chat.page.keyboard.press(key)
        shows(chat, DISABLED)
    assert changes == []
    for text in ("/search on", "/search off"):
        expect(command(chat, text)).to_have_text(AGENT_HINT)
        shows(chat, DISABLED)
    choose(chat, "chat")
    shows(chat, OFF)


def _note_change(request: Request, changes: list[str]) -> None:
    if request.method != "GET":
        changes.append(f"{request.method} {request.url}")


@pytest.mark.parametrize("state", [ON, OFF])
@pytest.mark.requirement("S0-28", "S1-8..S1-11")
def test_the_way_through_agent_mode_and_back(chat: ChatPage, state: str) -> None:
    chat.turn_on()
    if state == OFF:
        chat.switch.click()
    for _ in range(3):
        choose(chat, "agent")
        shows(chat, DISABLED)
        choose(chat, "chat")
        expect(chat.switch).to_be_enabled()
        shows(chat, state)
    choose(chat, "agent")
    chat.page.reload()
    shows(chat, DISABLED)
    choose(chat, "chat")
    shows(chat, state)
    chat.page.reload()
    shows(chat, state)
    chat.site.model.says("Tea.")
    chat.ask("tea")
    assert chat.site.searches == (1 if state == ON else 0)


@pytest.mark.requirement("S1-9")
def test_a_conversation_that_began_in_agent_mode_has_it_off(chat: ChatPage) -> None:
    for _ in range(2):
        choose(chat, "agent")
        shows(chat, DISABLED)
        choose(chat, "chat")
        shows(chat, OFF)
    chat.switch.click()
    shows(chat, ON)


@pytest.mark.requirement("S1-8..S1-11")
def test_commands_change_the_mode_as_clicks_do(chat: ChatPage) -> None:
    command(chat, "/search on")
    command(chat, "/mode agent")
    expect(chat.mode("agent")).to_have_attribute("aria-checked", "true")
    shows(chat, DISABLED)
    command(chat, "/mode chat")
    expect(chat.mode("chat")).to_have_attribute("aria-checked", "true")
    shows(chat, ON)


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "begun"])
@pytest.mark.requirement("S1-117")
def test_a_click_shows_at_once(chat: ChatPage, *, is_new: bool) -> None:
    if not is_new:
        command(chat, "/search off")
    held = Held(chat.page, "/api/v1/sessions(/[^/]+)?$")
    assert chat.switch.evaluate(CLICK) == ["true", ON]
    assert chat.switch.evaluate(CLICK) == ["false", OFF]
    assert chat.switch.evaluate(CLICK) == ["true", ON]
    expect(chat.page.locator("#confirmation")).to_have_text(SAVING)
    held.release()
    expect(chat.page.locator("#confirmation")).to_have_text("联网搜索已开启")
    shows(chat, ON)
    chat.page.reload()
    shows(chat, ON)


@pytest.mark.requirement("S1-117")
def test_what_the_server_refuses_is_shown_as_it_was(chat: ChatPage) -> None:
    command(chat, "/search off")
    chat.page.route("**/api/v1/sessions/*", lambda route: route.abort())
    assert chat.switch.evaluate(CLICK) == ["true", ON]
    expect(chat.page.locator("#confirmation")).to_contain_text("没有保存")
    shows(chat, OFF)


@pytest.mark.parametrize("engine", ["up", "down", "hanging"])
@pytest.mark.requirement("S1-118")
def test_a_confirmation_comes_within_half_a_second(browser: Browser, engine: str) -> None:
    with refused_port() as port:
        answers = [faults.hang()] if engine == "hanging" else []
        where = {"SEARXNG_BASE_URL": f"http://127.0.0.1:{port}"} if engine == "down" else {}
        with site(*answers, **where) as served, tab(browser, served, DESKTOP) as chat:
            chat.open()
            took = []
            for words in ("联网搜索已开启", "联网搜索已关闭", "联网搜索已开启"):
                took_ms, said = chat.switch.evaluate(TIME_TO_WORDS)
                took.append(took_ms)
                # A server that has no time yet is said to be saving.
                assert said in {words, SAVING}
                expect(chat.page.locator("#confirmation")).to_have_text(words)
            assert min(took) < AT_ONCE_MS


@pytest.mark.requirement("S1-118")
def test_also_when_the_server_is_slow(chat: ChatPage) -> None:
    command(chat, "/search off")
    chat.page.route("**/api/v1/sessions/*", lambda _: None)
    took_ms, said = chat.switch.evaluate(TIME_TO_WORDS)
    assert said == SAVING
    assert took_ms < AT_ONCE_MS


@pytest.mark.requirement("S1-119")
def test_a_message_sent_at_once_obeys_the_click(chat: ChatPage) -> None:
    chat.site.model.says("Tea.", always=True)
    for number, searches in enumerate((1, 1, 2, 2), 1):
        chat.switch.evaluate(CLICK_AND_SEND, f"tea {number}")
        expect(chat.turns).to_have_count(number)
        expect(chat.last).to_have_attribute("data-outcome", "answered")
        assert chat.site.searches == searches


@pytest.mark.requirement("S1-119")
def test_a_message_waits_for_a_change_that_is_on_its_way(chat: ChatPage) -> None:
    command(chat, "/search off")
    chat.site.model.says("Tea.")
    held = Held(chat.page, "/api/v1/sessions/[^/]+$")
    chat.switch.evaluate(CLICK_AND_SEND, "tea")
    expect(chat.page.locator("#confirmation")).to_have_text(SAVING)
    assert chat.site.model.requests == []
    held.release()
    expect(chat.turns).to_have_count(2)
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    assert chat.site.searches == 1


@pytest.mark.requirement("S1-119")
def test_a_click_during_an_answer_counts_for_the_next_one(browser: Browser, served: Site) -> None:
    more = Signal()
    served.model.says("Tea", more, " is a plant.")
    served.model.says("Coffee is another.")
    with tab(browser, served, DESKTOP) as chat:
        chat.open().say("tea")
        expect(chat.part("answer")).to_have_text("Tea")
        chat.switch.click()
        expect(chat.page.locator("#confirmation")).to_have_text("联网搜索已开启")
        more.set()
        expect(chat.last).to_have_attribute("data-outcome", "answered")
        assert served.searches == 0
        chat.ask("coffee")
        assert served.searches == 1


@pytest.mark.requirement("S1-114")
def test_another_engine_is_called_by_its_name(browser: Browser) -> None:
    """The sentence has to be true: see P24."""
    with (
        site(replies.status(500), CITESEEK_CHAT_ENGINE="ddg_html") as served,
        tab(browser, served, DESKTOP) as chat,
    ):
        hint = chat.open().page.locator("#search-hint")
        expect(hint).to_contain_text("DuckDuckGo")
        expect(hint).not_to_contain_text("SearXNG")
