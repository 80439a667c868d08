"""What only Bing does; the contract suite and the pages test the rest."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from datetime import date

import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.bing_html import ENGINE, read_relaxation
from citeseek.models import Page
from citeseek.query import DateRange, Query
from citeseek.searching import judge
from citeseek.urls import target


def page(results: str, *, asked: str = "tea", before: str = "", sent: str = "") -> Page:
    value = asked.replace('"', "&quot;")
    body = f'<input id="sb_form_q" value="{value}"><ol id="b_results">{before}{results}</ol>'
    return Page(
        url="https://www.bing.com/search",
        body=body.encode(),
        headers={"date": sent} if sent else {},
    )


def result(title: str, snippet: str = "") -> str:
    return (
        f'<li class="b_algo"><h2><a href="https://tea.example.com/">{title}</a></h2>'
        f'<div class="b_caption"><p>{snippet}</p></div></li>'
    )


def wrapped(url: str) -> str:
    return "a1" + urlsafe_b64encode(url.encode()).decode().rstrip("=")


def test_a_first_page_is_asked_for_as_a_person_would() -> None:
    request = ENGINE.request(Query.of("green tea"), EngineOptions(base_url="https://b.example"))
    assert request.url == "https://b.example/search"
    assert request.params == {"q": "green tea"}
    assert request.headers["Accept-Language"].startswith("en-US")


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query.of("tea", page=2), {"first": "11", "FORM": "PERE"}),
        (Query.of("tea", page=4), {"first": "31", "FORM": "PERE2"}),
        (Query.of("tea", language="de"), {"setlang": "de"}),
        (Query.of("tea", language="zh-CN"), {"setlang": "zh-CN", "cc": "cn"}),
        (Query.of("tea", language="de-AT", country="CH"), {"setlang": "de-AT", "cc": "ch"}),
        (Query.of("tea", freshness="day"), {"filters": 'ex1:"ez1"'}),
        (Query.of("tea", freshness="week"), {"filters": 'ex1:"ez2"'}),
        (Query.of("tea", freshness="month"), {"filters": 'ex1:"ez3"'}),
        (
            Query.of("tea", freshness=DateRange(date(1970, 1, 2), date(2026, 1, 1))),
            {"filters": 'ex1:"ez5_1_20454"'},
        ),
        (Query.of("tea", safesearch="strict"), {"adlt": "strict"}),
        (Query.of("tea", site="example.com"), {"q": "tea site:example.com"}),
    ],
)
def test_parameters(query: Query, sent: dict[str, str]) -> None:
    request = ENGINE.request(query, EngineOptions(base_url="https://bing.example"))
    assert request.params == {"q": "tea"} | sent


@pytest.mark.parametrize("host", ["https://www.bing.com", "https://cn.bing.com", ""])
@pytest.mark.parametrize(
    "url",
    [
        "https://tea.example.com/",
        "https://tea.example.com/?q=a%20b&x=ä~",
        "https://tea.example.com/茶?≥",
    ],
)
def test_addresses_are_unwrapped(host: str, url: str) -> None:
    href = f"{host}/ck/a?!&&p=0f&fclid=1&u={wrapped(url)}&ntb=1"
    assert target(href, "https://www.bing.com/search", ENGINE.wrappers) == url


@pytest.mark.parametrize(
    "query",
    [
        f"u={wrapped('/images/search?q=tea')}",
        f"u={wrapped('javascript:alert(1)')}",
        "u=a1not-base64!",
        "u=a1_w",
        "u=",
        "p=0f",
    ],
)
def test_a_wrapper_without_web_address_is_no_result(query: str) -> None:
    href = f"https://www.bing.com/ck/a?{query}"
    assert target(href, "https://www.bing.com/search", ENGINE.wrappers) is None


@pytest.mark.parametrize(
    ("snippet", "day"),
    [
        ('<span class="news_dt">Nov 2, 2025</span>&nbsp;· Steep it.', "2025-11-02"),
        ("2025年11月2日 · 冲泡。", "2025-11-02"),
        ("3 天之前 · 冲泡。", "2025-12-01"),
        ("Water · leaves · time", None),
    ],
)
def test_the_date_before_a_snippet_stays_there_and_is_read(snippet: str, day: str | None) -> None:
    answer = page(result("Tea", snippet), sent="Thu, 04 Dec 2025 02:00:00 GMT")
    (hit,) = judge.read(ENGINE, answer)
    assert hit.published_at == day
    assert "·" in hit.snippet


def test_a_snippet_beside_a_picture_is_found() -> None:
    (hit,) = judge.read(
        ENGINE,
        page(result("Tea").replace("</h2>", '</h2><p class="b_lineclamp2">Steep it.</p>', 1)),
    )
    assert hit.snippet == "Steep it."


def test_the_feed_is_read_too() -> None:
    body = (
        '<?xml version="1.0"?><rss version="2.0"><channel><title>Bing: tea</title>'
        "<link>https://www.bing.com/</link><item><title>Tea &amp; cake</title>"
        "<link>https://tea.example.com/?a=1&amp;b=2</link>"
        "<description>Steep it.</description></item>"
        "<item><title>No address</title></item></channel></rss>"
    )
    (hit,) = judge.read(ENGINE, Page(url="https://www.bing.com/search", body=body.encode()))
    assert (hit.title, hit.url, hit.snippet) == (
        "Tea & cake",
        "https://tea.example.com/?a=1&b=2",
        "Steep it.",
    )


@pytest.mark.parametrize(
    ("answer", "set_aside"),
    [
        (page(result("Green tea"), asked="green tea"), None),
        (page(result("Green tea"), asked='"green-tea" water'), None),
        (page(result("Tea", "The GREEN tea"), asked="“green tea”"), None),
        (page(result("Tea") + result("Green"), asked='water "green tea"'), "green tea"),
        (
            page(
                result("Green tea"),
                before='<li class="b_ans"><div id="sp_requery">With <a>green</a></div>'
                '<div id="sp_recourse">Only <a>grene tea</a>?</div></li>',
            ),
            "grene tea",
        ),
        (
            page(result("Tea"), before='<li class="b_no"><h1>Nothing for "tae"</h1></li>'),
            'Nothing for "tae"',
        ),
        (
            page(
                result("Green tea"),
                before='<li class="b_ans"><div id="sp_requery">Or <a>green</a>?</div></li>',
            ),
            None,
        ),
        (page("", before='<li class="b_no"><h1>Nothing</h1></li>', asked='"tae"'), None),
    ],
    ids=[
        "plain",
        "quoted and kept",
        "other quotes",
        "quoted and dropped in silence",
        "said above the results",
        "nothing found, and results",
        "only a suggestion",
        "nothing found",
    ],
)
def test_a_relaxed_query_is_noticed(answer: Page, set_aside: str | None) -> None:
    assert read_relaxation(answer) == set_aside
