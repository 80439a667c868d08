"""What the settings say of faces, agents and engines, and that they hide keys."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from tests.conftest import settings
from tests.shelf import Shelf

from citeseek.engine import Engine, Key
from citeseek.engines import load, stub
from citeseek.errors import InvalidInput
from citeseek.faces import AGENT, BROWSER, CHAT, CONTRACT, FACES, OPEN
from citeseek.settings.face_settings import ChatSection
from citeseek.settings.setting import Section, Setting
from citeseek.settings.table import SETTINGS, Table
from citeseek.settings.web_settings import WebFetchSection

SEARXNG, DDG = load("searxng"), load("ddg_html")
BOCHA = Engine(
    id="bocha",
    label="Bocha",
    request=stub.request,
    parse=stub.parse,
    base_url="https://api.bocha.example",
    key=Key(signup_url="https://keys.example/", price="paid"),
)


@pytest.mark.requirement("S2-9", "S2-10", "S2-11", "S2-12", "S2-26")
def test_the_agents_defaults() -> None:
    face = settings().face(AGENT)
    assert (face.engine.value, face.seconds.value) == ("duck-duck-scrape", 15)
    assert (face.ttl_minutes.value, face.count.value) == (5, 5)
    assert {face.engine.origin, face.seconds.origin, face.count.origin} == {"default"}


@pytest.mark.requirement("S2-6", "S2-26")
def test_the_agents_settings_are_those_of_tools_web_search() -> None:
    chosen = {
        "defaultProvider": "brave",
        "timeoutSeconds": 7.5,
        "cacheTtlMinutes": 0,
        "maxResults": 8,
    }
    face = settings({"tools": {"webSearch": chosen}}).face(AGENT)
    assert (face.engine.value, face.seconds.value) == ("brave", 7.5)
    assert (face.ttl_minutes.value, face.count.value) == (0, 8)


@pytest.mark.parametrize(
    ("search", "enabled"),
    [
        ({"enabled": True}, True),
        ({"enabled": False}, False),
        ({"enabled": "true"}, False),
        ({"enabled": 1}, False),
        ({"enabled": None}, False),
        ({}, False),
        (None, False),
    ],
)
@pytest.mark.requirement("S2-17", "S2-19", "S2-22")
def test_only_a_plain_true_enables(search: Any, *, enabled: bool) -> None:
    agents = {"agents": [{"id": "one", "webSearch": search}, {"id": "two"}]}
    loaded = settings(agents=agents)
    assert loaded.agent("one", AGENT).enabled is enabled
    assert loaded.agent("two", AGENT).enabled is False


@pytest.mark.requirement("S2-15")
def test_a_key_in_agents_json_is_not_used_and_not_shown() -> None:
    search = {"enabled": True, "provider": "bocha", "apiKey": "word-1"}
    loaded = settings(agents={"agents": [{"id": "one", "webSearch": search}]})
    agent = loaded.agent("one", AGENT)
    assert agent.search.engine.value == "bocha"
    assert loaded.engine(BOCHA).api_key.value is None
    (warning,) = loaded.warnings
    assert "agents.json: one.webSearch" in warning
    assert "word-1" not in warning + repr(agent) + repr(loaded)


@pytest.mark.requirement("S1-58", "S1-59", "S1-60", "S1-61")
def test_the_defaults_of_the_chat_app() -> None:
    loaded = settings()
    face = loaded.face(CHAT)
    assert (face.engine.value, face.count.value, face.seconds.value) == ("searxng", 5, 5)
    assert loaded.chat.language == "auto"
    assert loaded.chat.summary_chars == 200


@pytest.mark.requirement("S1-53", "S1-58", "S1-59", "S1-60", "S1-61")
def test_the_chat_app_can_be_set() -> None:
    chosen = {"results": 3, "timeout_seconds": 1, "language": "zh-CN", "summary_chars": 50}
    by_env = {
        "CITESEEK_CHAT_RESULTS": "3",
        "CITESEEK_CHAT_TIMEOUT": "1",
        "CITESEEK_CHAT_LANGUAGE": "zh-CN",
        "CITESEEK_CHAT_SUMMARY_CHARS": "50",
    }
    for loaded in (settings({"chat": chosen}), settings(env=by_env)):
        face = loaded.face(CHAT)
        assert (face.count.value, face.seconds.value) == (3, 1)
        assert loaded.chat.language == "zh-CN"
        assert loaded.chat.summary_chars == 50
        assert loaded.warnings == ()


@pytest.mark.parametrize("given", ["0", "-1", "NaN", "abc", "1e9"])
@pytest.mark.parametrize(
    ("variable", "default"),
    [
        ("CITESEEK_CHAT_RESULTS", 5),
        ("CITESEEK_CHAT_TIMEOUT", 5),
        ("CITESEEK_CHAT_SUMMARY_CHARS", 200),
    ],
)
@pytest.mark.requirement("S1-62", "S1-63")
def test_an_invalid_number_is_the_default_with_a_warning(
    variable: str, given: str, default: float
) -> None:
    loaded = settings(env={variable: given})
    face = loaded.face(CHAT)
    summary = loaded.get(ChatSection.summary_chars)
    assert (face.count.value, face.seconds.value, summary.value) == (5, 5, 200)
    (warning,) = loaded.warnings
    assert f"environment: {variable}" in warning
    assert repr(given) in warning


@pytest.mark.parametrize("given", ["0", "-1", "not a language", "zh-CN-x-y"])
@pytest.mark.requirement("S1-62", "S1-63")
def test_an_invalid_language_is_auto_with_a_warning(given: str) -> None:
    loaded = settings(env={"CITESEEK_CHAT_LANGUAGE": given})
    assert loaded.chat.language == "auto"
    (warning,) = loaded.warnings
    assert "CITESEEK_CHAT_LANGUAGE" in warning


@pytest.mark.requirement("P2")
def test_the_variable_of_the_contract_speaks_for_the_contract_alone() -> None:
    loaded = settings(env={"WEB_SEARCH_BACKEND": "searxng", "WEB_SEARCH_MAX_RESULTS": "7"})
    contract = loaded.face(CONTRACT)
    assert (contract.engine.value, contract.count.value) == ("searxng", 7)
    assert contract.engine.origin == "environment: WEB_SEARCH_BACKEND"
    for face in (AGENT, BROWSER, OPEN):
        chosen = loaded.face(face)
        assert (chosen.engine.value, chosen.engine.origin) == (face.engine, "default")
        assert chosen.count.value == face.count


@pytest.mark.requirement("P2")
def test_every_face_says_its_engine_and_where_it_came_from() -> None:
    loaded = settings({"browser": {"engine": "bing"}}, env={"CITESEEK_ENGINE": "stub"})
    assert [chosen.face for chosen in loaded.faces()] == list(FACES)
    assert [(chosen.engine.value, chosen.engine.origin) for chosen in loaded.faces()] == [
        ("searxng", "default"),
        ("duck-duck-scrape", "default"),
        ("stub", "default"),
        ("bing", "config.json: browser.engine"),
        ("stub", "environment: CITESEEK_ENGINE"),
    ]


@pytest.mark.requirement("S1-14", "S1-55")
def test_the_default_address_of_searxng() -> None:
    address = settings().engine(SEARXNG).base_url
    assert (address.value, address.origin) == ("http://localhost:8080", "default")


@pytest.mark.parametrize(
    ("env", "address"),
    [
        ({"SEARXNG_BASE_URL": "http://a.example/"}, "http://a.example"),
        ({"SEARXNG_URL": "http://b.example"}, "http://b.example"),
        (
            {"SEARXNG_URL": "http://b.example", "SEARXNG_BASE_URL": "http://a.example"},
            "http://a.example",
        ),
        ({"SEARXNG_URL": "http://b.example", "SEARXNG_BASE_URL": ""}, "http://b.example"),
    ],
)
@pytest.mark.requirement("S1-54", "P16")
def test_the_address_is_read_from_the_environment(env: dict[str, str], address: str) -> None:
    assert settings(env=env).engine(SEARXNG).base_url.value == address


@pytest.mark.parametrize(
    "given", ["not a url", "ftp://x", "://x", "http://", "ttp://localhost:8080"]
)
@pytest.mark.requirement("S1-56")
def test_a_wrong_address_is_an_error_and_never_another_one(given: str) -> None:
    loaded = settings(env={"CITESEEK_SEARXNG_URL": given, "SEARXNG_BASE_URL": "http://b.example"})
    address = loaded.engine(SEARXNG).base_url
    with pytest.raises(InvalidInput, match=r"CITESEEK_SEARXNG_URL: .*http://localhost:8080"):
        address.required()
    assert address.value is None
    (warning,) = loaded.warnings
    assert "CITESEEK_SEARXNG_URL" in warning


@pytest.mark.parametrize("given", ["", " "])
@pytest.mark.requirement("S1-56")
def test_a_blank_address_is_the_default_with_a_warning(given: str) -> None:
    loaded = settings(env={"SEARXNG_BASE_URL": given})
    assert loaded.engine(SEARXNG).base_url.required() == "http://localhost:8080"
    (warning,) = loaded.warnings
    assert "SEARXNG_BASE_URL" in warning


def test_a_variable_that_an_address_names_and_that_is_not_set_is_an_error() -> None:
    loaded = settings({"web": {"fetch": {"proxy": "$NO_SUCH"}}})
    with pytest.raises(InvalidInput, match="the variable NO_SUCH is not set"):
        loaded.get(WebFetchSection.proxy).required()


@pytest.mark.parametrize(
    ("env", "seconds"),
    [
        ({"SEARXNG_TIMEOUT_MS": "1000", "WEB_SEARCH_TIMEOUT_MS": "2000"}, 1),
        ({"WEB_SEARCH_TIMEOUT_MS": "2000"}, 2),
        ({"SEARXNG_TIMEOUT_MS": "soon", "WEB_SEARCH_TIMEOUT_MS": "2000"}, 2),
        ({"SEARXNG_TIMEOUT_MS": "1000"}, 1),
        ({"WEB_FETCH_TIMEOUT_MS": "3000"}, None),
        ({}, None),
    ],
)
@pytest.mark.requirement("S3-24", "P27")
def test_the_limit_of_an_api_engine(env: dict[str, str], seconds: float | None) -> None:
    assert settings(env=env).engine(SEARXNG).seconds.value == seconds


@pytest.mark.parametrize(
    ("env", "seconds"),
    [
        ({"WEB_FETCH_TIMEOUT_MS": "3000", "WEB_SEARCH_TIMEOUT_MS": "2000"}, 3),
        ({"DDG_HTML_TIMEOUT_MS": "1000", "WEB_FETCH_TIMEOUT_MS": "3000"}, 1),
        ({"WEB_SEARCH_TIMEOUT_MS": "2000"}, None),
    ],
)
@pytest.mark.requirement("S3-31", "P27")
def test_the_limit_of_an_html_engine(env: dict[str, str], seconds: float | None) -> None:
    assert settings(env=env).engine(DDG).seconds.value == seconds


@pytest.mark.requirement("S3-20", "S3-31")
def test_html_engines_share_proxy_and_user_agent_with_fetch() -> None:
    fetch = {"proxy": "http://proxy.example:3128", "user_agent": "tea-reader/1"}
    by_env = {"WEB_FETCH_PROXY": fetch["proxy"], "WEB_FETCH_USER_AGENT": fetch["user_agent"]}
    for loaded in (settings({"web": {"fetch": fetch}}), settings(env=by_env)):
        pages, api = loaded.engine(DDG), loaded.engine(SEARXNG)
        assert (pages.proxy.value, pages.user_agent.value) == tuple(fetch.values())
        assert (api.proxy.value, api.user_agent.value) == (None, None)


def test_an_engine_may_have_a_proxy_and_a_transport_of_its_own() -> None:
    own = {"proxy": "socks5://own.example:1080", "transport": "pyreqwest"}
    config = {"engines": {"ddg_html": own}, "web": {"fetch": {"proxy": "http://p.example:1"}}}
    reach = settings(config).engine(DDG)
    assert (reach.proxy.value, reach.transport.value) == tuple(own.values())
    assert reach.transport.origin == "config.json: engines.ddg_html.transport"


def test_html_engines_need_the_tls_of_a_browser_and_apis_do_not() -> None:
    loaded = settings(env={"CITESEEK_SEARXNG_TRANSPORT": "curl"})
    assert loaded.engine(DDG).transport.value == "primp"
    assert loaded.engine(SEARXNG).transport.value == "pyreqwest"
    assert any("CITESEEK_SEARXNG_TRANSPORT" in warning for warning in loaded.warnings)


@pytest.mark.requirement("S2-63")
def test_html_engines_have_a_rate_limit_that_can_be_set() -> None:
    loaded = settings({"engines": {"mojeek": {"rate_per_minute": 3}}})
    assert loaded.engine(DDG).rate_per_minute.value == 20
    assert loaded.engine(load("mojeek")).rate_per_minute.value == 3
    assert loaded.engine(SEARXNG).rate_per_minute.value == 0


@pytest.mark.requirement("S3-25", "S3-26")
def test_bocha_is_set_by_variables_or_by_web_providers() -> None:
    env = {
        "BOCHA_API_KEY": "k-1",
        "BOCHA_BASE_URL": "https://b.example",
        "BOCHA_TIMEOUT_MS": "900",
        "BOCHA_TOP_K_DEFAULT": "8",
    }
    entry = {
        "api_key": "k-1",
        "base_url": "https://b.example",
        "timeout_ms": 900,
        "top_k_default": 8,
    }
    for loaded in (settings(env=env), settings({"web": {"providers": {"bocha": entry}}})):
        reach = loaded.engine(BOCHA)
        assert (reach.api_key.value, reach.base_url.value) == ("k-1", "https://b.example")
        assert (reach.seconds.value, reach.top_k_default.value) == (0.9, 8)
        assert loaded.warnings == ()


def test_what_nobody_set_of_an_engine() -> None:
    reach = settings().engine(BOCHA)
    assert (reach.base_url.value, reach.base_url.origin) == ("https://api.bocha.example", "default")
    assert (reach.api_key.value, reach.top_k_default.value) == (None, None)
    plain = settings().engine(Shelf())
    assert (plain.engine_id, plain.base_url.value) == ("shelf", None)


@pytest.mark.requirement("S2-21", "S2-64", "P36")
def test_no_key_and_no_password_shows() -> None:
    entry = {
        "api_key": "word-1",
        "base_url": "https://u:word-2@b.example",
        "proxy": "http://u:word-3@p.example:1",
    }
    loaded = settings({"engines": {"bocha": entry}}, env={"BRAVE_API_KEY": "word-4"})
    reach = loaded.engine(BOCHA)
    assert "word-" not in f"{loaded!r} {loaded.sources!r} {reach!r} {reach}"
    assert "key set" in repr(reach)
    assert "key not set" in repr(settings().engine(BOCHA))


@pytest.mark.parametrize(
    ("env", "proxies"),
    [
        ({}, (None, None, None)),
        ({"HTTP_PROXY": "http://a:1"}, ("http://a:1", None, None)),
        ({"https_proxy": "http://b:1", "HTTPS_PROXY": "http://c:1"}, (None, "http://b:1", None)),
        ({"ALL_PROXY": "http://d:1"}, ("http://d:1", "http://d:1", None)),
        (
            {"all_proxy": "http://d:1", "HTTP_PROXY": "http://a:1"},
            ("http://a:1", "http://d:1", None),
        ),
        ({"http_proxy": " ", "HTTP_PROXY": "http://a:1"}, ("http://a:1", None, None)),
        ({"no_proxy": "localhost,.example"}, (None, None, "localhost,.example")),
    ],
)
def test_the_proxies_of_the_system(
    env: dict[str, str], proxies: tuple[str | None, str | None, str | None]
) -> None:
    assert settings(env=env).system_proxies() == proxies


@pytest.mark.requirement("S1-64")
def test_what_is_set_is_logged_without_secrets(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "citeseek.settings")
    env = {"CITESEEK_CHAT_RESULTS": "4", "CITESEEK_CHAT_TIMEOUT": "abc"}
    config = {
        "web": {"fetch": {"proxy": "http://me:pa55@proxy.example:1"}},
        "search": {"engines": ["stub", "ddg_html"]},
        "chat": {"read": True},
    }
    settings(config, env=env)
    assert "open.engines = stub, ddg_html (config.json: search.engines)" in caplog.text
    assert "chat.read = true (config.json: chat.read)" in caplog.text
    assert "chat.count = 4 (environment: CITESEEK_CHAT_RESULTS)" in caplog.text
    assert "CITESEEK_CHAT_TIMEOUT" in caplog.text
    assert "web.fetch.proxy = set" in caplog.text
    assert "pa55" not in caplog.text


def test_every_setting_is_an_attribute_of_its_section() -> None:
    loaded = settings(config={"web": {"fetch": {"max_bytes": 20_000}}})
    assert loaded.web_fetch.max_bytes == 20_000
    sections = {name: each for name, each in vars(Table).items() if isinstance(each, Section)}
    read = {
        setting.name: getattr(getattr(loaded, name), setting.name.rpartition(".")[2])
        for name, section in sections.items()
        for setting in section.settings()
    }
    assert read == {setting.name: loaded.get(setting).value for setting in SETTINGS}
    assert len(read) == len(SETTINGS)


def test_of_its_class_it_says_what_it_is() -> None:
    setting = WebFetchSection.max_bytes
    assert isinstance(setting, Setting)
    assert (setting.name, setting.default) == ("web.fetch.max_bytes", 8_000_000)
    assert setting.env == ("WEB_FETCH_MAX_BYTES",)
