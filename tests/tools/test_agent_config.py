"""What agents.json and config.json lead to for one agent."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conftest import settings

from citeseek import InvalidInput, Settings, load_agent_config
from citeseek.tools.search_options import WebSearchOptions

KEY = "brave-key-81"
NAMES = (None, "brave", "duck-duck-scrape")
DEFAULTS = {"timeoutSeconds": 15, "cacheTtlMinutes": 5, "maxResults": 5}


def resolved(
    search: Any, config: dict[str, Any] | None = None, env: dict[str, str] | None = None
) -> WebSearchOptions:
    agents = {"agents": [{"id": "one", "webSearch": search}]}
    loaded = settings({"tools": {"webSearch": config or {}}}, env=env, agents=agents)
    return load_agent_config("one", settings=loaded).web_search


@pytest.mark.parametrize("enabled", [False, "true", 1, None, "yes", [], {}])
@pytest.mark.requirement("S2-17", "S2-22")
def test_only_true_enables(enabled: Any) -> None:
    assert resolved({"enabled": enabled, "provider": "brave"}) == WebSearchOptions(enabled=False)


@pytest.mark.parametrize("agents", [{}, {"agents": [{"id": "one"}]}, {"agents": "x"}])
@pytest.mark.requirement("S2-7", "S2-17", "S2-60")
def test_an_agent_without_web_search_has_none(agents: dict[str, Any]) -> None:
    config = load_agent_config("one", settings=settings(agents=agents))
    assert msgspec.to_builtins(config) == {"agentId": "one", "webSearch": {"enabled": False}}


@pytest.mark.requirement("S2-8", "S2-10", "S2-21", "S2-25", "S2-26")
def test_the_defaults_have_no_key() -> None:
    assert msgspec.to_builtins(resolved({"enabled": True})) == {
        "enabled": True,
        "provider": "duck-duck-scrape",
        **DEFAULTS,
    }


@pytest.mark.parametrize(
    ("of_agent", "of_config", "key"),
    list(itertools.product(NAMES, NAMES, ("config", "env", "", " ", None))),
)
@pytest.mark.requirement("S2-18", "S2-20", "S2-21", "S2-23", "S2-24", "S2-66")
def test_the_provider_and_its_key(
    of_agent: str | None, of_config: str | None, key: str | None
) -> None:
    config: dict[str, Any] = {"defaultProvider": of_config} if of_config else {}
    if key != "env" and key is not None:
        config["providers"] = {"brave": {"apiKey": KEY if key == "config" else key}}
    env = {"BRAVE_API_KEY": KEY} if key == "env" else {}
    agent = {"enabled": True} | ({"provider": of_agent} if of_agent else {})
    wanted = of_agent or of_config or "duck-duck-scrape"
    shown = msgspec.to_builtins(resolved(agent, config, env))
    if wanted == "brave" and key in ("config", "env"):
        assert shown == {"enabled": True, "provider": "brave", "apiKey": KEY, **DEFAULTS}
    else:
        assert shown == {"enabled": True, "provider": "duck-duck-scrape", **DEFAULTS}


@pytest.mark.requirement("S2-14")
def test_the_key_of_config_goes_first() -> None:
    config = {"defaultProvider": "brave", "providers": {"brave": {"apiKey": "of-config"}}}
    assert resolved({"enabled": True}, config, {"BRAVE_API_KEY": "of-env"}).api_key == "of-config"


@pytest.mark.requirement("S2-15")
def test_a_key_in_agents_json_is_not_used_and_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    agent = {"enabled": True, "provider": "brave", "apiKey": KEY}
    options = resolved(agent)
    assert (options.provider, options.api_key) == ("duck-duck-scrape", None)
    assert "holds a key, which is not used" in caplog.text
    assert KEY not in caplog.text


@pytest.mark.requirement("S2-16", "S2-20")
def test_a_missing_key_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    resolved({"enabled": True, "provider": "brave"})
    assert "brave has no key; duck-duck-scrape is used" in caplog.text


@pytest.mark.parametrize("name", ["perplexity", "Bravee", "auto"])
@pytest.mark.requirement("S2-9")
def test_an_unknown_provider_is_the_default_with_a_warning(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert resolved({"enabled": True}, {"defaultProvider": name}).provider == "duck-duck-scrape"
    assert repr(name) in caplog.text


@pytest.mark.requirement("S2-6", "S2-26")
def test_limits_are_those_of_config_and_the_agents_own_go_first() -> None:
    config = {"timeoutSeconds": 7, "cacheTtlMinutes": 0, "maxResults": 8}
    options = resolved({"enabled": True, "maxResults": 2}, config)
    assert (options.timeout_seconds, options.cache_ttl_minutes, options.max_results) == (7, 0, 2)


@pytest.mark.parametrize("number", [0, 11, -1, "x", True, None, 2.5])
@pytest.mark.requirement("S2-12")
def test_max_results_out_of_range_is_the_default(number: Any) -> None:
    assert resolved({"enabled": True}, {"maxResults": number}).max_results == 5


@pytest.mark.requirement("S2-13")
def test_unknown_providers_are_kept_and_break_nothing() -> None:
    config = {"providers": {"perplexity": {}, "brave": {"apiKey": KEY}}, "defaultProvider": "brave"}
    assert resolved({"enabled": True}, config).provider == "brave"


@pytest.mark.requirement("S2-21", "S2-64")
def test_the_key_does_not_show() -> None:
    options = resolved({"enabled": True, "provider": "brave"}, env={"BRAVE_API_KEY": KEY})
    assert KEY not in repr(options) + str(options) + f"{options!r}"
    assert "apiKey='set'" in repr(options)


@pytest.mark.requirement("S2-19")
def test_two_agents_in_one_process() -> None:
    agents = {"agents": [{"id": "a", "webSearch": {"enabled": True}}, {"id": "b"}]}
    loaded = settings(agents=agents)
    enabled = [load_agent_config(name, settings=loaded).web_search.enabled for name in "ab"]
    assert enabled == [True, False]


@pytest.mark.requirement("S2-6", "S2-7", "S2-53")
def test_by_default_the_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESEEK_HOME", str(tmp_path))
    monkeypatch.setenv("BRAVE_API_KEY", KEY)
    agents = {"agents": [{"id": "one", "webSearch": {"enabled": True}}]}
    (tmp_path / "agents.json").write_text(json.dumps(agents))
    config = {"tools": {"webSearch": {"defaultProvider": "brave", "maxResults": 3}}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    options = load_agent_config("one").web_search
    assert (options.provider, options.api_key, options.max_results) == ("brave", KEY, 3)
    (tmp_path / "agents.json").write_text("{")
    with pytest.raises(InvalidInput, match=r"agents\.json, line 1"):
        load_agent_config("one")


def test_settings_may_be_given_as_they_are() -> None:
    config = load_agent_config("x", settings=Settings.load(config={}, agents={}, env={}))
    assert config.agent_id == "x"
