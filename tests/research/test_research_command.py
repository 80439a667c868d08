"""``citeseek research`` as a user runs it: a real search, real pages, a real interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.bare import COMMAND, bare
from tests.command import CITESEEK, run_citeseek
from tests.loopback import LoopbackServer, Reply, Signal, replies

from citeseek.extras import missing

QUESTION = "How long is the Alder Bridge?"
LENGTH = "The Alder Bridge is 412 metres long and stands on six piers in the river Elm."
GUARDS_HINT = "如果是自己的网络，请把它加入 web.fetch.allow。"
BUILDERS = "The Alder Bridge was built in four years by a firm from Elmford, its first such work."


def article(title: str, text: str) -> Reply:
    """Return a page with ``text``."""
    return replies.html(
        f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>"
        f"<p>{text}</p></article></body></html>"
    )


def a_web(server: LoopbackServer) -> None:
    """Let ``server`` be a SearXNG and the two pages that it finds."""
    found = [
        {"title": path, "url": server.url(f"/{path}"), "content": "", "engine": "own"}
        for path in ("length", "builders")
    ]
    server.on("/search", replies.as_json({"query": QUESTION, "results": found}))
    server.on("/length", article("The Alder Bridge", LENGTH))
    server.on("/builders", article("Who built it", BUILDERS))


def environment(server: LoopbackServer, home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "CITESEEK_HOME": str(home),
        "SEARXNG_BASE_URL": server.base_url,
        "WEB_FETCH_ALLOW": "127.0.0.0/8",
        "WEB_FETCH_DELAY_SECONDS": "0",
    }


def run(server: LoopbackServer, home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return run_citeseek("research", *args, env=environment(server, home))


@pytest.mark.release
def test_without_a_model_no_library_of_an_extra_is_needed(
    server: LoopbackServer, tmp_path: Path
) -> None:
    a_web(server)
    done = bare(COMMAND, "research", QUESTION, env=environment(server, tmp_path))
    assert done.returncode == 0, done.stderr
    assert LENGTH in done.stdout


def test_a_model_needs_the_extra_for_agents(server: LoopbackServer, tmp_path: Path) -> None:
    env = {**environment(server, tmp_path), "CITESEEK_MODEL": "openai:gpt-5-mini"}
    done = bare(COMMAND, "research", QUESTION, env=env)
    assert (done.returncode, done.stdout) == (2, "")
    said, _, repair = missing("agent").lower().partition(": ")
    assert said.removesuffix(".") in done.stderr
    assert done.stderr.endswith(f"{repair}\n")


def test_the_report_goes_to_standard_output(server: LoopbackServer, tmp_path: Path) -> None:
    a_web(server)
    done = run(server, tmp_path, QUESTION, "--engine", "searxng")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"# {QUESTION}\n")
    assert LENGTH in done.stdout
    assert f"[[1]]({server.url('/length')})" in done.stdout
    assert f"搜索  {QUESTION}\n" in done.stderr
    assert "阅读  127.0.0.1: The Alder Bridge\n" in done.stderr
    assert not (tmp_path / "research").exists() or not list((tmp_path / "research").iterdir())


def test_json_is_the_run_result(server: LoopbackServer, tmp_path: Path) -> None:
    a_web(server)
    done = run(server, tmp_path, QUESTION, "-e", "searxng", "--format", "json")
    result = json.loads(done.stdout)
    assert result["ok"] is True
    assert result["artifacts"]["search_summary"]["backend"] == "searxng"
    assert {source["url"] for source in result["artifacts"]["sources"]} == {
        server.url("/length"),
        server.url("/builders"),
    }


def test_a_refused_address_ends_with_the_hint_of_the_guard(
    server: LoopbackServer, tmp_path: Path
) -> None:
    a_web(server)
    env = {**environment(server, tmp_path), "WEB_FETCH_ALLOW": ""}
    done = run_citeseek("research", QUESTION, "-e", "searxng", env=env)
    assert done.returncode == 3
    last = done.stderr.splitlines()[-1]
    assert "2 个网页都没有读到，第一个是 " in last
    assert last.endswith(GUARDS_HINT)
    assert "稍后再试" not in done.stderr
    told = run_citeseek("research", QUESTION, "-e", "searxng", "-f", "json", env=env)
    error = json.loads(told.stdout)["error"]
    assert error["detail_code"] == "ssrf_blocked"
    assert error["hint"] == GUARDS_HINT


def test_a_report_that_had_too_little_time_says_what_gives_it_more(
    server: LoopbackServer, tmp_path: Path
) -> None:
    a_web(server)
    never = Signal()
    server.on("/search", replies.held(replies.as_json({"results": []}), never))
    done = run(server, tmp_path, QUESTION, "-e", "searxng", "--timeout", "1")
    never.set()
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].endswith(
        "在时限之内一个网页都没有读到。 请给报告更多时间。"
    )


@pytest.mark.release
def test_an_interrupted_command_goes_on_when_repeated(
    server: LoopbackServer, tmp_path: Path
) -> None:
    a_web(server)
    page = article("Who built it", BUILDERS)
    until_the_end = Signal()
    server.on("/builders", replies.held(page, until_the_end))
    asked = server.requests.reach(3)
    command = [*CITESEEK, "research", QUESTION, "-e", "searxng", "--out", str(tmp_path / "out")]
    started = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(server, tmp_path),
    )
    assert asked.wait(30)
    started.send_signal(signal.SIGINT)
    _, told = started.communicate(timeout=30)
    assert started.returncode == 130
    assert "再次运行同一条命令会接着做" in told

    until_the_end.set()
    server.on("/builders", page)
    before = len(server.requests)
    done = run(server, tmp_path, QUESTION, "-e", "searxng", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    today = datetime.now(UTC).date()
    day = f"{today.year}年{today.month}月{today.day}日"
    assert f"接着上一次运行（{day}）；--fresh 重新开始。" in done.stderr
    assert "/search" not in [request.path for request in list(server.requests)[before:]]
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert f"[Who built it]({server.url('/builders')})" in report
    assert f"Answers of an earlier run are used again, the oldest of {today} (UTC)" in report
    again = run(server, tmp_path, QUESTION, "-e", "searxng", "--out", str(tmp_path / "out"))
    assert f"the oldest of {today} (UTC)" in again.stdout
    fresh = run(
        server, tmp_path, QUESTION, "-e", "searxng", "--out", str(tmp_path / "out"), "--fresh"
    )
    assert "earlier run" not in fresh.stdout


def test_a_search_that_failed_is_said(server: LoopbackServer, tmp_path: Path) -> None:
    server.on("/search", Reply(500))
    out = tmp_path / "out"
    done = run(server, tmp_path, QUESTION, "-e", "searxng", "--out", str(out))
    assert done.returncode == 3
    assert done.stdout == ""
    assert "searxng" in done.stderr
    # What found nothing leaves nothing behind.
    assert not out.exists()


def test_bad_input_sends_nothing(server: LoopbackServer, tmp_path: Path) -> None:
    for wrong in (["  "], [QUESTION, "--max-sources", "21"], [QUESTION, "--depth", "0"]):
        done = run(server, tmp_path, *wrong, "-e", "searxng")
        assert done.returncode == 2, done.stderr
    assert not list(server.requests)
    assert run(server, tmp_path, QUESTION, "-e", "nosuch").returncode == 2


def test_a_file_that_cannot_be_read_is_named_and_leaves_no_journal(
    server: LoopbackServer, tmp_path: Path
) -> None:
    cut, out = tmp_path / "cut.pdf", tmp_path / "out"
    cut.write_bytes(b"%PDF-1.4\n")
    done = run(server, tmp_path, QUESTION, "-e", "stub", "--file", str(cut), "--out", str(out))
    assert done.returncode == 3
    assert "cut.pdf: " in done.stderr
    assert "-e NAME" not in done.stderr
    assert not out.exists()


def test_out_is_a_folder_with_a_name_and_no_files_of_others(
    server: LoopbackServer, tmp_path: Path
) -> None:
    for empty in ("", " "):
        done = run(server, tmp_path, QUESTION, "-e", "searxng", "--out", empty)
        assert done.returncode == 2, done.stderr
        assert "没有写目录" in done.stderr
    (tmp_path / "report.md").write_text("precious", encoding="utf-8")
    done = run(server, tmp_path, QUESTION, "-e", "searxng", "--out", str(tmp_path))
    assert done.returncode == 2, done.stderr
    assert "report.md 不是 Citeseek 报告的文件，会被替换。" in done.stderr
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == "precious"
    assert not list(server.requests)


def test_a_home_that_cannot_be_used_leads_to_out(server: LoopbackServer, tmp_path: Path) -> None:
    (tmp_path / "research").touch()
    done = run(server, tmp_path, QUESTION, "--engine", "stub")
    assert done.returncode == 2
    assert done.stderr.endswith("请用 --out 另选目录。\n")
    assert not server.requests


@pytest.mark.release
@pytest.mark.requirement("S3-30", "S3-34")
def test_a_report_obeys_the_backend_of_the_contract(server: LoopbackServer, tmp_path: Path) -> None:
    a_web(server)
    env = environment(server, tmp_path)
    stub = run_citeseek("research", QUESTION, env={**env, "WEB_SEARCH_BACKEND": "stub"})
    # Its results are at addresses that nobody has.
    assert stub.returncode == 3
    assert not any(request.path == "/search" for request in server.requests)
    done = run_citeseek("research", QUESTION, env={**env, "WEB_SEARCH_BACKEND": "searxng"})
    assert (done.returncode, "412 metres" in done.stdout) == (0, True)


@pytest.mark.release
def test_only_answers_that_were_taken_over_are_counted(
    server: LoopbackServer, tmp_path: Path
) -> None:
    a_web(server)
    again = ("--out", str(tmp_path / "out"), QUESTION)
    run(server, tmp_path, *again)
    same = run(server, tmp_path, *again)
    assert "沿用上一次运行的答复：3" in same.stderr
    # What another engine found is not what this one would.
    other = run(server, tmp_path, *again, "--engine", "stub")
    assert "沿用上一次运行的答复：0" in other.stderr
