"""What is kept of a conversation: its choices, what was said and found, how it is listed."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from citeseek.answering.source_values import SaidValue
from citeseek.citations import Round, Source, Span
from citeseek.conversations.checked_citations import KeptCheck
from citeseek.conversations.judged_sentence import JudgedSentence
from citeseek.conversations.mention import Mention
from citeseek.conversations.notice import Said
from citeseek.conversations.switches import Mode
from citeseek.errors import InvalidInput
from citeseek.fetching.own_file import OwnFile
from citeseek.models import Failure
from citeseek.observing.receipt import EgressReceipt
from citeseek.query import Category, Period
from citeseek.settings.assistant_settings import Gate
from citeseek.text import (
    encodable,
    is_visible,
    plain_line,
    shorten,
    without_controls,
    without_invisible,
)
from citeseek.tools.search_options import Options, without_key

MAX_TITLE = 60  # characters

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
# More than a person types; a longer text would push everything else out of the model's sight.
MAX_MESSAGE_CHARS = 32_000


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What a person chose for one conversation; None, or no engine, leaves it to the settings.

    ``results`` is 3 to 5, ``seconds`` the deadline of a search; several ``engines`` are asked at
    the same time, ``auto`` stands alone; ``freshness`` is how old a page may be, ``category`` what
    is looked for beside pages. ``model`` is a name as in the setting ``model.name``.
    """

    results: int | None = None
    seconds: float | None = None
    language: str | None = None
    engines: tuple[str, ...] = ()
    model: str | None = None
    freshness: Period | None = None
    category: Category | None = None


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """One search of an answer. ``text`` is what the model was shown of it.

    ``took_ms`` and ``ignored`` are those of the response. One that ``was_stopped`` was under way
    when the answer ended.
    """

    query: str
    text: str = ""
    numbers: tuple[int, ...] = ()
    round: int = 0
    provider: str = ""
    cached: bool = False
    took_ms: int = 0
    ignored: tuple[str, ...] = ()
    failure: Failure | None = None
    was_stopped: bool = False


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """One page that was opened for an answer; ``number`` is 0 when it could not be read.

    One that ``was_stopped`` was under way when the answer ended. ``passages`` are what of it the
    model was given in Chat mode.
    """

    url: str
    number: int = 0
    cached: bool = False
    truncated: bool = False
    took_ms: int = 0
    passages: tuple[str, ...] = ()
    failure: Failure | None = None
    was_stopped: bool = False


class FunctionCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a function that a program offered and runs itself; ``arguments`` is JSON."""

    id: str
    name: str
    arguments: str


class FunctionResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a program's function gave: ``text`` for the call ``call_id``."""

    call_id: str
    text: str


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A message and its answer.

    ``written`` is the answer as the model wrote it, ``answer`` the same with its citations made
    into links, which stand at ``spans``; the reader got it with the list of ``references`` behind
    it.
    ``sources`` are those that the model was shown, with the numbers that it knew them by.
    ``notices`` are sentences shown beside the answer, ``egress`` is what it sent and
    received over the network, ``thinking`` is what the model thought aloud, for ``thinking_ms``.
    ``judged`` are the sentences that the gate compared with what was read, in order; what it struck
    or repaired stands so in ``written`` as well.
    ``confidence``, from 0 to 1, is how surely an answer of the built-in model is one; ``voices``
    are the values that the sources give where they differ. ``follows`` is the id of the turn from
    which it goes on, empty for a first one; None is what was shown when it was kept.
    ``calls`` are those of a program's functions with which the answer ended; the turn that begins
    with their ``results`` goes on with it, and repeats its message. ``response`` is what the
    program got, where it may ask for that again. ``follow_ups`` are questions that may
    be asked next. ``checked`` is what the last check of its citations found, None before the first.
    """

    id: str
    mode: Mode
    message: str
    written: str
    answer: str
    at: float
    spans: tuple[Span, ...] = ()
    references: str = ""
    outcome: Literal["answered", "stopped", "failed", "command"] = "answered"
    searches: tuple[Search, ...] = ()
    reads: tuple[Read, ...] = ()
    sources: tuple[Source, ...] = ()
    cited: tuple[int, ...] = ()
    notices: tuple[Said, ...] = ()
    model: str = ""
    egress: EgressReceipt | None = None
    thinking: str = ""
    thinking_ms: int = 0
    judged: tuple[JudgedSentence, ...] = ()
    confidence: float | None = None
    voices: tuple[SaidValue, ...] = ()
    follows: str | None = None
    results: tuple[FunctionResult, ...] = ()
    calls: tuple[FunctionCall, ...] = ()
    response: Mapping[str, Any] | UnsetType = UNSET
    follow_ups: tuple[str, ...] = ()
    checked: KeptCheck | None = None

    @property
    def shown(self) -> str:
        """The Markdown that the reader got."""
        return self.answer + self.references

    @property
    def rounds(self) -> tuple[Round, ...]:
        """Its searches in Agent mode, but for repeats."""
        searches = (search for search in self.searches if search.round)
        return tuple(Round(search.query, search.numbers, search.round) for search in searches)


class Record(msgspec.Struct, kw_only=True):
    """What is kept of a conversation when nobody has it open.

    ``created_at`` is in seconds since 1970. ``switch`` is the search switch as last set in Chat
    mode, None when it never was; ``read`` is likewise whether the pages of its results are read.
    ``sources`` and ``rounds`` are those of Agent mode, whose numbers go on through the whole
    conversation. ``asked`` is the turn of an answer that is under way, as it is should the process
    end before it. ``instructions`` are a program's own for the model, beside ours. ``web_search``
    are the options of its search if it was opened with some, without their key. ``files`` are those
    that its person gave to be read. ``turns`` are those that are shown; ``others`` belong to
    versions of them that are not, see :mod:`citeseek.conversations.turn_versions`. Raise
    InvalidInput for an ``id`` that is not 1 to 64 letters, digits, ``-`` and ``_``: it stands in
    addresses.
    """

    id: str
    created_at: float
    agent_id: str | None = None
    mode: Mode = "chat"
    switch: bool | None = None
    read: bool | None = None
    gate: Gate | None = None
    title: str = ""
    choices: Choices = Choices()
    turns: list[Turn] = []
    sources: tuple[Source, ...] = ()
    rounds: tuple[Round, ...] = ()
    asked: Turn | None = None
    instructions: str = ""
    web_search: Mapping[str, Any] | None = None
    files: tuple[OwnFile, ...] = ()
    others: list[Turn] = []

    def __post_init__(self) -> None:
        if not is_session_id(self.id):
            raise InvalidInput(
                f"{plain_line(shorten(self.id, 64))!r} names no conversation.",
                values={"case": "no_session_id", "id": f"{plain_line(shorten(self.id, 64))!r}"},
            )

    def find(self, turn_id: str) -> Turn | None:
        """Return a turn, be it shown or not; None when there is no such turn."""
        return next((turn for turn in (*self.turns, *self.others) if turn.id == turn_id), None)


def is_session_id(text: str) -> bool:
    """Whether a conversation may have ``text`` as its id."""
    return _ID.fullmatch(text) is not None


# Place and bytes of a stored turn: what was interrupted may be replaced in its place.
LastTurn: TypeAlias = tuple[int, int]


NO_TURN: LastTurn = (0, 0)


class Glance(msgspec.Struct, frozen=True, kw_only=True):
    """What shows whether a stored conversation is as it was.

    It is ``about`` it without its turns, and place and bytes of the ``last`` one, zeros without
    any, the names of its ``files``, and the ``head``, the last turn that is shown, empty for the
    newest. One that ``is_deleted``, or is another person's, has nothing else.
    """

    about: Record | None = None
    last: LastTurn = NO_TURN
    files: tuple[str, ...] = ()
    head: str = ""
    is_deleted: bool = False


class SessionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation in a list.

    ``turns`` counts what was said, commands left out; ``updated_at`` is when that was last, in
    seconds since 1970.
    """

    id: str
    title: str
    mode: Mode
    agent_id: str | None
    created_at: float
    updated_at: float
    turns: int

    @property
    def place(self) -> tuple[float, str]:
        """Where it stands in the list: the page after it begins before this."""
        return self.updated_at, self.id


class SessionFound(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation that mentions what was searched for, and where.

    ``title`` is the mention in its title and ``excerpt`` the first one in what was said, None where
    there is none; a question that is the title is not said again. ``turn_id`` is the turn that
    holds the mention, be it shown or not, empty when none does.
    """

    summary: SessionSummary
    title: Mention | None = None
    excerpt: Mention | None = None
    turn_id: str = ""


def new_record(
    *, agent_id: str | None = None, mode: Mode = "chat", web_search: Options | None = None
) -> Record:
    """Return a conversation in which nothing was said yet, under an id that nobody can guess."""
    return Record(
        id=secrets.token_hex(16),
        created_at=time.time(),
        agent_id=agent_id,
        mode=mode,
        web_search=None if web_search is None else without_key(web_search),
    )


def title_of(text: str) -> str:
    """Return ``text`` as a title of one line and at most 60 characters, empty if none is seen."""
    return shorten(plain_line(without_invisible(text)), MAX_TITLE) if is_visible(text) else ""


def cleaned_message(message: str) -> str:
    """Return what can be sent and stored; raise InvalidInput for what is no message."""
    if not isinstance(message, str):
        raise InvalidInput(f"A message is text, not {type(message).__name__}.")
    message = without_controls(encodable(message))
    if not is_visible(message):
        raise InvalidInput(
            "The message is empty.", hint="Write a question.", values={"case": "message_empty"}
        )
    if len(message) > MAX_MESSAGE_CHARS:
        raise InvalidInput(
            f"The message has {len(message):,} characters; the limit is {MAX_MESSAGE_CHARS:,}.",
            hint="Send the part that matters.",
            values={
                "case": "message_long",
                "chars": f"{len(message):,}",
                "most": f"{MAX_MESSAGE_CHARS:,}",
            },
        )
    return message
