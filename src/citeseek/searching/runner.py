"""Runs one engine: request, send, judge, normalise, within a deadline, with one retry at most."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Protocol

import msgspec
from msgspec import structs

from citeseek import observing
from citeseek.concurrency.clock import Deadline
from citeseek.engine import AnyEngine, Engine, EngineOptions, SearchEngine, TransportKind
from citeseek.errors import (
    AuthError,
    NetworkError,
    SearchFailed,
    Timeout,
    WebParseError,
    WebProviderError,
)
from citeseek.http import Proxies, Transports
from citeseek.models import MAX_HITS, Beside, Hit, Page, Request, SearchItem
from citeseek.query import Query
from citeseek.sandbox import Sandbox
from citeseek.searching import judge
from citeseek.searching.answer_reading import read, read_of
from citeseek.searching.normalize import normalize
from citeseek.searching.plain_engine import ask, fault_error
from citeseek.searching.request import prepare
from citeseek.text import how_many
from citeseek.urls import Wrapper

MAX_BYTES = 8_000_000
MAX_REDIRECTS = 3
KEEPING_THE_METHOD = frozenset({307, 308})
# Of one search, the first included.
MAX_PAGES = 5

log = logging.getLogger(__name__)


class AskPlain(Protocol):
    """See :func:`citeseek.searching.plain_engine.ask`."""

    async def __call__(
        self, engine: SearchEngine, query: Query, *, name: str, key: str | None
    ) -> list[Hit]:
        """Return the results of ``engine``."""
        ...


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """How an engine is reached.

    ``user_agent`` replaces the transport's own, ``max_bytes`` limits a decompressed answer. With
    ``fill`` further pages are read when the first is short of the results wanted. ``session`` names
    whose cookies a browser uses.
    """

    options: EngineOptions
    transport: TransportKind = "pyreqwest"
    proxies: Proxies = Proxies()
    user_agent: str | None = None
    max_bytes: int = MAX_BYTES
    fill: bool = False
    session: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """What one engine found, the filters that it could not do, and what it says beside."""

    items: list[SearchItem]
    ignored: tuple[str, ...]
    beside: Beside = Beside()


class _Job(msgspec.Struct, frozen=True):
    """An engine, how it is reached, the name it is asked by, until when, and for how many hits."""

    engine: Engine
    route: Route
    name: str
    deadline: Deadline
    most: int

    def is_short(self, outcome: Outcome, query: Query) -> bool:
        """Whether another page is wanted, and may be had."""
        wanted = self.route.fill and "page" in self.engine.supports
        return wanted and 0 < len(outcome.items) < query.count


class Runner:
    """Runs engines over the open transports; large answers are read in ``sandbox``.

    ``ask_plain`` is how engines in the plain form are asked.
    """

    def __init__(
        self,
        transports: Transports,
        sandbox: Sandbox | None = None,
        *,
        ask_plain: AskPlain = ask,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._transports = transports
        self._sandbox = sandbox or Sandbox()
        self._ask_plain = ask_plain
        self._clock = clock

    async def run(
        self,
        engine: AnyEngine,
        query: Query,
        route: Route,
        *,
        seconds: float,
        asked_as: str = "",
        most: int = MAX_HITS,
    ) -> Outcome:
        """Return what ``engine`` found for ``query``, within ``seconds`` of wall time.

        No more than the first ``most`` hits of a page are looked at. Raise a
        :class:`~citeseek.errors.SearchFailed` that carries the name ``asked_as``.
        """
        name = asked_as or engine.id
        deadline = Deadline.after(seconds, self._clock)
        try:
            async with asyncio.timeout(seconds):
                if not isinstance(engine, Engine):
                    return await self._plain(engine, query, name, route)
                job = _Job(engine, route, name, deadline, most)
                outcome = await self._page(job, query)
        except TimeoutError:
            observing.ran_out_of_time()
            raise _timeout(name, seconds) from None
        except SearchFailed as error:
            if isinstance(error, Timeout) and not (error.detail_code or error.is_cooling):
                raise _timeout(name, seconds) from None
            error.engine = name
            raise
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Nobody cancelled us: the engine raised it.
            raise fault_error(error, name, route.options.api_key) from error
        except Exception as error:
            log.debug("%s failed unexpectedly", name, exc_info=True)
            raise fault_error(error, name, route.options.api_key) from error
        if job.is_short(outcome, query):
            return await self._fill(outcome, job, query)
        return outcome

    async def _plain(self, engine: SearchEngine, query: Query, name: str, route: Route) -> Outcome:
        hits = await self._ask_plain(engine, query, name=name, key=route.options.api_key)
        return Outcome(_usable(hits, name), tuple(sorted(query.filters() - {"site"})))

    async def _fill(self, outcome: Outcome, job: _Job, query: Query) -> Outcome:
        """Add the next pages while there is time and need; what is there is never lost."""
        try:
            async with asyncio.timeout(job.deadline.left()):
                for number in range(query.page + 1, query.page + MAX_PAGES):
                    next_page = structs.replace(query, page=number)
                    more = await self._page(job, next_page)
                    items = [*outcome.items, *more.items]
                    outcome = structs.replace(outcome, items=items)
                    if not more.items or not job.is_short(outcome, query):
                        break
        except (TimeoutError, SearchFailed) as error:
            if isinstance(error, TimeoutError):
                observing.ran_out_of_time()
            log.info("%s: no further page: %s", job.name, error)
        return outcome

    async def _page(self, job: _Job, query: Query) -> Outcome:
        engine, route = job.engine, job.route
        if engine.key and engine.key.required and not route.options.api_key:
            raise AuthError(
                f"{engine.label} needs an API key.",
                hint=f"Set {engine.key_env}; keys are at {engine.key.signup_url}.",
                detail_code="key_missing",
                values={
                    "case": "usual",
                    "label": engine.label,
                    "variable": engine.key_env,
                    "signup": engine.key.signup_url,
                },
            )
        request, ignored = prepare(engine, query, route.options)
        if route.user_agent:
            headers = {**request.headers, "User-Agent": route.user_agent}
            request = structs.replace(request, headers=headers)
        if engine.via == "local":
            page = Page(url=request.url, body=msgspec.json.encode(request.params))
        else:
            page = await self._fetch(job, request)
            if engine.follow and (ahead := engine.follow(page, request)):
                page = await self._fetch(job, ahead)
        found = await read(
            engine,
            page,
            asked_page=query.page,
            category=query.category,
            sandbox=self._sandbox,
            most=job.most,
        )
        observing.note("hits", page=query.page, hits=found.hits)
        items = _usable(found.hits, job.name, page, engine.wrappers)
        ignored = (*ignored, *found.left_out)
        observing.note("left_out", page=query.page, filters=ignored)
        return Outcome(items, ignored, found.beside)

    async def _fetch(self, job: _Job, request: Request) -> Page:
        """Send ``request``, a second time after a connection error or a 5xx.

        A browser is not asked twice, and follows redirects by itself.
        """
        if job.engine.via == "browser":
            # Its pages are large: the worker that reads one starts meanwhile.
            self._sandbox.warm(read_of)
            page = await self._send(job, request)
            if judge.redirect_target(job.engine, page):
                raise NetworkError(
                    "The site redirects to where nobody answers.", values={"case": "redirect"}
                )
            return page
        try:
            page = await self._follow(job, request)
        except NetworkError:
            return await self._follow(job, request)
        if page.status in judge.SERVER_ERRORS:
            return await self._follow(job, request)
        return page

    async def _follow(self, job: _Job, request: Request) -> Page:
        has_secret = job.route.options.api_key is not None
        for _ in range(MAX_REDIRECTS + 1):
            page = await self._send(job, request)
            location = judge.redirect_target(job.engine, page, has_secret=has_secret)
            if location is None:
                return page
            request = _redirect(request, page.status, location)
        raise WebParseError(
            f"The site redirects in a circle (more than {MAX_REDIRECTS} times).",
            detail_code="redirect",
            values={"case": "circle", "most": str(MAX_REDIRECTS)},
        )

    async def _send(self, job: _Job, request: Request) -> Page:
        route = job.route
        # A redirect may lead from http to https, which has a proxy of its own.
        transport = self._transports.get(route.transport, route.proxies.for_url(request.url))
        with route.proxies.naming(request.url):
            return await transport.send(
                request,
                seconds=job.deadline.left(),
                max_bytes=route.max_bytes,
                session=route.session,
            )


def _redirect(request: Request, status: int, location: str) -> Request:
    """Return what is asked after a redirect: a POST stays one where HTTP says so (RFC 9110, 15.4).

    The address is complete: the parameters of the first request are not added again.
    """
    if status in KEEPING_THE_METHOD:
        return structs.replace(request, url=location, params={})
    return Request(url=location, headers=request.headers)


def _usable(
    hits: list[Hit], name: str, page: Page | None = None, wrappers: tuple[Wrapper, ...] = ()
) -> list[SearchItem]:
    """Return the items of ``hits``, which are those of ``page`` or else of a plain engine.

    Raise SearchFailed when no hit has a web address: that is not "nothing found".
    """
    items = normalize(hits, provider=name, page_url=page.url if page else "", wrappers=wrappers)
    if items or not hits:
        return items
    sentence = f"None of the {how_many(len(hits), 'result')} has a web address."
    values = {"case": "no_addresses", "count": str(len(hits))}
    if page is None:
        raise WebProviderError(sentence, values=values)
    raise WebParseError(sentence, detail_code="drift", page=page, values=values)


def _timeout(name: str, seconds: float) -> Timeout:
    return Timeout(
        f"No complete answer within {seconds:g} s.",
        hint="Try again, or set a longer timeout.",
        engine=name,
        values={"case": "search", "seconds": f"{seconds:g}"},
    )
