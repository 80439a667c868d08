"""The one search service: cache, single flight, engines side by side and one after the other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Hashable, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from msgspec import structs

from citeseek import observing
from citeseek.concurrency.clock import Clock
from citeseek.concurrency.single_flight import SingleFlight
from citeseek.errors import SearchFailed
from citeseek.models import MAX_HITS, SearchResponse
from citeseek.observing.log_lines import PRIVATE
from citeseek.query import Query
from citeseek.searching.cache import Cache
from citeseek.searching.engine_group import Candidate, Group, GroupRound, in_time
from citeseek.searching.engine_limits import EngineLimits, too_many
from citeseek.searching.recorded_search import RecordedLimits
from citeseek.searching.runner import Outcome, Runner

if TYPE_CHECKING:
    from citeseek.shared_state.valkey import Valkey

# Beside those that are wanted, so many are read of one engine's answer, since hits may be one page,
# or none.
SPARE_HITS = 10

log = logging.getLogger(__name__)


def cache_key(groups: Sequence[Sequence[str]], query: Query) -> Hashable:
    """Return the key of an answer: the engines that were asked and the whole query."""
    return tuple(map(tuple, groups)), query


def limits_of(valkey: Valkey | None) -> EngineLimits:
    """Return the limits of all processes at ``valkey``, or without one those of this process."""
    if valkey is None:
        return RecordedLimits()
    from citeseek.searching.shared_limits import RecordedSharedLimits  # noqa: PLC0415 - few share

    return RecordedSharedLimits(valkey)


class Service:
    """Answers queries. One per process; every face calls it."""

    def __init__(
        self,
        runner: Runner,
        limits: EngineLimits | None = None,
        *,
        flights: SingleFlight[SearchResponse] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.limits = limits or EngineLimits()
        self._runner = runner
        self._flights: SingleFlight[SearchResponse] = flights or SingleFlight()
        self._clock = clock or Clock()

    async def search(
        self,
        query: Query,
        groups: Sequence[Group],
        *,
        cache: Cache,
        key: Hashable = None,
        quorum: int | None = None,
    ) -> SearchResponse:
        """Return the answer of the first of ``groups`` that can give one.

        The next group is asked only when every engine of this one failed, and one of them in a way
        that another engine may not; the failures are named in the response. ``key`` is the cache
        key, by default the engines and the whole query. With ``quorum``, engines that are still out
        when so many have given results are not waited for. Raise SearchFailed when no group can
        answer.
        """
        names = [[f"{each.name}#{each.account}" for each in group] for group in groups]
        key = cache_key(names, query) if key is None else key
        stored = await cache.get(key)
        if stored is not None:
            log.info("cache hit: %s", query.text, extra=PRIVATE)
            if operation := observing.current():
                operation.is_cached = True
            return structs.replace(stored, cached=True, took_ms=0)

        async def answer() -> SearchResponse:
            if len(groups) == len(groups[0]) == 1:
                response = await self._ask_one(query, groups[0][0])
            else:
                *_, (round_, _) = [each async for each in self._rounds(query, groups, quorum)]
                response = round_.response(())
            if not response.errors:
                await cache.put(key, response)
            return response

        # Nobody shares the timeout of a more impatient caller.
        limits = tuple((each.seconds, each.retry) for group in groups for each in group)
        once = partial(cache.once, key, (limits, quorum), answer)
        return await self._flights.run((key, limits, quorum, cache), once)

    async def stream(
        self, query: Query, groups: Sequence[Group], *, quorum: int | None = None
    ) -> AsyncGenerator[SearchResponse]:
        """Yield the merged answer each time an engine has answered; the last one is final.

        ``pending`` of a response names the engines that are still out.
        """
        async with aclosing(self._rounds(query, groups, quorum)) as rounds:
            async for round_, pending in rounds:
                yield round_.response(pending)

    async def _rounds(
        self, query: Query, groups: Sequence[Group], quorum: int | None
    ) -> AsyncGenerator[tuple[GroupRound, tuple[str, ...]]]:
        """Yield the round each time an engine has answered, with the names of those still out.

        When none is, it is the last time.
        """
        failed: list[SearchFailed] = []
        began = self._clock.now()
        for group in groups:
            # The limit is that of the whole call, whoever is asked in it.
            if failed:
                group = in_time(group, self._clock.seconds_since(began))  # noqa: PLW2901
            if not group:
                break
            round_ = GroupRound(query, group, tuple(failed), self._clock)
            async with aclosing(self._ask_together(round_, quorum)) as arrivals:
                async for pending in arrivals:
                    yield round_, pending
            if round_.votes:
                return
            failed += round_.failures.values()
            if not any(error.another_may for error in round_.failures.values()):
                break
        error = failed[-1]
        error.earlier = tuple(failed[:-1])
        _tell(error)
        raise error

    async def _ask_together(
        self, round_: GroupRound, quorum: int | None
    ) -> AsyncGenerator[tuple[str, ...]]:
        tasks = {
            asyncio.create_task(self._outcome(round_.query, candidate)): candidate
            for candidate in round_.group
        }
        pending = set(tasks)
        try:
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    round_.record(tasks[task], task)
                if quorum and round_.with_results() >= quorum:
                    break
                if pending and round_.votes:
                    yield tuple(tasks[task].name for task in pending)
            for task in pending:
                round_.give_up(tasks[task])
            if round_.votes:
                yield ()
        finally:
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)

    async def _ask_one(self, query: Query, candidate: Candidate) -> SearchResponse:
        """Answer from one engine: no task, and no merging of one list with itself."""
        round_ = GroupRound(query, (candidate,), (), self._clock)
        try:
            # One list needs no agreement of others: what stands far behind is not shown.
            most = query.count + SPARE_HITS
            round_.votes[candidate.name] = await self._outcome(query, candidate, most)
        except SearchFailed as error:
            _tell(error)
            raise
        return round_.response(())

    async def _outcome(self, query: Query, candidate: Candidate, most: int = MAX_HITS) -> Outcome:
        """Ask one engine, unless it is to be left alone; raise SearchFailed."""
        try:
            with observing.operation(
                "engine", candidate.engine.id, title=candidate.name, asked=candidate.told
            ) as operation:
                left = await self._admit(candidate)
                outcome = await self._ask(query, candidate, left, most)
                if operation:
                    operation.result = outcome
                return outcome
        except SearchFailed as error:
            # The sentence tells the failure in full and names the engine; others may answer.
            log.warning("engine failed: %s %s", error.error_code, error)
            raise

    async def _ask(self, query: Query, candidate: Candidate, seconds: float, most: int) -> Outcome:
        """Ask one engine and remember how it went; only what was sent counts."""
        limits, upstream = self.limits, candidate.upstream
        began = limits.clock()
        try:
            outcome = await self._runner.run(
                candidate.engine,
                query,
                candidate.route,
                seconds=seconds,
                asked_as=candidate.name,
                most=most,
            )
        except SearchFailed as error:
            in_full = seconds >= candidate.usual_seconds
            await limits.record(upstream, error, began=began, in_full=in_full)
            raise
        except BaseException:
            await limits.give_back(upstream, began=began)
            raise
        await limits.record(upstream, None, began=began)
        return outcome

    async def _admit(self, candidate: Candidate) -> float:
        """Wait until the engine may be asked; return the seconds that are left."""
        left = candidate.seconds
        admit = partial(
            self.limits.admit,
            candidate.upstream,
            candidate.per_minute,
            alone=candidate.alone,
            retry=candidate.retry,
        )
        try:
            while wait := await admit():
                if wait >= left:
                    raise too_many(candidate.engine.id, candidate.per_minute or 0, wait)
                await self._clock.sleep(wait)
                left -= wait
        except SearchFailed as refusal:
            refusal.engine = candidate.name
            raise
        return left


def _tell(error: SearchFailed) -> None:
    """Write down that a whole search failed; it is the last failure that decides."""
    log.error("search failed: %s %s", error.error_code, error)
