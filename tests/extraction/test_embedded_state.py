"""Texts that a page holds as data for its scripts: read without running one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citeseek.errors import WebBlocked
from citeseek.extraction import extract
from citeseek.models import Page

URL = "https://tea.example/articles/green-tea"
TITLE = "How green tea is made"
TEXTS = (
    "Green tea is made from leaves that are heated soon after they are picked.",
    "In Japan they are steamed for less than a minute, in China most are tossed in a hot pan.",
    "What the leaves keep by that is their colour, and a taste that others lose within hours.",
    "Water for it is poured at about seventy degrees and no more, or it turns bitter.",
)
LONG = " ".join(TEXTS)
OTHER = "Black tea is left to wilt and to oxidise before it is dried. " * 20
ARTICLE = {"title": TITLE, "body": LONG}


def data(value: Any, id_: str = "") -> str:
    return f'<script type="application/json" id="{id_}">{json.dumps(value)}</script>'


def code(text: str) -> str:
    return f"<script>{text}</script>"


def page(scripts: str, *, title: str = TITLE, body: str = '<div id="root"></div>') -> Page:
    html = f"<!doctype html><title>{title}</title><body>{body}{scripts}<script src=/a.js></script>"
    return Page(url=URL, headers={"content-type": "text/html"}, body=html.encode())


NEXT = {"props": {"pageProps": {"post": ARTICLE, "more": [{"title": "Black", "body": OTHER}]}}}
NUXT = [["Reactive", 1], {"data": 2}, {"post": 3}, {"title": 4, "body": 5}, TITLE, LONG]
SLUGGED = {"items": [{"slug": "green-tea", "content": LONG}, {"slug": "black", "content": OTHER}]}
BLOCKS = {"title": TITLE, "blocks": [{"type": "paragraph", "data": {"text": t}} for t in TEXTS]}
TREE = {
    "title": TITLE,
    "content": {
        "nodeType": "document",
        "content": [
            {"nodeType": "paragraph", "content": [{"nodeType": "text", "value": t}]} for t in TEXTS
        ],
    },
}
LINKED = {"@type": "NewsArticle", "headline": TITLE, "articleBody": LONG}
HELD = {
    "Next": data(NEXT, "__NEXT_DATA__"),
    "Nuxt": data(NUXT, "__NUXT_DATA__"),
    "by its address": data(SLUGGED),
    "blocks": data(BLOCKS),
    "a tree of rich text": data(TREE),
    "HTML": data({"title": TITLE, "html": "".join(f"<p>{text}</p>" for text in TEXTS)}),
    "WordPress": data({"title": {"rendered": TITLE}, "content": {"rendered": f"<p>{LONG}</p>"}}),
    "assigned": code(f"window.__INITIAL_STATE__ = {json.dumps({'post': ARTICLE})}; var other = 1;"),
    "assigned by name": code(f"window['__APP_STATE__']={json.dumps({'post': ARTICLE})}"),
    "parsed": code(f"window.__STATE__ = JSON.parse({json.dumps(json.dumps({'post': ARTICLE}))});"),
    "JSON-LD": f'<script type="application/ld+json">{json.dumps(LINKED)}</script>',
}


@pytest.mark.parametrize("scripts", HELD.values(), ids=HELD)
def test_the_text_is_read_out_of_the_data(scripts: str) -> None:
    found = extract(page(scripts))
    for text in TEXTS:
        assert text in found.text
    assert "Black tea" not in found.text
    assert "{" not in found.text
    assert not found.awaits_scripts


NOT_THE_PAGE = {
    "another article": data({"title": "Black tea and how it is made", "body": OTHER}),
    "words of the page": data({"messages": {"terms": OTHER, "name": "Tea"}}),
    "a summary": data({"title": TITLE, "body": TEXTS[0]}),
    "no JSON": data(NEXT).replace("{", "{(", 1),
    "too deep": code("window.__STATE__ = " + "[" * 100_000),
    "a function": code("window.__NUXT__=(function(a){return {post:a}}(1))"),
}


@pytest.mark.parametrize("scripts", NOT_THE_PAGE.values(), ids=NOT_THE_PAGE)
def test_what_is_no_text_of_this_page_leaves_it_empty(scripts: str) -> None:
    with pytest.raises(WebBlocked) as raised:
        extract(page(scripts))
    assert raised.value.detail_code == "javascript_required"


def test_an_article_on_the_page_is_not_replaced() -> None:
    shown = "".join(f"<p>{text} And this is on the page.</p>" for text in TEXTS * 3)
    held = {"title": TITLE, "body": OTHER * 20}
    found = extract(page(data(held), body=f"<article>{shown}</article>"))
    assert "this is on the page" in found.text
    assert "Black tea" not in found.text


def test_a_title_that_the_page_lacks_is_that_of_the_data() -> None:
    found = extract(page(data({"slug": "green-tea", **ARTICLE}), title=""))
    assert found.title == TITLE


MENU = "<nav><a href=/>Home</a></nav><footer>© Tea Board, 12 Leaf Road, Green Town</footer>"
SHORT = f"<p>{TEXTS[0]}</p>"
WAITING = {
    "an empty root beside a footer": f'<div id="app"></div>{MENU}{SHORT}',
    "placeholders": f'<main>{SHORT}<div class="post-skeleton"></div></main>',
    "busy": f'<main aria-busy="true">{SHORT}</main>',
    "a request for JavaScript": f"<noscript>Please enable JavaScript.</noscript>{SHORT * 3}",
    "a request in Chinese": f"<noscript>请启用 JavaScript 后继续。</noscript>{SHORT * 3}",
    "scripts larger than the page": SHORT + "<script src=/b.js></script>" * 4,
}


@pytest.mark.parametrize("body", WAITING.values(), ids=WAITING)
def test_a_page_that_says_less_than_its_scripts_promise_awaits_them(body: str) -> None:
    assert extract(page("", body=body)).awaits_scripts


WHOLE = {
    "a long one": f'<div id="app"></div>{"".join(f"<p>{t}</p>" for t in TEXTS * 3)}',
    "a short one": f"<main>{SHORT}</main>",
    "an application with its text in it": f'<div id="root">{SHORT}{SHORT}</div>',
}


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE)
def test_a_page_that_is_whole_awaits_nothing(body: str) -> None:
    assert not extract(page("", body=body)).awaits_scripts
