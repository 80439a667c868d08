"""Searching and reading for a report: candidates of all searches, pages until there are enough."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import structs

from citeseek import observing
from citeseek.errors import CiteseekError, Timeout, WebParseError
from citeseek.fetching.own_file import OwnFile
from citeseek.i18n import Catalogue
from citeseek.locators import PageStart
from citeseek.models import SearchItem
from citeseek.query import Query
from citeseek.research.duplicates import Distinct, collapse
from citeseek.research.pages import ReadPage
from citeseek.research.result import FetchSummary, RunError, SearchSummary
from citeseek.searching.merge import Vote, merge
from citeseek.text import how_many
from citeseek.tools.runtime import Runtime
from citeseek.urls import same_page_key

# As many as the tool contract allows.
RESULTS = 10
# Pages that are waited for at the same time; pages of one host take turns by themselves.
AT_ONCE = 4
MAX_CANDIDATES = 200


class Progress(msgspec.Struct, frozen=True):
    """How far a run is: ``done`` of ``total`` things of a ``stage``, and what it is busy with.

    Stages are ``plan``, ``search``, ``read``, ``rank`` and ``write``.
    """

    stage: str
    done: int
    total: int
    about: str = ""


Watch = Callable[[Progress], None]


class Gathering:
    """What the searches and fetches of one run have brought in so far."""

    def __init__(
        self, question: str, runtime: Runtime, watch: Watch, files: Sequence[OwnFile] = ()
    ) -> None:
        self._searches: dict[str, SearchSummary] = {}
        self._fetches: dict[str, FetchSummary] = {}
        self._failed_searches: dict[str, CiteseekError] = {}
        self._failed_fetches: dict[str, CiteseekError] = {}
        self.distinct: list[Distinct] = []
        self._question = question
        self._runtime = runtime
        self._watch = watch
        self._votes: dict[str, Vote] = {}
        self._tried: dict[str, SearchItem] = {}
        self._read: dict[str, ReadPage] = {}
        for file in files:
            self._tried[file.url], self._read[file.url] = file.item, _of_file(file)
        self.distinct = collapse(self._read.values())

    @property
    def searches(self) -> list[SearchSummary]:
        """How each search went, in the order of the queries, whoever answered first."""
        return [self._searches[query] for query in self._votes if query in self._searches]

    @property
    def fetches(self) -> list[FetchSummary]:
        """How each fetch went, best candidate first."""
        return [self._fetches[key] for key in self._tried if key in self._fetches]

    @property
    def failed_searches(self) -> dict[str, CiteseekError]:
        """Why searches failed, by their queries, in the order of these."""
        return {
            query: self._failed_searches[query]
            for query in self._votes
            if query in self._failed_searches
        }

    @property
    def failed_fetches(self) -> dict[str, CiteseekError]:
        """Why pages were not read, by their addresses, best candidate first."""
        return {
            item.url: self._failed_fetches[key]
            for key, item in self._tried.items()
            if key in self._failed_fetches
        }

    @property
    def asked(self) -> tuple[str, ...]:
        """The queries so far."""
        return tuple(self._votes)

    @property
    def pages(self) -> list[ReadPage]:
        """The pages that say something of their own, best candidate first."""
        return [distinct.page for distinct in self.distinct]

    @property
    def was_found(self) -> bool:
        """Whether any search gave a result."""
        return any(vote.items for vote in self._votes.values())

    async def search(self, queries: Sequence[str]) -> None:
        """Search for each of ``queries`` that was not searched for before, side by side."""
        new = [query for query in dict.fromkeys(queries) if query not in self._votes]
        # Places first: the order of votes is that of the queries, whoever answers first.
        self._votes.update({query: Vote(query, query, ()) for query in new})
        self._watch(Progress("search", 0, len(new), ", ".join(new)))
        await asyncio.gather(*map(self._search, new))
        self._watch(Progress("search", len(new), len(new)))

    async def read(self, limit: int) -> None:
        """Read candidates until ``limit`` pages are distinct, or none is left."""
        while batch := self._next(limit - len(self.distinct)):
            self._watch(Progress("read", len(self.distinct), limit))
            turn = asyncio.Semaphore(AT_ONCE)
            try:
                await asyncio.gather(*(self._fetch(item, turn) for item in batch))
            finally:
                # Also of a round that was cut off: what is read is not lost.
                self.distinct = collapse(
                    self._read[key] for key in self._tried if key in self._read
                )
        self._watch(Progress("read", len(self.distinct), limit))

    def _next(self, wanted: int) -> list[SearchItem]:
        """Return the best ``wanted`` candidates that were not tried, and mark them as tried."""
        if wanted <= 0:
            return []
        query = Query.of(self._question)
        ranked = merge(tuple(self._votes.values()), query, MAX_CANDIDATES)
        fresh = [item for item in ranked if same_page_key(item.url) not in self._tried][:wanted]
        self._tried.update({same_page_key(item.url): item for item in fresh})
        return fresh

    async def _search(self, query: str) -> None:
        began = time.perf_counter()
        arguments = {"query": query, "max_results": RESULTS}
        failure: CiteseekError | None = None
        found: list[SearchItem] = []
        try:
            items = (await self._runtime.invoke("web.search", arguments))["items"]
            found = [_item(item) for item in items]
            # Also those that an earlier run found.
            observing.find(item.url for item in found)
            self._votes[query] = Vote(query, query, found)
        except CiteseekError as error:
            failure = self._failed_searches[query] = error
        self._searches[query] = SearchSummary(
            query=query,
            backend="+".join(dict.fromkeys(item.provider for item in found))
            or (failure.engine if failure else "")
            or self._runtime.provider_id("web.search"),
            result_count=len(found),
            ok=failure is None,
            duration_ms=round((time.perf_counter() - began) * 1000),
            error_code=failure.error_code if failure else "",
            detail_code=failure.detail_code if failure else "",
            message=str(failure) if failure else "",
        )

    async def _fetch(self, item: SearchItem, turn: asyncio.Semaphore) -> None:
        key = same_page_key(item.url)
        async with turn:
            self._watch(Progress("read", len(self._read), len(self._tried), item.url))
            try:
                page = await self._runtime.invoke("web.fetch", {"url": item.url})
            except CiteseekError as error:
                self._failed_fetches[key] = error
                self._fetches[key] = _failed(item.url, error)
                return
        if page["text"]:
            self._fetches[key] = _summary(item, page, None)
            self._read[key] = _page(item, page)
        else:
            no_text = self._failed_fetches[key] = _no_text(page["content_type"])
            self._fetches[key] = _summary(item, page, no_text)


def _of_file(file: OwnFile) -> ReadPage:
    return ReadPage(
        url=file.url,
        final_url=file.url,
        title=file.title or file.name,
        snippet="",
        provider=file.item.provider,
        text=file.text,
        site_name=file.name,
        published_at=file.published_at or "",
        content_type=file.content_type,
        pages=file.pages,
    )


def _failed(url: str, error: CiteseekError) -> FetchSummary:
    return FetchSummary(
        url=url,
        ok=False,
        error_code=error.error_code,
        detail_code=error.detail_code,
        message=error.message,
        hint=error.hint,
        retryable=error.retryable,
    )


def _no_text(content_type: str) -> WebParseError:
    return WebParseError(
        f"It is no text: {content_type}.",
        detail_code="unsupported_media",
        values={"case": "file", "type": content_type},
    )


def _summary(
    item: SearchItem, page: Mapping[str, Any], no_text: WebParseError | None
) -> FetchSummary:
    told = FetchSummary(url=item.url, ok=True) if no_text is None else _failed(item.url, no_text)
    return structs.replace(
        told,
        final_url=page.get("final_url", item.url),
        status_code=page["status_code"],
        truncated=page["truncated"],
        cache_hit=page.get("cache_hit", False),
    )


def _item(found: Mapping[str, Any]) -> SearchItem:
    return SearchItem(
        title=found["title"],
        url=found["url"],
        snippet=found["snippet"],
        provider=found["provider"],
        rank=found["rank"],
        published_at=found.get("published_at"),
    )


def _page(item: SearchItem, page: Mapping[str, Any]) -> ReadPage:
    return ReadPage(
        url=item.url,
        final_url=page.get("final_url", item.url),
        title=page.get("title") or item.title,
        snippet=item.snippet,
        provider=item.provider,
        text=page["text"],
        site_name=page.get("site_name") or "",
        published_at=page.get("published_at") or item.published_at or "",
        content_type=page["content_type"],
        pages=msgspec.convert(page.get("pages", ()), tuple[PageStart, ...]),
    )


_SEARCH, _FETCH = "tool.web.search", "tool.web.fetch"


def error_of(gathering: Gathering) -> RunError | None:
    """Return why there can be no report: no search worked, or no page could be read."""
    late = Timeout(
        "The time limit was reached before anything was read.",
        hint="Give the report more time.",
        values={"case": "report"},
    )
    if gathering.pages:
        return None
    if not any(search.ok for search in gathering.searches):
        # Without a failure it was cut off before the first answer.
        return RunError.of(next(iter(gathering.failed_searches.values()), late), _SEARCH)
    if not gathering.was_found:
        return None
    if not gathering.failed_fetches:
        return RunError.of(late, _FETCH)
    url, first = next(iter(gathering.failed_fetches.items()))
    count = len(gathering.fetches)
    return RunError(
        code=first.error_code,
        message=f"None of {how_many(count, 'page')} could be read; the first: "
        f"{url}: {first.message}",
        retryable=first.retryable,
        step=_FETCH,
        detail_code=first.detail_code,
        hint=first.hint,
        values={**first.values, "unread": str(count), "first": url, "cause": first.message},
    )


def list_failures(gathering: Gathering, say: Catalogue) -> Iterator[str]:
    """Yield a note for each search and each page that failed, and each page that was cut."""
    for query, failure in gathering.failed_searches.items():
        yield say("research.search_failed", query=query, reason=say.sentence(failure))
    failed = gathering.failed_fetches
    for fetch in gathering.fetches:
        if not fetch.ok:
            reason = say.explain(failed[fetch.url])[0]
            yield say("research.fetch_failed", url=fetch.url, reason=reason)
        elif fetch.truncated:
            yield say("research.truncated", url=fetch.url)
