"""What only Google does; the contract suite and the pages test the rest."""

from __future__ import annotations

from datetime import date
from urllib.parse import parse_qs, urlsplit

import pytest
from msgspec import structs
from tests.conftest import page as our_page
from tests.loopback import LoopbackServer, Reply, replies

from citeseek.engine import EngineOptions
from citeseek.engines.google import ENGINE
from citeseek.errors import SearchFailed, WebBlocked, WebParseError
from citeseek.faces import BROWSER
from citeseek.http import Transports
from citeseek.i18n import catalogue
from citeseek.models import Page, SearchItem
from citeseek.query import DateRange, Query
from citeseek.searching import judge
from citeseek.searching.normalize import normalize
from citeseek.searching.request import prepare
from citeseek.searching.runner import Outcome, Route, Runner
from citeseek.urls import target

URL = "https://www.google.com/search"
SEARCH_BOX = "<form action='/search'><textarea name=q>tea</textarea></form>"
GATE = "<noscript><meta http-equiv=refresh content='0;url=/httpservice/retry/enablejs?sei=x'>"
NOTHING = "<div class=mnr-c><p role=heading>Your search - tae - did not match.</p></div>"


def page(body: str, *, sent: str = "", url: str = URL) -> Page:
    return Page(url=url, body=body.encode(), headers={"date": sent} if sent else {})


def rso(*blocks: str) -> str:
    return f"{SEARCH_BOX}<div id=rso>{''.join(blocks)}</div>"


def block(title: str = "Tea", snippet: str = "", href: str = "https://tea.example.com/") -> str:
    return (
        f"<div class=tF2Cxc><a href='{href}'><h3>{title}</h3><br><span class=VuuXrf>Tea Notes"
        f"</span></a><div class=VwiC3b>{snippet}</div></div>"
    )


def video(views: str) -> str:
    return (
        "<div class=xe8e1b><a href='https://video.example.com/?v=1'><h3>Tea in a minute</h3><br>"
        f"<span class=VuuXrf>Video Site · Tea Notes</span><cite>{views}</cite></a></div>"
    )


def card(*parts: str, href: str = "/url?q=https://tea.example.com/&amp;sa=U") -> str:
    inner = "".join(f"<div class='BNeawe s3v9rd'>{part}</div>" for part in parts)
    return (
        f"<div class=Gx5Zad><div class='egMi0 kCrYT'><a href='{href}'><h3>Tea</h3></a></div>"
        f"<div class=kCrYT><div class='BNeawe s3v9rd'>{inner}</div></div></div>"
    )


def main(*cards: str) -> str:
    return f"{SEARCH_BOX}<div id=main>{''.join(cards)}</div>"


def items(answer: Page) -> list[SearchItem]:
    hits = judge.read(ENGINE, answer)
    return normalize(hits, provider="google", page_url=answer.url, wrappers=ENGINE.wrappers)


def refusal(answer: Page) -> SearchFailed:
    with pytest.raises(SearchFailed) as caught:
        judge.read(ENGINE, answer)
    return caught.value


async def search_at(server: LoopbackServer, query: Query) -> Outcome:
    """Search over plain HTTP: what is sent and how answers are judged is the same."""
    transports = Transports()
    route = Route(options=EngineOptions(base_url=server.base_url))
    engine = structs.replace(ENGINE, via="http")
    try:
        return await Runner(transports).run(engine, query, route, seconds=5)
    finally:
        await transports.close()


def test_google_is_what_the_browser_face_asks() -> None:
    assert BROWSER.engine == ENGINE.id
    assert ENGINE.via == "browser"
    assert ENGINE.base_url == "https://www.google.com"


@pytest.mark.parametrize(
    "text",
    [
        "人工智能 最新进展",
        "C# & C++ = 100%",
        "a+b?c=d&hl=de",
        "茶🍵 #1",
        "--start=10 -x",
        "/url?q=1",
    ],
)
@pytest.mark.requirement("S4-6", "S4-21")
async def test_the_query_arrives_as_it_was_asked(text: str, server: LoopbackServer) -> None:
    server.on("/search", replies.html(rso(block())))
    await search_at(server, Query.of(text))
    (request,) = server.requests
    assert urlsplit(request.target).path == "/search"
    assert request.param("q") == text
    assert parse_qs(urlsplit(request.target).query).keys() == {"q", "hl"}


