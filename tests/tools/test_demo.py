"""The small web of our own that the page can be tried on."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from tests.conftest import client_at
from tests.loopback import LoopbackServer
from tests.serving.running import Caller
from tools.demo.site import Site, articles

WORDS = files("citeseek.surfaces.page") / "words"


@pytest.fixture
def site(server: LoopbackServer) -> Site:
    return Site(server, articles())


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_example_question_of_the_page_finds_pages(site: Site, language: str) -> None:
    words = json.loads((WORDS / f"{language}.json").read_bytes())
    examples = [text for key, text in words.items() if key.startswith("empty.example_")]
    assert len(examples) >= 3
    for question in examples:
        assert len(site.find(question)) >= 2, question


def test_the_best_page_stands_first_and_chance_words_find_nothing(site: Site) -> None:
    assert site.find("部署 SearXNG 的步骤")[0].slug == "deploy-searxng"
    assert site.find("bicycle tyre pressure")[0].slug == "tyre-pressure"
    assert site.find("zzz qqq") == []


async def test_its_results_lead_to_pages_that_it_serves(site: Site, server: LoopbackServer) -> None:
    async with client_at(server.base_url, "searxng") as client:
        found = await client.search("绿茶 杀青", engine="searxng")
    assert found.items[0].url == server.url("/read/green-tea")
    page = Caller(server.base_url)("GET", "/read/green-tea")
    assert "杀青" in page.text
    assert found.items[0].published_at
