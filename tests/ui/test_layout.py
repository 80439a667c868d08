"""Contents of any length, width and direction; colours; two languages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.loopback import replies
from tests.serving.running import Caller
from tests.ui.chat_page import DESKTOP, PHONE, ChatPage, Site, site, tab
from tests.ui.geometry import box, is_seen, sideways, style
from tests.ui.kept import kept, source, turn, turns

pytestmark = [pytest.mark.browser, pytest.mark.release]

WORD = "Donaudampfschifffahrt" * 12
ADDRESS = f"https://a-very-long-name.example/{'path/' * 40}?{'q=1&' * 40}"
NARROW = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}
ARABIC = "الشاي مشروب يُحضَّر من أوراق نبات الشاي وهو من أكثر المشروبات انتشارًا في العالم."
HEBREW = "תה הוא משקה המוכן מעלים של צמח התה."
TABLE = "\n".join(
    ["|".join(["", *(f"heading {each}" for each in range(14)), ""]), "|" + "---|" * 14]
    + ["|".join(["", *(f"value {each}" for each in range(14)), ""])] * 3
)
WILD = (
    f"{WORD}\n\n{ADDRESS} and <{ADDRESS}> and [{WORD}]({ADDRESS}) and `{WORD}`\n",
    f"```text\n{'wide code ' * 60}\n```\n\n- list\n  - deeper\n    ```\n    {'x' * 400}\n    ```\n",
    TABLE,
    f"$$\\sum_{{i=1}}^{{n}} {' + '.join(f'x_{{{i}}}' for i in range(60))} = 0$$\n\n$\\frac12$",
    f"{ARABIC}\n\n{HEBREW}\n\nLatin between them.\n\n- {ARABIC}\n- item\n\n> {HEBREW}",
    "👩‍👩‍👧‍👦🏳️‍🌈 👍🏽 " * 40 + "\n\n# 🫖" + "🍵" * 200,
    f"> {'> ' * 6}deep\n\n{'- ' * 7}deep\n\n# {WORD}\n\n![{WORD}]({ADDRESS})",
)
DEVICES = pytest.mark.parametrize("device", [DESKTOP, PHONE, NARROW], ids=["1280", "390", "320"])

# Texts that the page itself says: what people wrote or read stands in elements with these classes.
SAID = """content => {
  const own = [];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.closest(content)) own.push(node.data.trim());
  }
  for (const element of document.querySelectorAll("*")) {
    if (element.closest(content)) continue;
    for (const name of ["aria-label", "title", "placeholder", "alt"]) {
      if (element.hasAttribute(name)) own.push(element.getAttribute(name));
    }
  }
  return own.filter(Boolean);
}"""
# Languages have their own names, and so have engines.
CONTENT = (
    "#state, #choice-language, #choice-engine, #choice-ui-language, #pick-engine, body [lang], code"
)
CHINESE = re.compile(r"[\u3400-\u9fff\uff00-\uff60]")
SENTENCE = re.compile(r"([A-Za-z']+[ ,;:]+){4}[A-Za-z']+")  # more than a command to type has


# Controls that lie over one another, and words that are cut.
OVERLAPPING = """() => {
  const shown = [...document.querySelectorAll("#composer :is(button, select, summary, .automatic)")]
    .filter(each => each.checkVisibility({ visibilityProperty: true }));
  const boxes = shown.map(each => each.getBoundingClientRect());
  const names = [];
  for (const [at, a] of boxes.entries()) {
    if (shown[at].matches(".automatic") && shown[at].scrollWidth > shown[at].clientWidth) {
      names.push("cut");
    }
    for (const [beside, b] of boxes.slice(0, at).entries()) {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1 && high > 1) names.push(shown[at].outerHTML, shown[beside].outerHTML);
    }
  }
  return names;
}"""


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_no_control_of_the_composer_lies_over_another(
    browser: Browser, served: Site, lang: str
) -> None:
    with tab(browser, served, DESKTOP) as chat:
        chat.open(f"/?lang={lang}")
        chat.mode("agent").click()
        expect(chat.page.locator(".automatic").first).to_be_visible()
        chat.page.locator("#settings-button").click()
        expect(chat.page.locator("#settings")).to_be_visible()
        for width in (320, 390, 768, 1024, 1100, 1280, 1440):
            chat.page.set_viewport_size({"width": width, "height": 800})
            assert chat.page.evaluate(OVERLAPPING) == [], width


def wild(chat: ChatPage, number: int) -> Locator:
    """Return the answer of the turn about ``WILD[number]``."""
    return chat.turns.nth(number).locator('[data-part="answer"]')


def scrolls(locator: Locator) -> bool:
    """Whether it is wider inside than outside, and can be scrolled to its end."""
    inside: bool = locator.evaluate(
        """element => {
          element.scrollLeft = 100_000;
          const most = element.scrollWidth - element.clientWidth;
          return most > 0 && Math.abs(element.scrollLeft - most) < 2;
        }"""
    )
    return inside


def text_edges(locator: Locator) -> tuple[float, float]:
    """Return how far its text is from its left and from its right edge, in px."""
    left, right = locator.evaluate(
        """element => {
          const range = document.createRange();
          range.selectNodeContents(element);
          const texts = [...range.getClientRects()].filter(each => each.width > 0);
          const { left, right } = element.getBoundingClientRect();
          return [
            Math.min(...texts.map(each => each.left)) - left,
            right - Math.max(...texts.map(each => each.right)),
          ];
        }"""
    )
    return left, right


@DEVICES
def test_whatever_is_wide_stays_in_its_place(browser: Browser, device: dict[str, Any]) -> None:
    sources = [
        source(each, title=WORD, url=ADDRESS, domain=f"{'long.' * 12}example", snippet=WORD * 4)
        for each in range(1, 31)
    ]
    said = [turn(place, f"{WORD} {ADDRESS}", text) for place, text in enumerate(WILD)]
    cited = " ".join(f"[[{each.number}]]({ADDRESS})" for each in sources)
    said += [turn(90, WORD * 40, cited, *sources), turn(91, "多" * 10_000, "好")]
    with site(store=kept(*said, title=WORD)) as served, tab(browser, served, device) as chat:
        chat.open("/c/kept")
        expect(chat.turns).to_have_count(len(said))
        messages = chat.page.locator("#messages")
        top = box(messages)["y"]
        for part in (0, 0.3, 0.6, 1):
            messages.evaluate("(all, part) => { all.scrollTop = all.scrollHeight * part; }", part)
            assert sideways(chat.page) == []
            assert box(chat.page.locator("#bar"))["height"] == top == 54
            for name in ("#search-switch", "#settings-button", "#message"):
                assert is_seen(chat.page.locator(name)), name
        assert scrolls(wild(chat, 1).locator("pre").first)
        assert scrolls(wild(chat, 1).locator("pre").last)
        assert scrolls(wild(chat, 2).locator(".table"))
        assert scrolls(wild(chat, 3).locator(".formula").first)
        for panel in ("history", "settings"):
            inside = chat.page.locator(f"#{panel}")
            if inside.is_hidden():
                chat.page.locator(f"#{panel}-button").click()
            assert inside.evaluate("panel => panel.scrollWidth <= panel.clientWidth"), panel
            assert sideways(chat.page) == []
            chat.page.locator(f"#{panel}-button").click()


def test_text_from_right_to_left_stands_at_the_right(browser: Browser) -> None:
    said = (turn(1, ARABIC, WILD[4]), turn(2, "Latin?", f"{HEBREW} [[1]](https://a.example/)"))
    with site(store=kept(*said, title=ARABIC)) as served, tab(browser, served) as chat:
        chat.open("/c/kept")
        answer = wild(chat, 0)
        for text in (ARABIC, HEBREW):
            paragraph = answer.locator("p").filter(has_text=text).first
            assert style(paragraph, "direction") == "rtl"
            left, right = text_edges(paragraph)
            assert right < 2 < left
        latin = answer.locator("p").filter(has_text="Latin between them.")
        assert style(latin, "direction") == "ltr"
        assert text_edges(latin)[0] < 2
        assert style(answer.locator("li").filter(has_text=ARABIC), "direction") == "rtl"
        assert style(chat.turns.first.locator(".question"), "direction") == "rtl"
        assert style(chat.turns.last.locator(".question"), "direction") == "ltr"
        assert sideways(chat.page) == []
        chat.message.fill(HEBREW)
        assert style(chat.message, "direction") == "rtl"


def test_a_question_of_ten_thousand_characters_is_sent_and_shown(chat: ChatPage) -> None:
    question = "Why? " * 2_000
    chat.site.model.says("Because.")
    chat.message.fill(question)
    assert box(chat.message)["height"] < 0.5 * DESKTOP["viewport"]["height"]
    chat.ask(question)
    expect(chat.last.locator(".question")).to_have_text(question.strip())
    assert sideways(chat.page) == []
    assert is_seen(chat.switch)
    assert box(chat.message)["height"] < 60
    assert box(chat.last.locator(".question"))["height"] < 400


def test_two_hundred_turns_can_be_read_and_gone_on_with(browser: Browser) -> None:
    with site(store=kept(*turns(200))) as served, tab(browser, served) as chat:
        chat.open("/c/kept")
        expect(chat.turns).to_have_count(200)
        expect(chat.last).to_be_in_viewport()
        chat.page.locator("#messages").evaluate("all => { all.scrollTop = 0; }")
        expect(chat.turns.first).to_be_in_viewport()
        served.model.says("Yes, more.")
        chat.ask("More?")
        expect(chat.part("answer")).to_be_in_viewport()
        assert sideways(chat.page) == []


def test_a_thousand_sources_and_five_hundred_turns_can_be_read(browser: Browser) -> None:
    sources = [source(number) for number in range(1, 1_001)]
    cited = " ".join(f"[[{each.number}]]({each.url})" for each in sources)
    said = [*turns(499), turn(500, "All of them?", cited, *sources)]
    with site(store=kept(*said)) as served, tab(browser, served) as chat:
        chat.open("/c/kept")
        expect(chat.turns).to_have_count(500)
        expect(chat.part("references").locator(".source")).to_have_count(1_000)
        chat.part("answer").locator(".citation a").last.focus()
        expect(chat.page.locator("#citation-card")).to_contain_text("Title 1000")
        assert sideways(chat.page) == []
        served.model.says("Yes, more.")
        chat.ask("More?")
        expect(chat.part("answer")).to_have_text("Yes, more.")


LIGHT, DARK = "rgb(251, 250, 247)", "rgb(21, 23, 22)"


@pytest.mark.parametrize(
    ("cookie", "system", "ground"),
    [
        ("", "light", LIGHT),
        ("", "dark", DARK),
        ("auto", "dark", DARK),
        ("light", "dark", LIGHT),
        ("dark", "light", DARK),
        ("neon", "light", LIGHT),
    ],
)
def test_the_colours_are_there_before_any_script(
    browser: Browser, served: Site, cookie: str, system: Any, ground: str
) -> None:
    theme = cookie if cookie in {"light", "dark"} else "auto"
    with tab(browser, served, color_scheme=system, java_script_enabled=False) as chat:
        if cookie:
            where = {"name": "citeseek_theme", "value": cookie, "url": served.base_url}
            chat.page.context.add_cookies([where])  # type: ignore[list-item]
        chat.open()
        expect(chat.page.locator("html")).to_have_attribute("data-theme", theme)
        expect(chat.page.locator("html")).to_have_css("background-color", ground)


def test_the_colours_are_chosen_in_the_settings(browser: Browser, served: Site) -> None:
    with tab(browser, served, color_scheme="light") as chat:
        html = chat.open().page.locator("html")
        chat.page.locator("#settings-button").click()
        choice = chat.page.locator("#choice-theme")
        for theme, ground in (("dark", DARK), ("auto", LIGHT), ("light", LIGHT), ("dark", DARK)):
            choice.select_option(theme)
            expect(html).to_have_attribute("data-theme", theme)
            expect(html).to_have_css("background-color", ground)
        chat.page.reload()
        expect(html).to_have_css("background-color", DARK)
        expect(choice).to_have_value("dark")
        cookie = "; ".join(
            f"{each['name']}={each['value']}" for each in chat.page.context.cookies()
        )
        told = Caller(served.base_url)("GET", "/", headers={"Cookie": cookie}).text
        assert '<html lang="zh-CN" data-theme="dark"' in told


def test_the_language_is_chosen_in_the_settings(chat: ChatPage) -> None:
    html = chat.page.locator("html")
    chat.open("/?lang=en")
    expect(html).to_have_attribute("lang", "en")
    expect(chat.page.locator("#search-label")).to_have_text("Web search")
    chat.open("/")
    expect(html).to_have_attribute("lang", "en")
    chat.page.locator("#settings-button").click()
    chat.page.locator("#choice-ui-language").select_option("zh")
    expect(html).to_have_attribute("lang", "zh-CN")
    expect(chat.page.locator("#search-label")).to_have_text("联网搜索")


def session(chat: ChatPage, lang: str, words: dict[str, str]) -> list[str]:
    """Go through the page in a language and return all that it said; people said ``words``."""
    said: list[str] = []

    def listen() -> None:
        said.extend(chat.page.evaluate(SAID, CONTENT))

    chat.open(f"/?lang={lang}")
    listen()
    chat.turn_on()
    listen()
    served = chat.site
    served.results(3, title=words["title"], content=words["snippet"])
    served.model.says(words["answer"] + " [1]\n\n```\nls\n```\n\n|a|b|\n|-|-|\n|1|2|")
    chat.ask(words["question"])
    chat.mode("agent").click()
    expect(chat.switch).to_be_disabled()
    served.model.calls("web_search", {"query": words["title"]}, {"query": words["question"]})
    served.model.says(words["answer"] + " [1]")
    chat.ask(words["question"])
    listen()
    chat.mode("chat").click()
    expect(chat.switch).to_be_enabled()
    served.engine.on("/search", replies.status(500))
    served.model.says(words["answer"])
    chat.ask(words["answer"])
    served.model.fails(400)
    chat.ask(words["title"], outcome="failed")
    listen()
    chat.work_on(chat.history().locator("li[data-session]").first, "delete")
    chat.page.locator("#settings-button").click()
    chat.page.locator("#choice-seconds").fill("999")
    chat.page.locator("#choice-seconds").press("Tab")
    expect(chat.page.locator("#choice-seconds-trouble")).not_to_be_empty()
    listen()
    chat.open("/c/none")
    listen()
    return said


def test_the_english_page_says_nothing_in_chinese(chat: ChatPage) -> None:
    words = {
        "title": "All about tea",
        "snippet": "Tea is a plant.",
        "question": "What is tea?",
        "answer": "A plant.",
    }
    said = session(chat, "en", words)
    assert {text for text in said if CHINESE.search(text)} == set()


def test_the_chinese_page_says_nothing_in_english(chat: ChatPage) -> None:
    words = {
        "title": "茶的一切",
        "snippet": "茶是植物。",
        "question": "茶是什么？",
        "answer": "植物。",
    }
    said = session(chat, "zh", words)
    assert {text for text in said if SENTENCE.search(text)} == set()
