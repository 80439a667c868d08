"""Citations as links in the answer, and the list of what is cited at its end."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.assistant.chatting import found
from tests.ui.chat_page import ChatPage, Site, site, tab
from tests.ui.geometry import box, sideways, style

pytestmark = [pytest.mark.browser, pytest.mark.release]

ROW = """row => [
  row.querySelector(".number").textContent,
  row.querySelector("a.title").textContent,
  row.querySelector("a.title").getAttribute("href"),
  row.querySelector(".url").textContent.trim(),
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
    cited = turn.locator('.references .source[data-cited="true"]')
    return [row.evaluate(ROW) for row in cited.all()]


def row(served: Site, number: int) -> list[str]:
    """Return the row of a page that the engine found."""
    address = served.engine.url(f"/page/{number}")
    return [f"{number}.", f"Title {number}", address, address, "127.0.0.1"]


@pytest.mark.requirement("S1-51")
def test_a_mark_is_a_number_above_the_line(chat: ChatPage) -> None:
    turn = answered(chat, "Tea is a plant [1].")
    mark = turn.locator("sup.citation")
    expect(mark).to_have_text("[1]")
    expect(mark.locator("a")).to_have_accessible_name(re.compile(r"^\[1\]"))
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
            turn.locator("a.chip"),
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
    for each in references.locator('.source[data-cited="true"]').all():
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
    expect(turn.locator(".sources .source")).to_have_count(5)
    for source in turn.locator(".sources .source").all():
        expect(source).to_be_visible()


@pytest.mark.requirement("S1-129")
def test_the_list_leads_to_the_sources(chat: ChatPage) -> None:
    turn = answered(chat, "Tea [4].")
    with chat.page.expect_popup() as opening:
        turn.locator(".references a.title").first.click()
    expect(opening.value).to_have_url(chat.site.engine.url("/page/4"))


PHRASES = "Leaves are heated in a pan or steamed for a while {n} and then they dry {n}{n}. "
TEA = "茶叶在锅里加热{n}或者蒸一会儿{n}{n}，然后晾干{n}。"
FIRST_IN_LINE = """answer => {
  const names = [];
  for (const chip of answer.querySelectorAll(".citation a")) {
    const block = chip.closest("p").getBoundingClientRect();
    const { left } = chip.getBoundingClientRect();
    if (left - block.left < 4) names.push(`${chip.textContent} at ${left}`);
  }
  return names;
}"""


@pytest.mark.parametrize("text", [PHRASES * 8, TEA * 20], ids=["words", "no spaces"])
def test_no_line_begins_with_a_number_whatever_the_width(chat: ChatPage, text: str) -> None:
    turn = answered(chat, text.replace("{n}", " [1]" if "Leaves" in text else "[1]"))
    answer = turn.locator('[data-part="answer"]')
    expect(answer.locator(".citation").first).to_be_visible()
    for width in range(320, 900, 29):
        chat.page.set_viewport_size({"width": width, "height": 800})
        assert answer.evaluate(FIRST_IN_LINE) == [], width
        assert sideways(chat.page) == [], width


def test_what_is_copied_has_brackets_and_spaces(chat: ChatPage) -> None:
    turn = answered(chat, "Tea is a plant [1] [2].")
    copied = turn.locator('[data-part="answer"] p').evaluate(
        """p => {
          getSelection().selectAllChildren(p);
          return String(getSelection());
        }"""
    )
    assert " ".join(copied.split()) == "Tea is a plant [1] [2]."


def test_the_card_marks_the_passage_in_its_context(chat: ChatPage) -> None:
    said = "Tea came late. The leaves of the tea plant are heated in a pan. Cups are old."
    chat.site.results(2, content=said)
    turn = answered(chat, "It is a drink. Its leaves are heated in a wide pan [1].")
    turn.locator(".citation a").hover()
    card = chat.page.locator("#citation-card")
    expect(card.locator("mark")).to_have_text("The leaves of the tea plant are heated in a pan.")
    expect(card.locator(".passage")).to_have_text(said)
    expect(card.locator(".verdict")).to_have_text("尚未核对")
    row = turn.locator(".source").first
    expect(row.locator(".support")).to_have_text("引用于 1 句")
    row.locator(".about > summary").click()
    expect(row.locator("mark")).to_have_text("The leaves of the tea plant are heated in a pan.")
    expect(row.locator(".claim")).to_have_text("Its leaves are heated in a wide pan")
