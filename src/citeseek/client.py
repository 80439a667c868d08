"""The composition root: the only place that opens HTTP, and the doors to the service."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from citeseek import observing, trace
from citeseek.browser.browser_options import BrowserOptions
from citeseek.concurrency import portal
from citeseek.engine import AnyEngine
from citeseek.errors import InvalidInput
from citeseek.http import Transports
from citeseek.models import SearchResponse
from citeseek.observing.account import Account
from citeseek.observing.operation import host_of
from citeseek.observing.receipt import Prices
from citeseek.sandbox import Allowance, Sandbox
from citeseek.searching import recorded_search
from citeseek.searching.cache import Cache
from citeseek.searching.engine_limits import EngineLimits, EngineState
from citeseek.searching.engine_registry import Registry
from citeseek.searching.planning import Planner, SearchFields
from citeseek.searching.runner import Runner
from citeseek.searching.service import Service, limits_of
from citeseek.settings import Settings
from citeseek.settings.budget_settings import answer_budget
from citeseek.shared_state import valkey_of
from citeseek.urls import without_password

if TYPE_CHECKING:
    from citeseek.fetching import Fetcher, FetchFields, FetchResponse
    from citeseek.fetching.own_file import OwnFile
    from citeseek.fetching.picture_bytes import Picture
    from citeseek.models import Page
    from citeseek.observing.receipt import Ledger
    from citeseek.shared_state.valkey import Valkey
    from citeseek.trace.trace_record import About

T = TypeVar("T")


class Client:
    """Citeseek in one process: engines, HTTP, caches and the search service.

    Use it as an async context manager. ``settings`` default to the files and the environment,
    ``engines`` are added to the built-in ones and to those of installed packages. With ``beside``
    it shares open connections and what is known of engines (rate limits, breakers) with another
    client. Event loops in different threads may share one, and any of them may close it.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        engines: Iterable[AnyEngine] = (),
        beside: Client | None = None,
    ) -> None:
        self.settings = Settings.load() if settings is None else settings
        self.registry = Registry(engines)
        browser = BrowserOptions.of(self.settings)
        shares = beside is not None and beside.transports.browser == browser
        transports = beside.transports if beside and shares else Transports(browser)
        self.transports: Transports = transports.join(self)
        self.valkey: Valkey | None = beside.valkey if beside else valkey_of(self.settings)
        self.limits: EngineLimits = beside.limits if beside else limits_of(self.valkey)
        self._sandbox = Sandbox(Allowance.of(self.settings))
        # What a search gets from outside is recorded where that is, and played back.
        self._service = Service(
            Runner(self.transports, self._sandbox, ask_plain=recorded_search.ask),
            self.limits,
            flights=recorded_search.RecordedFlights(SearchResponse),
            clock=recorded_search.RecordedClock(),
        )
        self._planner = Planner(self.settings, self.registry, self.valkey)
        self._fetcher: Fetcher | None = None
        self._watchers = (*self._spans(), *self._kept_traces())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what this client opened; a search that is under way finishes or fails.

        Connections that other clients share stay open.
        """
        await self.transports.leave(self)
        if self.valkey:
            await self.valkey.aclose()
        await self._sandbox.close()
        self.forget()

    def forget(self) -> None:
        """Forget kept answers and pages, and close the files of caches; a call begins anew."""
        self._planner.close()
        if self._fetcher:
            self._fetcher.close()

    def address(self, name: str) -> str:
        """Return where the engine ``name`` is asked, without any password; empty for none."""
        engine = self.registry.find(name)
        return without_password(self.settings.engine(engine).base_url.value or "") if engine else ""

    async def end_session(self, session: str) -> None:
        """Forget what a browser kept for ``session``; it ends with the last one."""
        await self.transports.end_session(session)

    async def search(
        self, text: str, *, cache: Cache | None = None, **asked: Unpack[SearchFields]
    ) -> SearchResponse:
        """Search the web for ``text``.

        ``asked`` are :class:`SearchFields`; what is not said there is decided by the settings.
        ``cache`` is a session's own cache, whose key is the text alone. Raise InvalidInput before
        anything is sent, or SearchFailed.
        """
        async with self.recording("search", {"text": text, **asked}) as call:
            search = self._planner.plan(text, asked)
            response = await self._service.search(
                search.query,
                search.groups,
                quorum=search.quorum,
                cache=recorded_search.RecordedCache(search.cache if cache is None else cache),
                key=None if cache is None else search.query.text,
            )
            observing.find(item.url for item in response.items)
            if call:
                call.result = response
            return response

    def search_sync(
        self, text: str, *, cache: Cache | None = None, **asked: Unpack[SearchFields]
    ) -> SearchResponse:
        """Do what :meth:`search` does for a caller that is not asynchronous.

        It may be called inside a running event loop, which stands still until the answer is there.
        """
        return portal.call(self.search(text, cache=cache, **asked))

    async def stream(
        self, text: str, **asked: Unpack[SearchFields]
    ) -> AsyncGenerator[SearchResponse]:
        """Search as :meth:`search` does and yield the answer each time an engine has answered.

        The last answer is final; ``pending`` of the others names the engines that are still out.
        """
        search = self._planner.plan(text, asked)
        snapshots = self._service.stream(search.query, search.groups, quorum=search.quorum)
        described = {"text": text, **asked}
        async with aclosing(self.recorded("search", described, snapshots)) as responses:
            async for response in responses:
                observing.find(item.url for item in response.items)
                yield response

    async def fetch(self, url: str, **asked: Unpack[FetchFields]) -> FetchResponse:
        """Read the page at ``url`` as text.

        ``asked`` are :class:`~citeseek.fetching.FetchFields`; what is not said there is decided by
        the settings. Raise InvalidInput before anything is sent, or SearchFailed: WebBlocked with
        ``ssrf_blocked`` for an address that is not public and not in ``web.fetch.allow``.
        """
        if not isinstance(url, str):
            # Before the recording, which takes what is JSON; the value may hold a secret.
            raise InvalidInput(
                f"url must be text, not {type(url).__name__}.",
                values={"case": "url_no_text", "type": str(type(url).__name__)},
            )
        async with self.recording("fetch", {"url": url, **asked}) as call:
            page = await self._fetching().fetch(url, asked)
            if call:
                call.result = page
            return page

    async def read_file(self, file: Path | str | bytes, *, name: str = "") -> OwnFile:
        """Read a file of one's own, a path or its bytes with a ``name``, as pages are read.

        Nothing is sent. Raise InvalidInput for a file that is not there or too large, WebParseError
        for one that cannot be read.
        """
        from citeseek.fetching.own_file import read_file  # noqa: PLC0415 - not for a search

        return await read_file(file, name, self.settings, self._sandbox)

    def expect_pages(self) -> None:
        """Get ready to read pages while something else goes on: the first one waits less."""
        self._fetching().warm()

    async def document(self, url: str, seconds: float, max_bytes: int) -> Page:
        """Return what the JSON document at ``url`` answers, whatever it is.

        No redirect is followed. Raise InvalidInput or SearchFailed: addresses that are not public
        are refused, as for pages.
        """
        return await self._fetching().ask_once(url, seconds=seconds, max_bytes=max_bytes)

    async def picture(self, url: str) -> Picture:
        """Return the picture at ``url`` as it may be shown; raise InvalidInput or SearchFailed.

        Addresses that are not public are refused, as for pages.
        """
        return await self._fetching().pictures.fetch(url)

    def fetch_sync(self, url: str, **asked: Unpack[FetchFields]) -> FetchResponse:
        """Do what :meth:`fetch` does for a caller that is not asynchronous.

        It may be called inside a running event loop, which stands still until the page is there.
        """
        return portal.call(self.fetch(url, **asked))

    def recording(
        self, kind: observing.Kind, asked: Mapping[str, Any]
    ) -> AbstractAsyncContextManager[observing.Operation | None]:
        """Tell whoever watches of what this client does within, as one call of ``kind``.

        Give it, with what it was ``asked``; None where nobody watches.
        """
        name = host_of(asked["url"]) if kind == "fetch" else ""
        return observing.call(kind, name, asked=asked, about=self._about, watchers=self._watchers)

    def recorded(
        self,
        kind: observing.Kind,
        asked: Mapping[str, Any] | Callable[[], Mapping[str, Any]],
        events: AsyncGenerator[T],
    ) -> AsyncGenerator[T]:
        """Yield ``events`` and tell of them likewise; the last one is the result."""
        return observing.follow(kind, events, self._watchers, asked=asked, about=self._about)

    def ledger(self, *, priced: bool = True) -> Ledger:
        """Return a new watcher that makes a receipt, ``priced`` as the settings say of the model.

        It sees what is done within :func:`citeseek.observing.watching`.
        """
        from citeseek.searching.recorded_search import RecordedLedger  # noqa: PLC0415

        return RecordedLedger(self.prices if priced else None)

    def account(self) -> Account:
        """Return a new account with what one call of a face may spend: what an answer may."""
        return Account(answer_budget(self.settings), prices=self.prices, whose="call")

    @property
    def prices(self) -> Prices:
        """What the tokens of the settings' model cost."""
        return Prices(self.settings.model.price_in, self.settings.model.price_out)

    def engine_states(self) -> dict[str, EngineState]:
        """Return how each engine that was asked so far stands: its circuit breaker."""
        states = self.limits.state()
        engines = (self.registry.find(upstream.partition("#")[0]) for upstream in states)
        asked = {engine.id: self._planner.upstream(engine) for engine in engines if engine}
        return {id_: states[upstream] for id_, upstream in asked.items() if upstream in states}

    async def refresh_engine_states(self) -> None:
        """Learn from the other processes how engines stand, those that this one never asked too."""
        engines = (self.registry.get(id_) for id_ in self.registry.ids())
        await self.limits.refresh([self._planner.upstream(engine) for engine in engines])

    async def found_well(self, name: str) -> None:
        """Let searches reach the engine ``name`` at once: somebody looked, and it is well."""
        if engine := self.registry.find(name):
            await self.limits.close(self._planner.upstream(engine))

    def _about(self) -> About:
        from citeseek.settings import for_traces  # noqa: PLC0415 - for traces alone
        from citeseek.trace.trace_record import About  # noqa: PLC0415 - for traces alone

        ids = self.registry.ids()
        return About(
            for_traces.dump_settings(self.settings, ids), for_traces.secrets(self.settings, ids)
        )

    def _fetching(self) -> Fetcher:
        if self._fetcher is None:
            from citeseek.fetching import FetchOptions  # noqa: PLC0415 - not for a search
            from citeseek.fetching.recorded_fetch import fetcher  # noqa: PLC0415

            # Two threads may both make one, of which one keeps the pages.
            options = FetchOptions.of(self.settings)
            self._fetcher = fetcher(options, self.transports, self._sandbox)
        return self._fetcher

    def _spans(self) -> tuple[observing.Watcher, ...]:
        wanted = self.settings.telemetry.spans
        if wanted == "off":
            return ()
        from citeseek.observing.span_export import spans  # noqa: PLC0415 - OpenTelemetry

        return spans(wanted)

    def _kept_traces(self) -> tuple[observing.Watcher, ...]:
        folder = self.settings.trace.dir
        return (trace.keeping(Path(folder)),) if folder else ()


def fetch(
    url: str, *, settings: Settings | None = None, **asked: Unpack[FetchFields]
) -> FetchResponse:
    """Read one page from code that is not asynchronous; see :meth:`Client.fetch`.

    Works inside a running event loop as well, by reading in another thread.
    """
    return portal.run(_once(settings, lambda client: client.fetch(url, **asked)))


def search(
    text: str, *, settings: Settings | None = None, **asked: Unpack[SearchFields]
) -> SearchResponse:
    """Search once from code that is not asynchronous; see :meth:`Client.search`.

    Works inside a running event loop as well, by searching in another thread.
    """
    return portal.run(_once(settings, lambda client: client.search(text, **asked)))


async def _once(settings: Settings | None, ask: Callable[[Client], Awaitable[T]]) -> T:
    """Return what ``ask`` gets from a client that is opened for it alone."""
    async with Client(settings) as client:
        return await ask(client)
