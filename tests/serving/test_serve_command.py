"""``citeseek serve`` as a process: what it says, when it refuses, and how it ends."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command import run_citeseek
from tests.loopback.models import HANG, ModelServer
from tests.serving.command import serving

from citeseek.extras import missing
from citeseek.surfaces.server.listening import address_of, listen

TOKEN = "marked-token-8c1d4e"


def refused(*args: str, **env: str) -> str:
    """Run a server that must not start; return its sentence."""
    done = run_citeseek("serve", *args, env={**os.environ, **env})
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


def test_it_says_where_it_is_when_it_answers_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        answer = server.call("GET", "/api/v1/health")
        assert answer.json()["status"] == "ok"
        assert "Server" not in answer.headers
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert server.call("GET", "/").status == 200
        code, told = server.end()
    assert code == 0
    assert [line.partition("：")[0] for line in told.splitlines()[-4:]] == [
        "citeseek: 回答",
        "citeseek: 搜索",
        "citeseek: 对话",
        "citeseek: 按 Ctrl-C 停止服务器。",
    ]


@pytest.mark.requirement("S1-64")
def test_a_plain_start_logs_once_what_its_settings_lead_to(tmp_path: Path) -> None:
    env = {
        "SEARXNG_BASE_URL": "http://user:marked-password@127.0.0.1:9",
        "CITESEEK_CHAT_RESULTS": "7",
        "CITESEEK_MODEL_API_KEY": "marked-key",
    }
    with serving(tmp_path, **env) as server:
        for _ in range(3):
            server.call("POST", "/api/v1/sessions", {})
        _, told = server.end()
    lines = told.splitlines()
    effective = [line for line in lines if line.startswith("citeseek: chat: engine ")]
    assert len(effective) == 1
    assert "5 results (default), 5 s (default)" in effective[0]
    # What was replaced, and what was set, each once.
    assert len([line for line in lines if "CITESEEK_CHAT_RESULTS" in line]) == 1
    assert lines.count("citeseek: model.api_key = set (environment: CITESEEK_MODEL_API_KEY)") == 1
    assert len(lines) == len(set(lines))
    assert "marked" not in told


@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM)], ids=["INT", "TERM"]
)
def test_streams_and_answers_do_not_hold_up_its_end(
    tmp_path: Path, how: signal.Signals, code: int
) -> None:
    with (
        ModelServer() as model,
        serving(tmp_path, CITESEEK_GRACE_SECONDS="0", **model.env) as server,
    ):
        model.says("A", HANG)
        session = server.call("POST", "/api/v1/sessions", {}).json()["id"]
        streams = [
            ("GET", f"/c/{session}/events", None),
            ("POST", f"/api/v1/sessions/{session}/messages", {"text": "tea"}),
            ("GET", f"/c/{session}/events", None),
        ]
        opened = [
            server.call.opened(method, path, body, {"Accept": "text/event-stream"})
            for method, path, body in streams
        ]
        answers: list[http.client.HTTPResponse] = [each.__enter__() for each in opened]
        assert [answer.status for answer in answers] == [200, 200, 200]
        model.reach(1).wait()
        assert server.end(how)[0] == code
        for each in opened:
            each.__exit__(None, None, None)


def test_what_was_written_is_there_after_the_end(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        session = server.call("POST", "/api/v1/sessions", {}).json()["id"]
        assert server.end()[0] == 0
    with serving(tmp_path) as server:
        assert server.call("GET", f"/api/v1/sessions/{session}").status == 200


# What is empty counts as not set.
NOTHING_SET = {"CITESEEK_SESSIONS": "", "CITESEEK_CHAT_ENGINE": "", "SEARXNG_BASE_URL": ""}


def told_of_conversations(told: str) -> str:
    (line,) = (each for each in told.splitlines() if each.startswith("citeseek: 对话："))
    return line.partition("：")[2]


def test_a_demo_with_nothing_set_finds_examples_and_leaves_nothing(tmp_path: Path) -> None:
    env = {**NOTHING_SET, "CITESEEK_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    with serving(tmp_path, "--demo", **env) as server:
        assert "示例页面" in server.call("GET", "/").text
        session = server.call("POST", "/api/v1/sessions", {"search": True}).json()["id"]
        asked = f"/api/v1/sessions/{session}/messages"
        answered = server.call("POST", asked, {"text": "tea"}, {"Accept": "text/event-stream"})
        assert "https://example.com/overview" in answered.text
        found = server.call("GET", "/api/v1/search?q=tea").json()
        assert {item["provider"] for item in found["items"]} == {"stub"}
        code, told = server.end()
    assert code == 0
    assert told_of_conversations(told) == "演示结束后不保留"
    assert list(tmp_path.rglob("*.sqlite3*")) == []


def test_a_demo_whose_store_is_set_names_it(tmp_path: Path) -> None:
    with serving(tmp_path, "--demo") as server:
        server.call("POST", "/api/v1/sessions", {})
        _, told = server.end()
    assert told_of_conversations(told) == str(tmp_path / "sessions.sqlite3")
    assert (tmp_path / "sessions.sqlite3").exists()


def test_a_demo_over_an_engine_elsewhere_claims_no_examples(tmp_path: Path) -> None:
    with serving(tmp_path, "--demo", CITESEEK_CHAT_ENGINE="mojeek") as server:
        assert "示例页面" not in server.call("GET", "/").text


def test_an_engine_that_there_is_not_is_replaced_by_what_is_said(tmp_path: Path) -> None:
    env = {"CITESEEK_CHAT_ENGINE": "nope", "SEARXNG_BASE_URL": ""}
    with serving(tmp_path, **env) as server:
        _, told = server.end()
    (line,) = (each for each in told.splitlines() if each.startswith("citeseek: 搜索："))
    assert line == "citeseek: 搜索：SearXNG，5 条结果，5 秒以内"


def test_with_a_token_it_may_listen_on_a_network(tmp_path: Path) -> None:
    everywhere = "0.0.0.0"  # noqa: S104 - behind the token
    with serving(tmp_path, "--host", everywhere, "-v", CITESEEK_TOKEN=TOKEN) as server:
        assert server.call("GET", "/api/v1/sessions").status == 401
        assert server.call("GET", "/api/v1/health").json() == {"status": "ok"}
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert server.call("GET", "/api/v1/sessions", headers=bearer).status == 200
        assert server.call("GET", "/", headers={**bearer, "Host": "evil.example"}).status == 421
        code, told = server.end()
    assert code == 0
    assert "GET '/api/v1/sessions' 401, " in told
    assert "server.token = set" in told
    assert TOKEN not in told


@pytest.mark.release
def test_names_without_a_token_are_worth_a_word(tmp_path: Path) -> None:
    hosts = {"CITESEEK_HOSTS": "chat.example"}
    with serving(tmp_path, **hosts) as server:
        assert server.call("GET", "/", headers={"Host": "chat.example"}).status == 200
        assert "whoever comes as chat.example gets in" in server.end()[1]
    with serving(tmp_path, **hosts, CITESEEK_TOKEN=TOKEN) as server:
        assert "gets in" not in server.end()[1]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "box"])  # noqa: S104 - refused
def test_without_a_token_it_listens_on_no_network(host: str) -> None:
    told = refused("--host", host)
    assert told.startswith(f"citeseek: 别的机器也能访问 {host}")
    assert "CITESEEK_TOKEN" in told
    assert told.count("\n") == 1
    assert refused(CITESEEK_HOST=host).endswith(told)


@pytest.mark.parametrize(
    ("args", "env", "word"),
    [
        ([], {"CITESEEK_TOKEN": "short-token"}, "不到 16 个字符"),
        (["--port", "65536"], {}, "不在 0 到 65535 之间"),
        (["--port", "web"], {}, "不是数字"),
        (["--host", "a b"], {}, "不是主机名或地址"),
        (["--host", "http://localhost"], {}, "不是主机名或地址"),
        (["--port", "0"], {"CITESEEK_SESSIONS": "/dev/null/x"}, "/dev/null/x"),
        (["--config", "no-such-file.json"], {}, "no-such-file.json"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_before_anything_starts(
    args: list[str], env: dict[str, str], word: str
) -> None:
    told = refused(*args, **env)
    assert word in told
    assert "short-token" not in told


def test_a_port_in_use_is_one_sentence() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = address_of(taken).rpartition(":")[2]
        told = refused("--port", port)
        assert told.startswith(f"citeseek: 127.0.0.1 的端口 {port} 已被占用。")
        assert told.count("\n") == 1
        assert refused(CITESEEK_PORT=port).endswith(told)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CITESEEK_METRICS", "maybe"),
        ("CITESEEK_PROXY_HEADER", "Remote User"),
        ("CITESEEK_PROXY_ADDRESSES", "10.0.0.555"),
        ("CITESEEK_PEOPLE", "älice:member:marked-token-8c1d4e"),
    ],
)
def test_what_refuses_the_start_does_not_count_as_not_set(name: str, value: str) -> None:
    told = refused("--port", "0", **{name: value})
    assert name in told
    assert told.count("\n") == 1
    assert "不算数" not in told


def test_what_a_start_does_not_hang_on_is_warned_of_once() -> None:
    env = {**os.environ, "CITESEEK_PROXY_ADDRESSES": "10.0.0.555"}
    warning, repair = run_citeseek("search", "tea", "-e", "stub", env=env).stderr.splitlines()[:2]
    assert "CITESEEK_PROXY_ADDRESSES" in warning
    assert "10.0.0.555" in warning
    assert repair == "citeseek: 修正设置：citeseek doctor config"


def test_without_the_extra_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from citeseek.surfaces.cli import main; sys.exit(main(['serve']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 2
    assert done.stderr == f"citeseek: {missing('serve')}\n"
