"""``web.search`` and ``web.fetch``, the tools of the provider contract."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, Self

from citeseek.client import Client
from citeseek.engine import AnyEngine
from citeseek.errors import InvalidInput, ToolNotFound, WebParseError
from citeseek.faces import AUTO, CONTRACT, OPEN, Face
from citeseek.fetching.response import write_contract_output
from citeseek.guard import read
from citeseek.query import Query, QueryFields, whole_number
from citeseek.searching.engine_choice import engine_name
from citeseek.searching.engine_registry import fold_name
from citeseek.searching.planning import MIN_SECONDS, SearchFields
from citeseek.settings import Settings
from citeseek.tools import search_formats
from citeseek.tools.arguments import freshness, is_blank
from citeseek.tools.outputs import item_list
from citeseek.tools.search_options import deadline
from citeseek.tools.tool_definitions import (
    CONTRACT_WEB_FETCH,
    CONTRACT_WEB_SEARCH,
    MAX_RESULTS,
    Definition,
)

# Each with the field of a query that it speaks of; the first that can be read is used.
_FIELDS = (
    ("locale", "language"),
    ("lang", "language"),
    ("time_range", "freshness"),
    ("site_filter", "site"),
)

# The limits of a deadline in milliseconds: of a search, and of a page.
_SEARCH_MS = 100, 120_000
_FETCH_MS = 1_000, 120_000
# The backend that reads the web; any other gives the example.
WEB = "httpx"
_EXAMPLE_TITLE = "An example page"
# Labelled as the stub of the search is, in the words that callers look for.
_EXAMPLE = "示例网页：这里没有访问网络。This is an example page: the network was not used."
log = logging.getLogger(__name__)


class Backend(Protocol):
    """What answers searches: an id, and one coroutine that does the work.

    It returns ``{"items": […]}``, each item a mapping with ``title``, ``url`` and ``snippet``; the
    rest of the contract is done for it. It raises :class:`~citeseek.errors.SearchFailed`; any other
    exception is reported as :class:`~citeseek.errors.WebProviderError`.
    """

    id: str

    async def search(self, query: str, *, max_results: int, timeout_ms: int) -> Any:
        """Return up to ``max_results`` results for ``query`` within ``timeout_ms``."""
        ...


class BackendEngine:
    """``backend`` as a plain engine that gives it ``timeout_ms`` with each search."""

    def __init__(self, backend: Backend, timeout_ms: int) -> None:
        self.id = backend.id
        self._backend = backend
        self._timeout_ms = timeout_ms

    async def search(self, query: str, num_results: int) -> Sequence[object]:
        """Return the backend's items as they are."""
        found = await self._backend.search(
            query, max_results=num_results, timeout_ms=self._timeout_ms
        )
        return item_list(found, self.id)


