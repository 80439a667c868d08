"""Connections for the browser: to the addresses that the guard has checked, and no others."""

from __future__ import annotations

import asyncio
import base64
import socket
import ssl
import struct
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

from citeseek.errors import BudgetSpent, NetworkError
from citeseek.guard import Checked, Guard
from citeseek.observing.account import Account
from citeseek.observing.egress_budget import Limit, limit_of
from citeseek.observing.operation import Exchanged

Connection: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]

CONNECT_SECONDS = 5.0
MAX_ADDRESSES = 4
_MAX_HEAD = 16_384
_PORTS = {"http": 80, "https": 443}
_PROXY_PORTS = {**_PORTS, "socks5": 1080, "socks5h": 1080}


class Way:
    """How one page reaches the world: what ``guard`` lets through, by the proxies of addresses.

    ``proxy_for`` gives the proxy of an address, or None. ``reached`` holds the hosts that were
    connected to, ``refused`` how often a limit of a budget, one of ``accounts``, kept the page at
    ``url`` from one. ``max_bytes`` are those that the budgets leave for it, None for any number.
    """

    def __init__(
        self,
        guard: Guard,
        proxy_for: Callable[[str], str | None],
        *,
        url: str = "",
        accounts: tuple[Account, ...] = (),
    ) -> None:
        self.reached: dict[str, Exchanged] = {}
        self.refused: Counter[tuple[str, Limit]] = Counter()
        self.max_bytes: int | None = None
        self._url = url
        self._accounts = accounts
        self._guard = guard
        self._proxy_for = proxy_for

    async def dial(
        self, host: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Exchanged]:
        """Connect to ``host``, a name or an address as a browser writes it.

        Raise BudgetSpent, InvalidInput or WebBlocked (``ssrf_blocked``) before anything is sent or
        looked up, NetworkError where nobody answers.
        """
        self._admit(host)
        # What is spoken there is not known: only the choice of a proxy depends on it.
        scheme = "http" if port == _PORTS["http"] else "https"
        url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/"
        proxy = self._proxy_for(url)
        checked = await self._guard.check(url, by_proxy=proxy is not None)
        try:
            connection = await _open(urlsplit(proxy) if proxy else None, checked)
        except (OSError, TimeoutError, ValueError, EOFError) as error:
            raise NetworkError(
                f"No connection to {host}.",
                detail_code="no_connection",
                values={"case": "dialing", "host": str(host)},
            ) from error
        reached = self.reached.setdefault(checked.target.host, Exchanged())
        reached.connections += 1
        return *connection, reached

    def _admit(self, host: str) -> None:
        for account in self._accounts:
            try:
                account.connect(host, self._url)
            except BudgetSpent as error:
                if limit := limit_of(error.detail_code):
                    self.refused[host.lower(), limit] += 1
                raise


async def _open(proxy: SplitResult | None, checked: Checked) -> Connection:
    if proxy is None:
        return await _straight(checked)
    async with asyncio.timeout(CONNECT_SECONDS):
        return await _through(proxy, checked)


async def _straight(checked: Checked) -> Connection:
    *others, last = checked.addresses[:MAX_ADDRESSES]
    for address in others:
        with suppress(OSError, TimeoutError):
            return await _connect(address, checked.target.port)
    return await _connect(last, checked.target.port)


async def _connect(address: str, port: int) -> Connection:
    async with asyncio.timeout(CONNECT_SECONDS):
        # An address and no name: nothing is looked up again.
        return await asyncio.open_connection(
            address, port, flags=socket.AI_NUMERICHOST, limit=_MAX_HEAD
        )


async def _through(proxy: SplitResult, checked: Checked) -> Connection:
    """Connect through ``proxy``, which looks the name up."""
    host = (proxy.hostname or "", proxy.port or _PROXY_PORTS[proxy.scheme])
    # The context of the default is a certificate that is checked.
    tls = ssl.create_default_context() if proxy.scheme == "https" else None
    reader, writer = await asyncio.open_connection(*host, ssl=tls, limit=_MAX_HEAD)
    try:
        if proxy.scheme in ("http", "https"):
            await _ask_http(reader, writer, proxy, checked)
        else:
            await _ask_socks(reader, writer, proxy, checked)
    except BaseException:
        writer.close()
        raise
    return reader, writer


async def _ask_http(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    proxy: SplitResult,
    checked: Checked,
) -> None:
    at = f"{checked.target.host}:{checked.target.port}"
    lines = [f"CONNECT {at} HTTP/1.1", f"Host: {at}"]
    if proxy.username is not None:
        secret = base64.b64encode(":".join(_credentials(proxy)).encode()).decode()
        lines.append(f"Proxy-Authorization: Basic {secret}")
    writer.write("\r\n".join((*lines, "", "")).encode())
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise ValueError("not HTTP") from None
    if head.split(b" ", 2)[1:2] != [b"200"]:
        raise ConnectionRefusedError


async def _ask_socks(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    proxy: SplitResult,
    checked: Checked,
) -> None:
    """Ask as RFC 1928 and RFC 1929 have it."""
    writer.write(b"\x05\x01\x02" if proxy.username is not None else b"\x05\x01\x00")
    _, method = await reader.readexactly(2)
    if method == 2:  # noqa: PLR2004 - user name and password
        user, password = (text.encode()[:255] for text in _credentials(proxy))
        writer.write(b"\x01" + bytes([len(user)]) + user + bytes([len(password)]) + password)
        _, refused = await reader.readexactly(2)
        if refused:
            raise ConnectionRefusedError
    elif method:
        raise ConnectionRefusedError
    name = checked.target.host.strip("[]").encode()
    port = struct.pack(">H", checked.target.port)
    writer.write(b"\x05\x01\x00\x03" + bytes([len(name)]) + name + port)
    _, refused, _, kind = await reader.readexactly(4)
    if refused:
        raise ConnectionRefusedError
    length = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
    await reader.readexactly(length + 2)


def _credentials(proxy: SplitResult) -> tuple[str, str]:
    return unquote(proxy.username or ""), unquote(proxy.password or "")
