"""Files of one's own on the page: added, cited with a card, taken away."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.extraction import raw_documents as raw
from tests.extraction.raw_pdf import pdf
from tests.ui.chat_page import ChatPage

pytestmark = pytest.mark.browser

FACT = "The second basin of Alder was opened in 1921 and cost 98 million crowns."


@pytest.mark.release
def test_a_file_is_added_cited_and_taken_away(chat: ChatPage) -> None:
    page = chat.open().page
    body = pdf("The harbour of Alder was built in 1874 by the town itself.", FACT)
    files = [
        {"name": "notes.png", "mimeType": "image/png", "buffer": raw.png()},
        {"name": "report.pdf", "mimeType": "application/pdf", "buffer": body},
        {"name": "cut.docx", "mimeType": "", "buffer": raw.docx()[:400]},
    ]
    page.locator("#file-input").set_input_files(files)
    expect(page.locator("#problem")).to_contain_text("notes.png")
    expect(page.locator("#problem")).to_contain_text("cut.docx")
    expect(page.locator("#files li")).to_have_text(["report.pdf✕"])

    chat.site.model.says("The second basin of Alder was opened in 1921 [1].")
    chat.message.fill("When was the second basin of Alder opened?")
    chat.message.press("Enter")
    citation = chat.last.locator(".citation a")
    expect(chat.last.locator(".references")).to_contain_text("report.pdf")
    assert citation.get_attribute("href") is None
    citation.hover()
    card = page.locator("#citation-card")
    expect(card).to_contain_text("report.pdf")
    expect(card).to_contain_text("2")
    assert page.locator("a[href^='file:']").count() == 0

    page.reload()
    page.locator("#files button").click()
    expect(page.locator("#files li")).to_have_count(0)


@pytest.mark.release
def test_a_file_is_dropped_on_the_page(chat: ChatPage) -> None:
    page = chat.open().page
    transfer = page.evaluate_handle(
        "() => { const held = new DataTransfer();"
        " held.items.add(new File(['The tide is late.'], 'tide.txt')); return held; }"
    )
    page.dispatch_event("#messages", "dragover", {"dataTransfer": transfer})
    page.dispatch_event("#messages", "drop", {"dataTransfer": transfer})
    expect(page.locator("#files li")).to_have_text(["tide.txt✕"])
