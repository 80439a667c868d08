"""The check of an answer's citations: marks beside the numbers, and what the pages say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect
from tests.assistant.chatting import found
from tests.assistant.test_citation_judge import says
from tests.loopback import replies
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, ChatPage, site, tab
from tests.verification.checking import ENV, SENTENCE, article, stock

pytestmark = [pytest.mark.browser, pytest.mark.release]

ANSWER = (
    "The tea house opened in 1912 [1]. The tea house opened in 1921 [1]. "
    "Gondolas cross to Bellagio every evening [1]. Boats can be hired [2]. The mill is old [3]."
)

# Of a page that says little nobody can tell that something is not there.
MORE = (
    "The gallery has watercolours of ferns, mosses and orchids.",
    "Its garden holds roses, lavender, thyme and one old walnut tree.",
    "A narrow path climbs towards the chapel above the vineyard.",
    "Pupils learn weaving, pottery and bookbinding from retired teachers.",
    "Trains from the valley stop twice every morning near the bakery.",
    "Hikers find maps, batteries and dry socks beside the stove.",
    "The cellar stores cider, cheese and honey until the market.",
)


@pytest.fixture(params=["en", "zh"])
def checked(browser: Browser, request: pytest.FixtureRequest) -> Iterator[ChatPage]:
    with site(**ENV) as served, tab(browser, served, DESKTOP, bypass_csp=True) as chat:
        stock(served.engine)
        served.engine.on("/tea", replies.html(article(SENTENCE, *MORE)))
        chat.open(f"/?lang={request.param}")
        chat.turn_on()
        served.model.says(ANSWER)
        chat.ask("lake")
        chat.last.locator(".check").click()
        expect(chat.last.locator(".checks li[data-verdict]")).to_have_count(5)
        yield chat


def test_each_number_has_its_mark(checked: ChatPage) -> None:
    marks = checked.part("answer").locator(".citation")
    verdicts = ["supported", "contradicted", "absent", "supported", "unfetched"]
    expect(marks).to_have_count(5)
    for at, verdict in enumerate(verdicts):
        expect(marks.nth(at)).to_have_attribute("data-verdict", verdict)


def test_a_page_that_was_read_for_it_is_no_longer_only_found(checked: ChatPage) -> None:
    # Whoever pressed the button sees what came of it.
    expect(checked.last.locator(".checks summary")).to_be_in_viewport()
    rows = checked.last.locator(".source")
    expect(rows.locator(".standing")).to_have_count(3)
    read = rows.locator(".standing").evaluate_all("all => all.map(each => each.dataset.read)")
    assert read == ["true", "true", "false"]
    chips = checked.last.locator(".chip").evaluate_all("all => all.map(each => each.dataset.read)")
    assert chips[:3] == read
    # So do the numbers in the answer, seen and heard: the third page could not be read.
    found = checked.part("answer").locator(".citation.found a")
    expect(found).to_have_count(1)
    expect(found).to_have_attribute("data-number", "3")
    expect(checked.part("answer").locator(".citation a[aria-label]")).to_have_count(1)
    told = rows.locator(".support").all_inner_texts()
    assert told[2] in ("cited in 1 sentence", "引用于 1 句")


def test_what_was_found_stands_below_in_words(checked: ChatPage) -> None:
    rows = checked.last.locator(".checks li")
    expect(rows.nth(0)).to_contain_text(SENTENCE)
    expect(rows.nth(1)).to_contain_text("1921")
    expect(rows.filter(has_text="[2]")).to_have_count(1)
    expect(rows.last).to_contain_text("[3]")


def test_it_says_what_was_sent_for_it(checked: ChatPage) -> None:
    expect(checked.last.locator(".checks .traffic")).to_have_text(
        re.compile(r"(网络：[1-9]|Network: [1-9]).* B\b")
    )


def test_the_card_of_a_number_quotes_its_page(checked: ChatPage) -> None:
    checked.part("answer").locator(".citation a").first.hover()
    expect(checked.page.locator("#citation-card mark")).to_have_text(SENTENCE)
    verdict = checked.page.locator("#citation-card .verdict")
    expect(verdict).to_have_attribute("data-verdict", "supported")
    expect(verdict).to_have_text(re.compile("支持|supported", re.IGNORECASE))


def test_the_list_of_sources_says_what_each_stands_behind(checked: ChatPage) -> None:
    source = checked.last.locator('.source[data-number="1"]')
    expect(source.locator(".support")).to_have_text(re.compile("不符|contradicts"))
    source.locator(".about > summary").click()
    expect(source.locator(".uses li[data-verdict]")).to_have_count(3)
    expect(source.locator(".uses .evidence").first).to_have_text(SENTENCE)


def test_it_can_be_read_by_everybody(checked: ChatPage) -> None:
    assert violations(checked.page) == []


def test_checking_again_does_not_list_twice(checked: ChatPage) -> None:
    checked.last.locator(".check").click()
    expect(checked.last.locator(".check")).to_be_enabled()
    expect(checked.last.locator(".checks")).to_have_count(1)


def test_it_is_there_after_a_reload_in_another_tab_and_behind_a_link(checked: ChatPage) -> None:
    summary = checked.last.locator("details.checked > summary")
    told = summary.inner_text()
    with tab(checked.page.context.browser, checked.site, DESKTOP) as other:
        # As somebody who comes later finds it, the list is folded; the numbers have their marks.
        other.open(urlsplit(checked.page.url).path)
        expect(other.part("answer").locator(".citation[data-verdict]")).to_have_count(5)
        expect(other.part("checked").locator("li").first).to_be_hidden()
    checked.page.reload()
    expect(summary).to_have_text(told)
    test_each_number_has_its_mark(checked)
    test_the_card_of_a_number_quotes_its_page(checked)
    test_the_list_of_sources_says_what_each_stands_behind(checked)
    summary.focus()
    checked.page.keyboard.press("Enter")
    expect(checked.part("checked").locator("li[data-verdict]").first).to_be_visible()
    assert violations(checked.page) == []
    checked.last.locator(".share > summary").click()
    checked.last.locator(".make-link").click()
    address = checked.last.locator(".share-link input").input_value()
    checked.page.goto(address)
    expect(checked.page.locator(".checked li[data-verdict]")).to_have_count(5)
    expect(checked.page.locator(".checked .evidence").first).to_have_text(SENTENCE)
    assert violations(checked.page) == []


def test_a_check_shows_in_a_tab_that_is_open(checked: ChatPage) -> None:
    with tab(checked.page.context.browser, checked.site, DESKTOP) as other:
        checked.site.model.says("The tea house opened in 1912 [1].")
        checked.ask("When?")
        other.open(urlsplit(checked.page.url).path)
        expect(other.turns).to_have_count(2)
        checked.last.locator(".check").click()
        marks = other.part("answer").locator(".citation")
        expect(marks).to_have_attribute("data-verdict", "supported")
        # Who did not ask for it is not taken elsewhere.
        expect(other.part("checked").locator("li").first).to_be_hidden()


def test_a_source_that_no_longer_says_it_turns_amber(checked: ChatPage) -> None:
    watch, report = checked.last.locator(".watch"), checked.last.locator(".watched")
    card = checked.last.locator('.source[data-number="1"]')
    results = checked.site.engine
    summary = "The tea house at the lake opened in 1912."
    page = {"url": results.url("/tea"), "title": "Tea", "content": summary, "engine": "stub"}
    results.on("/search", found(page))
    checked.site.model.says("The tea house at the lake opened in 1912 [1].")
    checked.ask("tea house")
    # Another layout of the page, and words around it.
    results.on("/tea", replies.html(article(*MORE, f"Did you know?  <b>{summary}</b>")))
    checked.last.locator(".fold.about > summary").click()
    watch.click()
    expect(report.locator("h3")).to_be_visible()
    expect(report.locator("li")).to_have_count(0)
    assert card.get_attribute("data-watched") is None
    now = summary.replace("1912", "1921")
    results.on("/tea", replies.html(article(now, *MORE)))
    watch.click()
    expect(card).to_have_attribute("data-watched", "changed")
    expect(report.locator("li")).to_contain_text(now)
    assert violations(checked.page) == []


def test_an_answer_without_sources_has_no_check(chat: ChatPage) -> None:
    chat.site.model.says("Good morning.")
    chat.ask("hello")
    expect(chat.last.locator(".retry")).to_be_visible()
    expect(chat.last.locator(".check")).to_have_count(0)


BY_JUDGE = "told by the judging model"


@contextmanager
def judged(browser: Browser, said: str) -> Iterator[ChatPage]:
    """Give the page with an answer in other words, checked by a judge who ``said``."""
    with (
        site(**ENV, CITESEEK_JUDGE="model") as served,
        tab(browser, served, DESKTOP, bypass_csp=True) as chat,
    ):
        stock(served.engine)
        chat.open("/?lang=en")
        chat.turn_on()
        served.model.says("The tea house at the lake welcomed its first guests in 1912 [1].")
        chat.ask("lake")
        served.model.says(said)
        chat.last.locator(".check").click()
        yield chat


def test_what_a_judge_told_is_said_beside_its_verdict(browser: Browser) -> None:
    with judged(browser, says((1, "supported", SENTENCE))) as chat:
        row = chat.last.locator(".checks li[data-verdict]")
        expect(row).to_have_attribute("data-verdict", "supported")
        expect(row).to_contain_text(BY_JUDGE)
        use = chat.last.locator(".checks .traffic", has_text="Judging model")
        expect(use).to_have_text(re.compile("asked about 1 of the citations, settled 1$"))
        assert violations(chat.page) == []
        chat.part("answer").locator(".citation a").first.hover()
        expect(chat.page.locator("#citation-card")).to_contain_text(BY_JUDGE)
        expect(chat.page.locator("#citation-card mark")).to_have_text(SENTENCE)


def test_a_judge_that_fails_leaves_the_verdict_and_is_named(browser: Browser) -> None:
    with judged(browser, "I cannot say.") as chat:
        row = chat.last.locator(".checks li[data-verdict]")
        expect(row).to_have_attribute("data-verdict", "unclear")
        expect(row).not_to_contain_text(BY_JUDGE)
        use = chat.last.locator(".checks .traffic", has_text="Judging model")
        expect(use).to_contain_text("settled 0. It did not answer for all of them: ")
