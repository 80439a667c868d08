"""What a model is given of the conversation so far, within a number of tokens.

Results that were not cited go first, then whole turns, the oldest before the newer ones. Sources
that were cited stay, with their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from citeseek.assistant.program import question_of
from citeseek.citations import Source, strip_links
from citeseek.conversations.conversation_record import (
    FunctionCall,
    FunctionResult,
    Read,
    Search,
    Turn,
)
from citeseek.conversations.switches import Mode
from citeseek.i18n import Catalogue
from citeseek.language_model.streaming.deltas import CALL_ID_CHARS
from citeseek.language_model.streaming.written_calls import read_arguments
from citeseek.tools import fence, search_formats
from citeseek.tools.budget import tokens
from citeseek.tools.tool_definitions import WEB_FETCH, WEB_SEARCH, Definition


def recall(
    turns: Sequence[Turn],
    mode: Mode,
    limit: int,
    fence_id: str,
    *,
    say: Catalogue,
    results: Sequence[FunctionResult] = (),
) -> list[BaseMessage]:
    """Return the earlier turns as messages for ``mode``, in about ``limit`` tokens.

    What is said of them is in the words of ``say``. Behind them stand the ``results`` of a
    program's functions, if the last turn called any; the question that they belong to is told then,
    whatever the limit.

    Agent mode sees the searches of its own turns and their numbers. In Chat mode, and in turns of
    Chat mode, a number means nothing later: there the answers come without their marks.
    """
    # A turn may cite what an earlier one found.
    cited = frozenset(n for turn in turns if turn.mode == "agent" for n in turn.cited)
    follows = [turn.results for turn in turns[1:]] + [tuple(results)]
    told = [
        _ToldTurn(turn, cited, follow, say, with_searches=mode == turn.mode == "agent")
        for turn, follow in zip(turns, follows, strict=False)
    ]
    sizes = [_size(turn, fence_id) for turn in told]
    over = sum(sizes) - limit
    for place, turn in enumerate(told):
        if over <= 0:
            break
        turn.only_cited = True
        before, sizes[place] = sizes[place], _size(turn, fence_id)
        over -= before - sizes[place]
    dropped: list[_ToldTurn] = []
    kept = question_of(turns) if results else len(turns)
    while len(dropped) < kept and (over > 0 or told[0].turn.results):
        over -= sizes[len(dropped)]
        dropped.append(told.pop(0))
    shown = {
        n for turn in told if turn.with_searches for s in turn.turn.searches for n in s.numbers
    } | {read.number for turn in told if turn.with_searches for read in turn.turn.reads}
    known = {
        source.number: source
        for turn in dropped
        if turn.with_searches
        for source in turn.cited
        if source.number not in shown
    }
    earlier = _earlier(list(known.values()), fence_id, say)
    return [*earlier, *(m for turn in told for m in turn.messages(fence_id))]


def alternating(messages: Iterable[BaseMessage], say: Catalogue) -> list[BaseMessage]:
    """Return ``messages`` with a word of the assistant between any two of the person.

    Many models take no two in a row, and the question has to stay a message of its own.
    """
    found: list[BaseMessage] = []
    for message in messages:
        if found and isinstance(message, HumanMessage) and isinstance(found[-1], HumanMessage):
            found.append(AIMessage(say("prompt.noted")))
        found.append(message)
    return found


class _ToldTurn:
    """One turn, as it is told to the model. ``cited`` are the numbers that any answer cites.

    ``results`` are what a program gave for the functions with which it ended.
    """

    def __init__(
        self,
        turn: Turn,
        cited: frozenset[int],
        results: Sequence[FunctionResult],
        say: Catalogue,
        *,
        with_searches: bool,
    ) -> None:
        self.turn = turn
        self._results = results
        self._cited = cited
        self._say = say
        self.with_searches = with_searches
        self.only_cited = False

    @property
    def cited(self) -> list[Source]:
        return [source for source in self.turn.sources if source.number in self._cited]

    def messages(self, fence_id: str) -> list[BaseMessage]:
        turn = self.turn
        answer = turn.written if self.with_searches else strip_links(turn.answer, turn.spans)
        calls = turn.calls if self.with_searches else ()
        if turn.outcome != "answered" or not (answer.strip() or calls):
            # An empty message is refused by some servers.
            answer = f"{answer}{self._say('prompt.unfinished')}".lstrip()
        searches = turn.searches if self.with_searches else ()
        told = [
            message
            for place, search in enumerate(searches)
            if not search.was_stopped
            for message in self._search(search, _call_id(turn.id, "search", place), fence_id)
        ]
        reads = turn.reads if self.with_searches else ()
        told += [
            message
            for place, read in enumerate(reads)
            if read.number
            for message in self._read(read, _call_id(turn.id, "page", place), fence_id)
        ]
        # Results of functions follow what called them, and the question stands before that.
        asked = [] if turn.results and self.with_searches else [HumanMessage(turn.message)]
        return [
            *asked,
            *told,
            AIMessage(answer, tool_calls=list(map(_told_call, calls))),
            *self._given(calls),
        ]

    def _given(self, calls: Sequence[FunctionCall]) -> list[BaseMessage]:
        """Return what each of ``calls`` gave; servers want a word for every one."""
        texts = {result.call_id: result.text for result in self._results}
        return [
            ToolMessage(
                texts.get(call.id, self._say("prompt.unanswered")),
                tool_call_id=call.id,
                name=call.name,
            )
            for call in calls
        ]

    def _search(self, search: Search, call_id: str, fence_id: str) -> list[BaseMessage]:
        text = search.text
        if self.only_cited and search.numbers:
            found = [source for source in self.cited if source.number in search.numbers]
            text = _list_sources(found, fence_id, self._say)
        return _call(WEB_SEARCH, {"query": search.query}, text, call_id)

    def _read(self, read: Read, call_id: str, fence_id: str) -> list[BaseMessage]:
        """Return which page was read: its text is too long to be told again."""
        page = [source for source in self.turn.sources if source.number == read.number]
        heads = [f"[{source.number}] {source.title} <{source.url}>" for source in page]
        text = fence.put_in_fence("\n".join([*heads, self._say("prompt.untold")]), fence_id)
        return _call(WEB_FETCH, {"url": read.url}, text, call_id)


def _call_id(turn_id: str, kind: str, place: int) -> str:
    """Return an id that is the same every time, in the only form that Mistral takes."""
    return blake2b(f"{turn_id} {kind} {place}".encode(), digest_size=8).hexdigest()[:CALL_ID_CHARS]


def _call(
    tool: Definition, arguments: dict[str, str], text: str, call_id: str
) -> list[BaseMessage]:
    call = {"name": tool.name, "args": arguments, "id": call_id, "type": "tool_call"}
    return [
        AIMessage("", tool_calls=[call]),
        ToolMessage(text, tool_call_id=call_id, name=tool.name),
    ]


def _told_call(call: FunctionCall) -> ToolCall:
    return ToolCall(
        name=call.name, args=read_arguments(call.arguments) or {}, id=call.id, type="tool_call"
    )


def _size(told: _ToldTurn, fence_id: str) -> int:
    return sum(tokens(message.text) for message in told.messages(fence_id))


def _earlier(sources: Sequence[Source], fence_id: str, say: Catalogue) -> list[BaseMessage]:
    if not sources:
        return []
    listed = _list_sources(sources, fence_id, say)
    return [HumanMessage(f"{say('prompt.earlier_sources')}\n{listed}")]


def _list_sources(sources: Sequence[Source], fence_id: str, say: Catalogue) -> str:
    """Return ``sources`` as the tool shows them."""
    if not sources:
        return say("prompt.uncited")
    text = search_formats.compact(sources, [source.number for source in sources], say)
    return fence.put_in_fence(text, fence_id)