@pytest.mark.parametrize(
    ("query", "hl", "sent"),
    [
        pytest.param(
            Query.of("茶馆 address"),
            "zh-CN",
            {},
            marks=pytest.mark.requirement("S4-7"),
            id="chinese",
        ),
        (Query.of("tea"), "en-US", {}),
        (Query.of("茶", language="en"), "en", {"lr": "lang_en"}),
        (Query.of("tea", language="zh"), "zh", {"lr": "lang_zh-CN"}),
        (Query.of("tea", language="zh-HK"), "zh-HK", {"lr": "lang_zh-TW", "gl": "hk"}),
        (Query.of("tea", language="zh-MO"), "zh-MO", {"lr": "lang_zh-TW", "gl": "mo"}),
        (Query.of("tea", language="de-AT", country="CH"), "de-AT", {"lr": "lang_de", "gl": "ch"}),
        (Query.of("tea", language="he"), "he", {"lr": "lang_iw"}),
        (Query.of("tea", language="eu"), "eu", {}),
        (Query.of("tea", country="jp"), "en-US", {"gl": "jp"}),
        (Query.of("tea", count=5), "en-US", {}),
        (Query.of("tea", count=30), "en-US", {"num": "30"}),
        (Query.of("tea", page=3), "en-US", {"start": "20"}),
        (Query.of("tea", count=30, page=2), "en-US", {"num": "30", "start": "10"}),
        (Query.of("tea", freshness="day"), "en-US", {"tbs": "qdr:d"}),
        (Query.of("tea", freshness="year"), "en-US", {"tbs": "qdr:y"}),
        (
            Query.of("tea", freshness=DateRange(date(2026, 1, 5), date(2026, 12, 31))),
            "en-US",
            {"tbs": "cdr:1,cd_min:1/5/2026,cd_max:12/31/2026"},
        ),
        (Query.of("tea", safesearch="off"), "en-US", {"safe": "off"}),
        (Query.of("tea", safesearch="moderate"), "en-US", {"safe": "medium"}),
        (Query.of("tea", safesearch="strict"), "en-US", {"safe": "active"}),
    ],
)
def test_parameters(query: Query, hl: str, sent: dict[str, str]) -> None:
    request = ENGINE.request(query, EngineOptions(base_url="https://g.example"))
    assert request.url == "https://g.example/search"
    assert request.params == {"q": query.text, "hl": hl} | sent
    assert request.headers["Accept-Language"].partition(",")[0] == hl


def test_words_that_google_does_not_read_are_reported() -> None:
    request, ignored = prepare(ENGINE, Query.of("tea " * 33), EngineOptions())
    assert request.params["q"].split() == ["tea"] * 32
    assert ignored == ("query_length",)


def test_a_site_is_part_of_the_query() -> None:
    request = ENGINE.request(Query.of("tea", site="example.com"), EngineOptions())
    assert request.params["q"] == "tea site:example.com"


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/url?q=https://e.example/a%3Fb%3D1%26c%3D%25E8%258C%25B6&sa=U", "a?b=1&c=%E8%8C%B6"),
        ("/url?q=https://e.example/a%23part%2B1&sa=U", "a#part+1"),
        ("/url?sa=t&q=green+tea&url=https%3A%2F%2Fe.example%2Fa&usg=x", "a"),
        ("https://www.google.com/url?q=https://e.example/a&sa=U", "a"),
        ("https://www.google.com.hk/url?sa=i&url=https%3A%2F%2Fe.example%2Fa", "a"),
        ("http://www.google.co.uk/url?sa=t&url=https%3A%2F%2Fe.example%2Fa", "a"),
    ],
)
@pytest.mark.requirement("S4-15")
def test_wrappers_are_undone_once(href: str, url: str) -> None:
    assert target(href, URL, ENGINE.wrappers) == f"https://e.example/{url}"


@pytest.mark.parametrize(
    "href",
    [
        "/search?q=related:tea.example.com",
        "/url?q=/search%3Fq%3Dtea",
        "/url?q=javascript:alert(1)",
        "/url?sa=U",
        "/aclk?sa=l&adurl=https://shop.example.com/",
        "https://www.google.de/aclk?sa=l&adurl=https://shop.example.com/",
        "/imgres?imgurl=https://img.example.com/1.jpg",
    ],
)
@pytest.mark.requirement("S4-15")
def test_links_into_google_and_advertisements_are_no_results(href: str) -> None:
    assert target(href, URL, ENGINE.wrappers) is None


