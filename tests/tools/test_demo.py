"""The small web of our own that the page can be tried on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from tests.conftest import client_at
from tests.loopback import LoopbackServer
from tests.serving.running import Caller
from tools.demo.site import Site, articles

from citeseek.i18n import catalogue

pytestmark = pytest.mark.release

LINE = re.compile(r"Citeseek: (http://127\.0\.0\.1:\d+)\n")


@pytest.fixture
def site(server: LoopbackServer) -> Site:
    return Site(server, articles())


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_example_question_of_the_page_finds_pages(site: Site, language: str) -> None:
    say = catalogue(language)
    examples = [say(key) for key in say if key.startswith("empty.example_")]
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


def test_sigterm_ends_the_engine_too() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tools.demo", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        engine = re.search(r"kill (\d+)", process.stderr.readline())
        assert LINE.fullmatch(process.stdout.readline())
        assert engine is not None
        process.terminate()
        assert process.wait(20) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(engine[1]), 0)


@pytest.fixture(scope="module")
def demo() -> Iterator[Caller]:
    """Give the server that ``make run DEMO=1`` starts."""
    with subprocess.Popen(
        [sys.executable, "-m", "tools.demo", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            line = LINE.fullmatch(process.stdout.readline())
            assert line is not None
            yield Caller(line[1])
        finally:
            process.send_signal(signal.SIGINT)


def test_the_first_question_that_is_typed_is_answered_and_its_citations_can_be_checked(
    demo: Caller,
) -> None:
    session = demo("POST", "/api/v1/sessions", {}).json()
    assert session["switch"]["value"] is True
    asked = demo(
        "POST",
        f"/api/v1/sessions/{session['id']}/messages",
        {"text": "How are green tea and black tea made?"},
        {"Accept": "text/event-stream"},
    )
    assert asked.status == 200
    (turn,) = demo("GET", f"/api/v1/sessions/{session['id']}").json()["turns"]
    assert turn["cited"]
    found = demo("POST", f"/api/v1/sessions/{session['id']}/turns/{turn['id']}/check").json()
    assert found["unread"] == []
    assert {check["verdict"] for check in found["checks"]} == {"supported"}


def test_a_report_reads_its_pages(demo: Caller) -> None:
    asked = {"question": "绿茶和红茶的制作有什么区别？"}
    reported = demo("POST", "/api/v1/research", asked, {"Prefer": "wait"})
    assert reported.status == 200, reported.text
    assert "/read/green-tea" in reported.text
