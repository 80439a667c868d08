"""Fetching: a name server and sites as a case describes them, over real connections.

Only the last step is turned aside: what goes to a checked address goes to a loopback server, whose
answers are the case's, and is noted.
"""

from __future__ import annotations

import asyncio
import base64
import resource
import sys
import time
from typing import Any
from urllib.parse import urlsplit

import msgspec
from tests.loopback import LoopbackServer, Reply, Request, faults
from tests.loopback.wire import Wire

from citeseek.errors import CiteseekError
from citeseek.fetching import Fetcher, FetchOptions
from citeseek.guard import Guard
from citeseek.http import Transports
from citeseek.http.page_transport import PageTransport
from citeseek.models import Page
from citeseek.models import Request as PageRequest
from tools.cases import Case, NotBuilt
from tools.cases.expectations import differences, unwanted
from tools.cases.guarding import Names

MEGABYTE = 1 << 20
# The unit of ``ru_maxrss``.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Observed(msgspec.Struct):
    """What came of a fetch, and what was connected to on the way."""

    text: str = ""
    error: str = ""
    escaped: str = ""
    ms: float = 0
    peak_mb: float = 0
    hosts: list[str] = []
    addresses: list[str] = []
    received: int = 0


class Aside:
    """Notes where a page is asked for, and asks the loopback server at ``port`` for it."""

    def __init__(self, inner: PageTransport, port: int, seen: Observed) -> None:
        self._inner = inner
        self._port = port
        self._seen = seen

    async def send(
        self,
        request: PageRequest,
        *,
        host: str,
        addresses: tuple[str, ...],
        seconds: float,
        max_bytes: int,
    ) -> Page:
        """Ask for the page."""
        self._seen.hosts.append(host)
        self._seen.addresses.append(addresses[0])
        parts = urlsplit(request.url)
        query = f"?{parts.query}" if parts.query else ""
        here = f"http://{host}:{self._port}{parts.path}{query}"
        page = await self._inner.send(
            msgspec.structs.replace(request, url=here),
            host=host,
            addresses=("127.0.0.1",),
            seconds=seconds,
            max_bytes=max_bytes,
        )
        self._seen.received += len(page.body)
        return msgspec.structs.replace(page, url=request.url)

    async def close(self) -> None:
        """Leave it to the owner of the inner one."""


def check(case: Case) -> list[str]:
    """Check ``fetch.get``."""
    return _differences(case["expect"], asyncio.run(_observed(case["input"])))


async def _observed(given: dict[str, Any]) -> Observed:
    pages = {
        address.partition("://")[2]: _reply(answer)
        for address, answer in given["responses"].items()
    }

    def answer(request: Request) -> Reply:
        host = request.headers.get("host", "").partition(":")[0]
        return pages.get(f"{host}{request.target}", Reply(404))

    seen = Observed()
    options = FetchOptions(
        delay_seconds=0,
        max_bytes=given.get("max_bytes", 8_000_000),
        seconds=given.get("timeout_s", 15),
    )
    transports = Transports()
    with LoopbackServer() as server:
        server.otherwise(answer)

        def aside(proxy: str | None) -> PageTransport:
            return Aside(transports.pages(proxy), server.port, seen)

        fetcher = Fetcher(options, aside, guard=Guard(resolver=Names(given)))
        before, began = _peak(), time.perf_counter()
        try:
            seen.text = (await fetcher.fetch(given["url"], {})).text
        except CiteseekError as error:
            seen.error = str(error)
        except Exception as error:  # noqa: BLE001 - that none escapes is what is looked at
            seen.escaped = seen.error = repr(error)
        finally:
            seen.ms = (time.perf_counter() - began) * 1000
            seen.peak_mb = (_peak() - before) / MEGABYTE
            await transports.close()
    return seen


def _reply(answer: dict[str, Any]) -> Reply:
    headers = answer["headers"]
    if made := answer.get("body_gen"):
        match made["kind"]:
            case "endless_text":
                return _endless(headers)
            case "gzip_zeros":
                body = faults.gzip_bomb(made["plain_bytes"] // MEGABYTE).body
                return Reply(answer["status"], headers, body)
        raise NotBuilt(made["kind"])
    encoded = answer.get("body_b64")
    body = base64.b64decode(encoded) if encoded else answer.get("body", "")
    return Reply(answer["status"], headers, body)


def _endless(headers: dict[str, str]) -> Reply:
    head = Reply(200, headers, chunked=True).head()

    async def script(wire: Wire) -> None:
        await wire.send(head)
        while True:
            await wire.send(b"1000\r\n%b\r\n" % (b"tea for two " * 342)[:4096])

    return Reply(200, headers, script=script)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def _differences(expect: dict[str, Any], seen: Observed) -> list[str]:
    shown = seen.text + seen.error
    values = {
        "ok": not seen.error,
        "text": seen.text,
        "error_text": seen.error,
        "no_exception_escapes": not seen.escaped,
        "text_or_error_non_empty": bool(shown.strip()),
        "hosts_connected": list(dict.fromkeys(seen.hosts)),
        "requests": len(seen.hosts),
        "bytes_read": seen.received,
        "ms": seen.ms,
        "peak_memory_mb": seen.peak_mb,
    }
    checks = {
        # A fault shows the reader nothing of it either.
        "text_lacks": lambda barred: unwanted("text", barred, shown),
        "text_warns_of": lambda word: [] if word in seen.text else [f"no warning of {word}"],
        "addresses_connected_exclude": lambda barred: unwanted("address", barred, seen.addresses),
    }
    return differences(expect, values, checks)
