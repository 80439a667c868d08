"""What the API takes and gives, as values; the OpenAPI description is made from them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Self, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType, structs

from citeseek.assistant.choices import MAX_MODEL
from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import Event, Notice, PlainEvent, State
from citeseek.conversations.conversation_record import (
    MAX_MESSAGE_CHARS,
    Choices,
    SessionSummary,
    Turn,
)
from citeseek.conversations.notice import Said
from citeseek.conversations.switches import Mode, ReadSwitch, Switch
from citeseek.conversations.turn_versions import versions_of
from citeseek.faces import CHAT
from citeseek.fetching import FetchResponse
from citeseek.fetching.own_file import OwnFile
from citeseek.health.finding import FindingText
from citeseek.i18n import Catalogue
from citeseek.language_model.model_list import OfferedModel
from citeseek.models import Failure, SearchResponse
from citeseek.observing.receipt import EgressReceipt
from citeseek.query import Category, Period
from citeseek.searching.planning import MAX_SECONDS, MIN_SECONDS
from citeseek.settings.assistant_settings import Gate


class _Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class ChangedChoices(_Body, frozen=True, kw_only=True):
    """Choices to change; what is not named stays, null gives it back to the settings."""

    results: Annotated[int, Meta(ge=CHAT.counts.low, le=CHAT.counts.high)] | UnsetType | None = (
        UNSET
    )
    seconds: Annotated[float, Meta(ge=MIN_SECONDS, le=MAX_SECONDS)] | UnsetType | None = UNSET
    language: str | UnsetType | None = UNSET
    engines: tuple[str, ...] | UnsetType = UNSET
    model: Annotated[str, Meta(max_length=MAX_MODEL)] | UnsetType | None = UNSET
    freshness: Period | UnsetType | None = UNSET
    category: Category | UnsetType | None = UNSET

    def over(self, choices: Choices) -> Choices:
        """Return ``choices`` with what is named here in their place."""
        named = structs.asdict(self).items()
        return structs.replace(choices, **{k: v for k, v in named if v is not UNSET})


class NewSession(_Body, frozen=True, kw_only=True):
    """How a conversation begins.

    Without ``search`` the setting ``chat.search`` decides, without ``read`` the setting
    ``chat.read``, without ``gate`` the setting ``answer.gate``.
    """

    mode: Mode | None = None
    search: bool | None = None
    read: bool | None = None
    gate: Gate | None = None
    agent_id: str | None = None
    choices: ChangedChoices = ChangedChoices()


class SessionChange(_Body, frozen=True, kw_only=True):
    """What to change in a conversation; what is not named stays.

    ``version`` is the id of a turn: that version of it is shown, with what followed it last.
    """

    mode: Mode | None = None
    search: bool | None = None
    read: bool | None = None
    gate: Gate | None = None
    title: str | None = None
    choices: ChangedChoices | None = None
    version: str | None = None


class Message(_Body, frozen=True, kw_only=True):
    """A question, or a command such as ``/search on``: 1 to 32,000 characters.

    A question may come in the place of the turn ``instead_of``: the conversation goes on from
    there, and that turn is kept as a version of this one, with all that followed it.
    """

    text: Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": MAX_MESSAGE_CHARS})]
    instead_of: str = ""


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent of agents.json; ``engine`` is whom its search asks, null where it has no search.

    The same goes for the limits of its search: the most ``results`` of a call, its deadline in
    ``seconds``, and how many minutes an answer is kept. ``searches`` is how often it may search
    for one answer.
    """

    id: str
    name: str
    search: bool
    engine: str | None
    results: int | None = None
    seconds: float | None = None
    cache_minutes: float | None = None
    searches: int | None = None


class Models(msgspec.Struct, frozen=True, kw_only=True):
    """The models that can be chosen; ``failure`` says why the server's own could not be listed."""

    models: tuple[OfferedModel, ...]
    failure: Failure | None = None


class SwitchShown(msgspec.Struct, frozen=True, kw_only=True):
    """A switch, in a conversation with its ``state`` in words."""

    value: bool
    disabled: bool
    hint: str
    state: str | UnsetType = UNSET

    @classmethod
    def of(
        cls, switch: Switch | ReadSwitch, say: Catalogue, *, with_state: bool = False
    ) -> SwitchShown:
        """Return what the API shows of a switch in the words of ``say``, as all of these do."""
        return cls(
            value=switch.value,
            disabled=switch.disabled,
            hint=switch.hint_in(say),
            state=switch.state_in(say) if with_state else UNSET,
        )


class StateShown(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="state"):
    """The mode, the search switch, the one for reading pages and the gate, after each change."""

    mode: Mode
    switch: SwitchShown
    read: SwitchShown
    gate: Gate


