"""The socket of the server: where it may be, and what is said when it cannot."""

from __future__ import annotations

import socket

import pytest
from tests.loopback import refused_port

from citeseek.errors import InvalidInput
from citeseek.surfaces.server.listening import address_of, listen


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


IPV6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "http://127.0.0.1:{}"),
        ("localhost", "http://127.0.0.1:{}"),
        ("0.0.0.0", "http://127.0.0.1:{}"),  # noqa: S104 - it is closed at once
        pytest.param("::1", "http://[::1]:{}", marks=IPV6),
        pytest.param("::", "http://[::1]:{}", marks=IPV6),
    ],
)
def test_the_address_is_one_to_open_here(host: str, shown: str) -> None:
    with listen(host, 0) as listening:
        port = listening.getsockname()[1]
        assert port > 0
        assert address_of(listening) == shown.format(port)
        address = (shown.partition("//")[2].rpartition(":")[0].strip("[]"), port)
        socket.create_connection(address, timeout=10).close()


@IPV6
def test_all_networks_are_those_of_both_kinds() -> None:
    with listen("::", 0) as listening:
        socket.create_connection(("127.0.0.1", listening.getsockname()[1]), timeout=10).close()


@pytest.mark.parametrize(
    ("host", "sentence"),
    [
        ("192.0.2.1", "192.0.2.1 is not an address of this machine."),
        ("fe80::1%no-such-network", "There is no machine called fe80::1%no-such-network."),
    ],
)
def test_what_is_not_here_is_said(host: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        listen(host, 0)
    assert caught.value.message == sentence


def test_a_port_in_use_is_named_with_what_to_do() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(InvalidInput) as caught:
            listen("127.0.0.1", port)
    assert caught.value.message == f"Port {port} of 127.0.0.1 is in use."
    assert "--port 0" in caught.value.hint
    # Whoever typed make has no command that could take it.
    assert 'ARGS="--port 0"' in caught.value.hint


def test_a_port_that_somebody_only_holds_is_in_use_as_well() -> None:
    with refused_port() as port, pytest.raises(InvalidInput, match="in use"):
        listen("127.0.0.1", port)
