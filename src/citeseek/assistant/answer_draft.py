"""An answer in the making: what was searched, written and noted for it so far."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from citeseek.answering.source_values import SaidValue
from citeseek.assistant.answer_text import AnswerText, Thoughts
from citeseek.assistant.events import (
    Aside,
    Event,
    Notice,
    ReadBroken,
    ReadDone,
    ReadStarted,
    SearchStarted,
    SentenceJudged,
    Started,
)
from citeseek.assistant.opened_pages import OpenedPages
from citeseek.assistant.page_reading import Excerpt
from citeseek.citations import CitationRegistry, Round, Source, cited_numbers
from citeseek.citations.own_list import OwnList
from citeseek.concurrency.clock import Clock
from citeseek.conversations.conversation_record import (
    FunctionCall,
    FunctionResult,
    Read,
    Search,
    Turn,
)
from citeseek.conversations.judged_sentence import JudgedSentence
from citeseek.conversations.switches import Mode
from citeseek.fetching.source_text import text_of_summary
from citeseek.i18n import Catalogue, catalogue, language_of
from citeseek.language_model.streaming.pieces import THINKING, WAS_THINKING
from citeseek.locators import Locator
from citeseek.settings.assistant_settings import Gate
from citeseek.tools.web_fetch import FetchCall
from citeseek.verification import AnswerSentence, SentenceStream, SourceText

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

# A sentence waits for the gate, and is told by :meth:`Draft.tell_judged`.
Made: TypeAlias = Event | AnswerSentence

# Others are years, sums and places in code: no model counts its sources like that.
_LIKE_A_SOURCE = re.compile(r"(?:0|[1-9]\d{0,2})(?!\d)")


class Draft:
    """Collects one answer and tells, piece by piece, what its reader is to see.

    ``registry`` knows the numbers that the model was shown. The turn goes on from ``follows``, in
    the place of its earlier ``versions``. With a ``gate`` it yields each sentence that cites when
    it is whole: of ``hold`` before it is shown, of ``mark`` behind that.
    ``results`` are those of a program's functions with which it goes on, ``calls`` those with which
    it ends. The model is told what it is told with ``say``, by default in the language of the
    message.
    """

    def __init__(
        self,
        message: str,
        mode: Mode,
        registry: CitationRegistry,
        model: str,
        *,
        turn_id: str,
        clock: Clock,
        gate: Gate = "off",
        follows: str | None = None,
        versions: tuple[str, ...] = (),
        results: tuple[FunctionResult, ...] = (),
        say: Catalogue | None = None,
    ) -> None:
        self.registry = registry
        self.calls: tuple[FunctionCall, ...] = ()
        self._results = results
        self.gate = gate
        self.searches: list[Search] = []
        self.outcome: Literal["answered", "stopped", "failed"] = "stopped"
        self.message = message
        # What a model is told for it, and the references, are in the language of the message.
        self.say = say or catalogue(language_of(message))
        self.finish_reason = ""
        self.mode = mode
        self._model = model
        self._id = turn_id
        self._follows = follows
        self.versions = (*versions, turn_id) if versions else ()
        self.at = clock.time()
        self._notices: list[Notice] = []
        self._thoughts = Thoughts(clock)
        self._under_way: dict[int, str] = {}
        self._opened = OpenedPages()
        self._text = AnswerText(registry, self.say)
        self._own_list = self._new_own_list()
        self._pages: Mapping[int, tuple[Locator, ...]] = {}
        self._sentences = SentenceStream()
        self._judged: list[JudgedSentence] = []
        self.confidence: float | None = None
        self.voices: tuple[SaidValue, ...] = ()

    @property
    def started(self) -> Started:
        """The first event."""
        return Started(
            turn_id=self._id, message=self.message, mode=self.mode, versions=self.versions
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing but white space was written yet, and no function called."""
        return not self.calls and not f"{self._said}{self._own_list.held}".strip()

    @property
    def texts(self) -> Mapping[int, SourceText]:
        """What is known of each source: its page if it was read for this answer, or its summary."""
        summaries = {source.number: text_of_summary(source) for source in self.registry}
        return {**summaries, **self._opened.texts}

    @property
    def reads(self) -> tuple[Read, ...]:
        """The pages that were read or could not be, in the order in which they were opened."""
        return self._opened.reads

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources that the model was shown for it, and those of earlier answers it cites."""
        shown = {number for search in self.searches for number in search.numbers}
        shown |= {read.number for read in self.reads}
        numbers = sorted(shown.union(self._text.cited))
        found = filter(None, map(self.registry.get, numbers))
        return tuple(replace(one, pages=self._pages.get(one.number, ())) for one in found)

    def with_passages(self, sources: Iterable[Source]) -> tuple[Source, ...]:
        """Return ``sources`` with passages in place of the summaries where pages were read."""
        passages = {read.number: read.passages for read in self.reads if read.passages}
        return tuple(
            replace(source, snippet="\n".join(passages.get(source.number, (source.snippet,))))
            for source in sources
        )

    @property
    def unknown_sources(self) -> tuple[str, ...]:
        """The numbers that the answer cites though no source has them, as they were written."""
        return tuple(filter(_LIKE_A_SOURCE.match, self._text.missing))

    @property
    def unread_marks(self) -> tuple[str, ...]:
        """The marks that look like citations and name no source, as they were written."""
        return tuple(f"[{mark}]" for mark in self._text.missing if mark.startswith("^"))

    def note(self, notice: Notice) -> Notice:
        """Keep a notice with the answer."""
        self._notices.append(notice)
        return notice

    def hear(self, said: AIMessage) -> Iterator[Made]:
        """Take the next piece of what the model said, or the whole of it."""
        self.finish_reason = str(said.response_metadata.get("finish_reason") or self.finish_reason)
        text, before = str(said.text), said.additional_kwargs.get(WAS_THINKING, 0)
        if before and not text:
            yield from self.set_aside("thinking")
        if thinking := text[:before] + said.additional_kwargs.get(THINKING, ""):
            yield self._thoughts.think(thinking)
        if text := text[before:]:
            yield from self.write(text)

    def begin_search(self, call: int, query: str) -> SearchStarted:
        """Take note of a search; should the answer end before it does, it was stopped."""
        self._thoughts.end()
        self._under_way[call] = query
        return SearchStarted(call=call, query=query)

    def end_search(self, call: int, search: Search) -> None:
        """Keep a search that has ended."""
        self._under_way.pop(call, None)
        self.searches.append(search)

    def begin_read(self, call: int, url: str) -> ReadStarted:
        """Take note of a page; should the answer end before it is read, it was stopped."""
        self._thoughts.end()
        return self._opened.begin(call, url)

    def end_read(self, call: FetchCall) -> ReadDone | ReadBroken:
        """Keep a page that was read, or could not be."""
        return self._opened.end(call)

    def quote(self, passages: Mapping[int, tuple[Excerpt, ...]]) -> None:
        """Keep what the model is given of the pages with these numbers."""
        self._opened.quote(passages)

    def write(self, text: str) -> Iterator[Made]:
        """Take the next piece of the answer.

        The list of sources at its end waits for :meth:`finish`, which leaves it out for our own.
        """
        self._thoughts.end()
        yield from self._write(self._own_list.feed(text))

    def tell_judged(self, text: str, judged: JudgedSentence) -> Iterator[Event]:
        """Tell what became of a sentence; one that was held is shown now, as ``text``."""
        if self.gate == "hold":
            yield from self._text.write(text)
        self._judged.append(judged)
        yield SentenceJudged(sentence=judged)

    def set_aside(self, kind: Literal["remark", "thinking"] = "remark") -> Iterator[Made]:
        """Take what was written so far for a remark on the way to another search, or thinking."""
        yield from self._write(self._own_list.finish()[0])
        if self.gate == "hold":
            yield from self._text.write(self._sentences.held)
        self._sentences = SentenceStream()
        if written := self._text.written:
            yield from self._text.close()
            text = self._text.shown
            self._text, self._judged = AnswerText(self.registry, self.say), []
            yield Aside(text=text, kind=kind)
            if kind == "thinking":
                yield self._thoughts.think(written)

    def finish(self, rounds: Sequence[Round] | None = None) -> Iterator[Made]:
        """End the answer with its references, grouped by ``rounds`` in Agent mode."""
        yield from self.settle()
        yield from self.end(rounds)

    def settle(self) -> Iterator[Made]:
        """Tell what was held back of what the model wrote: no more of it comes."""
        held, is_list = self._own_list.finish()
        if not (is_list and cited_numbers(self._said, self.registry)):
            yield from self._write(held)
        yield from self._take(self._sentences.finish())

    def end(self, rounds: Sequence[Round] | None = None) -> Iterator[Event]:
        """Show the references behind an answer that is settled."""
        yield from self._text.close()
        self._pages = self._opened.cited_pages(self._text.written)
        yield from self._text.refer(rounds, {read.number for read in self.reads}, self._pages)

    def cut(self, rounds: Sequence[Round] | None = None) -> None:
        """End the answer where it is, when nobody listens any more.

        What the gate still held was not shown, and is not kept.
        """
        if self.gate != "hold":
            deque(self.settle(), maxlen=0)
        deque(self.end(rounds), maxlen=0)

    def turn(self) -> Turn:
        """Return what is kept of the answer."""
        stopped = (Search(query=query, was_stopped=True) for query in self._under_way.values())
        return Turn(
            id=self._id,
            mode=self.mode,
            message=self.message,
            written=self._text.written,
            answer=self._text.shown,
            spans=self._text.spans,
            references=self._text.references,
            at=self.at,
            outcome=self.outcome,
            searches=(*self.searches, *stopped),
            reads=(*self.reads, *self._opened.stopped),
            sources=self.sources,
            cited=self._text.cited,
            notices=tuple(notice.kept for notice in self._notices),
            model=self._model,
            thinking=self._thoughts.text,
            thinking_ms=self._thoughts.ms,
            judged=tuple(self._judged),
            confidence=self.confidence,
            voices=self.voices,
            follows=self._follows,
            results=self._results,
            calls=self.calls,
        )

    @property
    def _said(self) -> str:
        """All that the model wrote, what the gate holds included."""
        held = self._sentences.held if self.gate == "hold" else ""
        return f"{self._text.written}{held}"

    def _new_own_list(self) -> OwnList:
        return OwnList(lambda number: self.registry.get(number) is not None)

    def _write(self, text: str) -> Iterator[Made]:
        if self.gate != "hold":
            yield from self._text.write(text)
        if self.gate != "off":
            yield from self._take(self._sentences.feed(text))

    def _take(self, pieces: Iterator[AnswerSentence]) -> Iterator[Made]:
        """Yield the sentences that have to be judged, and tell what needs no judging."""
        for piece in pieces:
            if piece.cites:
                yield piece
            elif self.gate == "hold":
                yield from self._text.write(piece.text)