class SaidShown(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence shown beside an answer, and what can be done.

    ``values`` are what the sentence says beside its code, for who translates it.
    """

    code: str
    text: str
    hint: str = ""
    values: Mapping[str, str] = {}

    @classmethod
    def of(cls, said: Said, say: Catalogue) -> Self:
        """Return what the API shows of a notice."""
        text, hint = said.sentence(say), said.advice(say)
        return cls(code=said.code, text=text, hint=hint, values=said.values)


class NoticeShown(SaidShown, frozen=True, kw_only=True, tag_field="type", tag="notice"):
    """The same while the answer is made."""


EventShown: TypeAlias = PlainEvent | StateShown | NoticeShown


def show_event(event: Event, say: Catalogue) -> EventShown:
    """Return what the API shows of an event."""
    match event:
        case State(mode=mode, switch=switch, read=read, gate=gate):
            return StateShown(
                mode=mode,
                switch=SwitchShown.of(switch, say),
                read=SwitchShown.of(read, say),
                gate=gate,
            )
        case Notice():
            return NoticeShown.of(event, say)
        case _:
            return event


class TurnShown(Turn, frozen=True, kw_only=True):
    """A message and its answer, its notices in words.

    ``versions`` are the ids of the turns that were asked or answered in one place, this one among
    them, by age.
    """

    notices: tuple[SaidShown, ...] = ()  # type: ignore[assignment]
    versions: tuple[str, ...] = ()

    @classmethod
    def of(cls, turn: Turn, versions: tuple[str, ...], say: Catalogue) -> TurnShown:
        """Return what the API shows of a turn."""
        notices = tuple(SaidShown.of(notice, say) for notice in turn.notices)
        told = {"notices": notices, "versions": versions, "response": UNSET}
        return cls(**{**structs.asdict(turn), **told})


class FileShown(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was given to be read: its ``size`` in bytes, and the ``pages`` to cite."""

    id: str
    name: str
    size: int
    title: str
    content_type: str
    pages: int
    truncated: bool

    @classmethod
    def of(cls, file: OwnFile) -> FileShown:
        """Return what the API shows of ``file``."""
        return cls(
            id=file.id,
            name=file.name,
            size=file.size,
            title=file.title,
            content_type=file.content_type,
            pages=len(file.pages),
            truncated=file.truncated,
        )


class Session(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A conversation, begun at ``created_at``, in seconds since 1970.

    ``running`` is the id of the answer under way.
    """

    id: str
    title: str
    agent_id: str | None
    created_at: float
    mode: Mode
    switch: SwitchShown
    read: SwitchShown
    gate: Gate
    choices: Choices
    running: str | None
    files: list[FileShown] = []
    turns: list[TurnShown] | UnsetType = UNSET

    @classmethod
    def of(
        cls,
        conversation: Conversation,
        running: str | None,
        say: Catalogue,
        *,
        with_turns: bool = False,
    ) -> Session:
        """Return what the API shows of a conversation."""
        record, state = conversation.session.record, conversation.state
        return cls(
            id=record.id,
            title=record.title,
            agent_id=record.agent_id,
            created_at=record.created_at,
            mode=state.mode,
            switch=SwitchShown.of(state.switch, say, with_state=True),
            read=SwitchShown.of(state.read, say, with_state=True),
            gate=conversation.gate,
            choices=record.choices,
            running=running,
            files=list(map(FileShown.of, record.files)),
            turns=[TurnShown.of(turn, versions_of(turn, record), say) for turn in record.turns]
            if with_turns
            else UNSET,
        )


class Sessions(msgspec.Struct, frozen=True, kw_only=True):
    """A page of conversations, the newest first; ``next`` is the ``before`` of the page after."""

    sessions: list[SessionSummary]
    next: str | None


class FollowUpQuestions(msgspec.Struct, frozen=True, kw_only=True):
    """Questions that may be asked next behind an answer, at most three."""

    questions: tuple[str, ...]


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that has begun: its id, and the address of its events."""

    answer: str
    events: str


class Searched(SearchResponse, frozen=True, kw_only=True):
    """The answer to a search; ``egress`` is what was sent out and brought in for it."""

    egress: EgressReceipt


class Fetched(FetchResponse, frozen=True, kw_only=True):
    """A page as text; ``egress`` is what was sent out and brought in for it."""

    egress: EgressReceipt


class SearxngHealth(msgspec.Struct, frozen=True, kw_only=True):
    """What was found out about the SearXNG that the settings lead to, worst first, and when."""

    findings: tuple[FindingText, ...]
    checked_at: datetime


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the server works (``ok``, or ``degraded`` when its searches fail), and whom it asks.

    ``searxng`` are the findings about the SearXNG that the settings lead to, ``findings`` what is
    wrong beside it: a browser that is missing though an engine needs it, libraries.
    """

    status: str
    version: str
    engine: str
    model: str
    searxng: SearxngHealth | None = None
    findings: tuple[FindingText, ...] = ()
