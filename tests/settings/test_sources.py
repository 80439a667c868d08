"""The layers of settings: which one speaks, what is not understood, and how files are read."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import settings

from citeseek.engine import Engine, Key
from citeseek.engines import stub
from citeseek.errors import InvalidInput
from citeseek.faces import AGENT, CHAT
from citeseek.settings import Settings

BRAVE = Engine(
    id="brave",
    label="Brave",
    request=stub.request,
    parse=stub.parse,
    base_url="https://api.brave.example",
    key=Key(signup_url="https://keys.example/", price="free"),
)

IN_AGENT = "agents.json: one.webSearch.maxResults"
IN_CONFIG = "config.json: tools.webSearch.maxResults"
IN_ENV = "environment: CITESEEK_AGENT_RESULTS"


def agents_with(**search: Any) -> dict[str, Any]:
    return {"agents": [{"id": "one", "webSearch": search}, {"id": "two"}]}


def tools_with(**web_search: Any) -> dict[str, Any]:
    return {"tools": {"webSearch": web_search}}


@pytest.mark.parametrize(
    ("agent", "config", "env", "value", "origin"),
    [
        (1, 2, "3", 1, IN_AGENT),
        (None, 2, "3", 2, IN_CONFIG),
        (None, None, "3", 3, IN_ENV),
        (None, None, None, 5, "default"),
        ("", 2, "3", 2, IN_CONFIG),
        (11, "x", "3", 3, IN_ENV),
        (0, -1, " ", 5, "default"),
    ],
)
@pytest.mark.requirement("P25")
def test_the_first_layer_that_says_something_readable_speaks(
    agent: object, config: object, env: str | None, value: int, origin: str
) -> None:
    loaded = settings(
        tools_with(maxResults=config) if config is not None else {},
        agents=agents_with(maxResults=agent) if agent is not None else {},
        env={"CITESEEK_AGENT_RESULTS": env} if env is not None else {},
    )
    found = loaded.face(AGENT, agent_id="one").count
    assert (found.value, found.origin) == (value, origin)


def test_another_agent_does_not_hear_it() -> None:
    loaded = settings(tools_with(maxResults=2), agents=agents_with(maxResults=1))
    assert loaded.face(AGENT, agent_id="two").count.value == 2
    assert loaded.face(AGENT, agent_id="three").count.value == 2
    assert loaded.face(AGENT).count.value == 2


@pytest.mark.parametrize("given", [0, 11, -1, "x", 2.5, True, [5]])
@pytest.mark.requirement("S2-12")
def test_a_wrong_number_of_results_is_the_default_with_a_warning(given: object) -> None:
    loaded = settings(tools_with(maxResults=given))
    assert loaded.face(AGENT).count.value == 5
    (warning,) = loaded.warnings
    assert IN_CONFIG in warning
    assert repr(given) in warning
    assert "not set" in warning


@pytest.mark.parametrize("blank", ["", "  ", "\n", None])
@pytest.mark.requirement("P25")
def test_a_blank_value_counts_as_not_set_with_a_warning(blank: object) -> None:
    loaded = settings(tools_with(maxResults=blank))
    assert loaded.face(AGENT).count.origin == "default"
    assert loaded.warnings == (f"{IN_CONFIG} is blank and counts as not set.",)


def test_a_warning_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    loaded = settings(env={"CITESEEK_CHAT_RESULTS": "99"})
    for _ in range(3):
        loaded.face(CHAT)
    (line,) = caplog.messages
    assert "CITESEEK_CHAT_RESULTS" in line
    assert loaded.warnings == (line,)


@pytest.mark.parametrize(
    ("config", "env", "key"),
    [
        ("k-config", "k-env", "k-config"),
        ("", "k-env", "k-env"),
        (" ", "k-env", "k-env"),
        (None, "k-env", "k-env"),
        ("k-config", "", "k-config"),
        ("", "", None),
        (" ", "\n", None),
        ("", "\ufeff", None),
        ("k\nX: 1", "k-env", "k-env"),
    ],
)
@pytest.mark.requirement("S2-14", "S2-24")
def test_the_key_comes_from_config_then_from_the_environment(
    config: str | None, env: str, key: str | None
) -> None:
    providers = {"brave": {"apiKey": config}}
    loaded = settings(tools_with(providers=providers), env={"BRAVE_API_KEY": env})
    assert loaded.engine(BRAVE).api_key.value == key


@pytest.mark.parametrize(
    ("env", "key", "origin"),
    [
        ({"MY_KEY": "k-1"}, "k-1", "config.json: engines.brave.api_key"),
        ({"MY_KEY": " ", "BRAVE_API_KEY": "k-2"}, "k-2", "environment: BRAVE_API_KEY"),
        ({}, None, "default"),
    ],
)
@pytest.mark.requirement("P36")
def test_a_dollar_name_reads_the_environment(
    env: dict[str, str], key: str | None, origin: str
) -> None:
    loaded = settings({"engines": {"brave": {"api_key": "$MY_KEY"}}}, env=env)
    found = loaded.engine(BRAVE).api_key
    assert (found.value, found.origin) == (key, origin)


@pytest.mark.parametrize(
    "entry",
    [
        {"api_key": "word\n-1"},
        {"proxy": "ftp://u:word-1@x"},
        {"base_url": "ftp://u:word-1@x"},
        {"base_url": "http://u:word/1@s.example"},
    ],
)
@pytest.mark.requirement("S2-64")
def test_a_secret_that_is_not_understood_is_not_shown(
    entry: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    loaded = settings({"engines": {"brave": entry}})
    loaded.engine(BRAVE)
    (warning,) = loaded.warnings
    assert f"config.json: engines.brave.{next(iter(entry))}" in warning
    assert "word" not in caplog.text + warning


@pytest.mark.parametrize(
    "path",
    [
        "web.search.timeout_ms",
        "web.search.bakend",
        "chat.result",
        "tools.webSearch.maxResult",
        "search.deadline",
        "cache.folder",
        "engines.brave.transprot",
        "engines.brave.apiKey",
        "tools.webSearch.providers.brave.api_key",
        "web.providers.brave.transport",
    ],
)
@pytest.mark.requirement("S3-32")
def test_an_unknown_key_of_ours_is_named(path: str) -> None:
    assert settings(nested(path, 5000)).warnings == (f"config.json: {path} is an unknown key.",)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"model": "x", "tools": {"browser": {"headless": True}}},
        tools_with(providers={"perplexity": {}}),
        tools_with(providers={"perplexity": {"apiKey": "k"}}),
        {"web": {"providers": {"bocha": {"api_key": "k", "top_k_default": 8}}}},
        {"engines": {"later": {"base_url": "https://later.example", "proxy": "p.example:1"}}},
        {"web": {"fetch": {"timeout_ms": 5000}, "search": {"backend": "stub"}}},
    ],
)
@pytest.mark.requirement("S2-13", "S2-60")
def test_what_is_not_ours_or_for_the_future_is_left_alone(
    config: dict[str, Any],
) -> None:
    assert settings(config).warnings == ()


@pytest.mark.parametrize(
    "config",
    [
        {"tools": None},
        {"tools": {"webSearch": []}},
        {"tools": {"webSearch": {"providers": "brave"}}},
        {"engines": {"brave": 5}},
        {"chat": "on"},
    ],
)
@pytest.mark.requirement("S2-8")
def test_a_section_of_another_shape_breaks_nothing(config: dict[str, Any]) -> None:
    loaded = settings(config)
    assert loaded.face(AGENT).count.value == 5
    assert loaded.engine(BRAVE).api_key.value is None


@pytest.mark.parametrize(
    "agents",
    [
        {},
        {"agents": {}},
        {"agents": ["one", None]},
        {"agents": [{"id": "one"}]},
        {"agents": [{"id": "one", "webSearch": None}]},
        {"agents": [{"id": "one", "webSearch": []}]},
    ],
)
@pytest.mark.requirement("S2-60")
def test_agents_of_another_shape_break_nothing(agents: dict[str, Any]) -> None:
    agent = settings(agents=agents).agent("one", AGENT)
    assert agent.enabled is False
    assert agent.search.count.value == 5


@pytest.mark.requirement("S2-6", "S2-7")
def test_settings_are_read_from_two_files(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"tools": {"webSearch": {"timeoutSeconds": 9}}}')
    agents = '{"agents": [{"id": "one", "webSearch": {"enabled": true, "maxResults": 3}}]}'
    (tmp_path / "agents.json").write_text(agents)
    agent = Settings.load(env={"CITESEEK_HOME": str(tmp_path)}).agent("one", AGENT)
    assert agent.enabled
    assert (agent.search.seconds.value, agent.search.count.value) == (9, 3)


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({"CITESEEK_HOME": "{}/a", "XDG_CONFIG_HOME": "{}/b", "HOME": "{}/c"}, "a"),
        ({"CITESEEK_HOME": " ", "XDG_CONFIG_HOME": "{}/b", "HOME": "{}/c"}, "b/citeseek"),
        ({"HOME": "{}/c"}, "c/.config/citeseek"),
    ],
)
def test_files_are_looked_for_in_one_folder(
    env: dict[str, str], folder: str, tmp_path: Path
) -> None:
    home = tmp_path / folder
    home.mkdir(parents=True)
    (home / "config.json").write_text('{"chat": {"results": 3}}')
    loaded = Settings.load(env={name: path.format(tmp_path) for name, path in env.items()})
    assert loaded.face(CHAT).count.value == 3


def test_files_that_nobody_asked_for_may_be_missing(tmp_path: Path) -> None:
    loaded = Settings.load(env={"CITESEEK_HOME": str(tmp_path / "nowhere")})
    assert loaded.face(CHAT).count.origin == "default"


def test_a_file_that_was_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no settings file .*own\.json"):
        Settings.load(config=tmp_path / "own.json", env={})
    with pytest.raises(InvalidInput, match="cannot be read"):
        Settings.load(config=tmp_path, env={})


@pytest.mark.parametrize("content", ["[]", "null", '"text"', "5"])
def test_a_settings_file_holds_an_object(content: str, tmp_path: Path) -> None:
    path = tmp_path / "agents.json"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=r"agents\.json must hold a JSON object"):
        Settings.load(config={}, agents=str(path), env={})


def nested(path: str, value: object) -> dict[str, Any]:
    """Return the tree that holds ``value`` at the dotted ``path``."""
    tree: Any = value
    for name in reversed(path.split(".")):
        tree = {name: tree}
    return dict(tree)
