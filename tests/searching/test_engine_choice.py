"""Which engine answers for a face: named by the caller, by the settings, or by the face."""

from __future__ import annotations

from typing import Any

import pytest
from tests.conftest import settings
from tests.shelf import Shelf

from citeseek.engines import BUILTIN
from citeseek.errors import InvalidInput
from citeseek.faces import AGENT, BROWSER, CHAT, CONTRACT, OPEN
from citeseek.query import Category
from citeseek.searching.engine_choice import engine_name, groups, has_key
from citeseek.searching.engine_registry import Registry
from citeseek.settings import Settings

REGISTRY = Registry()
DUCK = "duck-duck-scrape"

# agent.provider, config.defaultProvider, is there a key of brave: the provider that answers
RESOLVED = [
    (None, None, False, DUCK),
    (None, None, True, DUCK),
    (None, "brave", False, DUCK),
    (None, "brave", True, "brave"),
    (None, DUCK, False, DUCK),
    (None, DUCK, True, DUCK),
    ("brave", None, False, DUCK),
    ("brave", None, True, "brave"),
    ("brave", "brave", False, DUCK),
    ("brave", "brave", True, "brave"),
    ("brave", DUCK, False, DUCK),
    ("brave", DUCK, True, "brave"),
    (DUCK, None, False, DUCK),
    (DUCK, None, True, DUCK),
    (DUCK, "brave", False, DUCK),
    (DUCK, "brave", True, DUCK),
    (DUCK, DUCK, False, DUCK),
    (DUCK, DUCK, True, DUCK),
]


def of_agent(
    provider: str | None, default: str | None, key: str | None, *, in_config: bool = False
) -> Settings:
    web_search: dict[str, Any] = {"defaultProvider": default} if default else {}
    if in_config:
        web_search["providers"] = {"brave": {"apiKey": key}}
    search = {"enabled": True} | ({"provider": provider} if provider else {})
    return settings(
        {"tools": {"webSearch": web_search}},
        agents={"agents": [{"id": "one", "webSearch": search}]},
        env={"BRAVE_API_KEY": key} if key is not None and not in_config else {},
    )


@pytest.mark.parametrize("in_config", [False, True], ids=["environment", "config"])
@pytest.mark.parametrize(("provider", "default", "has_brave_key", "resolved"), RESOLVED)
@pytest.mark.requirement("S2-18", "S2-23", "S2-24", "S2-25", "S2-66")
def test_the_agents_provider(
    provider: str | None,
    default: str | None,
    resolved: str,
    *,
    has_brave_key: bool,
    in_config: bool,
) -> None:
    loaded = of_agent(provider, default, "k" if has_brave_key else None, in_config=in_config)
    chosen = loaded.agent("one", AGENT).search
    assert engine_name(chosen, REGISTRY, loaded).value == resolved


@pytest.mark.parametrize("key", [None, "", " ", "\n", "\ufeff"])
@pytest.mark.requirement("S2-16", "S2-20", "S2-41")
def test_without_a_key_the_agent_falls_back_with_a_warning(
    key: str | None,
) -> None:
    loaded = of_agent("brave", None, key)
    found = engine_name(loaded.face(AGENT, agent_id="one"), REGISTRY, loaded)
    assert (found.value, found.origin) == (DUCK, "default")
    assert any("brave" in warning and DUCK in warning for warning in loaded.warnings)


@pytest.mark.parametrize(
    ("key", "available"), [(None, False), ("", False), (" ", False), ("k", True)]
)
@pytest.mark.requirement("S2-30", "S2-32")
def test_an_engine_is_available_with_the_key_that_it_needs(
    key: str | None, *, available: bool
) -> None:
    loaded = settings(env={} if key is None else {"BRAVE_API_KEY": key})
    assert has_key(REGISTRY.get("brave"), loaded) is available
    assert has_key(REGISTRY.get(DUCK), loaded) is True
    assert has_key(REGISTRY.get("searxng"), loaded) is True
    assert has_key(Shelf(), loaded) is True


