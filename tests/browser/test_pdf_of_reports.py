"""Reports as PDF: printed by a real browser, with their words, links and headings."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from tests.command import CITESEEK
from tests.conftest import settings
from tests.jobs.library import NAMES, QUESTION, Library, question, until
from tests.loopback import LoopbackServer
from tests.rest.serving import PREFIX
from tests.serving.running import Caller, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.page.report_print import printed_report
from citeseek.surfaces.server.app import create_app

pytestmark = pytest.mark.browser


@contextmanager
def written(**env: str) -> Iterator[tuple[Caller, Library, str]]:
    """Give a server, the pages, and the address of the result of a report that was written."""
    with LoopbackServer() as web:
        library = Library(web)
        fetch = {"allow": [web.host], "fetch_delay_seconds": 0}
        loaded = settings({"web": {"fetch": fetch}}, env={**library.env, **env})
        app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
        with running(app) as base_url:
            http = Caller(base_url)
            report = http("POST", f"{PREFIX}/research", question()).json()
            where = f"{PREFIX}/research/{report['id']}"
            until(lambda: http("GET", where).json()["state"] == "finished")
            yield http, library, f"{where}/result"


def read(pdf: bytes) -> tuple[str, list[str]]:
    """Return the text of all pages, and the titles of the outline."""
    with closing(pdfium.PdfDocument(pdf)) as document:
        texts = []
        for number in range(len(document)):
            # Pages that outlive their document crash the library.
            with closing(document[number]) as page, closing(page.get_textpage()) as text:
                texts.append(text.get_text_range())
        return " ".join(" ".join(texts).split()), [one.get_title() for one in document.get_toc()]


def links_of(pdf: bytes) -> set[str]:
    """Return the addresses that the pages lead to."""
    return {found.decode() for found in re.findall(rb"/URI \(([^)]*)\)", pdf)}


def test_a_report_is_printed_with_its_words_links_and_headings() -> None:
    with written() as (http, library, result):
        asked = http("GET", result, headers={"Accept": "application/pdf"})
        named = http("GET", f"{result}?format=pdf")
    assert (asked.status, asked.headers["Content-Type"]) == (200, "application/pdf")
    assert named.body.startswith(b"%PDF-")
    said, outline = read(asked.body)
    assert QUESTION in said
    assert "exactly 7845 metres long" in said
    assert "1 / " in said
    linked = links_of(asked.body)
    assert {library.web.url(f"/{name}") for name in NAMES} <= linked
    assert outline[0] == QUESTION
    assert "Findings" in outline


def test_without_a_browser_there_is_a_typed_error() -> None:
    with written(CHROME_PATH="/nowhere/chrome") as (http, _, result):
        answer = http("GET", f"{result}?format=pdf")
        told = answer.json()
        assert (answer.status, told["detail_code"]) == (502, "browser_missing")
        assert told["hint"]
        # The report itself is there.
        assert http("GET", f"{result}?format=markdown").status == 200


def test_what_a_page_says_is_no_markup_of_the_document() -> None:
    hostile = "<script>alert(1)</script><img src=http://127.0.0.1:1/x>"
    source = {"number": 1, "title": hostile, "url": "https://e.example/", "domain": "e.example"}
    text = f"# 绿茶怎样杀青？\n\n{hostile} [[1]](https://e.example/)\n"
    run = {
        "result": {"query": hostile},
        "artifacts": {"report": {"text": text}, "sources": [source]},
    }
    html = printed_report(run, "zh")
    assert "<script" not in html
    assert "<img" not in html
    assert '<h1 dir="auto">绿茶怎样杀青？</h1>' in html
    assert '<html lang="zh' in html


@pytest.mark.release
def test_the_command_line_writes_one_into_a_file(server: LoopbackServer, tmp_path: Path) -> None:
    library = Library(server)
    command = [*CITESEEK, "research", QUESTION, "--config", str(library.config(tmp_path))]
    env = {**os.environ, **library.env}
    ended = subprocess.run([*command, "--format", "pdf"], env=env, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert QUESTION in read(ended.stdout)[0]
    env["CHROME_PATH"] = "/nowhere/chrome"
    before = len(server.requests)
    ended = subprocess.run(
        [*command, "--format", "pdf", "--fresh"], env=env, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (3, b"")
    # Nothing was asked for it.
    assert len(server.requests) == before
