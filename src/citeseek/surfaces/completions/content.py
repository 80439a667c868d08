"""The content of a completion: what of an answer's events a reader of plain chat gets, how far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citeseek.assistant.events import (
    Aside,
    Done,
    Event,
    Notice,
    ReadDone,
    SearchDone,
    Token,
)
from citeseek.citations import Source, Span
from citeseek.conversations.conversation_record import FunctionCall
from citeseek.errors import ModelFailed
from citeseek.i18n import Catalogue
from citeseek.observing.receipt import EgressReceipt
from citeseek.surfaces.completions.openai_shapes import Annotation, FinishReason, UrlCitation

# Marks a quoted line that is no part of the answer: such a client shows nothing beside it.
NOTE = "⚠️ "
_CUT: dict[str, FinishReason] = {
    "cut_length": "length",
    "cut_max_chars": "length",
    "cut_max_seconds": "length",
    "cut_connection": "length",
    "cut_tool_call": "length",
    "cut_content_filter": "content_filter",
    "cut_refusal": "content_filter",
}
# As :func:`citeseek.tools.budget.tokens` counts: a quarter of a token for an ASCII character.
_TOKEN = 4


class Content:
    """Collects the content of one answer.

    A notice goes before the answer in the words of ``say``, or behind it once it has begun. When
    the content is ``streamed``, what a model says on the way to a search cannot be taken back and
    stays before the answer.
    """

    def __init__(self, say: Catalogue, *, streamed: bool = False) -> None:
        self._say = say
        self.text = ""
        self.finish_reason: FinishReason = "stop"
        self._streamed = streamed
        self._begins: int | None = None
        self._ends = 0
        self._spans: list[Span] = []
        self._late: list[str] = []
        self._broken: Notice | None = None
        self._done: Done | None = None
        self._shown: list[Source] = []

    def take(self, event: Event) -> str:
        """Take what happened; return what it adds to the text.

        Raise ModelFailed when the model gave no answer.
        """
        before = len(self.text)
        match event:
            case Notice(code="model"):
                self._broken = event
            case Notice():
                self._note(event)
            case Token():
                if self._begins is None:
                    self._begins = before
                    self._spans.clear()
                self.text += event.text
                self._ends = len(self.text)
                self._spans += event.spans
            case Aside() if self._begins is not None:
                self.text = f"{self.text}\n\n" if self._streamed else self.text[: self._begins]
                self._begins = None
                before = min(before, len(self.text))
            case SearchDone():
                self._shown += event.sources
            case ReadDone():
                self._shown.append(event.source)
            case Done():
                self._end(event)
        return self.text[before:]

    def cut(self, reason: FinishReason) -> str:
        """End before the answer does, for ``reason``; return what that adds to the text."""
        self.finish_reason = reason
        return self._add_late()

    @property
    def annotations(self) -> list[Annotation]:
        """The citations of the answer, in order, with their places in the text."""
        if self._begins is None:
            return []
        sources = {
            source.number: source for source in (self._done.sources if self._done else self._shown)
        }
        places = (span.move(self._begins) for span in self._spans)
        # An answer that was cut ends before what the rest of it would have cited.
        return [
            _annotation(span, sources[span.number])
            for span in places
            if span.end <= self._ends and span.number in sources
        ]

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """The calls of the program's functions with which the answer ended."""
        return self._done.calls if self._done else ()

    @property
    def egress(self) -> EgressReceipt | None:
        """What the answer sent out and brought in, None before its end."""
        return self._done.egress if self._done else None

    def _note(self, notice: Notice) -> None:
        self.finish_reason = _CUT.get(notice.code, self.finish_reason)
        told = f"{notice.sentence(self._say)} {notice.advice(self._say)}"
        lines = told.strip().replace("\n", "\n> ")
        quoted = f"> {NOTE}{lines}"
        if self._begins is None:
            self.text += f"{quoted}\n\n"
        else:
            self._late.append(quoted)

    def _end(self, done: Done) -> None:
        if done.outcome == "failed":
            said = (self._broken or Notice(code="model")).values
            raise ModelFailed(
                said.get("reason", ""),
                hint=said.get("advice", ""),
                detail_code=said.get("detail_code", ""),
                values=said,
            )
        self._done = done
        if done.calls:
            self.finish_reason = "tool_calls"
        self._add_late()

    def _add_late(self) -> str:
        added = "".join(f"\n\n{quoted}" for quoted in self._late)
        self.text += added
        return added


