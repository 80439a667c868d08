"""An answer taken away: as Markdown, as one HTML file, on paper; and read aloud."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Download, expect
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE, ChatPage, Site, tab

pytestmark = [pytest.mark.browser, pytest.mark.release]
ANSWER = """Tea is **green** [1], not <b>red</b>.

```python
print("<script>alert(1)</script>")
```

- [x] plucked
"""
SPOKEN = """() => {
  window.spoken = [];
  speechSynthesis.speak = (utterance) => spoken.push(utterance);
  speechSynthesis.cancel = () => spoken.push(null);
}"""


def taken(chat: ChatPage, name: str) -> Download:
    """Return the file that a link behind the export button gives."""
    chat.part("actions").locator(".exports > summary").click()
    with chat.page.expect_download() as waiting:
        chat.part("actions").locator(name).click()
    return waiting.value


def answered(chat: ChatPage, question: str = "What is tea?") -> None:
    chat.turn_on()
    chat.site.model.says(ANSWER)
    chat.ask(question)


def test_an_answer_is_one_html_file_that_works_without_the_server(
    browser: Browser, served: Site, tmp_path: Path
) -> None:
    with tab(browser, served, DESKTOP) as chat:
        chat.open("/?lang=en")
        answered(chat)
        chat.site.model.says("Steam.")
        chat.ask("Why?")
        turn = chat.turns.first
        turn.locator(".exports > summary").click()
        with chat.page.expect_download() as waiting:
            turn.locator(".export-page").click()
        file = tmp_path / "answer.html"
        waiting.value.save_as(file)
        assert waiting.value.suggested_filename == "What is tea_.html"
    html = file.read_text(encoding="utf-8")
    assert "<script" not in html
    assert not re.search(r'url\((?!"data:)|@import|<link|<img|src=', html)
    context = browser.new_context(offline=True, bypass_csp=True)
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.goto(file.as_uri())
    expect(page.get_by_role("heading", name="What is tea?")).to_be_visible()
    expect(page.locator('[data-part="answer"]')).to_contain_text("not <b>red</b>.")
    expect(page.locator(".code code")).to_have_text('print("<script>alert(1)</script>")\n')
    expect(page.locator(".code-language")).to_have_text("Python")
    expect(page.locator(".citation a")).to_have_attribute("href", served.engine.url("/page/1"))
    expect(page.locator(".origins li")).to_have_count(5)
    expect(page.locator(".origins .title").first).to_have_text("Title 1")
    expect(page.get_by_text("Steam.")).to_have_count(0)
    assert violations(page) == []
    assert errors == []
    context.close()


def test_the_whole_conversation_is_a_file_as_well(chat: ChatPage, tmp_path: Path) -> None:
    answered(chat)
    chat.site.model.says("Steam.")
    chat.ask("Why?")
    file = tmp_path / "all.html"
    taken(chat, ".export-all-page").save_as(file)
    html = file.read_text(encoding="utf-8")
    assert html.count('<article class="turn">') == 2
    assert "Steam." in html


def test_one_answer_is_markdown_with_its_links(chat: ChatPage, tmp_path: Path) -> None:
    answered(chat)
    chat.site.model.says("Steam.")
    chat.ask("Why?")
    file = tmp_path / "answer.md"
    taken(chat, ".export-answer").save_as(file)
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# Why?\n")
    assert "Steam." in text
    assert "What is tea?" not in text


def test_one_answer_is_printed_and_nothing_beside_it(chat: ChatPage) -> None:
    answered(chat)
    chat.site.model.says("Steam.")
    chat.ask("Why?")
    chat.page.evaluate("() => { window.print = () => { window.printed = true; }; }")
    chat.part("actions").locator(".exports > summary").click()
    chat.part("actions").locator(".print").click()
    assert chat.page.evaluate("() => window.printed")
    chat.page.emulate_media(media="print")
    expect(chat.part("answer")).to_be_visible()
    expect(chat.turns.first).to_be_hidden()
    expect(chat.part("actions")).to_be_hidden()
    chat.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    expect(chat.turns.first).to_be_visible()
    chat.page.emulate_media(media="screen")


def test_an_answer_is_read_aloud_without_its_marks_and_code(chat: ChatPage) -> None:
    answered(chat)
    chat.page.evaluate(SPOKEN)
    speak = chat.part("actions").locator(".speak")
    speak.click()
    expect(speak).to_have_attribute("aria-pressed", "true")
    expect(speak).to_have_attribute("aria-label", "停止朗读")
    text, lang = chat.page.evaluate(
        "() => { const said = spoken.filter(Boolean); "
        "return [said.map(({ text }) => text).join(' '), said[0].lang]; }"
    )
    assert text == "Tea is green, not <b>red</b>.\nplucked"
    assert lang == "en"
    speak.click()
    expect(speak).to_have_attribute("aria-pressed", "false")
    speak.click()
    # The last sentence has ended.
    chat.page.evaluate("() => spoken.filter(Boolean).at(-1).dispatchEvent(new Event('end'))")
    expect(speak).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_what_is_folded_is_opened_one_at_a_time_and_closed_by_escape(
    browser: Browser, served: Site, device: dict[str, object]
) -> None:
    with tab(browser, served, {**device, "bypass_csp": True}) as chat:
        chat.open()
        answered(chat)
        exports, about = (chat.part("actions").locator(f".{name}") for name in ("exports", "about"))
        exports.locator("summary").click()
        expect(exports.locator(".fold-body")).to_be_in_viewport()
        assert violations(chat.page) == []
        about.locator("summary").click()
        expect(exports.locator(".fold-body")).to_be_hidden()
        expect(about.locator(".model")).to_be_visible()
        assert chat.has_no_sideways_scroll()
        assert violations(chat.page) == []
        chat.page.keyboard.press("Escape")
        expect(about.locator(".fold-body")).to_be_hidden()
        expect(about.locator("summary")).to_be_focused()
