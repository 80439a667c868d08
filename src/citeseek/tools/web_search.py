"""``web_search`` for one session: searches, numbers what it shows, and says what went wrong.

Nothing here knows a framework; :mod:`citeseek.tools.langchain` makes it a LangChain tool.
"""

from __future__ import annotations

import logging
import sys
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count
from typing import Any, Protocol, Unpack

import msgspec
from msgspec import structs

from citeseek.citations import CitationRegistry, Source
from citeseek.concurrency import portal
from citeseek.errors import CiteseekError, WebProviderError
from citeseek.faces import CHAT
from citeseek.i18n import Catalogue, catalogue, language_of
from citeseek.models import SearchItem, SearchResponse
from citeseek.searching.cache import Cache
from citeseek.searching.planning import SearchFields
from citeseek.tools import fence, search_formats
from citeseek.tools.arguments import read
from citeseek.tools.budget import fit
from citeseek.tools.tool_definitions import CONFIGURED_WEB_SEARCH, WEB_SEARCH, Definition
from citeseek.urls import same_page_key

MAX_RESULTS = 5
CALL_TOKENS = 3_000
# For ``summary_chars``: only the tokens limit the summaries.
WHOLE_SUMMARY = sys.maxsize
# More searches than run at the same time.
_RECENT = 32

log = logging.getLogger(__name__)


class SearchService(Protocol):
    """What the tool needs of a :class:`~citeseek.client.Client`."""

    async def search(
        self, text: str, *, cache: Cache | None = None, **asked: Unpack[SearchFields]
    ) -> SearchResponse:
        """Search and return the answer; see :meth:`citeseek.client.Client.search`."""
        ...


class Artifact(dict[str, Any]):
    """The JSON of an answer; ``sources`` are the results that the model was shown, numbered."""

    def __init__(self, found: Mapping[str, Any], sources: tuple[Source, ...]) -> None:
        super().__init__(found)
        self.sources = sources


class BegunCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of the tool that has begun: its 1-based number, and the query as the model sent it."""

    number: int
    query: str


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call of the tool and what came of it.

    ``number`` and ``query`` are those of :class:`BegunCall`. ``text`` is what the model is given.
    ``sources`` are the results shown, with their numbers; ``round`` is the 1-based search of the
    session, 0 for a repeat from the cache. One of ``response`` and ``error`` is set.
    """

    number: int
    query: str
    text: str
    sources: tuple[Source, ...] = ()
    round: int = 0
    response: SearchResponse | None = None
    error: CiteseekError | None = None

    @property
    def artifact(self) -> dict[str, Any] | None:
        """The answer as a structure for programs; None when the search failed."""
        if self.response is None:
            return None
        return Artifact(search_formats.provider_result(self.response), self.sources)


class WebSearch:
    """The tool of one session.

    ``service`` does the searching; ``asked`` are the choices of the session for it (face, engine,
    language, …). ``registry`` numbers the results shown, by default from 1 in a registry of its
    own. ``cache`` is the session's. At most ``max_results`` results are shown, with summaries of
    ``summary_chars`` characters, in about ``call_tokens`` tokens; sources among ``cited`` are never
    trimmed to fit. A model is told of results and failures in ``lang``, by default in the language
    of the query. ``listener`` is told of each call as it begins and as it ends.
    """

    def __init__(
        self,
        service: SearchService,
        definition: Definition = WEB_SEARCH,
        *,
        registry: CitationRegistry | None = None,
        cache: Cache | None = None,
        max_results: int = MAX_RESULTS,
        summary_chars: int = search_formats.SUMMARY_CHARS,
        call_tokens: int = CALL_TOKENS,
        cited: Callable[[], Collection[int]] = tuple,
        lang: str | None = None,
        listener: Callable[[BegunCall | Call], None] = lambda _: None,
        **asked: Unpack[SearchFields],
    ) -> None:
        self.definition = definition
        # An empty registry is false.
        if registry is None:
            registry = CitationRegistry(same_page_key=same_page_key)
        self.registry = registry
        self._service = service
        self._cache = cache
        self._max_results = max_results
        self._summary_chars = summary_chars
        self._call_tokens = call_tokens
        self._cited = cited
        self._lang = lang
        self._listener = listener
        self._asked: SearchFields = {"face": CHAT, **asked}
        self._fence = fence.new_id()
        self._calls = count(1)
        # Equal searches at one time share one answer, which is one round.
        self._recent: deque[SearchResponse] = deque(maxlen=_RECENT)

    async def run(self, arguments: Mapping[str, Any]) -> Call:
        """Search as a model asked for; every failure but cancellation becomes text."""
        begun = self._begin(arguments)
        try:
            text, asked = read(arguments, self.definition, self._asked)
            response = await self._service.search(text, cache=self._cache, **asked)
            call = self._show(begun, response)
        except Exception as error:  # noqa: BLE001 - a failure is told, the conversation goes on
            call = _as_failed(begun, error, self._words(begun.query))
        self._listener(call)
        return call

    def run_sync(self, arguments: Mapping[str, Any]) -> Call:
        """Do the same for a caller that is not asynchronous."""
        return portal.call(self.run(arguments))

    def _begin(self, arguments: Mapping[str, Any]) -> BegunCall:
        begun = BegunCall(number=next(self._calls), query=str(arguments.get("query") or ""))
        self._listener(begun)
        return begun

    def _show(self, begun: BegunCall, response: SearchResponse) -> Call:
        """Write the results down for the model, each with its number."""
        cited = self._cited()
        items = fit(
            response.items[: self._max_results],
            self._call_tokens,
            summary_chars=self._summary_chars,
            kept=lambda item: self.registry.number_of(item.url) in cited,
        )
        place, numbers = self._number(response, items)
        say = self._words(begun.query)
        shown = structs.replace(response, items=items)
        text = search_formats.compact(
            items,
            numbers,
            say,
            summary_chars=self._summary_chars,
            details=search_formats.details_of(shown, say),
        )
        return Call(
            number=begun.number,
            query=begun.query,
            text=fence.put_in_fence(text, self._fence) if items else text,
            sources=tuple(filter(None, map(self.registry.get, numbers))),
            round=place,
            response=response,
        )

    def _words(self, query: str) -> Catalogue:
        return catalogue(self._lang or language_of(query))

    def _number(
        self, response: SearchResponse, items: Sequence[SearchItem]
    ) -> tuple[int, tuple[int, ...]]:
        """Return the round, 0 for a repeat, and the numbers of ``items``."""
        query = response.query.text
        is_shared = any(response is one for one in self._recent)
        self._recent.append(response)
        was_asked = any(search.query == query for search in self.registry.rounds)
        is_repeat = is_shared or (response.cached and was_asked)
        # A repeat may show more than was shown before: then it is a round all the same.
        if is_repeat and all(self.registry.number_of(item.url) for item in items):
            return 0, tuple(source.number for source in self.registry.add(items))
        shown = self.registry.add_round(query, items)
        return shown.place, shown.numbers


def _as_failed(begun: BegunCall, error: Exception, say: Catalogue) -> Call:
    if not isinstance(error, CiteseekError):
        log.error("web_search failed: %r", error, exc_info=error)
        error = WebProviderError(
            "The search broke off unexpectedly.",
            detail_code="internal",
            values={"case": "search"},
        )
    return Call(
        number=begun.number,
        query=begun.query,
        text=search_formats.failure_text(error, say),
        error=error,
    )


__all__ = ["CONFIGURED_WEB_SEARCH", "WEB_SEARCH", "BegunCall", "Call", "SearchService", "WebSearch"]
