"""The text of one block: which brackets in it are citation marks.

What binds tighter than brackets is passed over whole: escapes, code, math, tags and bare
addresses. Brackets are then paired as CommonMark pairs them. A decision that needs text which has
not arrived is put off by going back to where its construct begins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from citeseek.citations import link_syntax
from citeseek.citations.marks import MARK, MARK_CUT, Event, Link, LinkDefinition, Mark
from citeseek.citations.opaque import OPAQUE, OpaqueRuns

_WAIT = link_syntax.CUT
# A bracket that is open for longer begins no link: what follows it would wait for its end in vain.
_LONGEST_LINK_TEXT = 200

_TOKEN = re.compile(
    rf"""
    {OPAQUE}
  | (?P<bang> ! (?=[\[［【]|\Z) )
  | (?P<bracket> [\[［【] )
  | (?P<close> \] )
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Elements whose content is a link, code or math already.
_ELEMENT = re.compile(r"<(?P<end>/?)(?P<name>a|code|kbd|math|samp)(?=[\s>])", re.IGNORECASE)


@dataclass(slots=True)
class _Opener:
    at: int
    start: int  # of the "!" when it opens an image
    events: int  # how many were found before it
    element: str

    @property
    def image(self) -> bool:
        return self.start < self.at


class InlineText:
    """One pass over ``text``, which is all there will be of its block when ``closed``.

    After :meth:`scan`, ``events`` holds what is decided, ``end`` where the next pass has to begin,
    ``settled`` up to where no other mark is found whatever follows, ``at_start`` whether a
    definition may still stand there, and ``element`` the open HTML element in which nothing there
    is a mark. The next pass takes the last two over.
    """

    def __init__(
        self, text: str, *, closed: bool, at_start: bool = False, element: str = ""
    ) -> None:
        self.events: list[Event] = []
        self.end = self.settled = 0
        self.at_start = at_start
        self.element = element
        self._text = text
        self._closed = closed
        self._openers: list[_Opener] = []
        # Links do not nest: the openers below this depth cannot begin one any more.
        self._dead = 0
        # The marks that no reference link holds, by their position in ``events``.
        self._free: dict[int, Mark] = {}
        self._opaque = OpaqueRuns(text, closed=closed)

    def scan(self) -> InlineText:
        """Find the events and return this object."""
        at = self._definitions()
        waiting = at == _WAIT
        while not waiting and (token := _TOKEN.search(self._text, at)):
            at = self._past_token(token)
            if at == _WAIT:
                self.end, waiting = token.start(), True
        if not waiting:
            self.end = len(self._text) if self._closed else self._opaque.tail(at)
        if self._closed:
            self.settled = len(self._text)
            return self
        self.settled = self.end
        if waits := [each for each in self._openers if self._may_open_link(each, self.end)]:
            self.end, self.element = waits[0].start, waits[0].element
            undecided = (event.start for event in self.events if event.start >= self.end)
            self.settled = min(undecided, default=self.settled)
            if MARK_CUT.match(self._text, waits[-1].at):
                self.settled = min(self.settled, waits[-1].start)
        self.events = [event for event in self.events if event.start < self.end]
        return self

    def _definitions(self) -> int:
        at = 0
        while self.at_start:
            end = link_syntax.definition(self._text, at, closed=self._closed)
            if end == link_syntax.CUT and not self._closed:
                self.end = at
                return _WAIT
            if end < 0:
                self.at_start = False
            else:
                name = self._text[at + 1 : link_syntax.label(self._text, at) - 1]
                self.events.append(LinkDefinition(at, end, name))
                at = end
        return at

    def _past_token(self, token: re.Match[str]) -> int:
        match token.lastgroup:
            case "bracket":
                return self._open(token.start(), token.start())
            case "bang":
                return self._bang(token)
            case "close":
                return self._close(token)
            case _:
                end = self._opaque.past(token)
                if end > token.end() and token.lastgroup == "angle":
                    self._tag(token.start())
                return end

    def _tag(self, at: int) -> None:
        tag = _ELEMENT.match(self._text, at)
        if tag and not tag["end"]:
            self.element = self.element or tag["name"].lower()
        elif tag and tag["name"].lower() == self.element:
            self.element = ""

    def _bang(self, token: re.Match[str]) -> int:
        if token.end() == len(self._text):
            return self._unless_open(token.end())
        return self._open(token.end(), token.start())

    def _open(self, at: int, start: int) -> int:
        mark = MARK.match(self._text, at)
        if mark:
            return self._mark(mark, start)
        if self._text[at] == "[":
            self._openers.append(_Opener(at, start, len(self.events), self.element))
        elif MARK_CUT.match(self._text, at):
            return self._unless_open(at + 1)
        return at + 1

    def _mark(self, mark: re.Match[str], start: int, unless: str = "") -> int:
        after, following = mark.end(), ""
        if mark[0][0] == "[":
            if after == len(self._text) and not self._closed:
                return _WAIT
            if self._text.startswith("(", after):
                end = self._past(link_syntax.link(self._text, after), after)
                if end != after:
                    if start == mark.start():
                        self._dead = len(self._openers)
                    return end
            label = self._label(after)
            if label is None:
                return _WAIT
            if MARK.match(self._text, after):
                following = label
            else:
                unless = unless or label
        if not self.element:
            found = Mark(start, after, self._text[start:after], unless, following)
            if not unless:
                self._free[len(self.events)] = found
            self.events.append(found)
        return after

    def _close(self, token: re.Match[str]) -> int:
        after = token.end()
        if not self._openers:
            return after
        if after == len(self._text) and not self._closed:
            return _WAIT
        opener = self._openers[-1]
        begins_link = opener.image or len(self._openers) > self._dead
        if begins_link and self._may_open_link(opener, after):
            if self._text.startswith("(", after):
                end = self._past(link_syntax.link(self._text, after), after)
                if end != after:
                    return end if end == _WAIT else self._link(opener, after, end)
            else:
                name = self._label(after)
                if name is None:
                    return _WAIT
                if name:
                    return self._reference(opener, after, name)
        self._pop()
        return after

    def _link(self, opener: _Opener, after: int, end: int) -> int:
        """Take what stands in a finished link out of the marks."""
        self._pop()
        self._drop(opener.events)
        content = self._text[opener.at + 1 : after - 1]
        if not opener.image:
            self._dead = len(self._openers)
            if MARK.fullmatch(content):
                target = self._text[after + 1 : end - 1].strip()
                self.events.append(Link(opener.start, end, content, target))
        return end

    def _drop(self, kept: int) -> None:
        del self.events[kept:]
        while self._free and next(reversed(self._free)) >= kept:
            self._free.popitem()

    def _reference(self, opener: _Opener, after: int, name: str) -> int:
        """Make the marks of a reference link depend on its label, which may be a mark itself."""
        label = MARK.match(self._text, after)
        end = self._mark(label, after, name) if label else after
        if end == _WAIT:
            return _WAIT
        while self._free and next(reversed(self._free)) >= opener.events:
            index, mark = self._free.popitem()
            self.events[index] = replace(mark, unless=name)
        self._pop()
        return end

    def _may_open_link(self, opener: _Opener, at: int) -> bool:
        return at - opener.at <= _LONGEST_LINK_TEXT

    def _pop(self) -> None:
        self._openers.pop()
        self._dead = min(self._dead, len(self._openers))

    def _label(self, at: int) -> str | None:
        """Return the link label at ``at``, empty when there is none, None when it is cut."""
        if not self._text.startswith("[", at):
            return ""
        end = self._past(link_syntax.label(self._text, at), at)
        return None if end == _WAIT else self._text[at + 1 : end - 1].strip()

    def _past(self, end: int, otherwise: int) -> int:
        if end >= 0:
            return end
        return otherwise if end == link_syntax.NO else self._unless_open(otherwise)

    def _unless_open(self, at: int) -> int:
        return at if self._closed else _WAIT
