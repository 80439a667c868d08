"""Runs of text in which no bracket is a mark: escapes, code, math, HTML and bare addresses."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from citeseek.citations import link_syntax

_NEVER = 1 << 62

OPAQUE = r"""
    (?P<escape> \\ )
  | (?P<ticks> `+ )
  | (?P<dollars> \$+ )
  | (?P<angle> < )
  | (?P<address> https?:// | www\. )
"""
"""How such a run begins, as a part of a verbose pattern that ignores case."""

# A bare address goes on to a space, to punctuation that is not ASCII, to what quotes or cuts it in
# Markdown, and to a bracket whose partner it does not hold.
_STOPS = r"""\s<>"'`\\，。；：！？、"""
_PLAIN = rf"[^{_STOPS}()\[\]]"
_ADDRESS = re.compile(
    rf"""
    (?: [^{_STOPS}()\[\]|*（）「」『』《》〈〉【】［］“”‘’…]
      | \( (?: {_PLAIN}++ | \[{_PLAIN}*+\] )*+ \)
      | \[ (?: {_PLAIN}++ | \({_PLAIN}*+\) )*+ \]
    )*+
    """,
    re.VERBOSE,
)
_OPEN_BRACKET = re.compile(rf"(?:[(\[][^{_STOPS}]*+)?+\Z")
ADDRESS_CUT = re.compile(r"(?:h|ht|htt|https?:?/?|ww?w?)\Z", re.IGNORECASE)
"""The beginning of an address that is cut off."""

_ADDRESS_CUT_CHARS = 7
_ESCAPABLE = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~［【")
_TICKS = re.compile(r"`+")
# Money is not math: the closing dollar has no space before it and no digit after it.
_DOLLAR_END = re.compile(r"(?<![\s\\$])\$(?![\d$])")
_DECLARATION = re.compile(r"<(!--|\?|!\[CDATA\[|![A-Z])", re.IGNORECASE)
_DECLARATION_CUT = re.compile(r"<!(?:-|\[[A-Z]{0,5})?\Z", re.IGNORECASE)
_DECLARATION_ENDS = {"!--": "-->", "?": "?>", "![CDATA[": "]]>"}


_BEGINNING = re.compile(OPAQUE, re.VERBOSE | re.IGNORECASE)


class OpaqueRuns:
    """The runs in ``text``, which is all there will be of its block when ``closed``."""

    def __init__(self, text: str, *, closed: bool) -> None:
        self._text = text
        self._closed = closed
        self._next: dict[str | re.Pattern[str], int] = {}

    def past(self, token: re.Match[str]) -> int:
        """Return the end of the run that ``token``, a match of ``OPAQUE``, begins.

        Tokens have to come in the order of the text. The end of the token itself means that it
        begins nothing, ``links.CUT`` that this depends on text which has not arrived.
        """
        return self._handlers[token.lastgroup or ""](self, token)

    def tail(self, at: int) -> int:
        """Return where the beginning of an address is cut off at the end of the text after ``at``.

        That is the length of the text when none is.
        """
        cut = ADDRESS_CUT.search(self._text, max(at, len(self._text) - _ADDRESS_CUT_CHARS))
        return cut.start() if cut else len(self._text)

    def _escape(self, token: re.Match[str]) -> int:
        following = token.end()
        if following == len(self._text):
            return self._unless_open(following)
        character = self._text[following]
        if character in "([":
            end = self._math(following + 1, "\\)" if character == "(" else "\\]")
            if end != link_syntax.NO:
                return end
        return following + 1 if character in _ESCAPABLE else following

    def _dollars(self, token: re.Match[str]) -> int:
        start, after = token.span()
        if after == len(self._text):
            return self._unless_open(after)
        if after - start > 1:
            end = self._math(start + 2, "$$")
        elif self._text[after].isspace():
            end = link_syntax.NO
        else:
            end = self._math(after, _DOLLAR_END)
            if end == len(self._text):  # the next character may be a digit
                return self._unless_open(end)
        return after if end == link_syntax.NO else end

    def _math(self, start: int, closer: str | re.Pattern[str]) -> int:
        """Return the end of math from ``start``; code binds tighter, so none holds a backtick."""
        end, tick = self._find(closer, start), self._find("`", start)
        if end < tick:
            return end + (len(closer) if isinstance(closer, str) else 1)
        return link_syntax.NO if self._closed or tick < _NEVER else link_syntax.CUT

    def _ticks(self, token: re.Match[str]) -> int:
        start, after = token.span()
        if after == len(self._text):
            return self._unless_open(after)
        runs = self._tick_runs[after - start]
        index = bisect_right(runs, start)
        if index == len(runs):
            return self._unless_open(after)
        end = runs[index] + after - start
        return self._unless_open(end) if end == len(self._text) else end

    @cached_property
    def _tick_runs(self) -> Mapping[int, list[int]]:
        runs: dict[int, list[int]] = defaultdict(list)
        for run in _TICKS.finditer(self._text):
            runs[len(run[0])].append(run.start())
        return runs

    def _angle(self, token: re.Match[str]) -> int:
        at, after = token.span()
        if opening := _DECLARATION.match(self._text, at):
            closer = _DECLARATION_ENDS.get(opening[1].upper(), ">")
            end = self._find(closer, after + 1)
            return end + len(closer) if end < _NEVER else self._unless_open(after)
        if _DECLARATION_CUT.match(self._text, at):
            return self._unless_open(after)
        end = link_syntax.tag(self._text, at)
        if end == link_syntax.CUT:
            return self._unless_open(after)
        return after if end == link_syntax.NO else end

    def _address(self, token: re.Match[str]) -> int:
        address = _ADDRESS.match(self._text, token.end())
        end = address.end() if address else token.end()
        if not self._closed and _OPEN_BRACKET.match(self._text, end):
            return link_syntax.CUT
        return end

    def _find(self, wanted: str | re.Pattern[str], start: int) -> int:
        """Return where ``wanted`` is next; each is looked for once, since ``start`` only grows."""
        at = self._next.get(wanted, -1)
        if at < start:
            if isinstance(wanted, str):
                at = self._text.find(wanted, start)
            else:
                found = wanted.search(self._text, start)
                at = found.start() if found else -1
            at = _NEVER if at < 0 else at
            self._next[wanted] = at
        return at

    def _unless_open(self, at: int) -> int:
        return at if self._closed else link_syntax.CUT

    _handlers: ClassVar[Mapping[str, Callable[[OpaqueRuns, re.Match[str]], int]]] = {
        "escape": _escape,
        "ticks": _ticks,
        "dollars": _dollars,
        "angle": _angle,
        "address": _address,
    }


def opaque_spans(text: str, *, closed: bool) -> Iterator[tuple[int, int]]:
    """Yield where the runs of ``text`` begin and end, one that is cut off at the end of the text.

    ``closed`` says that no more of its block follows.
    """
    runs = OpaqueRuns(text, closed=closed)
    at = 0
    while token := _BEGINNING.search(text, at):
        at = runs.past(token)
        if at == link_syntax.CUT:
            yield token.start(), len(text)
            return
        if at > token.end():
            yield token.start(), at
