"""The one search service: cache, single flight, and the chain of engines that may answer."""

from __future__ import annotations

import logging
import time
from collections.abc import Hashable, Sequence

import msgspec
from msgspec import structs

from citeseek.cache import Cache, SingleFlight
from citeseek.engine import AnyEngine
from citeseek.errors import SearchFailed
from citeseek.models import Failure, SearchResponse
from citeseek.normalize import distinct
from citeseek.query import Query
from citeseek.runner import Route, Runner

log = logging.getLogger(__name__)


class Candidate(msgspec.Struct, frozen=True):
    """An engine that may answer, the name it is asked by, its route and its limit in seconds."""

    name: str
    engine: AnyEngine
    route: Route
    seconds: float


def cache_key(names: tuple[str, ...], query: Query) -> Hashable:
    """Return the key of an answer: the engines that were asked and the whole query."""
    return names, query


class Service:
    """Answers queries. One per process; every face calls it."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._flights = SingleFlight()

    async def search(
        self, query: Query, chain: Sequence[Candidate], *, cache: Cache, key: Hashable = None
    ) -> SearchResponse:
        """Return the answer of the first engine of ``chain`` that can give one.

        The next engine is asked only after a retryable failure, which is then named in the
        response. ``key`` is the cache key, by default the chain and the whole query. Raise the
        last engine's :class:`~citeseek.errors.SearchFailed` when none can.
        """
        names = tuple(candidate.name for candidate in chain)
        if key is None:
            key = cache_key(names, query)
        if (stored := await cache.get(key)) is not None:
            log.info("cache hit: %s", query.text)
            return structs.replace(stored, cached=True, took_ms=0)

        async def first_answer() -> SearchResponse:
            response = await self._first_answer(query, chain)
            if not response.errors:
                await cache.put(key, response)
            return response

        limits = tuple(candidate.seconds for candidate in chain)
        return await self._flights.run((names, limits, query), first_answer)

    async def _first_answer(self, query: Query, chain: Sequence[Candidate]) -> SearchResponse:
        failed: list[SearchFailed] = []
        for candidate in chain:
            try:
                response = await self._ask(query, candidate)
            except SearchFailed as error:
                # No traceback: the sentence tells the failure in full.
                log.error("search failed: %s %s", error.error_code, error)  # noqa: TRY400
                error.earlier = tuple(failed)
                if not error.retryable or candidate is chain[-1]:
                    raise
                failed.append(error)
            else:
                if failed:
                    errors = tuple(Failure.of(error) for error in failed)
                    return structs.replace(response, errors=errors)
                return response
        raise ValueError("a chain has at least one engine")

    async def _ask(self, query: Query, candidate: Candidate) -> SearchResponse:
        began = time.perf_counter()
        outcome = await self._runner.run(
            candidate.engine,
            query,
            candidate.route,
            seconds=candidate.seconds,
            asked_as=candidate.name,
        )
        took_ms = round((time.perf_counter() - began) * 1000)
        return SearchResponse(
            query=query,
            provider=candidate.name,
            items=distinct(outcome.items, query.count),
            took_ms=took_ms,
            ignored=outcome.ignored,
            provider_meta={"provider_name": candidate.name, "latency_ms": took_ms},
        )
