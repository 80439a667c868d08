"""What a model says, told apart while it arrives: its answer, its thinking, its calls of tools."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

import msgspec

from citeseek.citations.code_spans import CodeSpans
from citeseek.language_model.streaming.templates import (
    CHANNEL,
    ENDS_OF_CALLS,
    ENDS_OF_MESSAGES,
    ENDS_OF_THINKING,
    HEADER,
    MARK,
    MESSAGE,
    OPENINGS,
    START,
    WRAPPINGS,
    begun_mark,
)
from citeseek.language_model.streaming.written_calls import (
    WrittenCall,
    bare_beginnings,
    is_like_call,
    known_name,
    read_calls,
    read_only_calls,
)

Kind = Literal["answer", "thinking", "was_thinking", "call"]

# In a sentence about a mark: a word and a space before it, or a quotation mark.
_AFTER_A_WORD = re.compile(r"[\w,:][ ]\Z", re.ASCII)
_IN_A_SENTENCE = re.compile(r"""[\w,:][ ]\Z|["'“‘「『(（]\Z""", re.ASCII)
# A sentence about the mark of a call goes on with a word.
_CALL_BEGINS = re.compile(r"\s*+[\[{<]|[A-Za-z_]|[^\S\n]*+\n\s*+[A-Za-z_][\w.]{0,63}\s*+[({<]")
_NAME_BEGINS = re.compile(r"""["'A-Za-z_]""")
_MAY_BEGIN = re.compile(r"\s{0,80}+\w{0,64}+\s{0,80}+\Z")
_HEADER_CUT = re.compile(r"[\w.:=<|>\s-]*")
_HEADER_CHARS = 200
_END_OF_HEADED = re.compile(
    "|".join(map(re.escape, ("<|call|>", "<|end|>", "<|return|>", START, CHANNEL)))
)


class Segment(msgspec.Struct, frozen=True):
    """A piece of what a model said.

    ``was_thinking`` tells that of all that was answered so far. A ``call`` has no text; without
    ``calls`` it could not be read.
    """

    kind: Kind
    text: str = ""
    calls: tuple[WrittenCall, ...] = ()


class _OpenCall(msgspec.Struct):
    """A call whose end has not come, with what may close it."""

    opening: str
    closing: re.Pattern[str]
    kind: Literal["marked", "headed", "fenced", "bare"] = "marked"
    parts: list[str] = []


# The opening mark of a bare call was left out by the server.
_END_OF_BARE = re.compile(r"</(?:tool_call|function_call)>|<\|(?:eom_id|eot_id|im_end)\|>")


