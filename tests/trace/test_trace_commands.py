"""``--trace``, ``citeseek replay`` and ``citeseek bundle`` as a person runs them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import page
from tests.fetching.test_fetch_command import PAGE, SENTENCE, run
from tests.loopback import LoopbackServer, Reply, replies

from citeseek.trace.trace_file import load, write
from citeseek.trace.trace_record import (
    Body,
    Failed,
    Given,
    Part,
    Received,
    RecordedExchange,
    SentRequest,
    Trace,
)


@pytest.fixture
def engine(server: LoopbackServer) -> LoopbackServer:
    server.on("/search", replies.html(page("searxng/search.json")))
    server.on("/html/", replies.html(page("ddg_html/html_results.html")))
    return server


def search(
    engine: LoopbackServer, trace: Path, *more: str, name: str = "searxng"
) -> subprocess.CompletedProcess[str]:
    address = {
        "SEARXNG_BASE_URL": engine.base_url,
        "CITESEEK_DDG_HTML_URL": engine.base_url,
    }
    return run("search", "green tea", "-e", name, "--trace", str(trace), *more, **address)


def test_a_search_is_recorded_and_replayed(engine: LoopbackServer, tmp_path: Path) -> None:
    trace = tmp_path / "deep" / "trace.json"
    done = search(engine, trace, "-f", "json")
    assert done.returncode == 0
    again = run("replay", str(trace), "-f", "result")
    assert again.returncode == 0
    assert "与记录的完全相同" in again.stderr
    shown, replayed = json.loads(done.stdout), json.loads(again.stdout)
    assert [item["url"] for item in replayed["items"]] == [item["url"] for item in shown["items"]]
    assert replayed["took_ms"] == shown["took_ms"]
    assert len(engine.requests) == 1


def test_a_page_is_recorded_and_replayed(server: LoopbackServer, tmp_path: Path) -> None:
    server.on("/tea", PAGE)
    trace = tmp_path / "trace.json"
    run("fetch", server.url("/tea"), "--trace", str(trace), WEB_FETCH_ALLOW="127.0.0.0/8")
    again = run("replay", str(trace), "-f", "result")
    assert again.returncode == 0
    assert SENTENCE in json.loads(again.stdout)["text"]


@pytest.mark.release
def test_an_answer_is_recorded_and_replayed(engine: LoopbackServer, tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    asked = ("ask", "green tea", "-e", "searxng", "--trace", str(trace))
    assert run(*asked, SEARXNG_BASE_URL=engine.base_url).returncode == 0
    again = run("replay", str(trace))
    assert (again.returncode, again.stdout) == (0, "")


def test_what_is_not_as_recorded_is_shown_with_exit_code_1(
    engine: LoopbackServer, tmp_path: Path
) -> None:
    path = tmp_path / "trace.json"
    search(engine, path)
    trace = load(path)
    answer = trace.call.parts[0].exchanges[0].answer
    assert answer
    assert answer.body.text
    first = trace.call.result["items"][0]["url"]
    answer.body.text = answer.body.text.replace(first, "https://other.example/")
    write(trace, path)
    done = run("replay", str(path))
    assert done.returncode == 1
    assert "– → 1  https://other.example/" in done.stdout
    assert "与记录的不同" in done.stderr


@pytest.mark.release
def test_two_searches_that_only_took_other_times_are_the_same(
    engine: LoopbackServer, tmp_path: Path
) -> None:
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    search(engine, one, "-e", "ddg_html")
    trace = load(one)
    trace.call.result["took_ms"] += 1000
    write(trace, other)
    done = run("replay", str(one), "--against", str(other))
    assert (done.returncode, done.stdout) == (0, "")
    assert "两次结果相同。" in done.stderr
    # Its own replay has its times.
    assert run("replay", str(other)).returncode == 1


@pytest.mark.release
def test_two_traces_are_compared_as_they_were_recorded(
    engine: LoopbackServer, tmp_path: Path
) -> None:
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    search(engine, one, "-e", "ddg_html")
    engine.on("/html/", Reply(403, {}, "no"))
    search(engine, other, "-e", "ddg_html")
    done = run("replay", str(one), "--against", str(other))
    assert done.returncode == 1
    assert "ddg_html: answered → failed: http_403" in done.stdout
    told = json.loads(run("replay", str(one), "--against", str(other), "-f", "json").stdout)
    assert told["same"] is False
    assert told["searches"][0]["engines"] == ["ddg_html: answered → failed: http_403"]
    assert run("replay", str(one), "--against", str(one)).returncode == 0


def test_a_failed_search_is_recorded_and_bundled(engine: LoopbackServer, tmp_path: Path) -> None:
    engine.on("/html/", replies.html(b"<html><body>new</body></html>"))
    trace, pages = tmp_path / "trace.json", tmp_path / "pages"
    assert search(engine, trace, name="ddg_html").returncode == 3
    done = run("bundle", str(trace), "--pages", str(pages))
    assert done.returncode == 0
    assert "status: failed" in done.stdout
    assert "search_summary: backend=ddg_html result_count=0 ok=false code=drift" in done.stdout
    (page_file,) = pages.glob("*.html")
    assert page_file.stem in done.stdout
    assert str(page_file) in done.stderr
    assert run("replay", str(trace)).returncode == 0


def test_files_that_cannot_be_are_bad_input(engine: LoopbackServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("{}")
    done = search(engine, tmp_path / "file" / "trace.json")
    assert done.returncode == 2
    assert not engine.requests
    for command in ("replay", "bundle"):
        assert run(command, str(tmp_path / "file")).returncode == 2
        assert run(command, str(tmp_path / "none")).returncode == 2


@pytest.mark.parametrize(
    "kind", [Trace, Part, RecordedExchange, SentRequest, Received, Body, Given, Failed]
)
def test_every_member_of_the_format_is_documented(kind: type[Any]) -> None:
    text = (Path(__file__).parents[2] / "docs" / "traces.md").read_text()
    for name in kind.__struct_fields__:
        assert f"`{name}`" in text
