"""How the view of a turn comes about: from its events one by one, or from what is kept of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from citeseek.assistant.events import (
    Aside,
    Citation,
    Done,
    Event,
    Notice,
    ReadBroken,
    ReadDone,
    ReadStarted,
    SearchBroken,
    SearchDone,
    SearchStarted,
    SentenceJudged,
    Started,
    Thinking,
    Token,
)
from citeseek.assistant.notices import error_notice
from citeseek.citations import Round, Source
from citeseek.conversations.checked_citations import KeptCheck
from citeseek.conversations.conversation_record import Read, Search, Turn
from citeseek.errors import CiteseekError
from citeseek.surfaces.page.views import ReadView, SearchView, TurnView


def begin(started: Started) -> TurnView:
    """Return the view of a question that was just asked."""
    return TurnView(
        id=started.turn_id, mode=started.mode, question=started.message, versions=started.versions
    )


def reduce(view: TurnView, event: Event) -> TurnView:
    """Return ``view`` after ``event``."""
    return replace(view, **_change(view, event))


def break_off(view: TurnView, error: CiteseekError) -> TurnView:
    """Return ``view`` after an error that ended the answer without its :class:`Done`."""
    notice = error_notice(error)
    notices = (*view.notices, notice)
    return replace(view, outcome="failed", **_close_all(view), asides=(), notices=notices)


def of_turn(turn: Turn, versions: tuple[str, ...] = ()) -> TurnView:
    """Return the view of a turn that was kept, one of ``versions``."""
    sources = {source.number: source for source in turn.sources}
    view = TurnView(
        id=turn.id,
        mode=turn.mode,
        question=turn.message,
        outcome=turn.outcome,
        searches=tuple(
            _view_search(call, search, sources) for call, search in enumerate(turn.searches, 1)
        ),
        reads=tuple(_view_read(call, read, sources) for call, read in enumerate(turn.reads, 1)),
        notices=turn.notices,
        thinking=turn.thinking,
        thinking_ms=turn.thinking_ms,
        answer=turn.answer,
        spans=turn.spans,
        sources=turn.sources,
        cited=turn.cited,
        rounds=turn.rounds,
        model=turn.model,
        egress=turn.egress,
        judged=turn.judged,
        follow_ups=turn.follow_ups,
        versions=versions if len(versions) > 1 else (),
    )
    return with_check(view, turn.checked)


def with_check(view: TurnView, checked: KeptCheck | None) -> TurnView:
    """Return ``view`` with a check of its citations, the sources that it read as read."""
    read = checked.read if checked else frozenset()
    new = tuple(
        dataclasses.replace(source, was_read=True)
        for source in view.sources
        if source.number in read
    )
    return replace(
        view,
        checked=checked,
        sources=_update(view.sources, new),
        searches=tuple(
            replace(search, sources=_update(search.sources, new)) for search in view.searches
        ),
    )


def _change(view: TurnView, event: Event) -> dict[str, Any]:
    """Return the fields that ``event`` changes."""
    change: dict[str, Any] = {}
    match event:
        case SearchStarted():
            search = SearchView(call=event.call, query=event.query)
            change = {"searches": (*view.searches, search)}
        case SearchDone() | SearchBroken():
            change = _close_search(view, event)
        case ReadStarted():
            change = {"reads": (*view.reads, ReadView(call=event.call, url=event.url))}
        case ReadDone() | ReadBroken():
            change = _was_read(view, event)
        case Notice():
            change = {"notices": (*view.notices, event.kept)}
        case Token() | Thinking() | Aside():
            change = _add_text(view, event)
        case Citation(source=source):
            cited = tuple(sorted({*view.cited, source.number}))
            change = {"sources": _join(view.sources, (source,)), "cited": cited}
        case SentenceJudged(sentence=sentence):
            change = {"judged": (*view.judged, sentence)}
        case Done():
            change = _end(view, event)
    return change


def _add_text(view: TurnView, event: Token | Thinking | Aside) -> dict[str, Any]:
    """Take what the model said: its answer, its thinking, or that this was no answer yet."""
    if isinstance(event, Thinking):
        return {"thinking": view.thinking + event.text}
    if isinstance(event, Token):
        if event.part != "answer":
            return {}
        return {"answer": view.answer + event.text, "spans": view.spans + event.spans}
    remarks = (event.text,) if event.kind == "remark" else ()
    nothing = {"answer": "", "spans": (), "cited": (), "judged": ()}
    return {"asides": (*view.asides, *remarks), **nothing}


def _close_search(view: TurnView, event: SearchDone | SearchBroken) -> dict[str, Any]:
    """Close a search. Those that ended come first, in the order in which they ended."""
    if isinstance(event, SearchBroken):
        search = SearchView(
            call=event.call, query=event.query, state="failed", failure=event.failure
        )
    else:
        search = SearchView(
            call=event.call,
            query=event.query,
            state="done",
            round=event.round,
            provider=event.provider,
            took_ms=event.took_ms,
            cached=event.cached,
            ignored=event.ignored,
            sources=event.sources,
        )
    others = [each for each in view.searches if each.call != event.call]
    over = [each for each in others if each.state != "running"]
    running = [each for each in others if each.state == "running"]
    rounds = view.rounds
    if search.round:
        numbers = tuple(source.number for source in search.sources)
        rounds = (*rounds, Round(search.query, numbers, search.round))
    return {
        "searches": (*over, search, *running),
        "sources": _join(view.sources, search.sources),
        "rounds": rounds,
    }


def _was_read(view: TurnView, event: ReadDone | ReadBroken) -> dict[str, Any]:
    """Close a page."""
    if isinstance(event, ReadBroken):
        read = ReadView(call=event.call, url=event.url, state="failed", failure=event.failure)
        new: tuple[Source, ...] = ()
    else:
        read = ReadView(call=event.call, url=event.url, state="done", source=event.source)
        new = (event.source,)
    reads = tuple(read if each.call == event.call else each for each in view.reads)
    return {
        "reads": reads,
        "searches": tuple(
            replace(search, sources=_update(search.sources, new)) for search in view.searches
        ),
        "sources": _join(view.sources, new),
    }


def _end(view: TurnView, done: Done) -> dict[str, Any]:
    if done.outcome == "command":
        return {"outcome": "command"}
    return {
        "outcome": done.outcome,
        **_close_all(view),
        "asides": (),
        "thinking": done.thinking,
        "thinking_ms": done.thinking_ms,
        "answer": done.answer,
        "spans": done.spans,
        "sources": done.sources,
        "cited": done.cited,
        "rounds": done.rounds,
        "model": done.model,
        "egress": done.egress,
    }


def _close_all(view: TurnView) -> dict[str, Any]:
    """Return the searches and the pages, those that are still out as broken off."""
    return {
        "searches": tuple(
            replace(search, call=call, state="done" if search.state == "done" else "failed")
            for call, search in enumerate(view.searches, 1)
        ),
        "reads": tuple(
            replace(read, call=call, state="done" if read.state == "done" else "failed")
            for call, read in enumerate(view.reads, 1)
        ),
    }


def _join(sources: tuple[Source, ...], more: tuple[Source, ...]) -> tuple[Source, ...]:
    """Return both by their numbers, each once."""
    numbered = {source.number: source for source in (*sources, *more)}
    return tuple(numbered[number] for number in sorted(numbered))


def _update(sources: tuple[Source, ...], new: tuple[Source, ...]) -> tuple[Source, ...]:
    """Return ``sources`` as they are known now, those that are ``new`` among them."""
    known = {source.number: source for source in new}
    return tuple(known.get(source.number, source) for source in sources)


def _view_search(call: int, search: Search, sources: Mapping[int, Source]) -> SearchView:
    return SearchView(
        call=call,
        query=search.query,
        state="failed" if search.failure or search.was_stopped else "done",
        round=search.round,
        provider=search.provider,
        took_ms=search.took_ms,
        cached=search.cached,
        ignored=search.ignored,
        sources=tuple(filter(None, map(sources.get, search.numbers))),
        failure=search.failure,
    )


def _view_read(call: int, read: Read, sources: Mapping[int, Source]) -> ReadView:
    return ReadView(
        call=call,
        url=read.url,
        state="done" if read.number else "failed",
        source=sources.get(read.number),
        failure=read.failure,
    )
