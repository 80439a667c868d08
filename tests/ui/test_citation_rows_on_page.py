"""Citations as links in the answer, and the list of what is cited at its end."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.assistant.chatting import found
from tests.ui.chat_page import ChatPage, Site, site, tab
from tests.ui.geometry import box, style

pytestmark = [pytest.mark.browser, pytest.mark.release]

ROW = """row => [
  row.querySelector(".number").textContent,
  row.querySelector("a.title").textContent,
  row.querySelector("a.title").getAttribute("href"),
  row.querySelector(".url").textContent,
  row.querySelector(".domain").textContent,
]"""


def answered(chat: ChatPage, answer: str, question: str = "tea") -> Locator:
    """Ask with the switch on and return the turn that ``answer`` made."""
    chat.site.model.says(answer, chunk=4)
    chat.turn_on()
    return chat.ask(question)


def citations(turn: Locator) -> list[tuple[str, str]]:
    """Return the marks of an answer and where they lead."""
    marks: list[list[str]] = turn.locator('[data-part="answer"] .citation a').evaluate_all(
        "all => all.map(each => [each.textContent, each.getAttribute('href')])"
    )
    return [(text, href) for text, href in marks]


def rows(turn: Locator) -> list[list[str]]:
    return [row.evaluate(ROW) for row in turn.locator(".references li").all()]


def row(served: Site, number: int) -> list[str]:
    """Return the row of a page that the engine found."""
    address = served.engine.url(f"/page/{number}")
    return [f"{number}.", f"Title {number}", address, address, "127.0.0.1"]


@pytest.mark.requirement("S1-51")
def test_a_mark_is_a_number_above_the_line(chat: ChatPage) -> None:
    turn = answered(chat, "Tea is a plant [1].")
    mark = turn.locator("sup.citation")
    expect(mark).to_have_text("[1]")
    assert style(mark, "verticalAlign") == "super"
    text_size = style(turn.locator('[data-part="answer"] p'), "fontSize")
    assert float(style(mark, "fontSize")[:-2]) < float(text_size[:-2])


@pytest.mark.requirement("S1-120..S1-122", "S1-124", "S1-125")
def test_marks_lead_to_their_sources(chat: ChatPage) -> None:
    turn = answered(chat, "Tea [1], [2][3] and `[4]`, but [99], [0] and [x].")
    page = chat.site.engine.url
    assert citations(turn) == [(f"[{n}]", page(f"/page/{n}")) for n in (1, 2, 3)]
    expect(chat.part("answer")).to_have_text("Tea [1], [2][3] and [4], but [99], [0] and [x].")
    for name, value in (("target", "_blank"), ("rel", "noopener noreferrer nofollow")):
        expect(turn.locator(".citation a").first).to_have_attribute(name, value)


@pytest.mark.requirement("S1-126", "S1-127")
def test_a_click_opens_the_source_and_the_page_stays(chat: ChatPage) -> None:
    turn = answered(chat, "Tea [2].")
    here = chat.page.url
    with chat.page.expect_popup() as opening:
        turn.locator(".citation a").click()
    address = chat.site.engine.url("/page/2")
    expect(opening.value).to_have_url(address)
    expect(opening.value.locator("h1")).to_have_text("Page 2")
    expect(chat.page).to_have_url(here)
    expect(turn).to_be_visible()
    visits = [each for each in chat.site.engine.requests if each.path == "/page/2"]
    assert len(visits) == 1
    assert "referer" not in visits[0].headers


@pytest.mark.requirement("S1-126")
def test_the_keyboard_opens_it_as_well(chat: ChatPage) -> None:
    turn = answered(chat, "Tea [2].")
    turn.locator(".citation a").focus()
    with chat.page.expect_popup() as opening:
        chat.page.keyboard.press("Enter")
    expect(opening.value).to_have_url(chat.site.engine.url("/page/2"))


@pytest.mark.parametrize(
    "target",
    [
        "/page/1?a=1&b=2&utm_source=feed#part",
        "/wiki/Tea_(plant)",
        "/%E8%8C%B6?q=%5B1%5D",
        "/page/1?next=https%3A%2F%2Fother.example%2F&c=%26amp%3B",
    ],
)
@pytest.mark.requirement("S1-122", "S1-127")
def test_an_address_arrives_as_the_engine_gave_it(browser: Browser, target: str) -> None:
    with site() as served, tab(browser, served) as chat:
        address = served.engine.url(target)
        served.engine.on("/search", found(served.page(1, title="Tea") | {"url": address}))
        chat.open()
        turn = answered(chat, "Tea [1].")
        for link in (
            turn.locator(".citation a"),
            turn.locator(".references a.title"),
            turn.locator(".sources a.title"),
        ):
            expect(link).to_have_attribute("href", address)
        with chat.page.expect_popup() as opening:
            turn.locator(".citation a").click()
        expect(opening.value).to_have_url(address)
        assert target.partition("#")[0] in [each.target for each in served.engine.requests]


@pytest.mark.requirement("S1-128", "S1-129", "S1-130", "S1-183")
def test_what_is_cited_is_listed_at_the_end(chat: ChatPage) -> None:
    turn = answered(chat, "Tea [3] is a plant [1]. It is drunk [1].")
    assert rows(turn) == [row(chat.site, 1), row(chat.site, 3)]
    references = turn.locator(".references")
    expect(references.locator("h3")).to_have_text("参考文献")
    expect(references).to_have_count(1)
    expect(references.locator("h4")).to_have_count(0)
    answer, listed = box(chat.part("answer")), box(chat.part("references"))
    assert listed["y"] >= answer["y"] + answer["height"]
    for each in references.locator("li").all():
        for name in (".number", "a.title", ".url", ".domain"):
            expect(each.locator(name)).to_be_visible()


@pytest.mark.requirement("S1-128", "S1-183")
def test_each_answer_of_chat_mode_counts_from_one(chat: ChatPage) -> None:
    answered(chat, "Tea [1].")
    turn = answered(chat, "Coffee [1] [2].", "coffee")
    assert rows(turn) == [row(chat.site, 1), row(chat.site, 2)]
    assert rows(chat.turns.first) == [row(chat.site, 1)]


@pytest.mark.requirement("S1-131", "S1-132")
def test_without_marks_there_is_no_list_but_the_sources_stay(chat: ChatPage) -> None:
    turn = answered(chat, "Tea is a plant. See [99].")
    expect(chat.part("answer")).to_have_text("Tea is a plant. See [99].")
    expect(turn.locator('[data-part="answer"] a')).to_have_count(0)
    expect(turn.locator(".references")).to_have_count(0)
    expect(turn).not_to_contain_text("参考文献")
    expect(turn.locator(".sources .card")).to_have_count(5)
    expect(turn.locator(".sources .card").first).to_be_visible()


@pytest.mark.requirement("S1-129")
def test_the_list_leads_to_the_sources(chat: ChatPage) -> None:
    turn = answered(chat, "Tea [4].")
    with chat.page.expect_popup() as opening:
        turn.locator(".references a.title").click()
    expect(opening.value).to_have_url(chat.site.engine.url("/page/4"))