@pytest.mark.parametrize(
    ("env", "name"),
    [
        ({}, "stub"),
        ({"WEB_SEARCH_BACKEND": ""}, "stub"),
        ({"WEB_SEARCH_BACKEND": "stub"}, "stub"),
        ({"WEB_SEARCH_BACKEND": "ddg_html"}, "ddg_html"),
        ({"WEB_SEARCH_BACKEND": "baidu_html"}, "baidu_html"),
        ({"WEB_SEARCH_BACKEND": "searxng"}, "searxng"),
        ({"WEB_SEARCH_BACKEND": "bocha"}, "bocha"),
        ({"WEB_SEARCH_BACKEND": " Brave "}, "brave"),
    ],
)
@pytest.mark.requirement("S3-28", "S3-29", "S3-33", "S3-34", "P14")
def test_the_contract_asks_what_it_was_told(env: dict[str, str], name: str) -> None:
    loaded = settings(env=env)
    assert engine_name(loaded.face(CONTRACT), REGISTRY, loaded).value == name


@pytest.mark.parametrize("named", ["foo", "auto", "web.search"])
@pytest.mark.requirement("S3-35", "P15")
def test_a_backend_that_nobody_knows_is_the_stub_with_a_warning(
    named: str, caplog: pytest.LogCaptureFixture
) -> None:
    loaded = settings(env={"WEB_SEARCH_BACKEND": named})
    assert engine_name(loaded.face(CONTRACT), REGISTRY, loaded).value == "stub"
    (warning,) = loaded.warnings
    assert warning in caplog.messages
    assert all(part in warning for part in ("WEB_SEARCH_BACKEND", repr(named), *BUILTIN))


@pytest.mark.parametrize(
    ("face", "config", "default"),
    [
        (CHAT, {"chat": {"engine": "gogle"}}, "searxng"),
        (AGENT, {"tools": {"webSearch": {"defaultProvider": "gogle"}}}, DUCK),
    ],
    ids=["chat", "agent"],
)
@pytest.mark.requirement("S2-9", "P15")
def test_chat_and_agent_take_their_default_with_a_warning(
    face: Any, config: dict[str, Any], default: str
) -> None:
    loaded = settings(config)
    assert engine_name(loaded.face(face), REGISTRY, loaded).value == default
    (warning,) = loaded.warnings
    assert all(part in warning for part in ("config.json", "'gogle'", default, "ddg_html"))


@pytest.mark.parametrize(
    ("face", "config"),
    [(BROWSER, {"browser": {"engine": "gogle"}}), (OPEN, {"search": {"engine": "gogle"}})],
    ids=["browser", "open"],
)
@pytest.mark.requirement("S4-32", "P15")
def test_the_other_faces_refuse_a_name_that_nobody_knows(face: Any, config: dict[str, Any]) -> None:
    loaded = settings(config)
    with pytest.raises(InvalidInput, match="'gogle'") as caught:
        engine_name(loaded.face(face), REGISTRY, loaded)
    assert all(engine_id in caught.value.hint for engine_id in BUILTIN)


@pytest.mark.parametrize("named", ["auto", "Auto", " AUTO "])
def test_the_open_face_may_be_told_to_choose(named: str) -> None:
    loaded = settings(env={"CITESEEK_ENGINE": named})
    assert engine_name(loaded.face(OPEN), REGISTRY, loaded).value.strip().casefold() == "auto"


def asked(names: list[str], fallback: list[str], loaded: Settings) -> list[list[str]]:
    """Return the names of the groups, after a look at the engines behind them."""
    found = groups(names, fallback, REGISTRY, loaded)
    assert all(engine is REGISTRY.get(name) for group in found for name, engine in group)
    return [[name for name, _ in group] for group in found]