class OverClient:
    """A provider over ``client``; without one, a client is opened here and closed with it."""

    def __init__(
        self,
        client: Client | None,
        settings: Settings | None,
        *,
        engines: Iterable[AnyEngine] = (),
    ) -> None:
        self._is_owner = client is None
        self._client = Client(settings, engines=engines) if client is None else client

    async def aclose(self) -> None:
        """Close what was opened here; a client that was lent stays open."""
        if self._is_owner:
            await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class WebProvider(OverClient):
    """Answers ``web.search``; ``id`` names the engine that is asked, several joined by ``+``.

    ``backend`` is the name of an engine or a :class:`Backend`; ``engines`` are several names, asked
    at the same time. Without either the settings of ``face`` decide, of which the contract's lead
    to the offline stub until ``WEB_SEARCH_BACKEND`` says otherwise.
    ``timeout_ms`` (100 to 120,000) is the deadline of a search, by default that of the settings.

    ``client`` does the searching; without one, or for a backend of one's own, a client is opened
    over ``settings`` and closed with the provider. Raise InvalidInput for a name that nobody knows.
    """

    def __init__(
        self,
        client: Client | None = None,
        *,
        settings: Settings | None = None,
        backend: str | Backend | None = None,
        timeout_ms: int | None = None,
        face: Face = CONTRACT,
        engines: Iterable[str] = (),
    ) -> None:
        if timeout_ms is not None:
            whole_number("timeout_ms", timeout_ms, *_SEARCH_MS)
        self._seconds = None if timeout_ms is None else timeout_ms / 1000
        self._face = face
        if backend is None or isinstance(backend, str):
            super().__init__(client, settings)
            names = (backend,) if backend else tuple(engines)
        else:
            settings = settings or (client.settings if client else Settings.load())
            limit = timeout_ms or round(settings.face(face).seconds.value * 1000)
            super().__init__(None, settings, engines=(BackendEngine(backend, limit),))
            names = (backend.id,)
        self._names = tuple(map(fold_name, names))
        for name in self._names:
            if name != AUTO:
                self._client.registry.get(name)
        self.id = "+".join(self._names or self._choose())

    def tools(self) -> tuple[Definition, ...]:
        """Return what this provider answers to."""
        return (CONTRACT_WEB_SEARCH,)

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Search for ``query`` and return ``{"items": […]}``, at most ``max_results`` of them.

        ``locale`` or ``lang``, ``time_range`` and ``site_filter`` are used where the engine can,
        ``budget_ms`` may shorten the deadline; these and unknown fields are never an error. Raise
        ToolNotFound, InvalidInput or SearchFailed.
        """
        if name != CONTRACT_WEB_SEARCH.name:
            raise ToolNotFound(f"There is no tool {name!r:.60} here, only web.search.")
        asked: SearchFields = {"face": self._face}
        asked.update(reserved_fields(arguments))  # type: ignore[typeddict-item]
        if (most := arguments.get("max_results")) is not None:
            asked["count"] = whole_number("max_results", most, 1, MAX_RESULTS)
        if self._names:
            asked["engines"] = self._names
        if (seconds := self._limit(arguments)) is not None:
            asked["seconds"] = seconds
        return search_formats.contract(await self._client.search(arguments.get("query"), **asked))  # type: ignore[arg-type]

    def _limit(self, arguments: Mapping[str, Any]) -> float | None:
        """Return the deadline where it differs from that of the settings."""
        budget = reserved_budget(arguments)
        if budget is None:
            return self._seconds
        if self._seconds is not None:
            return min(budget, self._seconds)
        settings = self._client.settings
        seconds = settings.face(self._face).seconds.value
        engine = self._client.registry.find(self.id)
        return min(budget, deadline(settings, engine, seconds) if engine else seconds)

    def _choose(self) -> tuple[str, ...]:
        """Return the names that the settings lead to."""
        settings = self._client.settings
        is_open = self._face.id == OPEN.id
        several: tuple[str, ...] = settings.open.engines if is_open else ()
        face = settings.face(self._face)
        return several or (engine_name(face, self._client.registry, settings).value,)


class WebFetchProvider(OverClient):
    """Answers ``web.fetch``; ``id`` is the ``backend``, by default that of ``web.fetch.backend``.

    ``stub`` gives a fixed page without the network. ``client`` does the reading; without one a
    client is opened over ``settings`` and closed with the provider.
    """

    def __init__(
        self,
        client: Client | None = None,
        *,
        settings: Settings | None = None,
        backend: str | None = None,
    ) -> None:
        super().__init__(client, settings)
        self.id: str = backend or self._client.settings.web_fetch.backend

    def tools(self) -> tuple[Definition, ...]:
        """Return what this provider answers to."""
        return (CONTRACT_WEB_FETCH,)

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Read the page at ``url`` within ``timeout_ms``; fields that are not known are ignored.

        The output is that of docs/tools.md; the text of what is no text is empty. Raise
        ToolNotFound, InvalidInput or SearchFailed.
        """
        if name != CONTRACT_WEB_FETCH.name:
            raise ToolNotFound(f"There is no tool {name!r:.60} here, only web.fetch.")
        url = arguments.get("url")
        if not isinstance(url, str) or not re.match(r"\s*https?://", url, re.IGNORECASE):
            raise InvalidInput("url must be an http or https address.")
        limit = arguments.get("timeout_ms")
        if limit is not None:
            whole_number("timeout_ms", limit, *_FETCH_MS)
        if self.id != WEB:
            return _example(url)
        seconds = None if limit is None else limit / 1000
        try:
            return write_contract_output(await self._client.fetch(url, seconds=seconds))
        except WebParseError as error:
            if error.detail_code != "unsupported_media" or error.page is None:
                raise
            return {
                "url": url,
                "status_code": error.page.status,
                "content_type": error.page.headers.get("content-type", ""),
                "text": "",
                "truncated": False,
                "final_url": error.page.url,
                "cache_hit": False,
            }


def _example(url: str) -> dict[str, Any]:
    target = read(url)
    return {
        "url": url,
        "status_code": 200,
        "content_type": "text/plain; charset=utf-8",
        "text": _EXAMPLE,
        "truncated": False,
        "final_url": target.url,
        "title": _EXAMPLE_TITLE,
        "extracted_text": _EXAMPLE,
        "cache_hit": False,
    }


def reserved_fields(arguments: Mapping[str, Any]) -> QueryFields:
    """Return what ``locale``, ``lang``, ``time_range`` and ``site_filter`` ask for.

    What cannot be read is left out.
    """
    fields: dict[str, Any] = {}
    for name, field in _FIELDS:
        raw = arguments.get(name)
        if is_blank(raw) or field in fields:
            continue
        value = freshness(raw) if field == "freshness" else raw
        try:
            Query.of("x", **{field: value})  # type: ignore[arg-type]
        except InvalidInput as error:
            log.debug("%s is left out: %s", name, error.message)
        else:
            fields[field] = value
    return fields  # type: ignore[return-value]


def reserved_budget(arguments: Mapping[str, Any]) -> float | None:
    """Return ``budget_ms`` in seconds, at least the shortest deadline; None for no number."""
    raw = arguments.get("budget_ms")
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not raw > 0:
        return None
    return max(raw / 1000, MIN_SECONDS)
