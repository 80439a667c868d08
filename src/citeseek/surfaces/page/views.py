"""What a turn of a conversation shows, as values."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from citeseek.citations import Round, Source, Span
from citeseek.conversations.checked_citations import KeptCheck
from citeseek.conversations.judged_sentence import JudgedSentence
from citeseek.conversations.notice import Said
from citeseek.conversations.switches import Mode
from citeseek.models import Failure
from citeseek.observing.receipt import EgressReceipt

Outcome: TypeAlias = Literal["running", "answered", "stopped", "failed", "command"]


class SearchView(msgspec.Struct, frozen=True, kw_only=True):
    """One search of an answer. A failed one without a ``failure`` was broken off.

    ``call`` tells the searches of one answer apart, ``round`` is its place among the session's.
    """

    call: int
    query: str
    state: Literal["running", "done", "failed"] = "running"
    round: int = 0
    provider: str = ""
    took_ms: int = 0
    cached: bool = False
    ignored: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    failure: Failure | None = None


class ReadView(msgspec.Struct, frozen=True, kw_only=True):
    """One page that is read for an answer. A failed one without a ``failure`` was broken off."""

    call: int
    url: str
    state: Literal["running", "done", "failed"] = "running"
    source: Source | None = None
    failure: Failure | None = None


class TurnView(msgspec.Struct, frozen=True, kw_only=True):
    """A message and what became of it so far.

    ``asides`` are remarks on the way to the answer; they are shown until it is there. ``sources``
    are those that the model was shown, and those of earlier answers that it cites. ``thinking`` is
    what the model thought aloud; ``thinking_ms``, how long, and ``egress``, what the answer sent
    out and brought in, are known at its end. ``judged`` are its sentences that the gate compared
    with what was read, ``checked`` is what the last check of its citations found. ``follow_ups``
    may be asked next. ``versions`` are the ids of what was asked
    or answered in its place, by age, its own among them, and none for the only one. One that is not
    kept is on its board alone.
    """

    id: str
    mode: Mode
    question: str
    outcome: Outcome = "running"
    searches: tuple[SearchView, ...] = ()
    reads: tuple[ReadView, ...] = ()
    asides: tuple[str, ...] = ()
    notices: tuple[Said, ...] = ()
    thinking: str = ""
    thinking_ms: int = 0
    answer: str = ""
    spans: tuple[Span, ...] = ()
    sources: tuple[Source, ...] = ()
    cited: tuple[int, ...] = ()
    rounds: tuple[Round, ...] = ()
    model: str = ""
    egress: EgressReceipt | None = None
    judged: tuple[JudgedSentence, ...] = ()
    checked: KeptCheck | None = None
    follow_ups: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    is_kept: bool = True

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.outcome != "running"

    @property
    def doing(self) -> Literal["", "searching", "reading", "answering", "thinking"]:
        """What goes on at the moment; nothing when it is over."""
        if self.is_over:
            return ""
        if any(search.state == "running" for search in self.searches):
            return "searching"
        if any(read.state == "running" for read in self.reads):
            return "reading"
        is_blank = not self.answer or self.answer.isspace()
        return "thinking" if is_blank else "answering"

    @property
    def found_something(self) -> bool:
        """Whether a search or the reading of a page ended well."""
        states = [search.state for search in self.searches] + [read.state for read in self.reads]
        return "done" in states

    def place(self, search: SearchView) -> int:
        """Return the 1-based place of a search among the rounds of this answer, 0 for none."""
        places = [each.place for each in self.rounds]
        return places.index(search.round) + 1 if search.round in places else 0
