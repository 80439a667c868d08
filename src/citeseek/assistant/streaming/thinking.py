"""What a model thinks aloud, told apart from what it answers, while both arrive."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

_OPENING = re.compile(r"<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_CLOSING = re.compile(r"</(think|thinking|thought|reasoning)>", re.IGNORECASE)
_NAMES = ("think", "thinking", "thought", "reasoning")
# In a sentence about the tag: a word and a space before it, or a quotation mark.
_IN_A_SENTENCE = re.compile(r"""[\w,:][ ]\Z|["'“‘「『(（]\Z""", re.ASCII)
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_RUN = re.compile(r"`+")
# As much of a line as says whether it is a fence.
_LINE_HEAD = 80
_TAG_CHARS = len("</reasoning>") + 1
_TOKEN = re.compile(r"<|`+|\n")

Kind = Literal["answer", "thinking", "was_thinking"]


class Segment(msgspec.Struct, frozen=True):
    """A piece of what a model said. ``was_thinking`` tells that of all that was answered so far."""

    kind: Kind
    text: str


class ThinkingSplitter:
    """Splits a text that arrives in pieces; its cuts change nothing but those of the segments.

    Thinking stands between tags such as ``<think>`` outside of code, up to the end where the
    closing one is missing. Where the first tag is a closing one, its opening stood in the prompt:
    all before it was thinking.
    """

    def __init__(self) -> None:
        self._held = ""
        self._code = _Code()
        self._thinks = self._has_tag = self._has_said = self._is_nested = False
        self._before = ""  # the last characters of the answer

    def feed(self, text: str) -> list[Segment]:
        """Take the next piece; the end of it may be held back while it may become a tag."""
        return self._split(self._held + text, is_last=False)

    def finish(self) -> list[Segment]:
        """Return what was held back."""
        return self._split(self._held, is_last=True)

    def _split(self, text: str, *, is_last: bool) -> list[Segment]:
        found: list[Segment] = []
        at = 0
        while at < len(text):
            end = self._past(text, at, found, is_last=is_last)
            if end == at:
                break
            at = end
        self._held = text[at:]
        return found

    def _past(self, text: str, at: int, found: list[Segment], *, is_last: bool) -> int:
        """Read on from ``at``; return where reading goes on, ``at`` when that is not clear yet."""
        if self._thinks:
            return self._past_thinking(text, at, found, is_last=is_last)
        token = _TOKEN.search(text, at)
        if token is None or token.start() > at:
            end = token.start() if token else len(text)
            self._answer(text[at:end], found)
            return end
        if text[at] == "<" and not self._code.hides_tag:
            return self._past_angle(text, at, found, is_last=is_last)
        end = token.end()
        if text[at] == "`" and end == len(text) and not is_last:
            return at
        self._answer(text[at:end], found)
        return end

    def _past_angle(self, text: str, at: int, found: list[Segment], *, is_last: bool) -> int:
        opening, closing = _OPENING.match(text, at), _CLOSING.match(text, at)
        if opening and not _IN_A_SENTENCE.search(self._before):
            self._thinks = self._has_tag = True
            return opening.end()
        if closing and (self._is_nested or not self._has_tag):
            self._has_tag, self._is_nested = True, False
            found.append(Segment("was_thinking", ""))
            self._begin_anew()
            return closing.end()
        if opening:
            self._has_tag = True
        elif not is_last and _may_become_tag(text[at : at + _TAG_CHARS]):
            return at
        self._answer("<", found)
        return at + 1

    def _past_thinking(self, text: str, at: int, found: list[Segment], *, is_last: bool) -> int:
        closing = _CLOSING.search(text, at)
        end = closing.start() if closing else len(text) if is_last else _safe_end(text, at)
        if end > at:
            # It may be a word about the tag as well: a second closing one tells.
            self._is_nested |= _OPENING.search(text, at, end) is not None
            found.append(Segment("thinking", text[at:end]))
        if closing:
            self._thinks = False
            if not self._has_said:
                self._begin_anew()
            return closing.end()
        return end

    def _begin_anew(self) -> None:
        self._code = _Code()
        self._before, self._has_said = "", False

    def _answer(self, text: str, found: list[Segment]) -> None:
        if not self._has_said and self._has_tag:
            # The lines between the thinking and the answer belong to neither.
            text = text.lstrip()
        if text:
            self._has_said = True
            self._code.read(text)
            self._before = (self._before + text)[-2:]
            found.append(Segment("answer", text))


class _Code:
    """Whether the place that was reached in a Markdown text is within code."""

    def __init__(self) -> None:
        self._line = ""
        self._fence = ""
        self._ticks = 0

    @property
    def hides_tag(self) -> bool:
        """Whether a tag here is code. One that begins a line ends what a lone backtick began."""
        return bool(self._fence or (self._ticks and self._line.strip()))

    def read(self, text: str) -> None:
        """Go on over ``text``, which is a run of backticks, a line feed, or has neither."""
        if text == "\n":
            self._end_line()
        elif text[0] == "`" and not self._fence and not _FENCE.fullmatch(self._line + text):
            size = len(text)
            self._ticks = 0 if self._ticks == size else self._ticks or size
        # The beginning of a line says whether it is a fence.
        if text != "\n" and len(self._line) < _LINE_HEAD:
            self._line += text[:_LINE_HEAD]

    def _end_line(self) -> None:
        line, self._line = self._line, ""
        if not line.strip():
            self._ticks = 0
        if fence := _FENCE.match(line):
            if not self._fence:
                self._fence, self._ticks = fence[1], 0
            elif fence[1].startswith(self._fence):
                self._fence = ""


def _may_become_tag(text: str) -> bool:
    name = text[1:].removeprefix("/").lower()
    return any(f"{one}>".startswith(name) for one in _NAMES)


def _safe_end(text: str, at: int) -> int:
    """Return where a closing tag may begin that is cut off, the end of ``text`` when none does."""
    angle = text.rfind("<", at)
    return angle if angle >= 0 and _may_become_tag(text[angle : angle + _TAG_CHARS]) else len(text)