def _annotation(span: Span, source: Source) -> Annotation:
    return Annotation(
        url_citation=UrlCitation(
            start_index=span.start,
            end_index=span.end,
            url=source.url,
            title=source.title,
            was_read=source.was_read,
        )
    )


class Ending:
    """Cuts an answer that comes in pieces.

    ``reason`` is None until there is one: ``stop`` at the first of the words ``stop``, which is not
    shown, ``length`` after about ``max_tokens``. What may be the beginning of such a word is held
    back until more is known.
    """

    def __init__(self, stop: Sequence[str] = (), max_tokens: int | None = None) -> None:
        self.reason: FinishReason | None = None
        self._stop = stop
        self._left = None if max_tokens is None else max_tokens * _TOKEN
        self._held = ""
        self._shown_chars = 0
        # Where the links of citations end, by where they begin.
        self._links: dict[int, int] = {}

    def take(self, piece: str, spans: Iterable[Span] = ()) -> str:
        """Return what may be shown now that ``piece`` has come.

        ``spans`` are links that we made of a mark of the model's, by their places in the whole: a
        link is shown whole or not at all, at the price of the mark.
        """
        self._links |= {span.start: span.end for span in spans}
        text = self._held + piece
        if not self._stop:
            return self._within(text)
        written, places = self._as_written(text)
        found = [at for word in self._stop if (at := written.find(word)) >= 0]
        if found:
            self._held = ""
            shown = self._within(text[: places[min(found)]])
            self.reason = self.reason or "stop"
            return shown
        kept = max((_count_begun(written, word) for word in self._stop), default=0)
        until = places[len(written) - kept]
        self._held = text[until:]
        return self._within(text[:until])

    def rest(self) -> str:
        """Return what was held back when nothing more comes."""
        held, self._held = self._held, ""
        return self._within(held)

    def _as_written(self, text: str) -> tuple[str, list[int]]:
        """Return ``text`` with each link as the mark that the model wrote, and where all of it is.

        The places are those of its characters in ``text``, and of its end.
        """
        written: list[str] = []
        places: list[int] = []
        at = 0
        while at < len(text):
            end = self._link_end(text, at)
            said = text[at + 1 : text.index("](", at)] if end else text[at]
            written.append(said)
            places += [at] * len(said)
            at = end or at + 1
        return "".join(written), [*places, len(text)]

    def _link_end(self, text: str, at: int) -> int:
        """Return where the link ends that begins at ``at`` in the ``text`` to show, 0 for none."""
        end = self._links.get(self._shown_chars + at, 0) - self._shown_chars
        return end if at < end <= len(text) else 0

    def _within(self, text: str) -> str:
        """Return as much of ``text`` as there are tokens left for."""
        if self._left is None:
            self._shown_chars += len(text)
            return text
        shown = 0
        while shown < len(text):
            link_end = self._link_end(text, shown)
            self._left -= 1 if text[shown].isascii() and not link_end else _TOKEN
            if self._left < 0:
                self.reason, self._held = "length", ""
                return text[:shown]
            shown = link_end or shown + 1
        self._shown_chars += len(text)
        return text


def _count_begun(text: str, word: str) -> int:
    """Return how many characters at the end of ``text`` may be the beginning of ``word``."""
    sizes = range(min(len(word) - 1, len(text)), 0, -1)
    return next((size for size in sizes if text.endswith(word[:size])), 0)
