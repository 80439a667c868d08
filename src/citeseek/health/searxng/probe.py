"""One SearXNG as it is probed, and each of its states as a finding.

It is asked under a deadline, over the same client that searches use.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import structs

from citeseek.engine import EngineOptions
from citeseek.engines.searxng import ENGINE
from citeseek.errors import SearchFailed, WebParseError
from citeseek.health.finding import Finding
from citeseek.health.searxng.hosting import Place, bare, has_login, port_of, with_login
from citeseek.health.texts import tell
from citeseek.http import Transport
from citeseek.models import Page, Request
from citeseek.parsing.html import tree
from citeseek.parsing.json_body import json_object
from citeseek.query import Query
from citeseek.searching.answer_reading import beginning
from citeseek.searxng_host.files import PORT
from citeseek.urls import may_share_secret

# Words that every index has pages for.
CANARY = "python"
REFUSED_NAME = "curl (citeseek)"
MAX_BYTES = 4_000_000
OK, NO_WORDS, LIMITED = 200, 400, 429

_OF_A_SEARXNG = frozenset({"engines", "instance_name", "version", "brand"})
# Who listens on a port, in the words of each system.
_LISTENING = {"darwin": "lsof -nP -iTCP:{} -sTCP:LISTEN", "win32": "netstat -ano | findstr :{}"}
_LINUX = "ss -ltnp 'sport = :{}'"
_OTHER_PORTS = range(8081, 8100)
_AS_BEARER = 'curl -sS -H "Authorization: Bearer $SEARXNG_API_KEY"'


class Look(msgspec.Struct, frozen=True):
    """What an address answers at ``/healthz`` and ``/config``; None for what did not come whole.

    ``failure`` is why ``/healthz`` did not come, ``generator`` whether the start page names SearXNG
    as its maker, which is looked for only when the other two do not decide.
    """

    health: Page | None = None
    config: Page | None = None
    failure: SearchFailed | None = None
    generator: bool = False

    @property
    def is_searxng(self) -> bool:
        """Whether a SearXNG answered; one that refuses us is recognised as well."""
        if self.facts is not None or self.generator:
            return True
        return self.says_ok and self.config is not None and self.config.status == LIMITED

    @property
    def says_ok(self) -> bool:
        """Whether ``/healthz`` is SearXNG's."""
        return self.health is not None and self.health.body.strip() == b"OK"

    @property
    def facts(self) -> dict[str, Any] | None:
        """The configuration that the instance tells; None when it tells none."""
        if self.config is None or self.config.status != OK:
            return None
        try:
            body = json_object(self.config)
        except WebParseError:
            return None
        return body if body.keys() >= _OF_A_SEARXNG else None


