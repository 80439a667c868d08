"""Keys of engines: set or not, and whether they are accepted when somebody wants to know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import page, settings
from tests.loopback import LoopbackServer, Reply, refused_port, replies

from citeseek.health.engine_checks import check_keys
from citeseek.health.finding import Finding
from citeseek.settings import Settings

KEY = "marked-key-5f3a9c"


def with_keys(base_url: str, folder: Path, **env: str) -> Settings:
    engines = {
        "brave": {"api_key": KEY, "base_url": base_url},
        "tavily": {"api_key": KEY, "base_url": base_url},
    }
    return settings({"engines": engines, "evidence": {"dir": str(folder)}}, env=env)


def by_code(findings: list[Finding]) -> dict[str, list[Finding]]:
    assert KEY not in repr(findings)
    return {one.code: [f for f in findings if f.code == one.code] for one in findings}


async def test_keys_are_only_said_to_be_set(server: LoopbackServer, tmp_path: Path) -> None:
    found = by_code(await check_keys(with_keys(server.base_url, tmp_path)))
    assert found.keys() == {"keys", "not_asked"}
    (keys,) = found["keys"]
    assert "brave, tavily" in keys.seen
    assert "SERPER_API_KEY" in keys.seen
    assert "citeseek doctor engines --ask" in found["not_asked"][0].repair[0]
    assert len(server.requests) == 0


async def test_each_engine_with_a_key_is_asked_once(server: LoopbackServer, tmp_path: Path) -> None:
    server.on("/search", replies.status(401))
    answer = Reply(200, {"Content-Type": "application/json"}, page("brave/web.json"))
    server.otherwise(answer)
    found = by_code(await check_keys(with_keys(server.base_url, tmp_path), ask=True))
    assert found.keys() == {"keys", "key_accepted", "key_refused"}
    assert "brave" in found["key_accepted"][0].seen
    (refused,) = found["key_refused"]
    assert refused.status == "error"
    assert "tavily" in refused.seen
    assert refused.repair[0].startswith("export TAVILY_API_KEY=")
    assert len(server.requests) == 2


async def test_engines_that_fail_otherwise_are_told_apart(tmp_path: Path) -> None:
    with refused_port() as port:
        chosen = with_keys(f"http://127.0.0.1:{port}", tmp_path)
        found = by_code(await check_keys(chosen, ask=True))
    assert [finding.status for finding in found["unreachable"]] == ["error", "error"]


async def test_names_of_engines_that_there_are_not() -> None:
    env = {
        "CITESEEK_ENGINE": "gogle",
        "CITESEEK_CHAT_ENGINE": "serxng",
        "CITESEEK_FALLBACK": "brve",
    }
    found = by_code(await check_keys(settings(env=env)))["unknown"]
    told = {finding.seen.split(" ")[2]: finding for finding in found}
    assert {name: finding.status for name, finding in told.items()} == {
        "gogle": "error",
        "serxng": "warning",
        "brve": "error",
    }
    assert "Did you mean searxng?" in told["serxng"].repair[-1]
    assert "environment: CITESEEK_ENGINE" in told["gogle"].seen


@pytest.mark.parametrize(
    ("config", "env", "places"),
    [
        ({"search": {"engines": ["brave"]}}, {}, ["config.json: search.engines"]),
        ({"search": {"engine": "Brave"}}, {}, ["config.json: search.engine"]),
        ({"browser": {"engine": "brave"}}, {}, ["config.json: browser.engine"]),
        ({"search": {"fallback": ["ddg_html", "brave"]}}, {}, ["config.json: search.fallback"]),
        ({}, {"CITESEEK_ENGINE": "brave"}, ["environment: CITESEEK_ENGINE"]),
        ({"search": {"engines": ["brave"]}}, {"BRAVE_API_KEY": "k"}, []),
        ({"search": {"engines": ["searxng", "auto", "ddg_html", "nosuch"]}}, {}, []),
        ({}, {}, []),
    ],
)
async def test_an_engine_in_use_that_has_no_key_is_an_error(
    config: dict[str, Any], env: dict[str, str], places: list[str]
) -> None:
    found = by_code(await check_keys(settings(config, env=env))).get("key_missing", [])
    assert [one.seen.partition("：")[0] for one in found] == places
    for one in found:
        assert one.status == "error"
        assert one.repair[0].startswith("export BRAVE_API_KEY=KEY  # ")


async def test_where_another_engine_takes_its_place_that_is_told() -> None:
    found = by_code(await check_keys(settings({"chat": {"engine": "tavily"}})))
    (missing,) = found["key_missing_replaced"]
    assert missing.status == "warning"
    assert missing.why == "改用 searxng 搜索。"
    assert missing.repair[0].startswith("export TAVILY_API_KEY=KEY  # ")
