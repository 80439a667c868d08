"""The output of a response: items made of what happens, and the events that tell of them."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, structs

from citeseek.assistant.events import (
    Aside,
    Done,
    Notice,
    ReadBroken,
    ReadDone,
    ReadStarted,
    SearchBroken,
    SearchDone,
    SearchStarted,
)
from citeseek.conversations.conversation_record import FunctionCall
from citeseek.surfaces.completions.content import Content
from citeseek.surfaces.completions.openai_shapes import Annotation
from citeseek.surfaces.completions.program_answer import AnswerStep
from citeseek.surfaces.completions.response_shapes import (
    FunctionItem,
    MessageItem,
    OpenAction,
    OutputItem,
    OutputText,
    PageFound,
    SearchAction,
    SearchCallItem,
    UrlAnnotation,
)


class ResponseOutput:
    """Collects the ``items`` of one answer, whose text ``content`` has.

    What is yielded are events in the order in which OpenAI documents them, without their numbers.
    With ``sources`` each search names the pages that it found. What turns out to be thinking is
    taken back, unless it was ``streamed``.
    """

    def __init__(self, content: Content, *, sources: bool = False, streamed: bool = False) -> None:
        self.items: list[OutputItem] = []
        self._content = content
        self._sources = sources
        self._streamed = streamed
        # Where what is under way stands, by whether it is a search, and its number.
        self._under_way: dict[tuple[bool, int], int] = {}
        self._message: _Message | None = None
        # A notice before the answer waits for its message, which may be behind a search.
        self._held = ""

    def take(self, step: AnswerStep) -> Iterator[dict[str, Any]]:
        """Take what happened."""
        match step.event:
            case SearchStarted() | ReadStarted() as begun:
                yield from self._begin(begun)
            case SearchDone() | SearchBroken() | ReadDone() | ReadBroken() as ended:
                yield from self._end(ended)
            case Aside(kind=kind):
                yield from self._close("commentary")
                if kind == "thinking" and not self._streamed:
                    self._take_back()
            case Notice():
                self._held += step.new
            case None:
                yield from self._write(step.new)
                yield from self._close("final_answer", is_whole=False)
            case Done() as done:
                yield from self._write(step.new)
                yield from self._close("final_answer", is_whole=done.outcome != "stopped")
                for called in done.calls:
                    yield from self._call(called)
            case _:
                yield from self._write(step.new)

    def break_off(self) -> None:
        """Leave an answer that failed as far as it came."""
        if self._message is not None:
            self._message.end("incomplete")
            self.items[self._message.place] = self._message.item
            self._message = None
        for place in self._under_way.values():
            self._replace(place, status="failed")

    def _begin(self, begun: SearchStarted | ReadStarted) -> Iterator[dict[str, Any]]:
        place = len(self.items)
        is_search = isinstance(begun, SearchStarted)
        self._under_way[is_search, begun.call] = place
        action: SearchAction | OpenAction
        if isinstance(begun, SearchStarted):
            action = SearchAction(query=begun.query, queries=[begun.query])
        else:
            action = OpenAction(url=begun.url)
        item = SearchCallItem(id=_new_id("ws"), status="in_progress", action=action)
        yield self._add(item)
        yield _of_item("web_search_call.in_progress", item.id, place)
        if is_search:
            self._replace(place, status="searching")
            yield _of_item("web_search_call.searching", item.id, place)

    def _end(
        self, ended: SearchDone | SearchBroken | ReadDone | ReadBroken
    ) -> Iterator[dict[str, Any]]:
        is_search = isinstance(ended, SearchDone | SearchBroken)
        is_broken = isinstance(ended, SearchBroken | ReadBroken)
        place = self._under_way.pop((is_search, ended.call))
        item = self.items[place]
        assert isinstance(item, SearchCallItem)  # noqa: S101 - it was begun as one
        if self._sources and isinstance(item.action, SearchAction):
            found = ended.sources if isinstance(ended, SearchDone) else ()
            pages = [PageFound(url=source.url) for source in found]
            self._replace(place, action=structs.replace(item.action, sources=pages))
        self._replace(place, status="failed" if is_broken else "completed")
        if not is_broken:
            yield _of_item("web_search_call.completed", item.id, place)
        yield self._done(place)

    def _write(self, new: str) -> Iterator[dict[str, Any]]:
        new = self._held + new
        if new:
            self._held = ""
            if self._message is None:
                start = len(self._content.text) - len(new)
                self._message = _Message(len(self.items), start)
                yield self._add(self._message.item)
                yield self._message.part("content_part.added", part=OutputText(text=""))
            self._message.text += new
            yield self._message.part("output_text.delta", delta=new, logprobs=[])
        if self._message is not None:
            yield from self._message.cite(self._content.annotations)

    def _close(self, phase: str, *, is_whole: bool = True) -> Iterator[dict[str, Any]]:
        if (message := self._message) is None:
            return
        self._message = None
        text = message.output
        yield message.part("output_text.done", text=text.text, logprobs=[])
        yield message.part("content_part.done", part=text)
        message.end("completed" if is_whole else "incomplete", phase)
        self.items[message.place] = message.item
        yield self._done(message.place)

    def _take_back(self) -> None:
        """Leave out the message that was written last, if nothing stands behind it."""
        if self.items and isinstance(self.items[-1], MessageItem):
            self.items.pop()

    def _call(self, call: FunctionCall) -> Iterator[dict[str, Any]]:
        place = len(self.items)
        item = FunctionItem(
            id=_new_id("fc"), call_id=call.id, name=call.name, arguments="", status="in_progress"
        )
        yield self._add(item)
        told = "function_call_arguments"
        yield _of_item(f"{told}.delta", item.id, place, delta=call.arguments)
        yield _of_item(f"{told}.done", item.id, place, name=call.name, arguments=call.arguments)
        self._replace(place, arguments=call.arguments, status="completed")
        yield self._done(place)

    def _add(self, item: OutputItem) -> dict[str, Any]:
        self.items.append(item)
        return _event("output_item.added", output_index=len(self.items) - 1, item=item)

    def _done(self, place: int) -> dict[str, Any]:
        return _event("output_item.done", output_index=place, item=self.items[place])

    def _replace(self, place: int, **changes: Any) -> None:
        self.items[place] = structs.replace(self.items[place], **changes)


class _Message:
    """A message that is being written; ``start`` is where it begins in the content."""

    def __init__(self, place: int, start: int) -> None:
        self.place = place
        self.text = ""
        self.item = MessageItem(id=_new_id("msg"), status="in_progress", content=[])
        self._start = start
        self._annotations: list[UrlAnnotation] = []

    @property
    def output(self) -> OutputText:
        return OutputText(text=self.text, annotations=list(self._annotations))

    def part(self, kind: str, **more: Any) -> dict[str, Any]:
        return _of_item(kind, self.item.id, self.place, content_index=0, **more)

    def cite(self, annotations: list[Annotation]) -> Iterator[dict[str, Any]]:
        """Tell of the citations that are new."""
        for annotation in annotations:
            cited = annotation.url_citation
            shown = UrlAnnotation(
                start_index=cited.start_index - self._start,
                end_index=cited.end_index - self._start,
                url=cited.url,
                title=cited.title,
                was_read=cited.was_read,
            )
            told = {each.start_index for each in self._annotations}
            if shown.start_index < 0 or shown.start_index in told:
                continue
            self._annotations.append(shown)
            index = len(self._annotations) - 1
            yield self.part(
                "output_text.annotation.added", annotation_index=index, annotation=shown
            )

    def end(self, status: Any, phase: Any = UNSET) -> None:
        self.item = structs.replace(self.item, status=status, content=[self.output], phase=phase)


def _event(kind: str, **told: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", **told}


def _of_item(kind: str, item_id: str, place: int, **told: Any) -> dict[str, Any]:
    return _event(kind, item_id=item_id, output_index=place, **told)


def _new_id(kind: str) -> str:
    return f"{kind}_{secrets.token_hex(12)}"
