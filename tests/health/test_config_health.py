"""Settings files and environment: what is wrong is told with its line and what was meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeseek.health.finding import Finding
from citeseek.health.settings.config_check import check_config
from citeseek.health.settings.readable_files import Name, names_in, read_files
from citeseek.settings.setting import Origin

FAILS = "用它的搜索都会失败。"
MEANT_BRAVE = "# 应为: brave"


def nested(path: str, value: object) -> object:
    """Return the tree that holds ``value`` at the dotted ``path``."""
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


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
    assert (broken.code, broken.status) == ("not_json", "error")
    assert "第 4 行第 5 列" in broken.seen
    assert broken.repair[0].startswith(f"sed -n 4p {home / 'config.json'} ")
    assert unknown.code == "unknown_name"


@pytest.mark.parametrize(
    ("content", "code", "told"),
    [
        (b"", "not_json", "第 1 行第 1 列起不是 JSON：文件是空的"),
        (b"\xff", "not_json", "第 1 行第 1 列起不是 JSON：不是 UTF-8 文字"),
        (b'{"a": 1,\n "b": NaN}', "not_json", "第 2 行第 7 列起不是 JSON：JSON 没有 NaN 这个值"),
        (b'{\n"a": 1e400}', "not_json", "第 2 行第 6 列起不是 JSON：数字超出范围"),
        (b"[]", "not_an_object", "not a list"),
        (b"null", "not_an_object", "not null"),
        (b"true", "not_an_object", "not true or false"),
        (b"1.5", "not_an_object", "not a number"),
        (b'"x"', "not_an_object", "not a text"),
        (b"[" * 100_000, "too_deep", "嵌套太深"),
    ],
)
@pytest.mark.parametrize("name", ["config.json", "agents.json"])
def test_whatever_is_in_a_file_is_a_finding(
    content: bytes, code: str, told: str, name: str, home: Path
) -> None:
    (home / name).write_bytes(content)
    wrong, files = found(home)
    assert (wrong.code, wrong.status, files.code) == (code, "error", "files")
    assert told in wrong.seen
    assert str(home / name) in wrong.seen


def test_a_file_that_cannot_be_read_is_not_called_bad_json(home: Path) -> None:
    (home / "config.json").mkdir()
    folder, _ = found(home)
    assert (folder.code, folder.status) == ("unreadable", "error")
    assert folder.seen.endswith("：是目录。")
    assert "行" not in folder.seen
    assert folder.repair[0].startswith(f"ls -ld {home / 'config.json'} ")


def test_a_file_that_was_named_and_is_not_there(home: Path) -> None:
    files = read_files(home / "none.json", env={"CITESEEK_HOME": str(home)})
    (missing,) = files.problems
    assert (missing.code, missing.status) == ("missing", "error")
    assert str(home / "none.json") in missing.seen
    assert missing.repair[0].startswith(f"ls -la {home} ")
    (_, where) = check_config(files)
    # Programs that are given it do not start, so nothing is used in its place.
    config, _, agents = where.seen.partition("agents.json")
    assert "默认值" not in config
    assert "（没有）" in config
    assert "默认值" in agents


def test_unknown_names_are_told_with_their_line_and_the_nearest_known_one(home: Path) -> None:
    config = {
        "chat": {"reslts": 4},
        "engines": {"serxng": {"base_url": "http://a:1"}, "brave": {"apikey": "k"}},
    }
    (home / "config.json").write_text(json.dumps(config, indent=1))
    agents = {"agents": [{"id": "main", "webSearch": {"enabled": True, "provdr": "brave"}}]}
    (home / "agents.json").write_text(json.dumps(agents, indent=1))
    findings = found(home, CITESEEK_CHAT_RESLTS="4")
    told = [(f.seen.removesuffix("。"), f.repair[0].split()[-1]) for f in findings[:-1]]
    assert sorted(told) == [
        ("agents.json 第 7 行：不认识 main.webSearch.provdr", "main.webSearch.provider"),
        ("config.json 第 10 行：不认识 engines.brave.apikey", "engines.brave.api_key"),
        ("config.json 第 3 行：不认识 chat.reslts", "chat.results"),
        ("config.json 第 6 行：不认识 engines.serxng", "engines.searxng"),
        ("环境变量：不认识 CITESEEK_CHAT_RESLTS", "CITESEEK_CHAT_RESULTS"),
    ]
    assert {finding.status for finding in findings[:-1]} == {"warning"}


def test_another_name_of_an_engine_is_led_to_its_id(home: Path) -> None:
    config = {"engines": {"duck-duck-scrape": {"timeout_ms": 2000}}}
    (home / "config.json").write_text(json.dumps(config))
    assert found(home)[0].repair == ("# 应为: engines.ddg_html",)


@pytest.mark.parametrize(
    ("path", "value", "meant"),
    [
        ("chat.count", 3, "chat.results"),
        ("chat.max_results", 3, "chat.results"),
        ("chat.provider", "x", "chat.engine"),
        ("chat.deadline", 3, "chat.timeout_seconds"),
        ("search.results", 3, "search.count"),
        ("search.backend", "x", "search.engine"),
        ("web.search.engine", "x", "web.search.backend"),
        ("web.search.timeout_ms", 5, "WEB_SEARCH_TIMEOUT_MS"),
        ("tools.webSearch.count", 3, "tools.webSearch.maxResults"),
        ("tools.webSearch.engine", "x", "tools.webSearch.defaultProvider"),
        ("tools.websearch", {"maxResults": 3}, "tools.webSearch"),
        ("tools.webSearch.providers.brave.key", "x", "tools.webSearch.providers.brave.apiKey"),
        ("engines.brave.token", "x", "engines.brave.api_key"),
        ("engines.brave.url", "http://a", "engines.brave.base_url"),
        ("engines.nosuch", {}, None),
        ("engines.dukduckgo", {}, "engines.ddg_html"),
        ("cache.folder", "x", "cache.dir"),
        ("assistant.model", "x", "assistant.model.name"),
        ("server.address", "x", "server.host"),
        ("cht", {"results": 3}, "chat"),
        ("Chat", {"results": 3}, "chat"),
        ("webSearch", {"maxResults": 3}, "tools.webSearch"),
        ("fetch", {"proxy": "x"}, "web.fetch"),
        ("brave", {"api_key": "x"}, "engines.brave"),
        ("engine", "x", "search.engine"),
        ("count", 3, "search.count"),
        ("port", 80, "server.port"),
        ("model", "x", "assistant.model.name"),
        ("model", {"name": "x"}, "assistant.model"),
    ],
)
def test_what_was_meant_by_an_unknown_name(
    path: str, value: object, meant: str | None, home: Path
) -> None:
    (home / "config.json").write_text(json.dumps(nested(path, value)))
    unknown = found(home)[0]
    assert (unknown.code, unknown.status) == ("unknown_name", "warning")
    assert f"第 1 行：不认识 {path}。" in unknown.seen
    assert unknown.repair == ((f"# 应为: {meant}",) if meant else ())


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CITESEEK_CHAT_COUNT", "CITESEEK_CHAT_RESULTS"),
        ("CITESEEK_CHAT_TIMEOUT_SECONDS", "CITESEEK_CHAT_TIMEOUT"),
        ("CITESEEK_CHAT_PROVIDER", "CITESEEK_CHAT_ENGINE"),
        ("CITESEEK_CACHE_FOLDER", "CITESEEK_CACHE_DIR"),
        ("CITESEEK_BRAVE_BASE_URL", "CITESEEK_BRAVE_URL"),
        ("CITESEEK_NOTHING_LIKE_IT", None),
    ],
)
def test_what_was_meant_by_an_unknown_variable(name: str, meant: str | None, home: Path) -> None:
    (unknown, _) = found(home, **{name: "3"})
    assert unknown.seen.startswith(f"环境变量：不认识 {name}。")
    assert unknown.repair == ((f"# 应为: {meant}",) if meant else ())


@pytest.mark.requirement("S2-60")
def test_what_is_another_programs_is_named_and_left_alone(home: Path) -> None:
    config = {
        "gateway": {"port": 1},
        "tools": {"exec": {}, "webSearch": {}},
        "agents": {"defaults": {}},
        "channels": [],
    }
    (home / "config.json").write_text(json.dumps(config, indent=1))
    agents = {"version": 2, "agents": [{"id": "main", "name": "Main", "tools": {}}]}
    (home / "agents.json").write_text(json.dumps(agents))
    others, _ = found(home)
    assert (others.code, others.status) == ("not_ours", "skipped")
    assert others.seen.startswith("config.json 第 2 行：gateway, agents, channels 不是")


@pytest.mark.requirement("P15")
def test_unknown_engines_are_told_with_what_comes_of_them(home: Path) -> None:
    config = {
        "chat": {"engine": "nosuch"},
        "web": {"search": {"backend": "serxng"}},
        "search": {"engine": "AUTO", "engines": ["brave", "brve"], "fallback": ["nosuch"]},
        "browser": {"engine": "Google"},
    }
    (home / "config.json").write_text(json.dumps(config, indent=1))
    agents = {"agents": [{"id": "main", "webSearch": {"provider": "perplexity"}}]}
    (home / "agents.json").write_text(json.dumps(agents, indent=1))
    findings = found(home, CITESEEK_AGENT_ENGINE="baido", BRAVE_API_KEY="k")[:-1]
    told = {(one.seen.partition("：")[0], one.status, one.why, one.repair[-1]) for one in findings}
    which = "citeseek engines  # 有哪些引擎"
    assert told == {
        ("config.json 第 3 行 chat.engine", "warning", "改用 searxng 搜索。", which),
        (
            "config.json 第 7 行 web.search.backend",
            "warning",
            "改用 stub 搜索。",
            "# 应为: searxng",
        ),
        ("config.json 第 12 行 search.engines", "error", FAILS, MEANT_BRAVE),
        ("config.json 第 16 行 search.fallback", "error", FAILS, which),
        (
            "agents.json 第 6 行 main.webSearch.provider",
            "warning",
            "改用 duck-duck-scrape 搜索。",
            which,
        ),
        (
            "环境变量 CITESEEK_AGENT_ENGINE",
            "warning",
            "改用 duck-duck-scrape 搜索。",
            "# 应为: baidu_html",
        ),
    }


def test_agents_that_count_as_nothing_are_told(home: Path) -> None:
    agents = {
        "agents": [
            5,
            {"webSearch": {"enabled": True}},
            {"id": "a", "webSearch": []},
            {"id": "b", "webSearch": {"enabled": "true"}},
            {"id": "c", "websearch": {"enabled": True}},
        ]
    }
    (home / "agents.json").write_text(json.dumps(agents, indent=1))
    told = [
        (one.code, one.seen.partition("第 ")[2].removeprefix(""), one.repair)
        for one in found(home)[:-1]
    ]
    mend = ("citeseek settings  # 现在生效的值",)
    assert told == [
        ("invalid", "2 行 agents.0：要是对象；当作没有。", mend),
        ("invalid", "2 行 agents.1：没有 id；当作没有。", mend),
        ("invalid", "11 行 agents.2.webSearch：要是对象；这一项不算数。", mend),
        (
            "invalid",
            "16 行 agents.3.webSearch.enabled：要是 true 或 false；当作 false。",
            mend,
        ),
        (
            "unknown_name",
            "21 行：不认识 agents.4.websearch。",
            ("# 应为: agents.4.webSearch",),
        ),
    ]
    (home / "agents.json").write_text('{"agents": {"main": {}}, "agent": []}')
    shape, other, _ = found(home)
    assert "第 1 行 agents：要是列表" in shape.seen
    assert other.repair == ("# 应为: agents",)


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
    assert {finding.code for finding in findings[:-1]} == {"invalid", "unusable"}
    for part in (
        "第 3 行 chat.results：99",
        "第 7 行 engines.brave.timeout_ms：'soon'",
        "第 10 行 engines.searxng.base_url：",
        "第 13 行 web：",
        "agents.json 第 6 行 main.webSearch.maxResults：",
        "agents.json 第 5 行 main.webSearch：",
        "CITESEEK_TIMEOUT：'-3'",
        "HTTP_PROXY：",
    ):
        assert part in seen
    assert "marked" not in seen


def test_warnings_of_other_parts_are_not_the_files(home: Path) -> None:
    files = read_files(env={"CITESEEK_HOME": str(home)})
    files.settings.sources.warn(Origin("options", "provider"), "unreadable", "somebody else's")
    assert [finding.code for finding in check_config(files)] == ["files"]


def test_places_of_names_in_json() -> None:
    text = '{"a": {"b,": [1, {"c\\"": "x: y"},\n {"d": []}],\n "e": {}},\n"f": "{"}'
    assert list(names_in(text)) == [
        Name("a", 1),
        Name("a.b,", 1),
        Name('a.b,.1.c"', 1),
        Name("a.b,.2.d", 2),
        Name("a.e", 3),
        Name("f", 4),
    ]


def test_a_name_that_stands_twice_in_one_object_is_told_with_its_line(home: Path) -> None:
    text = '{"web": {"fetch": {"timeoutSeconds": 5}},\n"web.fetch": 1,\n"web": {"fetch": {}}}'
    (home / "config.json").write_text(text)
    files = read_files(env={"CITESEEK_HOME": str(home)})
    (found,) = (each for each in check_config(files) if each.code == "named_twice")
    assert found.status == "warning"
    assert "web" in found.text().seen
    assert "3" in found.text().seen
    assert found.text().repair == (f"sed -n 3p {home / 'config.json'}  # 这一行",)


@pytest.mark.parametrize("token", ["short", f"{'long' * 8},short"])
def test_a_token_with_which_no_server_starts_is_an_error(token: str, home: Path) -> None:
    (finding,) = (each for each in found(home, CITESEEK_TOKEN=token) if each.status == "error")
    assert finding.code == "token_short"
    assert "CITESEEK_TOKEN" in finding.seen
    assert "short" not in finding.seen.replace("token_short", "")
    assert all(each.status == "ok" for each in found(home, CITESEEK_TOKEN="long" * 8))


def test_an_address_that_cannot_be_used_is_an_error(home: Path) -> None:
    (finding,) = (
        each for each in found(home, CITESEEK_MODEL_BASE_URL="not a url") if each.status == "error"
    )
    assert finding.code == "unusable"
    assert "CITESEEK_MODEL_BASE_URL" in finding.seen
    assert "default" not in finding.why


def test_of_two_agents_with_one_id_the_second_is_told(home: Path) -> None:
    agents = {"agents": [{"id": "main"}, {"id": "main", "name": "Other"}]}
    (home / "agents.json").write_text(json.dumps(agents, indent=1))
    (finding,) = (each for each in found(home) if each.code == "invalid")
    assert "agents.1.id" in finding.seen


def test_an_engine_in_use_that_has_no_key_is_told_with_its_line(home: Path) -> None:
    config = {"search": {"engines": ["brave"]}, "chat": {"engine": "tavily"}}
    (home / "config.json").write_text(json.dumps(config, indent=1))
    told = {one.code: one for one in found(home)[:-1]}
    assert told.keys() == {"key_missing", "key_missing_replaced"}
    assert told["key_missing"].status == "error"
    assert "第 3 行 search.engines：引擎 brave" in told["key_missing"].seen
    assert told["key_missing"].repair[0].startswith("export BRAVE_API_KEY=KEY")
    assert told["key_missing_replaced"].status == "warning"
    assert [one.code for one in found(home, BRAVE_API_KEY="k", TAVILY_API_KEY="k")] == ["files"]


def test_a_variable_that_a_value_names_and_nobody_set_is_told_by_its_name(home: Path) -> None:
    config = {"engines": {"brave": {"api_key": "$NOPE"}, "tavily": {"api_key": "$marked-Secret"}}}
    (home / "config.json").write_text(json.dumps(config, indent=1))
    named, unnamed, _ = found(home)
    assert named.seen.startswith("config.json 第 4 行 engines.brave.api_key：")
    assert "变量 NOPE 没有设置" in named.seen
    assert named.repair[-1].startswith("export NOPE=VALUE  # ")
    # It may be a key that begins with a dollar sign.
    assert "它指的变量没有设置" in unnamed.seen
    assert "marked" not in repr(unnamed)
    assert [one.code for one in found(home, NOPE="k")] == ["invalid", "files"]
