"""The canned pages served as a search site, in a test and as a program of its own."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from tests.loopback import LoopbackServer
from tests.loopback.canned import load_pages
from tests.loopback.standin import DDG_HTML, DDG_LITE, SEARXNG_HTML, stand_in

ROOT = Path(__file__).parents[1]
PATIENCE = 60
PAGES = load_pages()


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with LoopbackServer() as server:
        stand_in(server, PAGES)
        yield server.base_url


def read(url: str, form: dict[str, str] | None = None) -> bytes:
    data = urlencode(form).encode() if form else None
    with urlopen(url, data, timeout=PATIENCE) as response:  # noqa: S310  a loopback address
        body: bytes = response.read()
    return body


@pytest.mark.parametrize("form", [None, {"q": "tea"}], ids=["GET", "POST"])
def test_duckduckgo_answers_both_methods(site: str, form: dict[str, str] | None) -> None:
    assert read(f"{site}/html/?q=tea", form) == PAGES[DDG_HTML].body
    assert read(f"{site}/lite/?q=tea", form) == PAGES[DDG_LITE].body


@pytest.mark.parametrize("form", [None, {"q": "茶", "format": "json"}], ids=["GET", "POST"])
def test_searxng_answers_json_for_the_query_asked(site: str, form: dict[str, str] | None) -> None:
    address = f"{site}/search" if form else f"{site}/search?format=json&q=%E8%8C%B6"
    answer = json.loads(read(address, form))
    assert answer["query"] == "茶"
    assert len(answer["results"]) == 12


def test_searxng_has_one_page_of_results(site: str) -> None:
    answer = json.loads(read(f"{site}/search?format=json&q=tea&pageno=2"))
    assert (answer["results"], answer["unresponsive_engines"]) == ([], [])


def test_searxng_without_format_is_a_page_for_people(site: str) -> None:
    assert read(f"{site}/search?q=tea") == PAGES[SEARXNG_HTML].body


def test_searxng_without_a_query_says_so(site: str) -> None:
    with pytest.raises(HTTPError) as refusal:
        read(f"{site}/search?format=json")
    with refusal.value as answer:
        assert (answer.code, json.loads(answer.read())) == (400, {"error": "No query"})


def test_searxng_is_recognised_by_its_health_and_its_config(site: str) -> None:
    config = json.loads(read(f"{site}/config"))
    assert read(f"{site}/healthz") == b"OK"
    assert config.keys() >= {"engines", "instance_name", "version", "brand"}


def test_every_page_has_an_address(site: str) -> None:
    page = PAGES["ddg_html/blocked_anomaly.html"]
    with urlopen(f"{site}/pages/{page.file}", timeout=PATIENCE) as response:  # noqa: S310  loopback
        assert (response.status, response.read()) == (202, page.body)


def test_results_are_held_back_as_long_as_asked() -> None:
    replies = [page.reply(delay=0.25) for page in PAGES.values()]
    assert {reply.delay for reply in replies} == {0.25}


def test_the_program_serves_until_it_is_stopped() -> None:
    command = [sys.executable, "-m", "tests.loopback", "--pages", "tests/pages", "--delay-ms", "1"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        site = program.stdout.readline().strip()
        assert read(f"{site}/html/?q=tea") == PAGES[DDG_HTML].body
        assert json.loads(read(f"{site}/search?format=json&q=tea"))["results"]
        program.send_signal(signal.SIGTERM)
        assert program.wait(PATIENCE) == 0