@pytest.mark.parametrize(
    ("names", "fallback", "expected"),
    [
        ([DUCK], [], [[DUCK]]),
        ([" Duck-Duck-Scrape\n"], [], [[DUCK]]),
        (["brave", "stub"], [], [["brave", "stub"]]),
        (["stub", "stub"], [], [["stub"]]),
        (["stub", " Stub "], [], [["stub"]]),
        (["stub"], ["Brave", "brave ", "STUB"], [["stub"], ["brave"]]),
        (["stub"], ["Brave", "mojeek"], [["stub"], ["brave"], ["mojeek"]]),
        (["stub", "brave"], ["brave", "mojeek"], [["stub", "brave"], ["mojeek"]]),
    ],
)
@pytest.mark.requirement("P28")
def test_named_engines_are_asked_together_and_then_the_fallback(
    names: list[str], fallback: list[str], expected: list[list[str]]
) -> None:
    assert asked(names, fallback, settings()) == expected


@pytest.mark.parametrize(("names", "fallback"), [(["gogle"], []), (["stub"], ["gogle"])])
def test_a_name_that_nobody_knows_cannot_be_asked(names: list[str], fallback: list[str]) -> None:
    with pytest.raises(InvalidInput, match="gogle"):
        groups(names, fallback, REGISTRY, settings())


@pytest.mark.parametrize(
    ("env", "chain"),
    [
        ({}, ["ddg_html"]),
        ({"BRAVE_API_KEY": "k"}, ["brave", "ddg_html"]),
        ({"BRAVE_API_KEY": " "}, ["ddg_html"]),
        ({"SEARXNG_BASE_URL": "http://s.example"}, ["searxng", "ddg_html"]),
        ({"SEARXNG_URL": "http://s.example"}, ["searxng", "ddg_html"]),
        # Somebody named an instance: the plan of a search refuses to ask another in its place.
        ({"SEARXNG_BASE_URL": "not a url"}, ["searxng", "ddg_html"]),
        ({"SEARXNG_API_KEY": "k"}, ["ddg_html"]),
        (
            {"BRAVE_API_KEY": "k", "SEARXNG_BASE_URL": "http://s.example"},
            ["searxng", "brave", "ddg_html"],
        ),
    ],
)
def test_auto_is_an_instance_of_ones_own_then_engines_with_keys_then_duckduckgo(
    env: dict[str, str], chain: list[str]
) -> None:
    assert asked(["auto"], [], settings(env=env)) == [[name] for name in chain]


def test_auto_asks_every_engine_that_has_a_key() -> None:
    env = {"BRAVE_API_KEY": "k", "BOCHA_API_KEY": "k", "SEARXNG_URL": "http://s.example"}
    first, *keyed, last = asked(["auto"], ["stub", "brave"], settings(env=env))[:-1]
    assert (first, last) == (["searxng"], ["ddg_html"])
    assert sorted(keyed) == [["bocha"], ["brave"]]


@pytest.mark.parametrize("named", ["Auto", " AUTO "])
def test_auto_is_a_name_in_any_case(named: str) -> None:
    assert asked([named], [], settings()) == [["ddg_html"]]


@pytest.mark.parametrize(
    ("category", "env", "chain"),
    [
        ("papers", {}, ["arxiv", "openalex", "crossref", "semantic_scholar", "ddg_html"]),
        ("code", {"TAVILY_API_KEY": "k"}, ["stackexchange", "github", "tavily", "ddg_html"]),
        (
            "news",
            {"TAVILY_API_KEY": "k", "EXA_API_KEY": "k"},
            ["tavily", "ddg_html", "bing_html", "qwant", "exa"],
        ),
        (
            "images",
            {"SEARXNG_URL": "http://s.example"},
            ["searxng", "ddg_html", "bing_html", "qwant"],
        ),
    ],
)
def test_auto_begins_with_engines_that_have_the_category(
    category: Category, env: dict[str, str], chain: list[str]
) -> None:
    found = groups(["auto"], [], Registry(), settings(env=env), category)
    assert [name for group in found for name, _ in group][: len(chain)] == chain
