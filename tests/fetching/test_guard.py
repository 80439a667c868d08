"""The guard, without a network: how addresses are read, and which are let through."""

from __future__ import annotations

import asyncio
import threading
from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyreqwest.http import Url

from citeseek.errors import InvalidInput, NetworkError, WebBlocked
from citeseek.guard import Allowed, Guard, read
from citeseek.guard import resolver as resolver_of_system

PUBLIC = "93.184.216.34"


def names(**answers: list[str]):
    async def resolver(host: str) -> list[str]:
        if host not in answers:
            raise NetworkError("not found")
        return answers[host]

    return resolver


def at(*addresses: str, allow: tuple[str, ...] = ()) -> Guard:
    async def resolver(host: str) -> list[str]:
        return list(addresses)

    return Guard(Allowed.of(allow), resolver=resolver)


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("https://example.com:8443/a", "https://example.com:8443/a"),
        ("https://example.com./a#part", "https://example.com/a"),
        ("https://例え.jp/道?問=答", "https://xn--r8jz45g.jp/%E9%81%93?%E5%95%8F=%E7%AD%94"),
        ("https://a。b。com/", "https://a.b.com/"),
        ("https://example.com/a b?c d", "https://example.com/a%20b?c%20d"),
        ("https://example.com/%E9%81%93?x=%2F", "https://example.com/%E9%81%93?x=%2F"),
        ("https://example.com?q=a@b", "https://example.com/?q=a@b"),
        ("https://example.com/a\\b", "https://example.com/a%5Cb"),
        ("http://[2606:4700::1111]:8080/", "http://[2606:4700::1111]:8080/"),
        (" https://example.com/ ", "https://example.com/"),
        ("http://example.com:000000080/", "http://example.com/"),
        ("http://example.com:0008080/", "http://example.com:8080/"),
        ("https://straße.de/", "https://xn--strae-oqa.de/"),
        ("https://Faß.de/", "https://xn--fa-hia.de/"),
        ("https://βόλος.com/", "https://xn--nxasmm1c.com/"),
        ("https://💩.la/", "https://xn--ls8h.la/"),
        ("https://نامه\u200cای.com/", "https://xn--mgba3gch31f060k.com/"),
        ("https://ex\u00adample.com/", "https://example.com/"),
    ],
)
def test_an_address_is_built_anew_from_its_parts(url: str, sent: str) -> None:
    assert read(url).url == sent
    assert Url(url.strip()).host_str == read(url).host or url.endswith("./a#part")
    assert read(sent).url == sent


@pytest.mark.parametrize(
    "url",
    [
        "http://user@example.com/",
        "http://example.com:80@127.0.0.1/",
        "http://example.com\\@127.0.0.1/",
        "http://exa%6dple.com/",
        "http://example.com\r\nHost: x/",
        "http://example.com\u200d/",
        "http://127.1/",
        "http://0x7f.1/",
        "http://1.2.3.4.5/",
        "http://foo.0x1/",
        "http://010.8.8.8/",
        "http://１２７.0.0.1/",
        "http://127。0。0。1/",
        "http://①②⑦.0.0.1/",
        "http://134744072/",
        "http://8.8.8.256/",
        "http://[::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://[127.0.0.1]/",
        "http://example.com:22/",
        "http://example.com:25/",
        "http://example.com:6667/",
    ],
)
@pytest.mark.requirement("S2-62")
def test_what_two_programs_could_read_differently_is_refused(url: str) -> None:
    with pytest.raises(WebBlocked) as caught:
        read(url)
    assert caught.value.detail_code == "ssrf_blocked"
    assert not caught.value.retryable


@pytest.mark.parametrize(
    "url",
    [
        "",
        "   ",
        "example.com",
        "//example.com",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http:///x",
        "http://exa mple.com/",
        "http:example.com",
        "http://:80/",
        "http://example.com:0/",
        "http://example.com:000/",
        "http://example.com:65536/",
        "http://example.com:999999999999/",
        "http://example.com:8x/",
        "http://a..b/",
        "http://-a.com/",
        "http://[::1/",
        "http://" + "a" * 254,
        "https://example.com/" + "a" * 9_000,
    ],
)
@pytest.mark.requirement("S2-62")
def test_what_is_no_web_address_is_invalid_input(url: str) -> None:
    with pytest.raises(InvalidInput):
        read(url)


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused_and_what_is_sent_reads_the_same(rest: str) -> None:
    try:
        target = read(f"http://{rest}")
    except (InvalidInput, WebBlocked):
        return
    again = read(target.url)
    assert (again.host, again.port, again.url) == (target.host, target.port, target.url)
    assert target.url.isascii()
    assert target.url.isprintable()


# What tells hosts, users, ports and paths apart, and what else stands for these signs.
_SIGNS = st.sampled_from(
    [*"aZ09.:@/\\?#[]%-_ \t。．＠／：①ⅷªßς💩א\u200d\u00ad\ud800", "0x", "xn--", "127"]
)


@given(st.lists(_SIGNS, max_size=12).map("".join))
def test_the_client_reads_the_host_that_was_checked(rest: str) -> None:
    try:
        target = read(f"http://{rest}")
    except (InvalidInput, WebBlocked):
        return
    try:
        theirs = Url(target.url)
    except ValueError:
        return
    assert theirs.host_str == target.host
    assert theirs.port_or_known_default == target.port
    assert not theirs.username
    assert theirs.scheme == target.scheme


