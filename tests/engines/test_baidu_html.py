"""What only Baidu does; the contract suite and the pages test the rest."""

from __future__ import annotations

import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.baidu_html import ENGINE
from citeseek.errors import WebBlocked, WebParseError
from citeseek.models import Page, SearchItem
from citeseek.query import Query
from citeseek.searching import judge
from citeseek.searching.normalize import normalize

LINK = "http://www.baidu.com/link?url=k3Jx"
PAGER = (
    '<div id="page"><div class="page-inner_x"><a><span class="pc">1</span></a>'
    '<strong><span class="pc">2</span></strong>{after}</div></div>'
)


def page(
    *cards: str, url: str = "https://www.baidu.com/s?wd=x", pager: str = "", sent: str = ""
) -> Page:
    body = f'<div id="content_left">{"".join(cards)}</div>{pager}'
    return Page(url=url, body=body.encode(), headers={"date": sent} if sent else {})


def card(inner: str, css: str = "result", **attributes: str) -> str:
    extra = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return (
        f'<div class="{css} c-container new-pmd" {extra}>'
        f'<h3><a href="{LINK}">老街<em>茶馆</em></a></h3>{inner}</div>'
    )


def items(answer: Page) -> list[SearchItem]:
    hits = judge.read(ENGINE, answer)
    return normalize(hits, provider="baidu", page_url=answer.url, wrappers=ENGINE.wrappers)


def params(query: Query) -> dict[str, str]:
    return dict(ENGINE.request(query, EngineOptions(base_url="https://baidu.example")).params)


def test_a_first_page_is_asked_for_as_a_person_would() -> None:
    request = ENGINE.request(Query.of("老街 茶馆"), EngineOptions(base_url="https://b.example"))
    assert request.url == "https://b.example/s"
    assert request.params == {"wd": "老街 茶馆", "ie": "utf-8"}
    assert request.headers["Accept-Language"].startswith("zh-CN")


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query.of("茶", page=3), {"pn": "20"}),
        (Query.of("茶", count=5, page=2), {"pn": "10"}),
        (Query.of("茶", count=30), {"rn": "30"}),
        (Query.of("茶", count=30, page=2), {"rn": "30", "pn": "30"}),
        (Query.of("茶", site="example.cn"), {"wd": "茶 site:example.cn"}),
    ],
)
def test_parameters(query: Query, sent: dict[str, str]) -> None:
    assert params(query) == {"wd": "茶", "ie": "utf-8"} | sent


@pytest.mark.parametrize(
    ("css", "attributes", "url"),
    [
        (
            "result",
            {"mu": "https://tea.example.cn/?a=1&amp;b=2"},
            "https://tea.example.cn/?a=1&b=2",
        ),
        ("result", {}, LINK),
        ("result", {"mu": ""}, LINK),
        ("result", {"mu": "null"}, LINK),
        ("result-op", {"tpl": "bk_polysemy", "mu": "https://key.example.cn/entry"}, LINK),
    ],
)
def test_the_landing_address_is_shown_when_the_page_states_it(
    css: str, attributes: dict[str, str], url: str
) -> None:
    (item,) = items(page(card("", css, **attributes)))
    assert (item.title, item.url) == ("老街茶馆", url)


def test_cards_of_partners_and_advertisements_are_no_results() -> None:
    partners = [
        card("", "result-op", tpl=tpl, mu="https://x.example.cn/") for tpl in ("dict3", "tv")
    ]
    advertisement = card("").replace(LINK, "http://www.baidu.com/baidu.php?url=9f")
    without_link = '<div class="result c-container"><h3>也有人搜</h3></div>'
    found = items(page(*partners, advertisement, without_link, card("", tpl="www_index")))
    assert [item.url for item in found] == [LINK]


@pytest.mark.parametrize(
    ("inner", "snippet", "day"),
    [
        (
            '<p class="c-abstract"><b class="newTimeFactor_before_abs">2019年5月4日</b> 临河</p>',
            "2019年5月4日 临河",
            "2019-05-04",
        ),
        (
            '<b class="c-color-gray2">2022年5月4日</b><span class="content-right_a1">临河</span>',
            "临河",
            "2022-05-04",
        ),
        (
            '<div data-module="abstract"><b class="cos-color-text-minor">3天前</b>临河</div>',
            "3天前临河",
            "2025-12-02",
        ),
        ('<p class="f13">8个回答</p><div class="c-abstract">临河</div>', "临河", None),
    ],
)
def test_snippets_and_dates_of_each_layout(inner: str, snippet: str, day: str | None) -> None:
    # In Beijing it is already the fifth.
    (item,) = items(page(card(inner), sent="Thu, 04 Dec 2025 18:00:00 GMT"))
    assert (item.snippet, item.published_at) == (snippet, day)


@pytest.mark.parametrize(
    ("footer", "name"),
    [
        ('<a class="c-showurl"><span class="nor-src-wrap">茶友网</span></a>', "茶友网"),
        ('<a class="c-showurl">www.<b>tea</b>.example.cn/old-stre...</a>', "www.tea.example.cn"),
        ('<a class="c-showurl">https://tea.example.cn/a</a>', "tea.example.cn"),
        ('<div class="source_q"><span class="c-color-gray">茶友网</span></div>', "茶友网"),
        ("", None),
    ],
)
def test_the_site_is_named_as_on_the_page(footer: str, name: str | None) -> None:
    (item,) = items(page(card(footer)))
    assert item.site_name == name


@pytest.mark.parametrize(("asked_page", "count"), [(1, 1), (2, 1), (3, 0), (4, 0)])
def test_the_last_page_is_not_shown_again_for_one_past_it(asked_page: int, count: int) -> None:
    answer = page(card(""), pager=PAGER.format(after=""))
    assert len(judge.read(ENGINE, answer, asked_page=asked_page)) == count


def test_a_layout_that_nobody_knows_is_not_an_empty_answer() -> None:
    after = '<a class="n">下一页</a>'
    answer = page("<article>茶馆</article>", pager=PAGER.format(after=after))
    with pytest.raises(WebParseError):
        items(answer)


def test_the_challenge_is_recognised_from_its_address() -> None:
    location = "https://wappass.baidu.com/static/captcha/?ak=1"
    moved = Page(url="https://www.baidu.com/s", status=302, headers={"location": location})
    with pytest.raises(WebBlocked) as caught:
        judge.redirect_target(ENGINE, moved)
    assert caught.value.detail_code == "captcha_required"
