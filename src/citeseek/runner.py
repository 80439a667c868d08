"""Runs one engine: request, send, judge, normalise, within a deadline, with one retry at most."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

import msgspec
from msgspec import structs

from citeseek import judge
from citeseek.engine import AnyEngine, Engine, EngineOptions, TransportKind
from citeseek.errors import (
    AuthError,
    NetworkError,
    SearchFailed,
    Timeout,
    WebParseError,
    WebProviderError,
)
from citeseek.http import Proxies, Transport, Transports
from citeseek.models import Hit, Page, Request, SearchItem
from citeseek.normalize import normalize
from citeseek.query import Query

MAX_BYTES = 8_000_000
MAX_REDIRECTS = 3
# More characters than this of a foreign exception help nobody and may hold a page.
MAX_REASON = 200

# Each filter's value in a query that does not ask for it.
UNFILTERED = {
    "page": 1,
    "language": "auto",
    "country": None,
    "freshness": None,
    "safesearch": None,
    "site": None,
}

log = logging.getLogger(__name__)


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """How an engine is reached.

    ``user_agent`` replaces the transport's own, ``max_bytes`` limits a decompressed answer.
    """

    options: EngineOptions
    transport: TransportKind = "pyreqwest"
    proxies: Proxies = Proxies()
    user_agent: str | None = None
    max_bytes: int = MAX_BYTES


class Outcome(msgspec.Struct, frozen=True):
    """What one engine found, and the filters that it could not do."""

    items: list[SearchItem]
    ignored: tuple[str, ...]


class Runner:
    """Runs engines over the open transports."""

    def __init__(self, transports: Transports) -> None:
        self._transports = transports

    async def run(
        self, engine: AnyEngine, query: Query, route: Route, *, seconds: float, asked_as: str = ""
    ) -> Outcome:
        """Return what ``engine`` found for ``query``, within ``seconds`` of wall time.

        Raise a :class:`~citeseek.errors.SearchFailed` that carries the name ``asked_as``.
        """
        name = asked_as or engine.id
        try:
            async with asyncio.timeout(seconds):
                if isinstance(engine, Engine):
                    return await self._run(engine, query, route, seconds, name)
                found = await engine.search(query.text_with_site, query.count)
                ignored = sorted(query.filters() - {"site"})
                return Outcome(normalize(map(_hit, found), provider=name), tuple(ignored))
        except TimeoutError:
            raise _timeout(name, seconds) from None
        except Timeout as error:
            raise _timeout(name, seconds) from error
        except SearchFailed as error:
            error.engine = name
            raise
        except Exception as error:
            log.exception("%s failed unexpectedly", name)
            reason = f"{type(error).__name__}: {error}"[:MAX_REASON].rstrip(": ")
            raise WebProviderError(f"The engine failed ({reason}).", engine=name) from error

    async def _run(
        self, engine: Engine, query: Query, route: Route, seconds: float, name: str
    ) -> Outcome:
        if engine.key and engine.key.required and not route.options.api_key:
            raise AuthError(
                f"{engine.label} needs an API key.",
                hint=f"Set {engine.key_env}; keys are at {engine.key.signup_url}.",
                detail_code="key_missing",
            )
        request, ignored = prepare(engine, query, route.options)
        if route.user_agent:
            headers = {**request.headers, "User-Agent": route.user_agent}
            request = structs.replace(request, headers=headers)
        if engine.via == "local":
            page = Page(url=request.url, body=msgspec.json.encode(request.params))
        else:
            page = await self._fetch(engine, request, route, seconds)
        hits = judge.read(engine, page, asked_page=query.page)
        items = normalize(hits, provider=name, page_url=page.url, wrappers=engine.wrappers)
        if hits and not items:
            raise WebParseError(
                f"None of the {len(hits)} results has a web address.",
                detail_code="drift",
                page=page,
            )
        if engine.notices:
            ignored = (*ignored, *engine.notices(page))
        return Outcome(items, ignored)

    async def _fetch(self, engine: Engine, request: Request, route: Route, seconds: float) -> Page:
        """Send ``request``, a second time after a connection error or a 5xx."""
        transport = self._transports.get(route.transport, route.proxies.for_url(request.url))
        try:
            page = await _follow(engine, request, transport, route, seconds)
        except NetworkError:
            return await _follow(engine, request, transport, route, seconds)
        if page.status in judge.SERVER_ERRORS:
            return await _follow(engine, request, transport, route, seconds)
        return page


def prepare(
    engine: Engine, query: Query, options: EngineOptions
) -> tuple[Request, tuple[str, ...]]:
    """Return the request of ``engine`` and the names of what it leaves out of ``query``.

    A filter is left out when the request is the same without it, as for a country that the engine
    does not know. A query longer than the engine takes is cut at a word: ``query_length``.
    """
    room = engine.max_chars and engine.max_chars - len(query.text_with_site) + len(query.text)
    shortened = _shorten(query.text, room, engine.max_words)
    ignored = {"query_length"} if shortened != query.text else set()
    if ignored:
        query = structs.replace(query, text=shortened)
    request = engine.request(query, options)
    for name in query.filters():
        without = structs.replace(query, **{name: UNFILTERED[name]})
        if name not in engine.supports or engine.request(without, options) == request:
            ignored.add(name)
    return request, tuple(sorted(ignored))


async def _follow(
    engine: Engine, request: Request, transport: Transport, route: Route, seconds: float
) -> Page:
    for _ in range(MAX_REDIRECTS + 1):
        page = await transport.send(request, seconds=seconds, max_bytes=route.max_bytes)
        location = judge.redirect_target(engine, page)
        if location is None:
            return page
        request = Request(url=location, headers=request.headers)
    raise WebParseError(
        f"The site redirects in a circle (more than {MAX_REDIRECTS} times).",
        detail_code="redirect",
    )


def _shorten(text: str, max_chars: int | None, max_words: int | None) -> str:
    if max_words and text.count(" ") >= max_words:
        text = " ".join(text.split(" ")[:max_words])
    if max_chars and len(text) > max_chars:
        head, space, _ = text[: max_chars + 1].rpartition(" ")
        text = head if space else text[:max_chars]
    return text


def _hit(found: object) -> Hit:
    """Read a plain engine's result, a mapping or an object."""
    if isinstance(found, Mapping):
        title, url, snippet = (found.get(name) for name in ("title", "url", "snippet"))
    else:
        title, url, snippet = (getattr(found, name, None) for name in ("title", "url", "snippet"))
    return Hit(title=str(title or ""), url=str(url or ""), snippet=str(snippet or ""))


def _timeout(name: str, seconds: float) -> Timeout:
    return Timeout(
        f"No complete answer within {seconds:g} s (搜索超时).",
        hint="Try again, or set a longer timeout.",
        engine=name,
    )