REFUSED = (
    "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 "
    "172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 "
    "198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 168.63.129.16 "
    "100.100.100.200 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 "
    "64:ff9b::a9fe:a9fe 64:ff9b:1::808:808 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 "
    "2001::1 2001:10::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 100::1 4000::1"
).split()
ADMITTED = (
    "8.8.8.8 1.1.1.1 93.184.216.34 172.15.255.255 172.32.0.1 198.17.255.255 198.20.0.1 "
    "100.63.255.255 100.128.0.1 223.255.255.255 2606:4700:4700::1111 2001:4860:4860::8888 "
    "2400:3200::1 64:ff9b::808:808"
).split()


@pytest.mark.parametrize("address", REFUSED)
@pytest.mark.requirement("S2-62")
async def test_an_address_that_is_not_public_is_refused_written_or_looked_up(
    address: str,
) -> None:
    literal = f"[{address}]" if ":" in address else address
    for guard, url in ((Guard(), f"http://{literal}/"), (at(address), "http://a.example/")):
        with pytest.raises(WebBlocked) as caught:
            await guard.check(url)
        assert caught.value.detail_code == "ssrf_blocked"
        # What a name leads to in the user's network is nobody else's business.
        assert address not in caught.value.message


@pytest.mark.parametrize("address", ADMITTED)
async def test_a_public_address_is_let_through(address: str) -> None:
    literal = f"[{address}]" if ":" in address else address
    assert (await Guard().check(f"http://{literal}/")).addresses == (address,)
    assert (await at(address).check("http://a.example/")).addresses == (address,)


@pytest.mark.requirement("S2-62")
async def test_one_refused_address_among_others_refuses_the_name() -> None:
    with pytest.raises(WebBlocked):
        await at(PUBLIC, "10.0.0.1").check("http://a.example/")


async def test_a_name_without_addresses_is_a_network_error() -> None:
    with pytest.raises(NetworkError):
        await at().check("http://a.example/")
    with pytest.raises(NetworkError) as caught:
        await Guard().check("http://nowhere.invalid/")
    assert caught.value.detail_code == "name_not_found"


@pytest.mark.parametrize(
    ("entry", "address"),
    [
        ("127.0.0.0/8", "127.0.0.1"),
        ("10.0.0.5", "10.0.0.5"),
        ("wiki.corp", "10.0.0.5"),
        ("WIKI.corp.", "10.0.0.5"),
        ("fd00::/8", "fd00::7"),
        ("198.18.0.0/15", "198.18.0.21"),
        ("10.0.0.0/8", "::ffff:a00:5"),
        ("169.254.169.254", "169.254.169.254"),
    ],
)
async def test_the_allow_list_opens_networks_addresses_and_names(entry: str, address: str) -> None:
    checked = await at(address, allow=(entry,)).check("http://wiki.corp/")
    # From 3.13 on, Python writes the IPv4 address in an IPv6 one with dots.
    assert checked.addresses == (str(ip_address(address)),)


@pytest.mark.parametrize(
    ("entry", "address"),
    [
        ("10.0.0.0/8", "192.168.0.1"),
        ("wiki.corp.example", "10.0.0.5"),
        ("198.18.0.0/15", "169.254.169.254"),
        # Whoever opens everything has not thought of the keys of the machine.
        ("0.0.0.0/0", "169.254.169.254"),
        ("169.254.0.0/16", "169.254.169.254"),
        ("wiki.corp", "169.254.169.254"),
        ("::/0", "fd00:ec2::254"),
        ("64:ff9b::/96", "64:ff9b::a9fe:a9fe"),
    ],
)
async def test_the_allow_list_opens_nothing_else(entry: str, address: str) -> None:
    with pytest.raises(WebBlocked):
        await at(address, allow=(entry,)).check("http://wiki.corp/")


async def test_behind_a_proxy_local_names_and_addresses_are_refused() -> None:
    guard = Guard(resolver=names(**{"a.example": [PUBLIC], "rebind.example": ["10.0.0.1"]}))
    for url in (
        "http://localhost/",
        "http://x.localhost/",
        "http://printer/",
        "http://printer.local/",
        "http://metadata.google.internal/",
        "http://router.home.arpa/",
        "http://192.168.0.1/",
        "http://rebind.example/",
    ):
        with pytest.raises(WebBlocked) as caught:
            await guard.check(url, by_proxy=True)
        assert caught.value.detail_code == "ssrf_blocked"
    for url in ("http://a.example/", "http://known-to-the-proxy-alone.example/"):
        assert (await guard.check(url, by_proxy=True)).addresses == ()


async def test_behind_a_proxy_an_allowed_name_is_let_through() -> None:
    guard = Guard(Allowed.of(("printer",)), resolver=names())
    assert (await guard.check("http://printer/", by_proxy=True)).target.host == "printer"


@pytest.mark.parametrize("url", [None, 5, b"http://example.com/", ["http://example.com/"]])
def test_what_is_no_text_is_no_address(url: Any) -> None:
    with pytest.raises(InvalidInput, match="must be an address"):
        read(url)


async def test_a_resolver_that_hangs_keeps_a_bounded_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    released = threading.Event()

    def hanging(*_: object, **__: object) -> list[object]:
        released.wait(30)
        return [(0, 0, 0, "", ("192.0.2.7", 0))]

    monkeypatch.setattr(resolver_of_system.socket, "getaddrinfo", hanging)
    calls = [
        asyncio.create_task(resolver_of_system.system_addresses(f"h{n}.example"))
        for n in range(200)
    ]
    await asyncio.sleep(0)
    working = [each for each in threading.enumerate() if each.name == "citeseek-names"]
    assert len(working) <= resolver_of_system.MAX_THREADS
    for call in calls[100:]:
        call.cancel()
    released.set()
    assert await asyncio.gather(*calls[:100]) == [["192.0.2.7"]] * 100
    await asyncio.gather(*calls, return_exceptions=True)