@pytest.mark.parametrize(
    "url",
    ["https://www.google.com/maps", "https://www.google.evil.example/url?q=https://e.example"],
)
@pytest.mark.requirement("S4-15")
def test_an_address_that_is_no_wrapper_stays(url: str) -> None:
    assert target(url, URL, ENGINE.wrappers) == url


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("https://www.tea.example.com:8443/a", "tea.example.com"),
        ("https://茶.example.cn/a", "茶.example.cn"),
        ("https://wiki.example.org/wiki/google.com", "wiki.example.org"),
    ],
)
@pytest.mark.requirement("S4-17")
def test_the_source_is_the_site_and_never_google(url: str, source: str) -> None:
    (item,) = items(page(main(card("Steep it.", href=f"/url?q={url}&sa=U"))))
    assert item.domain == source


TITLE = "Tea &amp; <em>cake</em>"
LINK = "<a href='https://tea.example.com/'>"
SINCE_2019 = rso(block(TITLE, "<em>Steep</em> it."))
IN_2019 = rso(
    f"<div class=rc><div class=r>{LINK}<h3>{TITLE}</h3><br><cite>tea.example.com</cite></a>"
    "<a href='/search?q=related:x'>Similar</a></div><span class=st>Steep it.</span></div>"
)
IN_2015 = rso(
    f"<div class=rc><h3 class=r>{LINK}{TITLE}</a></h3><span class=st>Steep it.</span></div>"
)
BASIC_SINCE_2024 = main(card("Steep it.").replace("<h3>Tea", f"<h3>{TITLE}"))
BASIC_2021 = BASIC_SINCE_2024.replace("Gx5Zad", "ZINbbc").replace("egMi0 ", "")


@pytest.mark.parametrize("body", [SINCE_2019, IN_2019, IN_2015, BASIC_SINCE_2024, BASIC_2021])
@pytest.mark.requirement("S4-14", "S4-16", "S4-22", "S4-23")
def test_every_layout_gives_title_address_and_snippet(body: str) -> None:
    (item,) = items(page(body))
    assert (item.title, item.url, item.snippet) == (
        "Tea & cake",
        "https://tea.example.com/",
        "Steep it.",
    )


@pytest.mark.parametrize("mark", ["class=related-question-pair", "data-q='Is tea hot?'"])
@pytest.mark.requirement("S4-22")
def test_what_people_also_ask_is_no_result(mark: str) -> None:
    answers = f"<div {mark}><div>{block('An answer')}{video('9 views')}</div></div>"
    assert [item.title for item in items(page(rso(answers, block())))] == ["Tea"]


@pytest.mark.parametrize(
    "other",
    [
        "<div class=Gx5Zad><div class=kCrYT><h3>Tea</h3><a href='/url?q=x'>More</a></div></div>",
        card("It is.").replace("<h3>Tea</h3>", "<div class=vvjwJb>Tea</div>"),
        f"<div class=Gx5Zad>{card('It is.')}</div>",
        f"<div class=ZINbbc><div>{card('It is.').replace('Gx5Zad', 'ZINbbc')}</div></div>",
    ],
    ids=["panel", "no heading", "answer", "answer in 2021"],
)
@pytest.mark.requirement("S4-22")
def test_other_cards_are_no_results(other: str) -> None:
    found = items(page(main(other, card("Steep it."))))
    assert [item.snippet for item in found] == ["Steep it."]


@pytest.mark.requirement("S4-16")
def test_a_video_has_no_snippet_and_its_site_is_named_without_the_channel() -> None:
    answer = page(rso(video("9,400 views · 3 days ago")), sent="Thu, 04 Dec 2025 02:00:00 GMT")
    (item,) = items(answer)
    assert (item.title, item.snippet) == ("Tea in a minute", "")
    assert (item.site_name, item.published_at) == ("Video Site", "2025-12-01")


@pytest.mark.parametrize(
    ("snippet", "day"),
    [
        ("<span>Mar 14, 2026</span> — Steep it.", "2026-03-14"),
        ("2026年4月18日 — 冲泡。", "2026-04-18"),
        ("3 天前 — 冲泡。", "2025-12-01"),
        ("20 Jan 2015 - Steep it.", "2015-01-20"),
        ("Water — Mar 14, 2026 — Steep it.", None),
        ("Steep it.", None),
    ],
)
@pytest.mark.requirement("S4-16")
def test_the_date_before_a_snippet_stays_there_and_is_read(snippet: str, day: str | None) -> None:
    sent = "Thu, 04 Dec 2025 02:00:00 GMT"
    for body in (rso(block("Tea", snippet)), main(card(snippet))):
        (item,) = items(page(body, sent=sent))
        assert item.published_at == day
        assert item.snippet.endswith(("Steep it.", "冲泡。"))
        assert item.snippet[:2] in snippet


