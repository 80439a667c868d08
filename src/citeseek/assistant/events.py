"""What happens while an assistant answers, as values that every surface shows in its own way.

Each becomes JSON with its ``type``; an answer ends with exactly one :class:`Done`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from citeseek.answering.source_values import SaidValue
from citeseek.citations import Round, Source, Span
from citeseek.conversations.conversation_record import FunctionCall, Turn
from citeseek.conversations.judged_sentence import JudgedSentence
from citeseek.conversations.notice import Said
from citeseek.conversations.switches import Mode, ReadSwitch, Switch
from citeseek.models import Failure
from citeseek.observing.receipt import EgressReceipt
from citeseek.settings.assistant_settings import Gate


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    pass


class Started(_Event, frozen=True, kw_only=True, tag="started"):
    """A message was taken to be answered; ``turn_id`` is what its turn will be kept under.

    Where it is asked or answered again, ``versions`` are the turns in whose place it comes and
    itself, by age: what was shown from the earlier ones on is shown no more.
    """

    turn_id: str
    message: str
    mode: Mode
    versions: tuple[str, ...] = ()


class State(_Event, frozen=True, kw_only=True, tag="state"):
    """The mode, the search switch, the one for reading pages and the gate, after each change."""

    mode: Mode
    switch: Switch
    read: ReadSwitch
    gate: Gate


class SearchStarted(_Event, frozen=True, kw_only=True, tag="search_started"):
    """A search began. ``call`` tells the searches of one answer apart."""

    call: int
    query: str


class SearchDone(_Event, frozen=True, kw_only=True, tag="search_done"):
    """A search ended with ``sources``, the numbered results that the model is shown.

    ``round`` is its 1-based place among the session's searches in Agent mode; 0 in Chat mode, for a
    repeat from the session's cache, and when nothing was found.
    """

    call: int
    query: str
    sources: tuple[Source, ...]
    provider: str
    round: int = 0
    cached: bool = False
    took_ms: int = 0
    ignored: tuple[str, ...] = ()


class SearchBroken(_Event, frozen=True, kw_only=True, tag="search_failed"):
    """A search failed; the answer goes on without it."""

    call: int
    query: str
    failure: Failure


class ReadStarted(_Event, frozen=True, kw_only=True, tag="read_started"):
    """A page is being read. ``call`` tells the pages of one answer apart."""

    call: int
    url: str


class ReadDone(_Event, frozen=True, kw_only=True, tag="read_done"):
    """A page was read; ``source`` is its number and title, ``truncated`` text was cut."""

    call: int
    url: str
    source: Source
    cached: bool = False
    truncated: bool = False
    took_ms: int = 0


class ReadBroken(_Event, frozen=True, kw_only=True, tag="read_failed"):
    """A page could not be read; the answer goes on without it."""

    call: int
    url: str
    failure: Failure


class Notice(Said, frozen=True, kw_only=True, tag_field="type", tag="notice"):
    """Something that the reader is told and that is no part of the answer.

    ``code`` names its kind: ``timeout``, ``unavailable``, ``network``, ``configuration``,
    ``blocked``, ``not_searchable``, ``no_search``, ``no_search_tool``, ``search_off``,
    ``search_limit``, ``read_limit``, ``model``, ``stopped``, ``command``, ``extractive``,
    ``earlier_sources``, ``interrupted``, ``unknown_sources``, ``unread_marks``, ``sources_differ``,
    and ``cut_`` with ``length``, ``content_filter``, ``refusal``, ``tool_call``, ``connection``,
    ``max_chars`` or ``max_seconds``. ``text`` and ``hint`` say it in Chinese, mostly with English
    beside it; ``sentence`` and ``advice`` in the language of a catalogue.
    """

    @property
    def kept(self) -> Said:
        """What is kept of it with the answer."""
        return Said(code=self.code, detail=self.detail, hints=self.hints, values=self.values)


class Token(_Event, frozen=True, kw_only=True, tag="token"):
    """The next piece of the answer, its citations made into links.

    ``spans`` are the places of these in the answer so far, which begins anew after an aside. The
    last piece may be the list of ``references``.
    """

    text: str
    spans: tuple[Span, ...] = ()
    part: Literal["answer", "references"] = "answer"


class Thinking(_Event, frozen=True, kw_only=True, tag="thinking"):
    """The next piece of what the model thinks aloud: no answer, never cited, never told it again.

    It is the model's raw text; a reader may be shown it folded away.
    """

    text: str


class Aside(_Event, frozen=True, kw_only=True, tag="aside"):
    """The tokens since the last aside are no answer.

    ``kind`` is ``remark`` for what was said on the way to another search, ``thinking`` for what
    turned out to be thinking: it follows as :class:`Thinking`.
    """

    text: str
    kind: Literal["remark", "thinking"] = "remark"


class Citation(_Event, frozen=True, kw_only=True, tag="citation"):
    """The answer cites this source for the first time."""

    source: Source


class SentenceJudged(_Event, frozen=True, kw_only=True, tag="sentence_judged"):
    """A sentence of the answer was compared with what was read; see the setting ``answer.gate``.

    It is the last one of the answer so far that cites a source. Those before an aside count no
    more.
    """

    sentence: JudgedSentence


class Done(_Event, frozen=True, kw_only=True, tag="done"):
    """The end. ``text`` is the whole answer in Markdown; ``answer`` is it without its references.

    ``spans`` are the places of the links of its citations, the same in both.
    ``sources`` are all results that the model was shown for it, and those of earlier answers that
    it cites; ``cited`` are the numbers that it cites, ``rounds`` its searches in Agent mode.
    ``confidence``, from 0 to 1, is how surely an answer of the built-in model is one, None for
    those of others, for words that ask nothing, and where sources differ; ``voices`` are the values
    that they give then.
    ``calls`` are those of a program's functions with which it ends.
    ``outcome`` is ``answered``, ``stopped`` (by the reader), ``failed`` (no answer from the model)
    or ``command``. ``thinking`` is what the model thought aloud, for ``thinking_ms``. ``egress`` is
    what the answer sent out and brought in.
    """

    text: str
    answer: str = ""
    spans: tuple[Span, ...] = ()
    outcome: Literal["answered", "stopped", "failed", "command"] = "answered"
    turn_id: str = ""
    searched: bool = False
    sources: tuple[Source, ...] = ()
    cited: tuple[int, ...] = ()
    rounds: tuple[Round, ...] = ()
    model: str = ""
    egress: EgressReceipt | None = None
    thinking: str = ""
    thinking_ms: int = 0
    confidence: float | None = None
    voices: tuple[SaidValue, ...] = ()
    calls: tuple[FunctionCall, ...] = ()

    @classmethod
    def of(cls, turn: Turn) -> Done:
        """Return the end of the answer that is kept as ``turn``."""
        return cls(
            text=turn.shown,
            answer=turn.answer,
            spans=turn.spans,
            outcome=turn.outcome,
            turn_id=turn.id,
            searched=bool(turn.searches),
            sources=turn.sources,
            cited=turn.cited,
            rounds=turn.rounds,
            model=turn.model,
            egress=turn.egress,
            thinking=turn.thinking,
            thinking_ms=turn.thinking_ms,
            confidence=turn.confidence,
            voices=turn.voices,
            calls=turn.calls,
        )


# What every surface shows as it is, also as data.
PlainEvent: TypeAlias = (
    Started
    | SearchStarted
    | SearchDone
    | SearchBroken
    | ReadStarted
    | ReadDone
    | ReadBroken
    | Token
    | Thinking
    | Aside
    | Citation
    | SentenceJudged
    | Done
)
Event: TypeAlias = PlainEvent | State | Notice
