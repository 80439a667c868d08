"""Engines that are asked at the same time: who may answer, who has, who has failed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import structs

from citeseek import observing
from citeseek.concurrency.clock import Clock
from citeseek.engine import AnyEngine, Engine
from citeseek.errors import SearchFailed, Timeout
from citeseek.models import Beside, DirectAnswer, Failure, SearchResponse
from citeseek.query import Query
from citeseek.searching.merge import Vote, explain, merge
from citeseek.searching.runner import Outcome, Route


class Candidate(msgspec.Struct, frozen=True):
    """An engine that may answer, the name it is asked by, its route and its limits.

    ``seconds`` is the time it has, ``usual_seconds`` the time that it has when no caller names
    another, ``per_minute`` the number of searches a minute it allows (None: any number).
    ``account`` tells apart who is asked at different addresses or with different keys. An engine is
    ``alone`` when no other can answer in its place. ``retry`` says that a person asks again.
    """

    name: str
    engine: AnyEngine
    route: Route
    seconds: float
    per_minute: int | None = None
    usual_seconds: float = 0.0
    account: str = ""
    alone: bool = False
    retry: bool = False

    @property
    def upstream(self) -> str:
        """Whom it asks: the engine's id, and the account if it is not the usual one."""
        return f"{self.engine.id}#{self.account}" if self.account else self.engine.id

    @property
    def index(self) -> str:
        """Whose crawl it shows."""
        return (self.engine.index if isinstance(self.engine, Engine) else "") or self.engine.id

    def told(self) -> dict[str, Any]:
        """Return what a trace says of it."""
        return {
            "engine": self.engine.id,
            "index": self.index,
            "kind": self.engine.kind if isinstance(self.engine, Engine) else "plain",
            "transport": self.route.transport,
            "seconds": self.seconds,
            "per_minute": self.per_minute,
        }


# Engines of one group are asked at the same time; the next group only when a group cannot answer.
Group: TypeAlias = tuple[Candidate, ...]


def in_time(group: Group, spent: float) -> Group:
    """Return the engines of ``group`` that still have time after ``spent`` seconds, less by it."""
    return tuple(
        structs.replace(candidate, seconds=candidate.seconds - spent)
        for candidate in group
        if candidate.seconds > spent
    )


class GroupRound:
    """One group of engines at work: who has answered, who has failed."""

    def __init__(
        self, query: Query, group: Group, earlier: tuple[SearchFailed, ...], clock: Clock
    ) -> None:
        self.query = query
        self.group = group
        self.votes: dict[str, Outcome] = {}
        self.failures: dict[str, SearchFailed] = {}
        self._earlier = earlier
        self._clock = clock
        self._began = clock.now()

    def record(self, candidate: Candidate, task: asyncio.Task[Outcome]) -> None:
        """Note what an engine answered; anything but our own errors passes through."""
        try:
            self.votes[candidate.name] = task.result()
        except SearchFailed as error:
            self.failures[candidate.name] = error

    def give_up(self, candidate: Candidate) -> None:
        """Note that an engine was not waited for."""
        if operation := observing.current():
            operation.gave_up.append(candidate.name)
        self.failures[candidate.name] = Timeout(
            "Not waited for: enough other engines had answered.",
            engine=candidate.name,
            detail_code="not_waited_for",
            values={"case": "not_waited"},
        )

    def with_results(self) -> int:
        """Return how many engines have given results."""
        return sum(bool(outcome.items) for outcome in self.votes.values())

    def response(self, pending: tuple[str, ...]) -> SearchResponse:
        """Return the answer as it stands, whatever the order in which engines came in."""
        answered = [candidate for candidate in self.group if candidate.name in self.votes]
        failures = [
            *self._earlier,
            *(self.failures[c.name] for c in self.group if c.name in self.failures),
        ]
        votes = [Vote(c.name, c.index, self.votes[c.name].items) for c in answered]
        took_ms = self._clock.took_ms(self._began)
        provider = "+".join(candidate.name for candidate in answered)
        if (operation := observing.current()) and operation.track and not pending:
            operation.note("merge", lines=explain(votes, self.query))
        return SearchResponse(
            query=self.query,
            provider=provider,
            items=merge(votes, self.query, self.query.count),
            took_ms=took_ms,
            ignored=self._list_ignored(answered),
            errors=tuple(map(Failure.of, failures)),
            provider_meta={"provider_name": provider, "latency_ms": took_ms},
            pending=tuple(c.name for c in self.group if c.name in pending),
            beside=_join({c.name: self.votes[c.name].beside for c in answered}),
        )

    def _list_ignored(self, answered: list[Candidate]) -> tuple[str, ...]:
        if len(self.group) == 1:
            return self.votes[answered[0].name].ignored
        return tuple(f"{c.name}.{name}" for c in answered for name in self.votes[c.name].ignored)


def _join(said: Mapping[str, Beside]) -> Beside:
    """Return what engines, by their names, say beside their results, each thing once."""
    answers: dict[str, DirectAnswer] = {}
    for name, beside in said.items():
        for answer in beside.answers:
            named = structs.replace(answer, engine=answer.engine or name)
            answers.setdefault(answer.text, named)
    return Beside(
        suggestions=_once(text for beside in said.values() for text in beside.suggestions),
        corrections=_once(text for beside in said.values() for text in beside.corrections),
        answers=tuple(answers.values()),
    )


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
