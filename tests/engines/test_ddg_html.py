"""How DuckDuckGo's scripts are followed; the contract suite and the pages test the rest."""

from __future__ import annotations

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, replies

from citeseek.client import Client
from citeseek.engine import EngineOptions
from citeseek.engines.ddg_html import ENGINE, follow
from citeseek.errors import WebBlocked, WebParseError
from citeseek.models import Page
from citeseek.query import Query

TOKEN = "4-123456789012345678901234567890"
CHALLENGE = '<form id="challenge-form"></form>'


@pytest.mark.parametrize(
    "written", [f'vqd="{TOKEN}"', f"vqd='{TOKEN}'", f"nrj('/d.js?q=tea&vqd={TOKEN}&p=1')"]
)
def test_the_token_of_the_page_goes_with_what_was_asked(written: str) -> None:
    query = Query.of("tea", category="news", freshness="week", language="de-DE", safesearch="off")
    asked = ENGINE.request(query, EngineOptions(base_url=ENGINE.base_url))
    assert asked.url == "https://duckduckgo.com/"
    ahead = follow(Page(url=asked.url, body=f"<script>{written}".encode()), asked)
    assert ahead is not None
    assert ahead.url == "https://duckduckgo.com/news.js"
    sent = {"q": "tea", "vqd": TOKEN, "l": "de-de", "df": "w", "p": "-2", "o": "json"}
    assert ahead.params == sent
    assert ahead.headers["Referer"] == asked.url


def test_a_search_of_the_web_is_followed_nowhere() -> None:
    asked = ENGINE.request(Query.of("tea"), EngineOptions(base_url=ENGINE.base_url))
    assert follow(Page(url=asked.url, body=f'vqd="{TOKEN}"'.encode()), asked) is None


async def test_news_are_what_the_second_request_brings(server: LoopbackServer) -> None:
    server.on("/", replies.html(f'<script>vqd="{TOKEN}"</script>'))
    found = {"title": "Tea", "url": "https://e.example/", "date": 1795910400, "source": "Daily"}
    server.on("/news.js", replies.as_json({"results": [found]}))
    async with searching(server) as client:
        response = await client.search("tea", engine="ddg_html", category="news")
    (item,) = response.items
    assert (item.url, item.site_name) == ("https://e.example/", "Daily")
    assert item.published_at == "2026-11-29T00:00:00+00:00"
    assert response.ignored == ()
    assert [request.path for request in server.requests] == ["/", "/news.js"]


@pytest.mark.parametrize(
    ("reply", "error"),
    [(replies.html(CHALLENGE), WebBlocked), (replies.html("<p>New"), WebParseError)],
)
async def test_a_page_without_a_token_is_no_nothing_found(
    server: LoopbackServer, reply: Reply, error: type[Exception]
) -> None:
    server.on("/", reply)
    async with searching(server) as client:
        with pytest.raises(error):
            await client.search("tea", engine="ddg_html", category="images")
    assert len(server.requests) == 1


def searching(server: LoopbackServer) -> Client:
    return Client(settings(env={"CITESEEK_DDG_HTML_URL": server.base_url}))
