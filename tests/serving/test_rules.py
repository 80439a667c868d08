"""Who the server is called by, and when it may start at all."""

from __future__ import annotations

import pytest
from tests.conftest import settings

from citeseek.errors import InvalidInput
from citeseek.surfaces.server.origins import Authority
from citeseek.surfaces.server.rules import Rules, is_loopback

TOKEN = "marked-token-8c1d4e"
ANYWHERE = "0.0.0.0"  # noqa: S104 - nothing listens here


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *[(host, True) for host in ("localhost", "127.0.0.1", "127.8.9.10", "::1")],
        *[(host, False) for host in (ANYWHERE, "::", "192.168.1.5", "example.com", "")],
        *[(host, False) for host in ("localhost.example.com", "127.0.0.1.example.com", "127.1")],
    ],
)
def test_what_is_loopback(host: str, *, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize("host", [ANYWHERE, "::", "192.168.1.5", "box"])
def test_without_a_token_nobody_else_may_be_let_in(host: str) -> None:
    with pytest.raises(InvalidInput, match="CITESEEK_TOKEN"):
        Rules.of(settings(), host=host)
    with pytest.raises(InvalidInput, match="CITESEEK_TOKEN"):
        Rules.of(settings(env={"CITESEEK_HOST": host}))
    assert Rules.of(settings(env={"CITESEEK_TOKEN": TOKEN}), host=host).token == TOKEN


@pytest.mark.parametrize("token", ["short", "fifteen-letters", f"{TOKEN}\N{SNOWMAN}", "$NO_SUCH"])
def test_a_token_that_is_no_good_never_counts_as_none(token: str) -> None:
    with pytest.raises(InvalidInput, match="CITESEEK_TOKEN") as caught:
        Rules.of(settings({"server": {"token": token}}))
    assert token not in str(caught.value)


def test_rules_do_not_show_their_token() -> None:
    rules = Rules.of(settings(env={"CITESEEK_TOKEN": TOKEN}))
    assert repr(rules) == "Rules(127.0.0.1, token set)"
    assert repr(Rules()) == "Rules(127.0.0.1, token not set)"


ALWAYS = ("localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "chat.example")
ADDRESSES = ("192.168.1.5", "10.0.0.1", "2001:db8::1", ANYWHERE, "::")
NEVER = ("evil.example", "localhost.evil.example", "sub.chat.example", "2130706433", "127.1", "")


def test_a_server_on_loopback_goes_by_no_other_address() -> None:
    rules = Rules(hosts=("chat.example",))
    assert [name for name in (*ALWAYS, *ADDRESSES, *NEVER) if rules.allows(name)] == [*ALWAYS]


def test_a_server_on_a_network_goes_by_any_address() -> None:
    rules = Rules(host=ANYWHERE, hosts=("chat.example",))
    known = [name for name in (*ALWAYS, *ADDRESSES, *NEVER) if rules.allows(name)]
    assert known == [*ALWAYS, *ADDRESSES]
    assert Rules(host="box").allows("box")


@pytest.mark.parametrize(
    ("text", "name", "port"),
    [
        ("localhost", "localhost", None),
        ("LOCALHOST:8000", "localhost", 8000),
        ("chat.example.:1", "chat.example", 1),
        ("127.0.0.1:65535", "127.0.0.1", 65535),
        ("[::1]", "::1", None),
        ("[0:0:0:0:0:0:0:1]:8000", "::1", 8000),
        ("my_box", "my_box", None),
    ],
)
def test_an_authority_is_a_name_and_a_port(text: str, name: str, port: int | None) -> None:
    assert Authority.read(text) == Authority(name, port)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            ":80",
            "a:",
            "a:0",
            "a:65536",
            "a:+1",
            "a:1:2",
            "a b",
            "a/b",
            "a,b",
            "a@b",
            "..",
            "a..",
        ),
        *("::1", "[::1", "[1]", "[::1%eth0]", "[127.0.0.1]", "a\x00", "\u0430", "a:\u0661", "*"),
    ],
)
def test_what_is_no_authority(text: str) -> None:
    assert Authority.read(text) is None


@pytest.mark.parametrize(
    ("origin", "host", "expected"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000", True),
        ("HTTP://LocalHost:8000", "localhost:8000", True),
        ("http://[::1]:8000", "[::1]:8000", True),
        ("https://chat.example", "chat.example", True),
        ("https://chat.example", "chat.example:443", True),
        ("http://chat.example:80", "chat.example", True),
        ("http://chat.example", "chat.example:443", False),
        ("http://127.0.0.1:8001", "127.0.0.1:8000", False),
        ("http://localhost:8000", "127.0.0.1:8000", False),
        ("https://chat.example:8000", "chat.example", False),
        ("http://evil.example", "chat.example", False),
        ("http://chat.example.evil.example", "chat.example", False),
        ("http://chat.example@evil.example", "chat.example", False),
        ("http://chat.example/", "chat.example", False),
        ("ftp://chat.example", "chat.example", False),
        ("chat.example", "chat.example", False),
        ("null", "null", False),
        ("", "chat.example", False),
    ],
)
def test_an_origin_is_of_the_place_that_is_called_the_same(
    origin: str, host: str, *, expected: bool
) -> None:
    called = Authority.read(host)
    assert called is not None
    assert called.is_of(origin) is expected
