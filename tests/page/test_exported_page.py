"""Answers as one HTML file: whole, and with nothing in it that others wrote as markup."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser
from tests.assistant.conversations import turn
from tests.page.page_talk import rendering

from citeseek.citations import Source
from citeseek.conversations.conversation_record import Read
from citeseek.surfaces.page.exported_page import exported_page

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'</style>"


def test_nothing_that_others_wrote_is_markup() -> None:
    sources = (
        Source(1, EVIL, "https://a.example/?q=<b>", "a.example", snippet=EVIL, published_at=EVIL),
        Source(2, "Script", "javascript:alert(1)", "b.example", was_read=True),
    )
    said = turn(
        1,
        message=EVIL,
        answer=f"{EVIL} [x](javascript:alert(1))",
        sources=sources,
        cited=(1,),
        model=EVIL,
        reads=(Read(url="https://b.example", number=2, passages=(EVIL,)),),
    )
    html = exported_page(EVIL, [said], rendering("en"))
    tree = LexborHTMLParser(html)
    assert [node.tag for node in tree.css("script, img, link, iframe, object, form")] == []
    for node in tree.css("*"):
        assert not [name for name in node.attributes if name.startswith("on")]
        assert not (node.attributes.get("href") or "").lower().startswith("javascript:")
    assert len(tree.css("style")) == 1
    assert EVIL in tree.css_first("h1.question").text()
    assert [quote.text() for quote in tree.css(".origins blockquote")] == [EVIL, EVIL]


def test_it_says_what_was_read_and_cited_in_the_language_of_its_reader() -> None:
    sources = (
        Source(1, "One", "https://a.example", "a.example", was_read=True),
        Source(2, "Two", "https://b.example", "b.example"),
    )
    said = turn(0, sources=sources, cited=(1,), outcome="stopped")
    command = turn(1, outcome="command")
    for lang, words in {
        "en": ["read", "only found, not read", "not cited", "References", "1970-01-01 00:00 UTC"],
        "zh": ["已读", "未引用", "参考文献"],
    }.items():
        html = exported_page("", [said, command], rendering(lang))
        tree = LexborHTMLParser(html)
        assert len(tree.css("article")) == 1
        text = tree.body.text() if tree.body else ""
        for word in words:
            assert word in text, word
    demo = "the results are example pages"
    assert demo not in exported_page("", [said], rendering("en"))
    assert demo in exported_page("", [said], rendering("en"), is_demo=True)
    assert not re.search(r"url\((?!\"data:)|@import", html)