@pytest.mark.requirement("S4-16")
def test_parts_of_a_basic_snippet_are_joined_without_the_links_below_it() -> None:
    below = "<span><a href='/url?q=https://tea.example.com/start'>Start here</a></span>"
    (item,) = items(page(main(card("Rated 4.0 (17) ", "May 4, 2026 · Steep it.", below))))
    assert item.snippet == "Rated 4.0 (17) May 4, 2026 · Steep it."
    assert item.published_at == "2026-05-04"


@pytest.mark.requirement("S4-16")
def test_a_basic_snippet_of_one_part_keeps_its_links() -> None:
    (item,) = items(page(main(card("Steep it. <a href='/url?q=x'>Kinds</a>"))))
    assert item.snippet == "Steep it. Kinds"


@pytest.mark.parametrize("where", ["topstuff", "botstuff"])
def test_nothing_found_is_said_above_or_below(where: str) -> None:
    assert items(page(f"{SEARCH_BOX}<div id={where}>{NOTHING}</div>")) == []


@pytest.mark.parametrize(
    "body",
    [
        f"{SEARCH_BOX}<div id=botstuff><div class=mnr-c><p>Some are left out.</p></div></div>",
        f"{SEARCH_BOX}<div id=rso><article>Tea</article></div>",
        f"{SEARCH_BOX}{GATE}</noscript><div id=rso><article>Tea</article></div>",
    ],
    ids=["another note", "another layout", "another layout that mentions the gate"],
)
def test_a_page_that_nobody_knows_is_drift(body: str) -> None:
    error = refusal(page(body))
    assert isinstance(error, WebParseError)
    assert error.detail_code == "drift"


@pytest.mark.parametrize("status", [200, 429, 503])
@pytest.mark.parametrize(
    ("name", "detail_code"),
    [
        ("sorry.html", "captcha_required"),
        ("sorry_zh.html", "captcha_required"),
        ("consent.html", "consent_required"),
        ("enablejs.html", "javascript_required"),
    ],
)
@pytest.mark.requirement("S4-24", "S4-25")
def test_each_gate_is_told_apart_and_needs_a_person(
    name: str, detail_code: str, status: int
) -> None:
    error = refusal(Page(url=URL, status=status, body=our_page(f"google/{name}")))
    assert isinstance(error, WebBlocked)
    assert (error.detail_code, error.engine, error.retryable) == (detail_code, "google", False)
    assert "需要人工处理" in catalogue("zh").sentence(error)
    assert "A person must" in error.hint
    assert "CITESEEK_GOOGLE_PROXY" in error.hint
    assert "CITESEEK_GOOGLE_URL" in error.hint
    assert "another engine" in error.hint


@pytest.mark.requirement("S4-24")
def test_the_script_gate_may_stand_in_the_head() -> None:
    error = refusal(page(f"<head><title>Google Search</title>{GATE}</noscript></head><p>Wait"))
    assert error.detail_code == "javascript_required"


@pytest.mark.requirement("S4-24")
def test_the_consent_page_is_recognised_by_its_address() -> None:
    error = refusal(page("<p>Avant de continuer", url="https://consent.google.com/ml?hl=fr"))
    assert error.detail_code == "consent_required"


@pytest.mark.parametrize(
    "extra",
    [
        f"{GATE}</noscript>",
        "<script>var sorry='/sorry/index',form='captcha-form'</script>",
        "<form action='https://consent.google.com/save'><button>OK</button></form>",
        "<form id=captcha-form></form>",
    ],
    ids=["gate", "script", "consent over results", "form"],
)
@pytest.mark.requirement("S4-24")
def test_results_win_over_the_marks_of_gates(extra: str) -> None:
    title = "CAPTCHA: unusual traffic, consent.google.com and /sorry/ explained"
    assert [item.title for item in items(page(extra + rso(block(title))))] == [title]


@pytest.mark.requirement("S4-24")
async def test_the_way_to_the_consent_page_is_not_followed(server: LoopbackServer) -> None:
    server.on("/search", replies.redirect("https://consent.google.com/ml?continue=x"))
    with pytest.raises(WebBlocked) as caught:
        await search_at(server, Query.of("tea"))
    assert caught.value.detail_code == "consent_required"
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [200, 429])
@pytest.mark.requirement("S4-24", "S4-26")
async def test_the_captcha_page_is_seen_once(status: int, server: LoopbackServer) -> None:
    server.on("/search", replies.redirect("/sorry/index?continue=x"))
    server.on("/sorry/index", Reply(status, {}, our_page("google/sorry.html")))
    with pytest.raises(WebBlocked) as caught:
        await search_at(server, Query.of("tea"))
    assert caught.value.detail_code == "captcha_required"
    assert [request.path for request in server.requests] == ["/search", "/sorry/index"]