class Instance:
    """Sends the probes. All of them together take no longer than ``seconds``.

    ``place`` is where it runs, as far as that is known.
    """

    def __init__(
        self,
        transport: Transport,
        options: EngineOptions,
        *,
        seconds: float,
        place: Place | None = None,
    ) -> None:
        self.options = options
        self.place = place or Place()
        # For a first answer; the rest is for finding out why there is none.
        self.patience = seconds * 0.6
        self._transport = transport
        self._until = asyncio.get_running_loop().time() + seconds

    @property
    def base_url(self) -> str:
        """The address, without a trailing slash."""
        return self.options.base_url

    @property
    def left(self) -> float:
        """The seconds that are left, 0.05 at least."""
        return max(self._until - asyncio.get_running_loop().time(), 0.05)

    async def get(self, path: str, *, seconds: float | None = None) -> Page:
        """Return the page at ``path`` below the address. Raise SearchFailed."""
        return await self.send(Request(url=f"{self.base_url}{path}"), seconds=seconds)

    async def send(self, request: Request, *, seconds: float | None = None) -> Page:
        """Send ``request``, to its own server with the instance's key. Raise SearchFailed."""
        if self.options.api_key and may_share_secret(self.base_url, request.url):
            headers = {**request.headers, "Authorization": f"Bearer {self.options.api_key}"}
            request = structs.replace(request, headers=headers)
        limit = min(seconds or self.left, self.left)
        return await self._transport.send(request, seconds=limit, max_bytes=MAX_BYTES)

    def at(self, base_url: str) -> Instance:
        """Return the same for another address and the time left; the key stays at its server."""
        key = self.options.api_key if may_share_secret(self.base_url, base_url) else None
        options = EngineOptions(base_url=base_url, api_key=key)
        return Instance(self._transport, options, seconds=self.left, place=self.place)

    def state(self, code: str, **values: Any) -> Finding:
        """Return the finding for a state of this instance; see :func:`state`."""
        has_key = bool(self.options.api_key)
        return finding_of_state(code, self.base_url, self.place, has_key=has_key, **values)

    async def look(self, *, seconds: float) -> Look:
        """Ask for what tells a SearXNG from other servers, within ``seconds``."""
        health, config = await asyncio.gather(
            self.get("/healthz", seconds=seconds),
            self.get("/config", seconds=seconds),
            return_exceptions=True,
        )
        for outcome in (health, config):
            if isinstance(outcome, BaseException) and not isinstance(outcome, SearchFailed):
                raise outcome
        seen = Look(
            health=health if isinstance(health, Page) else None,
            config=config if isinstance(config, Page) else None,
            failure=health if isinstance(health, SearchFailed) else None,
        )
        if seen.is_searxng or seen.failure:
            return seen
        try:
            start = await self.get("/", seconds=seconds)
        except SearchFailed:
            return seen
        return structs.replace(seen, generator=_is_made_by_searxng(start))

    async def search(self, *, language: str) -> Page:
        """Ask for results exactly as a search does. Raise SearchFailed."""
        query = Query.of(CANARY, language=language)
        # The reasons of failures come in this language.
        headers = {**ENGINE.request(query, self.options).headers, "Accept-Language": "en"}
        return await self.send(
            structs.replace(ENGINE.request(query, self.options), headers=headers)
        )

    async def lets_any_program_in(self) -> bool:
        """Whether the limiter lets this address do as it likes.

        A name that it always refuses tells, and takes nothing from what an address may ask for.
        """
        request = Request(url=f"{self.base_url}/config", headers={"User-Agent": REFUSED_NAME})
        try:
            return (await self.send(request)).status == OK
        except SearchFailed:
            return False

    async def answers_as_html(self) -> bool:
        """Whether the page of results, asked for without words, comes where JSON does not."""
        return await self._status("/search") == OK

    async def takes_json(self) -> bool:
        """Whether JSON is enabled: asked for it without words, it says that words are missing."""
        return await self._status("/search?format=json") == NO_WORDS

    async def _status(self, path: str) -> int:
        try:
            return (await self.get(path)).status
        except SearchFailed:
            return 0


def is_guarded(page: Page) -> bool:
    """Whether a guard against programs stands before the instance."""
    document = tree(beginning(page))
    return any(document.css_first(selector) is not None for selector in ENGINE.markers.blocked)


def _is_made_by_searxng(page: Page) -> bool:
    if page.status != OK:
        # Its "no such page" names it as well, at an address that is not an instance's.
        return False
    maker = tree(beginning(page)).css_first("meta[name=generator]")
    content = maker.attributes.get("content") if maker is not None else None
    return (content or "").lower().startswith(("searxng/", "searx/"))


def finding_of_state(
    code: str,
    base_url: str,
    place: Place,
    *,
    has_key: bool = False,
    more: tuple[str, ...] = (),
    **values: Any,
) -> Finding:
    """Return the finding for a state of the instance at ``base_url``, which runs at ``place``.

    ``found`` among the ``values`` is an address where it is or may be, ``asked`` one that was
    asked. They take precedence over what is known of the instance. A login of ``base_url`` is
    told of in no finding; commands have a place for it.
    """
    port = port_of(base_url)
    copied = with_login if has_login(base_url) else bare
    if "found" in values:
        values["right"] = copied(values["found"])
        values["found"] = bare(values["found"])
    if "asked" in values:
        values["asked"] = bare(values["asked"])
    known = {
        "address": bare(base_url),
        "url": copied(base_url),
        "login_url": with_login(base_url),
        "curl": _AS_BEARER if has_key else "curl -sS",
        "host": urlsplit(base_url).hostname,
        "port": port,
        "port_option": "" if port == PORT else f" --port {port}",
        "other_port": _free_port(port),
        "listening": _LISTENING.get(sys.platform, _LINUX).format(port),
        **{name: getattr(place, name) for name in place.__struct_fields__ if name != "way"},
    }
    return tell("searxng", code, way=place.way, more=more, **{**known, **values})


def _free_port(port: int) -> int:
    """Return another port than ``port`` on which nobody of this machine listens, if there is one.

    Listening is tried, for an instant: connecting would be noticed by who is there.
    """
    others = [other for other in _OTHER_PORTS if other != port]
    return next((other for other in others if _is_free(other)), others[0])


def _is_free(port: int) -> bool:
    with suppress(OSError), socket.socket() as trying:
        # What was closed a moment ago is free; where somebody listens this fails all the same.
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trying.bind(("127.0.0.1", port))
        return True
    return False
