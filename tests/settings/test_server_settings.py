"""The settings of the server: what they may be, and that the token never shows."""

from __future__ import annotations

import pytest
from tests.conftest import settings

from citeseek.settings.face_settings import ChatSection
from citeseek.settings.server_settings import PageSection, ServerSection
from citeseek.settings.values import host, hosts

DEFAULTS = {
    "server.host": "127.0.0.1",
    "server.port": 8000,
    "server.token": None,
    "server.people": None,
    "server.proxy_header": None,
    "server.proxy_addresses": (),
    "server.proxy_role": "member",
    "server.hosts": (),
    "server.url": None,
    "server.per_minute": 0,
    "server.guest_per_minute": 10,
    "server.max_answers": 16,
    "server.grace_seconds": 20.0,
    "server.max_reports": 4,
    "server.max_streams": 128,
    "server.max_connections": None,
    "server.max_connections_per_address": 128,
    "server.metrics": "on",
    "server.keep_days": None,
    "server.audit_log": None,
    "server.max_batch_bytes": 100_000_000,
    "page.language": "auto",
    "page.pictures": "on",
    "chat.search": False,
}
TOKEN = "marked-token-8c1d4e"


def test_without_any_word_the_server_is_for_this_machine_alone() -> None:
    loaded = settings()
    all_of_it = (*ServerSection.settings(), *PageSection.settings(), ChatSection.search)
    assert {setting.name: loaded.get(setting).value for setting in all_of_it} == DEFAULTS


def test_each_setting_has_a_place_in_the_file_and_a_variable() -> None:
    config = {
        "server": {"host": "::", "port": 0, "token": TOKEN, "hosts": ["Chat.Example."]},
        "page": {"language": "EN", "pictures": "off"},
        "chat": {"search": True},
    }
    env = {
        "CITESEEK_HOST": "::",
        "CITESEEK_PORT": "0",
        "CITESEEK_TOKEN": TOKEN,
        "CITESEEK_HOSTS": "Chat.Example.",
        "CITESEEK_PAGE_LANGUAGE": "EN",
        "CITESEEK_PAGE_PICTURES": "off",
        "CITESEEK_CHAT_SEARCH": "on",
    }
    for loaded in (settings(config), settings(env=env)):
        assert loaded.server.host == "::"
        assert loaded.server.port == 0
        assert loaded.server.token == TOKEN
        assert loaded.server.hosts == ("chat.example",)
        assert loaded.page.language == "en"
        assert loaded.page.pictures == "off"
        assert loaded.chat.search is True
        assert loaded.warnings == ()


@pytest.mark.parametrize("path", ["server.prot", "page.lang"])
def test_an_unknown_key_is_named(path: str) -> None:
    section, name = path.split(".")
    assert settings({section: {name: 1}}).warnings == (f"config.json: {path} is an unknown key.",)


@pytest.mark.requirement("S2-64")
def test_the_token_is_in_no_log_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    settings(env={"CITESEEK_TOKEN": TOKEN})
    unreadable = settings(env={"CITESEEK_TOKEN": f"{TOKEN}\N{SNOWMAN}"})
    assert unreadable.server.token is None
    assert "server.token = set" in caplog.text
    assert TOKEN not in caplog.text


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("localhost", "localhost"),
        (" Chat.Example. ", "chat.example"),
        ("my_box", "my_box"),
        ("xn--fiq228c.example", "xn--fiq228c.example"),
        ("0.0.0.0", "0.0.0.0"),  # noqa: S104 - nothing listens here
        ("[::1]", "::1"),
        ("0:0:0:0:0:0:0:1", "::1"),
    ],
)
def test_a_host_is_a_name_or_an_address(raw: str, value: str) -> None:
    assert host(raw) == value


@pytest.mark.parametrize(
    "raw",
    [
        *("", " ", ".", "*", "a b", "a..b", "-a", "a-", "a/b", "a:80", "http://a", "user@a"),
        *("127.1", "256.0.0.1", "1", "0x7f.1", "a.0x7f", "[::1", "::1]", "[127.0.0.1]", "[::1]:80"),
        *("中文.example", "\N{KELVIN SIGN}elvin", "a" * 64, 5, None),
    ],
)
def test_what_is_no_host_is_refused(raw: object) -> None:
    with pytest.raises(ValueError, match="is not"):
        host(raw)


def test_hosts_are_a_list_or_a_text_with_commas() -> None:
    assert hosts(["A.example", "[::1]"]) == hosts(" a.example, ::1,") == ("a.example", "::1")
    with pytest.raises(ValueError, match="is not"):
        hosts("a.example, b c")