class Splitter:
    """Splits a text that arrives in pieces; its cuts change nothing but those of the segments.

    Outside of code, thinking stands between marks such as ``<think>``, up to the end where the
    closing one is missing. Where the first mark is a closing one, its opening stood in the prompt:
    all before it was thinking. A call stands between marks as well, in an answer and in thinking;
    an answer that is nothing but the JSON of calls of ``tools`` is one without them.

    With ``thinking`` all that is no call is thinking.
    """

    def __init__(self, *, thinking: bool = False, tools: Collection[str] = ()) -> None:
        self._held = ""
        self._is_all_thinking = self._thinks = thinking
        self._tools = frozenset(tools)
        self._bare = bare_beginnings(self._tools)
        self._wrapping = ""  # what closes the tag that the answer stands in
        self._call: _OpenCall | None = None
        self._answer_code, self._thought_code = CodeSpans(), CodeSpans()
        self._has_tag = self._has_said = self._has_words = self._is_nested = False
        # Between a mark and what follows there are lines that belong to neither.
        self._trims = False
        self._before = ""  # the last characters of what was said

    @property
    def _code(self) -> CodeSpans:
        return self._thought_code if self._thinks else self._answer_code

    def feed(self, text: str) -> list[Segment]:
        """Take the next piece; the end of it may be held back while it may become a mark."""
        return self._split(self._held + text, is_last=False)

    def finish(self) -> list[Segment]:
        """Return what was held back."""
        found = self._split(self._held, is_last=True)
        if self._call:
            self._end_call("", found)
        return found

    def _split(self, text: str, *, is_last: bool) -> list[Segment]:
        found: list[Segment] = []
        at = 0
        while at < len(text):
            past = self._past_call if self._call else self._past
            end = past(text, at, found, is_last=is_last)
            if end == at:
                break
            at = end
        self._held = text[at:]
        return found

    def _past(self, text: str, at: int, found: list[Segment], *, is_last: bool) -> int:
        """Read on from ``at``; return where reading goes on, ``at`` when that is not clear yet."""
        if not (self._has_words or self._thinks):
            begun = self._past_bare(text, at, found, is_last=is_last)
            if begun is not None:
                return begun
        mark = MARK.search(text, at)
        end = mark.start() if mark else len(text) if is_last else begun_mark(text, at)
        if end > at:
            self._say(text[at:end], found)
            return end
        return self._past_mark(text, mark, found, is_last=is_last) if mark else at

    def _past_bare(self, text: str, at: int, found: list[Segment], *, is_last: bool) -> int | None:
        """Begin a call without marks; return None when there is none."""
        begin = len(text) - len(text[at:].lstrip())
        compact = "".join(text[begin : begin + _HEADER_CHARS].split())
        if not compact:
            return None
        if compact.startswith(self._bare.whole):
            self._say(text[at:begin], found)
            self._call = _OpenCall("", _END_OF_BARE, "bare")
            return self._past_call(text, begin, found, is_last=is_last)
        if is_last or compact not in self._bare.cut:
            return None
        return at

    def _past_mark(
        self, text: str, mark: re.Match[str], found: list[Segment], *, is_last: bool
    ) -> int:
        word = mark[0].lower()
        template = OPENINGS.get(word)
        is_end = word in ENDS_OF_THINKING
        if self._thinks and (is_end or word in ENDS_OF_MESSAGES):
            self._listen(thinks=False)
        elif self._code.hides_tag:
            self._say(mark[0], found)
        elif template:
            past = {
                "thinking": self._past_opening,
                "call": self._past_call_mark,
                "header": self._past_header,
            }[template.kind]
            return past(text, mark, found, is_last=is_last)
        elif is_end and (self._is_nested or not self._has_tag):
            self._was_thinking(found)
        elif word in WRAPPINGS or word in WRAPPINGS.values():
            self._past_wrapping(mark[0], found)
        elif is_end or self._code.is_open or _AFTER_A_WORD.search(self._before):
            self._say(mark[0], found)
        else:
            self._before, self._trims = "", True
        return mark.end()

    def _past_wrapping(self, tag: str, found: list[Segment]) -> None:
        if tag.lower() == self._wrapping:
            self._wrapping = ""
        elif self._has_tag and not self._has_words and tag.lower() in WRAPPINGS:
            self._wrapping, self._trims = WRAPPINGS[tag.lower()], True
        else:
            self._say(tag, found)

    def _past_opening(
        self, text: str, mark: re.Match[str], found: list[Segment], *, is_last: bool
    ) -> int:
        del text, is_last
        # In thinking it may be a word about the mark: a second closing one tells.
        self._is_nested |= self._thinks
        self._has_tag = True
        if self._thinks or _IN_A_SENTENCE.search(self._before):
            self._say(mark[0], found)
        else:
            self._listen(thinks=True)
        return mark.end()

    def _past_call_mark(
        self, text: str, mark: re.Match[str], found: list[Segment], *, is_last: bool
    ) -> int:
        word = mark[0].lower()
        begins = _NAME_BEGINS if word.endswith("=") else _CALL_BEGINS
        if begins.match(text, mark.end()):
            self._call = _OpenCall(
                mark[0], ENDS_OF_CALLS[word], "fenced" if word[0] == "`" else "marked"
            )
        elif not is_last and _MAY_BEGIN.match(text, mark.end()):
            return mark.start()
        else:
            self._say(mark[0], found)
        return mark.end()

    def _past_header(
        self, text: str, mark: re.Match[str], found: list[Segment], *, is_last: bool
    ) -> int:
        header = HEADER.match(text, mark.start(), mark.start() + _HEADER_CHARS)
        if header is None:
            rest = text[mark.start() : mark.start() + _HEADER_CHARS]
            is_cut = len(rest) < _HEADER_CHARS and _HEADER_CUT.fullmatch(rest)
            if is_cut and not text[mark.end() : mark.end() + 1].isspace():
                # Of one that the end cut off nothing is to be seen.
                return len(text) if is_last else mark.start()
            self._say(mark[0], found)
            return mark.end()
        tool = header["first"] or header["second"]
        is_own = header["role"] in (None, "", "assistant")
        is_answer = is_own and header["channel"] in (None, "final")
        if is_answer and not self._has_tag and self._has_said and not self._thinks:
            self._was_thinking(found)
        self._has_tag = True
        is_call = bool(tool) and is_own
        self._listen(thinks=not (is_answer or is_call))
        if is_call:
            self._call = _OpenCall("", _END_OF_HEADED, "headed", [f"{tool}{MESSAGE}"])
        return header.end()

    def _past_call(self, text: str, at: int, found: list[Segment], *, is_last: bool) -> int:
        assert self._call  # noqa: S101 - that is what is read
        closing = self._call.closing.search(text, at)
        end = closing.start() if closing else len(text) if is_last else begun_mark(text, at)
        if end > at:
            self._call.parts.append(text[at:end])
        if closing is None:
            return end
        is_opening = closing[0].lower() in OPENINGS
        self._end_call("" if is_opening else closing[0], found)
        return closing.start() if is_opening else closing.end()

    def _end_call(self, closing: str, found: list[Segment]) -> None:
        call, self._call = self._call, None
        assert call  # noqa: S101 - one that was begun
        body = "".join(call.parts)
        is_marked = call.kind in ("marked", "headed") or (call.kind == "bare" and closing)
        calls = tuple(
            map(self._with_known_name, read_calls(body) if is_marked else read_only_calls(body))
        )
        if not is_marked and any(each.name not in self._tools for each in calls):
            calls = ()
        is_broken = not calls and call.kind in ("marked", "headed") and is_like_call(body)
        if calls or is_broken or call.kind == "headed":
            self._before, self._trims = "", True
            found.append(Segment("call", calls=calls))
        else:
            self._say(f"{call.opening}{body}{closing}", found)

    def _with_known_name(self, call: WrittenCall) -> WrittenCall:
        """Return ``call`` with the name that its tool has here."""
        return WrittenCall(known_name(call.name, self._tools), call.arguments)

    def _listen(self, *, thinks: bool) -> None:
        """Go on with thinking, or with the answer."""
        self._thinks = thinks or self._is_all_thinking
        self._before, self._trims = "", True
        self._thought_code = CodeSpans()

    def _was_thinking(self, found: list[Segment]) -> None:
        found.append(Segment("was_thinking"))
        self._has_tag, self._is_nested = True, False
        self._has_said = self._has_words = False
        self._answer_code = CodeSpans()
        self._listen(thinks=False)

    def _say(self, text: str, found: list[Segment]) -> None:
        if not self._thinks and not self._has_said and self._trims:
            text = text.lstrip()
        if not text:
            return
        self._code.read(text)
        self._before = (self._before + text)[-2:]
        if not self._thinks:
            self._has_said = True
            self._has_words |= not text.isspace()
        found.append(Segment("thinking" if self._thinks else "answer", text))
