"""A search as it is seen while it runs, and the sources below the answer."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.assistant.chatting import found, numbered, result
from tests.loopback import Signal, replies
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE, ChatPage, Site, site, tab
from tests.ui.geometry import box, sideways

pytestmark = [pytest.mark.browser, pytest.mark.release]


def cards(chat: ChatPage) -> Locator:
    return chat.part("references").locator(".source")


def links(places: Locator) -> dict[int, str]:
    """Return the addresses of the titles in ``places`` by their numbers."""
    found_links: dict[str, str] = places.evaluate_all(
        "all => Object.fromEntries(all.map(each =>"
        " [each.dataset.number, each.querySelector('a.title').getAttribute('href')]))"
    )
    return {int(number): href for number, href in found_links.items()}


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_an_opened_row_has_the_whole_address(browser: Browser, device: dict[str, object]) -> None:
    with site() as served, tab(browser, served, {**device, "bypass_csp": True}) as chat:
        url = served.engine.url(f"/{'very/long/' * 30}page?q=%E8%8C%B6#end")
        served.engine.on("/search", found(result(1, url=url)))
        served.model.says("Tea [1].")
        chat.open("/?lang=en").turn_on()
        chat.ask("tea")
        row = cards(chat).first
        address = row.locator(".address")
        expect(address).to_be_hidden()
        row.locator(".about > summary").click()
        expect(address).to_have_text(url)
        assert box(address)["height"] > 2 * box(row.locator(".title"))["height"]
        address.evaluate("place => getSelection().selectAllChildren(place)")
        assert chat.page.evaluate("() => getSelection().toString()") == url
        assert sideways(chat.page) == []
        assert violations(chat.page) == []


@pytest.mark.requirement("S1-30")
def test_a_running_search_is_seen_and_replaced_by_what_it_found(browser: Browser) -> None:
    found_at_last = Signal()
    held = replies.held(found(result(1), result(2)), found_at_last)
    with site(held) as served, tab(browser, served) as chat:
        served.model.says("Tea [1].")
        chat.open().turn_on()
        chat.say("什么是茶？")
        expect(chat.part("progress")).to_have_text("正在搜索：什么是茶？")
        expect(chat.part("progress")).to_be_in_viewport()
        search = chat.last.locator(".search")
        expect(search).to_have_attribute("data-state", "running")
        expect(search.locator(".state")).to_have_text("正在搜索…")
        expect(search.locator(".query")).to_have_text("什么是茶？")
        found_at_last.set()
        expect(search).to_have_attribute("data-state", "done")
        expect(search.locator(".state")).to_have_text("找到 2 条结果")
        expect(search.locator(".round-head .origin")).to_contain_text("SearXNG · ")
        told = chat.last.locator(".steps > summary")
        expect(told).to_contain_text("已搜索 SearXNG · 找到 2 条结果 · ")
        expect(chat.part("answer")).to_contain_text("Tea")
        expect(chat.page.get_by_text("正在搜索")).to_have_count(0)
        expect(search).to_be_hidden()
        told.click()
        expect(search).to_be_visible()
        expect(search.locator(".results li")).to_have_count(2)


@pytest.mark.requirement("S1-30")
def test_a_running_search_that_fails_is_replaced_as_well(browser: Browser) -> None:
    failed_at_last = Signal()
    held = replies.held(replies.status(500), failed_at_last)
    with site(held, held) as served, tab(browser, served) as chat:
        served.model.says("From memory.")
        chat.open().turn_on()
        chat.say("tea")
        expect(chat.part("progress")).to_have_text("正在搜索：tea")
        failed_at_last.set()
        expect(chat.last).to_have_attribute("data-outcome", "answered")
        expect(chat.page.get_by_text("正在搜索")).to_have_count(0)


@pytest.mark.requirement("S1-45", "S1-52")
def test_numbers_are_those_of_the_prompt(browser: Browser) -> None:
    """The second result is no result: nothing gets its number."""
    with site() as served, tab(browser, served) as chat:
        junk = {"url": None, "title": 7, "content": []}
        pages = [served.page(number) for number in (1, 2, 3)]
        served.engine.on("/search", found(pages[0], junk, *pages[1:]))
        served.model.says("Tea [2], a plant [1], a drink [3].")
        chat.open().turn_on()
        chat.ask("tea")
        told = numbered(served.model.requests[-1].prompt)
        assert told == {number: served.engine.url(f"/page/{number}") for number in (1, 2, 3)}
        assert links(cards(chat)) == told
        chips = chat.part("sources").locator(".chip")
        addresses = chips.evaluate_all("all => all.map(each => each.getAttribute('href'))")
        assert addresses == list(told.values())
        marks = chat.part("answer").locator("sup.citation a")
        cited = marks.evaluate_all(
            "all => all.map(each => [each.textContent, each.getAttribute('href')])"
        )
        assert cited == [[f"[{number}]", told[number]] for number in (2, 1, 3)]
        for number, address in told.items():
            nth = cards(chat).nth(number - 1)
            expect(nth.locator(".number")).to_have_text(f"{number}.")
            expect(nth.locator("a.title")).to_have_attribute("href", address)


@pytest.mark.requirement("S1-46..S1-49")
def test_the_sources_stand_below_their_answer(chat: ChatPage) -> None:
    chat.site.results(5)
    chat.site.model.says("Tea [1] is a plant.\n\nIt is drunk [4].")
    chat.turn_on()
    turn = chat.ask("tea")
    expect(turn.locator(".source-list")).to_be_visible()
    expect(cards(chat)).to_have_count(5)
    numbers = cards(chat).evaluate_all("all => all.map(each => each.dataset.number)")
    assert numbers == ["1", "4", "2", "3", "5"]
    answer, listed = box(chat.part("answer")), box(chat.part("references"))
    chips = box(chat.part("sources"))
    assert listed["y"] >= answer["y"] + answer["height"]
    assert chips["y"] + chips["height"] <= answer["y"]
    more = turn.locator(".more-sources > summary")
    expect(more).to_have_text("另有 3 条结果未引用")
    more.click()
    for at, number in enumerate(map(int, numbers)):
        address = chat.site.engine.url(f"/page/{number}")
        card = cards(chat).nth(at)
        expect(card.locator("a.title")).to_be_visible()
        expect(card.locator("a.title")).to_have_text(f"Title {number}")
        expect(card.locator("a.title")).to_have_attribute("href", address)
        expect(card.locator(".url")).to_have_text(address)
        expect(card.locator(".domain")).to_have_text("127.0.0.1")
        expect(card.locator(".snippet")).to_be_hidden()
        card.locator(".about > summary").click()
        expect(card.locator(".snippet")).to_be_visible()
        expect(card.locator(".snippet")).to_have_text(f"Summary {number}.")
    with chat.page.expect_popup() as opening:
        cards(chat).nth(3).locator("a.title").click()
    expect(opening.value).to_have_url(chat.site.engine.url("/page/3"))


@pytest.mark.requirement("S1-50")
def test_without_a_search_there_are_no_sources(chat: ChatPage) -> None:
    chat.site.model.says("From what I know [1].", always=True)
    turn = chat.ask("tea")
    assert chat.site.searches == 0
    expect(turn.locator(".search, .chips, .source-list, .citation")).to_have_count(0)
    expect(turn).to_contain_text("回答引用了不存在的来源 [1]。")
    expect(turn.get_by_role("heading", name="来源")).to_have_count(0)
    # Neither for a search that failed, nor for one that found nothing.
    chat.turn_on()
    for answer in (replies.status(500), found()):
        chat.site.engine.on("/search", answer)
        turn = chat.ask("coffee")
        expect(turn.locator(".search")).to_have_count(1)
        expect(turn.locator(".chips, .source-list, .citation")).to_have_count(0)
        expect(turn.get_by_role("heading", name="来源")).to_have_count(0)


@pytest.mark.requirement("S1-47")
def test_sources_belong_to_their_own_turn(chat: ChatPage) -> None:
    chat.site.model.says("Tea [1].")
    chat.site.model.says("Never mind.")
    chat.turn_on()
    chat.ask("tea")
    chat.switch.click()
    chat.ask("and you?")
    expect(chat.turns.first.locator(".source-list")).to_have_count(1)
    expect(chat.turns.last.locator(".source-list")).to_have_count(0)


@pytest.mark.requirement("S1-46", "S1-48")
def test_a_summary_that_is_missing_or_hostile(browser: Browser, served: Site) -> None:
    pages = [
        served.page(1, title="<img src=x onerror=alert(1)>", content="<b>bold</b> & co"),
        served.page(2, content=""),
    ]
    served.engine.on("/search", found(*pages))
    served.model.says("Tea [1].")
    with tab(browser, served) as chat:
        chat.open().turn_on()
        turn = chat.ask("tea")
        expect(turn.locator("img")).to_have_count(0)
        expect(cards(chat)).to_have_count(2)
        expect(cards(chat).last.locator("a.title")).to_have_text("Title 2")
        expect(cards(chat).last.locator(".snippet")).to_have_count(0)


@pytest.mark.requirement("S1-30", "S1-50")
def test_a_search_that_was_stopped_leaves_no_sources(browser: Browser) -> None:
    never_seen = Signal()
    held = replies.held(found(result(1)), never_seen)
    with site(held) as served, tab(browser, served) as chat:
        chat.open().turn_on()
        chat.say("tea")
        expect(chat.part("progress")).to_have_text("正在搜索：tea")
        chat.page.locator("#stop").click()
        expect(chat.last).to_have_attribute("data-outcome", "stopped")
        expect(chat.part("ending")).to_have_text("回答已停止。")
        expect(chat.last.locator(".search .state")).to_have_text("已停止")
        expect(chat.last.locator(".source-list")).to_have_count(0)
        never_seen.set()
        assert served.model.requests == []
