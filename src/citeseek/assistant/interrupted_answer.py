"""The turn of an answer whose maker died: what had been told of it until then."""

from __future__ import annotations

from collections.abc import Iterable

from citeseek.assistant import notices
from citeseek.assistant.events import (
    Aside,
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
from citeseek.citations import Source, Span
from citeseek.citations.citation_links import redrawn_marks
from citeseek.conversations.conversation_record import Read, Record, Search, Turn
from citeseek.conversations.judged_sentence import JudgedSentence


def interrupted_turn(
    turn_id: str, events: Iterable[Event], record: Record, *, at: float
) -> Turn | None:
    """Return the turn with what ``events`` tell of its answer; None where it had not begun.

    ``record`` is its conversation without it, ``at`` the time, in seconds since 1970.
    """
    told = _Told()
    for event in events:
        told.take(event)
    if told.started is None:
        return None
    earlier = [turn for turn in (*record.turns, *record.others) if turn.id in told.started.versions]
    text = "".join(told.text)
    return Turn(
        id=turn_id,
        mode=told.started.mode,
        message=told.started.message,
        at=at,
        outcome="stopped",
        answer=text,
        spans=tuple(told.spans),
        written=redrawn_marks(text, told.spans, "[{}{}]".format),
        references=told.references,
        searches=tuple(told.searches.values()),
        reads=tuple(told.reads.values()),
        sources=tuple(told.sources[number] for number in sorted(told.sources)),
        cited=tuple(sorted({span.number for span in told.spans})),
        notices=(*(notice.kept for notice in told.notices), notices.INTERRUPTED),
        thinking="".join(told.thinking),
        judged=tuple(told.judged),
        follows=earlier[0].follows if earlier else None,
    )


class _Told:
    def __init__(self) -> None:
        self.started: Started | None = None
        self.text: list[str] = []
        self.spans: list[Span] = []
        self.references = ""
        self.thinking: list[str] = []
        self.judged: list[JudgedSentence] = []
        self.notices: list[Notice] = []
        self.searches: dict[int, Search] = {}
        self.reads: dict[int, Read] = {}
        self.sources: dict[int, Source] = {}

    def take(self, event: Event) -> None:
        """Take what happened next."""
        match event:
            case Started():
                self.started = event
            case Token(part="references"):
                self.references += event.text
            case Token():
                self.text.append(event.text)
                self.spans += event.spans
            case Aside():
                self.text, self.spans, self.judged = [], [], []
            case Thinking():
                self.thinking.append(event.text)
            case SentenceJudged():
                self.judged.append(event.sentence)
            case Notice():
                self.notices.append(event)
            case _:
                self._take_step(event)

    def _take_step(self, event: Event) -> None:
        """Take a search or a page on the way to the answer."""
        match event:
            case SearchStarted():
                self.searches[event.call] = Search(query=event.query, was_stopped=True)
            case SearchDone():
                self._found(event)
            case SearchBroken():
                self.searches[event.call] = Search(query=event.query, failure=event.failure)
            case ReadStarted():
                self.reads[event.call] = Read(url=event.url, was_stopped=True)
            case ReadDone():
                self._read(event)
            case ReadBroken():
                self.reads[event.call] = Read(url=event.url, failure=event.failure)

    def _found(self, event: SearchDone) -> None:
        numbers = tuple(source.number for source in event.sources)
        for source in event.sources:
            self.sources.setdefault(source.number, source)
        self.searches[event.call] = Search(
            query=event.query,
            numbers=numbers,
            round=event.round,
            provider=event.provider,
            cached=event.cached,
            took_ms=event.took_ms,
            ignored=event.ignored,
        )

    def _read(self, event: ReadDone) -> None:
        self.sources[event.source.number] = event.source
        self.reads[event.call] = Read(
            url=event.url,
            number=event.source.number,
            cached=event.cached,
            truncated=event.truncated,
            took_ms=event.took_ms,
        )
