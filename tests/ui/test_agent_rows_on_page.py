"""Agent mode on the page: one numbering over all searches, one list at the end of the answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.assistant.chatting import found, result, without_ids
from tests.loopback import Reply, Request, Signal, replies
from tests.ui.chat_page import ChatPage, Site, site, tab

pytestmark = [pytest.mark.browser, pytest.mark.release]

AGENT_HINT = "Agent 模式下由 AI 自动决策搜索"


def address(served: Site, query: str, number: int) -> str:
    return served.engine.url(f"/{query}/{number}")


def find(served: Site, request: Request) -> Reply:
    """Be the engine: three pages of their own for each query, none for ``nothing``."""
    query = request.param("q")
    count = 0 if query == "nothing" else 3
    return found(
        *(
            result(n, url=address(served, query, n), title=f"{query} {n}")
            for n in range(1, count + 1)
        )
    )


@pytest.fixture
def agent(browser: Browser) -> Iterator[ChatPage]:
    """Give the page in Agent mode."""
    with site() as served, tab(browser, served) as chat:
        served.engine.on("/search", lambda request: find(served, request))
        served.engine.otherwise(replies.html("<title>Page</title>"))
        chat.open().mode("agent").click()
        expect(chat.page.locator("#search-state")).to_have_text("禁用")
        yield chat


def searched(chat: ChatPage, answer: str, *queries: str) -> Locator:
    """Let the agent search for each of ``queries`` and give ``answer``; return its turn."""
    for query in queries:
        chat.site.model.calls("web_search", {"query": query})
    chat.site.model.says(answer, chunk=4)
    return chat.ask("Compare them.")


def listed(turn: Locator, part: str = "references") -> list[str]:
    """Return headings and rows of a list in order, rows as number, title and mark."""
    lines: list[str] = turn.locator(f'[data-part="{part}"]').evaluate(
        """part => [...part.querySelectorAll("h3, h4, li.source")].map(each =>
          each.matches("h3, h4") ? each.textContent : [".number", ".title", ".uncited"]
            .map(name => each.querySelector(name)?.textContent).filter(Boolean).join(" "))"""
    )
    return lines


@pytest.mark.requirement("S1-178")
def test_marks_of_all_rounds_are_links_to_their_own_results(agent: ChatPage) -> None:
    turn = searched(agent, "Tea [1] and coffee [4], [6].", "tea", "coffee")
    marks = turn.locator(".citation a").evaluate_all(
        "all => all.map(each => [each.textContent, each.getAttribute('href')])"
    )
    assert marks == [
        ["[1]", address(agent.site, "tea", 1)],
        ["[4]", address(agent.site, "coffee", 1)],
        ["[6]", address(agent.site, "coffee", 3)],
    ]
    with agent.page.expect_popup() as opening:
        turn.locator(".citation a").nth(1).click()
    expect(opening.value).to_have_url(address(agent.site, "coffee", 1))


@pytest.mark.requirement("S1-179..S1-182")
def test_one_list_by_rounds_ends_the_answer(agent: ChatPage) -> None:
    turn = searched(agent, "Tea [1] and coffee [5].", "tea", "coffee", "nothing")
    lines = [
        "参考文献",
        "第 1 轮搜索：tea",
        "1. tea 1",
        "2. tea 2 （未引用）",
        "3. tea 3 （未引用）",
        "第 2 轮搜索：coffee",
        "4. coffee 1 （未引用）",
        "5. coffee 2",
        "6. coffee 3 （未引用）",
    ]
    assert listed(turn)[: len(lines)] == lines
    expect(turn.locator(".references")).to_have_count(1)
    order = turn.evaluate(
        "turn => [...turn.querySelectorAll('[data-part]')]"
        ".filter(e => e.textContent.trim()).map(e => e.dataset.part)"
    )
    assert order[order.index("answer") + 1] == "references"
    agent.page.reload()
    assert listed(agent.last)[: len(lines)] == lines


@pytest.mark.requirement("S1-179")
def test_numbers_go_on_in_the_next_answer_and_its_list_is_its_own(agent: ChatPage) -> None:
    searched(agent, "Tea [1].", "tea")
    turn = searched(agent, "Coffee [4], and tea [1].", "coffee")
    assert listed(turn) == [
        "参考文献",
        "第 1 轮搜索：coffee",
        "4. coffee 1",
        "5. coffee 2 （未引用）",
        "6. coffee 3 （未引用）",
        "此前的搜索",
        "1. tea 1",
    ]


@pytest.mark.requirement("S1-180", "S1-181")
def test_uncited_sources_are_shown_by_rounds_below(agent: ChatPage) -> None:
    turn = searched(agent, "No idea.", "tea", "coffee")
    expect(turn.locator(".references")).to_have_count(0)
    assert listed(turn) == [
        "来源（6）",
        "第 1 轮搜索：tea",
        *(f"{n}. tea {n}" for n in (1, 2, 3)),
        "第 2 轮搜索：coffee",
        *(f"{n + 3}. coffee {n}" for n in (1, 2, 3)),
    ]


@pytest.mark.requirement("S1-30")
def test_the_agents_searches_are_seen_as_steps(browser: Browser) -> None:
    found_at_last = Signal()
    with site() as served, tab(browser, served) as chat:
        served.engine.on(
            "/search",
            lambda request: replies.held(find(served, request), found_at_last),
        )
        served.model.calls("web_search", {"query": "green tea"}, text="Let me look.")
        served.model.says("Tea [1].")
        chat.open().mode("agent").click()
        chat.say("What should I drink?")
        expect(chat.part("progress")).to_contain_text("正在搜索：green tea")
        found_at_last.set()
        expect(chat.last).to_have_attribute("data-outcome", "answered")
        step = chat.last.locator(".search")
        expect(step.locator(".round")).to_have_text("第 1 轮")
        expect(step.locator(".query")).to_have_text("green tea")
        expect(chat.page.get_by_text("正在搜索")).to_have_count(0)


@pytest.mark.requirement("S0-51", "S1-179")
def test_an_answer_without_a_search_says_so(agent: ChatPage) -> None:
    turn = searched(agent, "I know that [1].")
    expect(turn).to_contain_text("本次回答未使用搜索")
    expect(turn.locator(".search, .chips, .source-list, .citation")).to_have_count(0)
    turn = searched(agent, "Tea [1].", "tea")
    expect(turn).not_to_contain_text("本次回答未使用搜索")


@pytest.mark.requirement("S1-4")
def test_chat_mode_asks_the_same_with_and_without_earlier_agent_turns(
    agent: ChatPage,
) -> None:
    prompts = []
    for has_agent_turns in (True, False):
        if has_agent_turns:
            searched(agent, "Tea [2].", "tea")
            agent.mode("chat").click()
        else:
            agent.open()
        agent.turn_on()
        agent.site.model.says("Tea [1].")
        turn = agent.ask("tea")
        expect(turn.locator(".citation a")).to_have_attribute("href", address(agent.site, "tea", 1))
        prompts.append(without_ids(agent.site.model.requests[-1].prompt))
    assert prompts[0] == prompts[1]
    # The engine was asked each time: what Agent mode found is no answer for Chat mode.
    assert agent.site.searches == 3


@pytest.mark.requirement("S1-183")
def test_chat_keeps_its_own_list_and_numbers(agent: ChatPage) -> None:
    """A row looks the same in both modes, but for what was not cited."""
    turn = searched(agent, "Tea [1].", "tea")
    row = "row => row.outerHTML"
    of_agent = turn.locator(".references .source").first.evaluate(row)
    agent.mode("chat").click()
    agent.turn_on()
    agent.site.model.says("Tea [1].")
    turn = agent.ask("tea")
    assert listed(turn) == ["参考文献", "1. tea 1", "2. tea 2", "3. tea 3"]
    assert turn.locator(".references .source").first.evaluate(row) == of_agent
    expect(turn.locator(".more-sources .source")).to_have_count(2)
    expect(turn.locator(".more-sources .source").first).to_be_hidden()
    agent.mode("agent").click()
    expect(agent.page.locator("#search-hint")).to_have_text(AGENT_HINT)
    turn = searched(agent, "Coffee [4].", "coffee")
    assert listed(turn)[1:3] == ["第 1 轮搜索：coffee", "4. coffee 1"]
