"""Settings files and environment: what is wrong is told with its line and what was meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeseek.health import Finding, read_files
from citeseek.health.config import check_config
from citeseek.health.json_places import broken_at, places


def found(home: Path, **env: str) -> list[Finding]:
    return check_config(read_files(env={"CITESEEK_HOME": str(home), **env}))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def test_without_files_it_says_where_they_would_lie(home: Path) -> None:
    (finding,) = found(home)
    assert (finding.code, finding.status) == ("files", "ok")
    for name in ("config.json", "agents.json", "sessions.sqlite3"):
        assert str(home / name) in finding.seen
    assert "没有" in finding.seen


def test_broken_json_is_an_error_with_line_and_column(home: Path) -> None:
    (home / "config.json").write_text('{\n  "chat": {\n    "results": 4\n    "x": 1}\n}')
    (home / "agents.json").write_text('{"agents": [{"id": "main", "webSearch": {"provdr": 1}}]}')
    broken, unknown, _ = found(home)
    assert (broken.code, broken.status) == ("unreadable", "error")
    assert "第 4 行第 5 列" in broken.seen
    assert f"sed -n 4p {home / 'config.json'}" in broken.repair
    assert unknown.code == "unknown_name"


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b'{"a": NaN}', b"[" * 100_000])
def test_whatever_is_in_a_file_is_a_finding(content: bytes, home: Path) -> None:
    (home / "config.json").write_bytes(content)
    assert [finding.code for finding in found(home)] == ["unreadable", "files"]


def test_a_file_that_was_named_and_is_not_there(home: Path) -> None:
    files = read_files(home / "none.json", env={"CITESEEK_HOME": str(home)})
    assert [problem.code for problem in files.problems] == ["unreadable"]
    assert "none.json" in files.problems[0].seen


def test_unknown_names_are_told_with_their_line_and_the_nearest_known_one(home: Path) -> None:
    config = {
        "chat": {"reslts": 4},
        "engines": {"serxng": {"base_url": "http://a:1"}, "brave": {"apikey": "k"}},
    }
    (home / "config.json").write_text(json.dumps(config, indent=1))
    agents = {"agents": [{"id": "main", "webSearch": {"enabled": True, "provdr": "brave"}}]}
    (home / "agents.json").write_text(json.dumps(agents, indent=1))
    findings = found(home, CITESEEK_CHAT_RESLTS="4")
    told = [(f.seen.partition(" (this")[0], f.repair[0].split()[-1]) for f in findings[:-1]]
    assert sorted(told) == [
        ("agents.json 第 7 行 (line 7)：不认识 main.webSearch.provdr", "main.webSearch.provider"),
        ("config.json 第 10 行 (line 10)：不认识 engines.brave.apikey", "engines.brave.api_key"),
        ("config.json 第 3 行 (line 3)：不认识 chat.reslts", "chat.results"),
        ("config.json 第 6 行 (line 6)：不认识 engines.serxng", "engines.searxng"),
        ("环境变量 (environment)：不认识 CITESEEK_CHAT_RESLTS", "CITESEEK_CHAT_RESULTS"),
    ]
    assert {finding.status for finding in findings[:-1]} == {"warning"}


def test_another_name_of_an_engine_is_led_to_its_id(home: Path) -> None:
    config = {"engines": {"duck-duck-scrape": {"timeout_ms": 2000}}}
    (home / "config.json").write_text(json.dumps(config))
    assert found(home)[0].repair == ("# 应为 (meant): engines.ddg_html",)


def test_invalid_values_are_told_with_their_line(home: Path) -> None:
    config = {
        "chat": {"results": 99},
        "engines": {"brave": {"timeout_ms": "soon"}, "searxng": {"base_url": "ftp://marked"}},
        "web": [],
    }
    (home / "config.json").write_text(json.dumps(config, indent=1))
    agents = {"agents": [{"id": "main", "webSearch": {"maxResults": "x", "apiKey": "marked"}}]}
    (home / "agents.json").write_text(json.dumps(agents, indent=1))
    findings = found(home, CITESEEK_TIMEOUT="-3", HTTP_PROXY="not a proxy")
    seen = " ".join(finding.seen for finding in findings)
    assert {finding.code for finding in findings[:-1]} == {"invalid"}
    for part in (
        "第 3 行 (line 3) chat.results：99",
        "第 7 行 (line 7) engines.brave.timeout_ms：'soon'",
        "第 10 行 (line 10) engines.searxng.base_url：",
        "第 13 行 (line 13) web：",
        "agents.json 第 6 行 (line 6) main.webSearch.maxResults：",
        "agents.json 第 5 行 (line 5) main.webSearch：",
        "CITESEEK_TIMEOUT：'-3'",
        "HTTP_PROXY：",
    ):
        assert part in seen
    assert "marked" not in seen


def test_warnings_of_other_parts_are_not_the_files(home: Path) -> None:
    files = read_files(env={"CITESEEK_HOME": str(home)})
    files.settings.sources.warn("somebody else's")
    assert [finding.code for finding in check_config(files)] == ["files"]


def test_places_of_names_in_json() -> None:
    text = '{"a": {"b,": [1, {"c\\"": "x: y"},\n {"d": []}],\n "e": {}},\n"f": "{"}'
    assert places(text) == {
        "a": 1,
        "a.b,": 1,
        'a.b,.1.c"': 1,
        "a.b,.2.d": 2,
        "a.e": 3,
        "f": 4,
    }
    assert broken_at(text) is None
    assert broken_at("{") == (1, 2)
