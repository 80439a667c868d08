"""The command line as a user runs it: real processes, exit codes, what goes to which stream."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command import CITESEEK, run_citeseek
from tests.conftest import page
from tests.loopback import LoopbackServer, faults, refused_port, replies
from tests.loopback.models import HANG, ModelServer

INTERRUPTED_IMPORT = """
import sys

class Interrupted:
    def find_spec(self, name, *_):
        if name == "citeseek.surfaces.cli":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
from citeseek.__main__ import main
sys.exit(main())
"""


def run(*args: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    return run_citeseek(*args, stdin=stdin, env={**os.environ, **env})


def at(server: LoopbackServer) -> dict[str, str]:
    return {"CITESEEK_DDG_HTML_URL": server.base_url, "CITESEEK_SEARXNG_URL": server.base_url}


@pytest.fixture
def ddg(server: LoopbackServer) -> LoopbackServer:
    server.on("/html/", replies.html(page("ddg_html/html_results_zh.html")))
    return server


def test_search_prints_numbered_results(ddg: LoopbackServer) -> None:
    done = run("search", "杭州 茶馆", "--engine", "ddg_html", **at(ddg))
    assert done.returncode == 0
    assert done.stdout.startswith("1. ")
    assert "ddg_html 给出 " in done.stderr
    assert done.stderr.count("\n") == 1
    assert "ddg_html 给出" not in done.stdout


@pytest.mark.parametrize(
    ("output", "keys"),
    [
        ("json", {"query", "provider", "items", "count", "took_ms", "cached", "ignored", "errors"}),
        ("contract", {"items"}),
        ("results", {"query", "results"}),
    ],
)
def test_search_prints_json_of_each_face(ddg: LoopbackServer, output: str, keys: set[str]) -> None:
    done = run("search", "茶", "-e", "ddg_html", "-f", output, **at(ddg))
    assert done.returncode == 0
    assert keys <= json.loads(done.stdout).keys()


def test_search_passes_every_option_on(ddg: LoopbackServer) -> None:
    options = ["--country", "de", "--freshness", "week", "--site", "example.com", "--page", "2"]
    options += ["--safesearch", "strict", "--count", "3", "--language", "de", "-f", "json"]
    done = run("search", "茶", "-e", "ddg_html", *options, **at(ddg))
    sent = dict(ddg.requests[0].form)
    assert sent["q"] == "茶 site:example.com"
    assert {"kl": "de-de", "df": "w", "kp": "1", "s": "10"}.items() <= sent.items()
    assert json.loads(done.stdout)["count"] == 3


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["green", "tea"], "green tea"),
        (["green tea", "-n", "3", "leaves", "--language", "de"], "green tea leaves"),
        (["-n", "3", "green", "tea"], "green tea"),
        (["-n", "3", "--", "tea", "-green", "--", "x"], "tea -green -- x"),
        (["tea", "-n", "3", "--", "-green"], "tea -green"),
        (["-5", "degrees"], "-5 degrees"),
    ],
)
def test_words_without_quotes_are_one_query(
    ddg: LoopbackServer, words: list[str], asked: str
) -> None:
    done = run("search", "-f", "json", "-e", "ddg_html", *words, **at(ddg))
    assert done.returncode == 0
    assert json.loads(done.stdout)["query"]["text"] == asked
    assert dict(ddg.requests[0].form)["q"] == asked


def test_words_without_quotes_are_one_question(ddg: LoopbackServer) -> None:
    done = run("ask", "龙井", "-e", "ddg_html", "怎么 泡", **at(ddg))
    assert done.returncode == 0
    assert dict(ddg.requests[0].form)["q"] == "龙井 怎么 泡"
    report = run("research", "green", "tea", "-e", "ddg_html", "--max-sources", "0", **at(ddg))
    assert report.returncode == 2
    assert "没有这样的参数" not in report.stderr


def test_a_conversation_is_left_by_its_words_and_needs_a_question() -> None:
    for word in ("/quit", "/exit"):
        left = run("ask", stdin=f"{word}\nand never this\n")
        assert (left.returncode, left.stdout, left.stderr) == (0, "", "")
    empty = run("ask", stdin="")
    assert (empty.returncode, empty.stdout) == (2, "")
    assert empty.stderr == "citeseek: 没有问题：请写在命令后面，或从标准输入给出。\n"


def test_a_command_without_what_it_is_about_ends_as_other_misuse() -> None:
    done = run("fetch")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("citeseek fetch：错误：缺少参数：URL\n")
    missing = run("ask", "tea", "--file", "/no/such/place.txt")
    assert missing.returncode == 2
    assert "没有文件 '/no/such/place.txt'。" in missing.stderr


def test_an_address_with_a_space_in_its_host_is_bad_input() -> None:
    done = run("fetch", "http://exa mple.com")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "citeseek: 地址里没有能读懂的主机。\n"


def test_settings_are_told_in_the_language_of_the_locale() -> None:
    told = run("settings").stdout
    assert "5，范围 3–5（默认）" in told
    assert "未设置 (默认)" in told
    assert "default" not in told


@pytest.mark.parametrize("command", ["search", "ask", "research"])
@pytest.mark.parametrize("words", [["tea", "-x"], ["-x", "tea"], ["--green"]])
def test_a_word_that_looks_like_an_option_is_told_how_to_write_it(
    command: str, words: list[str]
) -> None:
    done = run(command, *words)
    assert done.returncode == 2
    [dashed] = [word for word in words if word.startswith("-")]
    assert f"没有这样的参数：{dashed}（" in done.stderr
    assert (
        f"（以 - 开头又不是选项的词放在 -- 后面，例如：citeseek {command} -- tea -green）"
        in done.stderr
    )


def test_an_address_to_fetch_is_one_and_a_query_is_needed() -> None:
    done = run("fetch", "http://a.example/", "http://b.example/")
    assert done.returncode == 2
    assert "没有这样的参数：http://b.example/" in done.stderr
    missing = run("search")
    assert missing.returncode == 2
    assert "缺少参数：QUERY" in missing.stderr


def test_nothing_found_is_exit_code_1(server: LoopbackServer) -> None:
    server.otherwise(replies.html(page("ddg_html/no_results.html")))
    done = run("search", "茶", "-e", "ddg_html", **at(server))
    assert done.returncode == 1
    assert "没有找到" in done.stdout


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["search", ""], "没有写要搜索什么"),
        (["search", "\u3000 \n"], "没有写要搜索什么"),
        (["search", "x", "--count", "0"], "count"),
        (["search", "x", "--count", "99"], "count"),
        (["search", "x", "--engine", "ddg_htm"], "您是指 ddg_html 吗？"),
        (["search", "x", "--freshness", "fortnight"], "不是时间范围"),
        (["search", "x", "--freshness", "2026-02-01..2026-01-01"], "结束早于开始"),
        (["search", "x", "--country", "germany"], "国家或地区"),
        (["search", "x", "--page", "0"], "page"),
        (["search", "x", "--site", "not a host"], "主机名"),
        (["search", "x", "--timeout", "0"], "时限"),
        (["ask", " "], "消息是空的"),
        (["research", " "], "没有写问题"),
        (["--config", "no-such-file.json", "search", "x"], "no-such-file.json"),
    ],
    ids=str,
)
def test_bad_input_is_one_sentence_and_nothing_is_sent(
    server: LoopbackServer, args: list[str], word: str
) -> None:
    done = run(*args, **at(server))
    assert done.returncode == 2
    assert word in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not server.requests


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["verify", ""], "参数 FILE：'' 是空的"),
        (["watch", " "], "参数 ANSWER|REPORT：' ' 是空的"),
        (["search", "--batch", "", "--out", "x"], "参数 --batch：'' 是空的"),
        (["ask", "tea", "--file", ""], "参数 --file：'' 是空的"),
        (["search", "x", "-n", "3.5"], "参数 -n/--count：'3.5' 不是整数"),
        (["fetch", "http://a.example", "--timeout", "soon"], "参数 --timeout：'soon' 不是数字"),
    ],
    ids=str,
)
def test_a_value_that_no_option_has_is_told_in_words(args: list[str], told: str) -> None:
    done = run(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr.splitlines()[-1]


def test_an_unwritable_cache_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run("search", "x", "-e", "stub", CITESEEK_CACHE_DIR=str(tmp_path / "file" / "cache"))
    assert done.returncode == 2
    assert "缓存目录" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_failed_search_is_exit_code_3_and_one_sentence(server: LoopbackServer) -> None:
    server.otherwise(replies.html(page("ddg_html/blocked_anomaly.html"), 202))
    done = run("search", "x", "-e", "ddg_html", **at(server))
    assert done.returncode == 3
    assert "人工" in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_the_timeout_option_ends_the_search(server: LoopbackServer) -> None:
    server.otherwise(faults.hang())
    done = run("search", "x", "-e", "ddg_html", "--timeout", "0.5", **at(server))
    assert done.returncode == 3
    assert "0.5 秒" in done.stderr


def test_auto_falls_over_and_names_the_failure(ddg: LoopbackServer) -> None:
    with refused_port() as port:
        env = {**at(ddg), "CITESEEK_SEARXNG_URL": f"http://127.0.0.1:{port}"}
        done = run("search", "茶", "-f", "json", **env)
    answer = json.loads(done.stdout)
    assert answer["provider"] == "ddg_html"
    assert [(e["engine"], e["type"]) for e in answer["errors"]] == [("searxng", "NetworkError")]


def test_an_ignored_filter_is_said() -> None:
    done = run("search", "x", "-e", "stub", "--freshness", "day")
    assert done.returncode == 0
    assert "freshness" in done.stderr


def test_engines_lists_every_engine_and_hides_keys() -> None:
    done = run("engines", "--json", SEARXNG_API_KEY="key-to-hide")
    rows = {row["id"]: row for row in json.loads(done.stdout)}
    assert {"ddg_html", "searxng", "stub"} <= rows.keys()
    assert rows["searxng"]["key"] == "SEARXNG_API_KEY set"
    assert "key-to-hide" not in done.stdout + run("engines", SEARXNG_API_KEY="key-to-hide").stdout


@pytest.mark.requirement("P2")
def test_settings_prints_each_face_its_engine_and_its_origin() -> None:
    done = run("settings", "--json", WEB_SEARCH_BACKEND="ddg_html", CITESEEK_TIMEOUT="abc")
    report = json.loads(done.stdout)
    faces = {row["face"]: row for row in report["faces"]}
    assert faces["chat"]["engine"] == "searxng"
    assert faces["agent"]["engine"] == "duck-duck-scrape"
    assert faces["contract"]["engine"] == "ddg_html"
    assert faces["contract"]["engine_origin"] == "environment: WEB_SEARCH_BACKEND"
    assert any("CITESEEK_TIMEOUT" in warning for warning in report["warnings"])


def test_answers_are_kept_between_runs_in_a_cache_folder(
    ddg: LoopbackServer, tmp_path: Path
) -> None:
    env = {**at(ddg), "CITESEEK_CACHE_DIR": str(tmp_path)}
    first = json.loads(run("search", "茶", "-e", "ddg_html", "-f", "json", **env).stdout)
    second = json.loads(run("search", "茶", "-e", "ddg_html", "-f", "json", **env).stdout)
    assert (first["cached"], second["cached"]) == (False, True)
    assert first["items"] == second["items"]
    assert len(ddg.requests) == 1


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("citeseek ")
    assert "--engine" in run("search", "--help").stdout


def test_help_and_usage_are_plain_whatever_python_would_colour() -> None:
    for args in (("search", "--help"), ("search", "--nothing")):
        done = run(*args, FORCE_COLOR="1", PYTHON_COLORS="1")
        assert "用法：citeseek search" in done.stdout + done.stderr
        assert "\x1b" not in done.stdout + done.stderr


def test_ask_answers_with_numbers_and_references(ddg: LoopbackServer) -> None:
    done = run("ask", "阳台种番茄多久浇水一次", "-e", "ddg_html", **at(ddg))
    assert done.returncode == 0
    answer, _, references = done.stdout.partition("参考文献")
    cited = {int(number) for number in re.findall(r"\[(\d+)\]", answer)}
    listed = {int(number) for number in re.findall(r"^(\d+)\. ", references, re.MULTILINE)}
    assert cited
    assert cited <= listed
    assert "未配置语言模型" in answer


@pytest.mark.release
def test_ask_as_markdown_links_each_number_to_its_own_page(ddg: LoopbackServer) -> None:
    options = ["-e", "ddg_html", "-f"]
    rendered = run("ask", "阳台种番茄多久浇水一次", *options, "markdown", **at(ddg)).stdout
    told = json.loads(run("ask", "阳台种番茄多久浇水一次", *options, "json", **at(ddg)).stdout)
    pages = {source["number"]: source["url"] for source in told["sources"]}
    links = re.findall(r"\[\[(\d+)\]\]\(([^)]+)\)", rendered)
    assert links
    assert all(pages[int(number)] == url for number, url in links)
    assert {int(number) for number, _ in links} == {
        source["number"] for source in told["sources"] if source["cited"]
    }


def test_ask_goes_on_when_the_search_failed_and_says_so(server: LoopbackServer) -> None:
    server.otherwise(replies.status(502))
    done = run("ask", "tea?", "-e", "searxng", **at(server))
    assert done.returncode == 3
    assert "搜索失败" in done.stderr
    assert "SearXNG 部署" in done.stderr
    assert "no search results this time" in done.stdout
    assert "参考文献" not in done.stdout


def test_ask_reads_questions_in_turn(ddg: LoopbackServer) -> None:
    done = run("ask", "-e", "ddg_html", stdin="阳台种番茄\n\n \n番茄浇水\n", **at(ddg))
    assert done.returncode == 0
    assert done.stdout.count("参考文献") == 2
    assert "from cache" not in done.stderr
    assert [request.param("q") for request in ddg.requests] == ["阳台种番茄", "番茄浇水"]


def test_ask_in_agent_mode_groups_its_sources_by_search(ddg: LoopbackServer) -> None:
    done = run("ask", "番茄浇水", "-e", "ddg_html", "-m", "agent", "-f", "markdown", **at(ddg))
    assert done.returncode == 0
    assert "### 第 1 轮搜索：番茄浇水" in done.stdout


def test_ask_reads_the_pages_that_were_found(server: LoopbackServer) -> None:
    sentence = "The tea house at the lake closes at half past nine."
    server.on("/open", replies.html(f"<article><p>{sentence}</p><p>{sentence}</p></article>"))
    server.on("/wall", replies.status(403))
    pages = [
        {"url": server.url(path), "title": path, "content": "About tea."}
        for path in ("/wall", "/open")
    ]
    server.on("/search", replies.as_json({"results": pages}))
    asked = ["ask", "When does the tea house close?", "-e", "searxng", "--read"]
    own = {"WEB_FETCH_ALLOW": "127.0.0.1", "WEB_FETCH_DELAY_SECONDS": "0"}
    env = {**at(server), **own, "CITESEEK_CHAT_READ_TIMEOUT": "60"}
    done = run(*asked, **env)
    assert done.returncode == 0
    assert f"{sentence} [2]" in done.stdout
    assert "/open - 127.0.0.1 (已读)" in done.stdout
    assert "/wall - 127.0.0.1 (仅检索到，未读)" in done.stdout
    told = json.loads(run(*asked, "-f", "json", **env).stdout)
    assert [source["was_read"] for source in told["sources"]] == [False, True]
    refused = run("ask", "tea", "--read", "--mode", "agent", **env)
    assert refused.returncode == 2
    assert "agent 模式由模型决定" in refused.stderr


@pytest.mark.release
def test_ask_behind_a_gate_tells_the_verdicts(server: LoopbackServer) -> None:
    sentence = "The tea house at the lake closes at half past nine."
    server.on("/open", replies.html(f"<article><p>{sentence}</p><p>{sentence}</p></article>"))
    results = [{"url": server.url("/open"), "title": "Tea", "content": "About tea."}]
    server.on("/search", replies.as_json({"results": results}))
    asked = ["ask", "When does the tea house close?", "-e", "searxng", "--read", "--gate", "mark"]
    own = {"WEB_FETCH_ALLOW": "127.0.0.1", "WEB_FETCH_DELAY_SECONDS": "0"}
    env = {**at(server), **own, "CITESEEK_CHAT_READ_TIMEOUT": "60"}
    done = run(*asked, **env)
    assert done.returncode == 0
    assert "[1] 支持" in done.stderr
    assert f"“{sentence}”" in done.stderr
    markdown = run(*asked, "-f", "markdown", **env).stdout
    assert "## 逐句核对" in markdown
    told = json.loads(run(*asked, "-f", "json", **env).stdout)
    assert [each["fate"] for each in told["judged"]] == ["kept"]
    assert run("ask", "tea", "--gate", "shut").returncode == 2


def test_ask_without_search_asks_no_engine(ddg: LoopbackServer) -> None:
    done = run("ask", "番茄", "-e", "ddg_html", "--no-search", **at(ddg))
    assert done.returncode == 0
    assert not ddg.requests
    assert "参考文献" not in done.stdout
    assert "没有进行联网搜索" in done.stdout
    assert "请去掉 --no-search" in done.stderr
    assert run("ask", "番茄", "--no-search", "-m", "agent").returncode == 2


def test_ask_as_an_agent_of_agents_json(ddg: LoopbackServer, tmp_path: Path) -> None:
    agents = tmp_path / "agents.json"
    agents.write_text('{"agents": [{"id": "on", "webSearch": {"enabled": true}}, {"id": "off"}]}')
    files = ["--agents", str(agents), "ask", "番茄浇水", "-f", "json", "--agent"]
    told = {
        agent_id: json.loads(run(*files, agent_id, **at(ddg)).stdout) for agent_id in ("on", "off")
    }
    assert [search["provider"] for search in told["on"]["searches"]] == ["duck-duck-scrape"]
    assert told["off"]["searches"] == []
    assert [notice["code"] for notice in told["off"]["notices"]] == ["no_search_tool"]
    unknown = run(*files, "nobody", **at(ddg))
    assert unknown.returncode == 2
    assert "已有的：on, off" in unknown.stderr


def test_ask_obeys_commands_in_a_conversation(ddg: LoopbackServer) -> None:
    lines = "/search off\n番茄\n/search\n/search on\n番茄\n/nonsense\n"
    done = run("ask", "-e", "ddg_html", stdin=lines, **at(ddg))
    assert done.returncode == 0
    assert len(ddg.requests) == 1
    assert done.stderr.count("联网搜索：关闭") == 2
    assert "无法理解的命令" in done.stderr


def test_ask_goes_on_with_a_conversation_that_was_kept(ddg: LoopbackServer, tmp_path: Path) -> None:
    env = {**at(ddg), "CITESEEK_SESSIONS": str(tmp_path / "sessions.sqlite3")}
    run("ask", "-e", "ddg_html", "-m", "agent", stdin="番茄浇水\n", **env)
    with sqlite3.connect(env["CITESEEK_SESSIONS"]) as kept:
        (session_id,) = kept.execute("SELECT id FROM sessions").fetchone()
    kept.close()
    more = run("ask", "阳台", "-e", "ddg_html", "--session", session_id, "-f", "markdown", **env)
    assert more.returncode == 0
    assert "### 第 1 轮搜索：阳台" in more.stdout
    unknown = run("ask", "x", "--session", "nobody", **env)
    assert unknown.returncode == 2
    assert "没有对话" in unknown.stderr


def test_a_kept_conversation_has_its_switch_and_engine_as_they_were(
    ddg: LoopbackServer, tmp_path: Path
) -> None:
    env = {**at(ddg), "CITESEEK_SESSIONS": str(tmp_path / "sessions.sqlite3")}
    first = run("ask", "-e", "ddg_html", "-f", "json", stdin="番茄\n/search off\n", **env)
    session = ["--session", json.JSONDecoder().raw_decode(first.stdout)[0]["session"]]
    assert session[1] in first.stderr
    asked = len(ddg.requests)
    assert run("ask", "浇水", *session, **env).returncode == 0
    assert len(ddg.requests) == asked
    assert run("ask", *session, stdin="/search on\n浇水\n", **env).returncode == 0
    assert len(ddg.requests) == asked + 1
    assert run("ask", "x", *session, "--agent", "a", **env).returncode == 2
    assert run("ask", "x", *session, "--mode", "agent", "--no-search", **env).returncode == 2


def test_ask_asks_whom_a_search_would_ask() -> None:
    done = run("ask", "tea", "-f", "json", CITESEEK_ENGINE="stub")
    assert json.loads(done.stdout)["searches"][0]["provider"] == "stub"


def test_ctrl_c_while_the_command_line_loads_leaves_no_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.release
def test_ctrl_c_in_the_middle_of_an_answer_leaves_no_traceback() -> None:
    with ModelServer() as model:
        model.says("A\x1b[31mB [1] ", HANG)
        with subprocess.Popen(
            [sys.executable, "-m", "citeseek", "ask", "tea", "-e", "stub"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **model.env},
        ) as asking:
            model.reach(1).wait(30)
            asking.send_signal(signal.SIGINT)
            written, told = asking.communicate(timeout=20)
    assert asking.returncode == 130
    assert "Traceback" not in told
    assert "\x1b" not in written


def test_a_wrong_address_of_the_model_sends_nothing_anywhere() -> None:
    env = {"CITESEEK_MODEL": "openai:test", "CITESEEK_MODEL_API_KEY": "marked-key-5f3a9c"}
    done = run("ask", "tea", "-e", "stub", CITESEEK_MODEL_BASE_URL="not an address", **env)
    assert done.returncode == 3
    assert "CITESEEK_MODEL_BASE_URL" in done.stderr
    assert "没有发送任何内容" in done.stderr


def test_ask_with_a_model_that_cannot_be_reached() -> None:
    env = {"CITESEEK_MODEL": "openai:test", "CITESEEK_MODEL_API_KEY": "marked-key-5f3a9c"}
    with refused_port() as port:
        address = f"http://127.0.0.1:{port}/v1"
        done = run("ask", "tea", "-e", "stub", CITESEEK_MODEL_BASE_URL=address, **env)
    assert done.returncode == 3
    assert "模型没有完成回答" in done.stderr
    assert "其他来源" in done.stdout
    assert "marked-key" not in done.stdout + done.stderr


def test_several_engines_are_merged(ddg: LoopbackServer) -> None:
    ddg.on("/search", replies.html(page("searxng/search_zh.json")))
    done = run("search", "番茄", "-e", "ddg_html", "-e", "searxng", "-f", "json", **at(ddg))
    answer = json.loads(done.stdout)
    assert answer["provider"] == "ddg_html+searxng"
    assert any({"ddg_html", "searxng"} <= set(item["engines"]) for item in answer["items"])


def test_engines_check_is_exit_code_3_when_something_is_wrong(
    ddg: LoopbackServer, tmp_path: Path
) -> None:
    env = {**at(ddg), "CITESEEK_EVIDENCE_DIR": str(tmp_path)}
    well = run("engines", "check", "ddg_html", "--json", **env)
    assert (well.returncode, json.loads(well.stdout)[0]["state"]) == (0, "ok")
    ddg.on("/html/", replies.html(page("ddg_html/drift.html")))
    ill = run("engines", "check", "ddg_html", **env)
    assert ill.returncode == 3
    assert "drifted" in ill.stdout
    assert [path.suffix for path in sorted(tmp_path.iterdir())] == [".html", ".json"]


HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31mtea\x9b31m\u202eesuoh\x7f"


@pytest.mark.parametrize("output", ["table", "text", "json"])
def test_a_result_cannot_speak_to_the_terminal(server: LoopbackServer, output: str) -> None:
    result = {"title": HOSTILE, "url": "https://e.example/", "content": f"{HOSTILE}\n[7] fake"}
    server.otherwise(replies.as_json({"results": [result]}))
    done = run("search", HOSTILE, "-e", "searxng", "-f", output, **at(server))
    assert done.returncode == 0
    assert not set("\x1b\x07\x7f\x9b\u202e") & set(done.stdout)
    assert "\n[7]" not in done.stdout


def test_a_query_survives_a_locale_that_is_not_utf8(ddg: LoopbackServer) -> None:
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", **at(ddg)}
    assert run("search", "轮胎 abc", "-e", "ddg_html", **env).returncode == 0
    assert ddg.requests[0].param("q") == "轮胎 abc"


def test_what_a_stream_cannot_show_does_not_end_the_program() -> None:
    done = run("search", "茶", "-e", "stub", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "\\u8336" in done.stdout


@pytest.mark.sample(1)
@pytest.mark.parametrize("command", ["search x -e stub", "ask x -e stub", "engines", "settings"])
def test_closed_streams_leave_no_traceback(command: str) -> None:
    program = f"{sys.executable} -m citeseek {command}"
    for closed, code in (("<&-", 0), ("2>&-", 0), (">/dev/full", 4), ("| head -c 1", 0)):
        line = f"set -o pipefail; {program} {closed}"
        done = subprocess.run(
            ["bash", "-c", line], capture_output=True, text=True, errors="replace", check=False
        )
        assert "Traceback" not in done.stderr
        assert done.returncode == code, (closed, done.stderr)


def test_questions_from_a_pipe_tell_the_worst_outcome(server: LoopbackServer) -> None:
    server.otherwise(replies.status(502))
    assert run("ask", "-e", "searxng", stdin="tea\nhouse\n", **at(server)).returncode == 3


def test_a_damaged_settings_file_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"a":' * 5000)
    done = run("--config", str(path), "search", "x")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("backend", "provider"), [("", "stub"), ("searxng", "searxng")])
@pytest.mark.requirement("S3-30", "S3-34")
def test_the_contract_s_format_searches_as_the_contract_does(
    server: LoopbackServer, backend: str, provider: str
) -> None:
    found = {"title": "Tea", "url": "https://tea.example/", "content": "Steamed.", "engine": "own"}
    server.on("/search", replies.as_json({"query": "tea", "results": [found]}))
    env = {"SEARXNG_BASE_URL": server.base_url, "WEB_SEARCH_BACKEND": backend}
    done = run("search", "tea", "-f", "contract", **env)
    assert done.returncode == 0
    providers = {item["provider"] for item in json.loads(done.stdout)["items"]}
    assert providers == {provider}
    assert len(server.requests) == (provider == "searxng")


@pytest.mark.sample(3)
@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "ascii", "utf-8"])
@pytest.mark.parametrize(
    "command",
    [
        ("search", "señor 茶 🍵", "-e", "stub", "-f", "json"),
        ("search", "señor 茶 🍵", "-e", "stub", "-f", "results"),
        ("search", " ", "-f", "json"),
        ("doctor", "config", "--json"),
        ("settings", "--json"),
        ("engines", "--json"),
        ("tools",),
    ],
    ids="-".join,
)
def test_json_is_valid_in_every_encoding(command: tuple[str, ...], encoding: str) -> None:
    env = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(
        [*CITESEEK, *command], env=env, capture_output=True, timeout=60, check=False
    )
    told = json.loads(done.stdout.decode(encoding))
    if "results" in command:
        assert told["query"] == "señor 茶 🍵"


def test_engines_are_checked_by_the_option_of_the_other_commands(ddg: LoopbackServer) -> None:
    done = run("engines", "check", "-e", "ddg_html", "--engine", "stub", "--json", **at(ddg))
    assert [row["engine"] for row in json.loads(done.stdout)] == ["ddg_html", "stub"]
