"""One conversation at work: takes messages and commands, tells what happens, keeps it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from citeseek import observing
from citeseek.assistant import commands, notices, recorded_answer
from citeseek.assistant.answer_draft import Draft
from citeseek.assistant.choices import check, engine_labels, first_labels, usual_switch, with_engine
from citeseek.assistant.events import Done, Event, State
from citeseek.assistant.follow_ups import FollowUps
from citeseek.assistant.kept_session import KeptSession
from citeseek.assistant.program import NO_PROGRAM, Program
from citeseek.assistant.responder import Responder
from citeseek.assistant.session import OpenSession
from citeseek.assistant.turn_check import check_turn
from citeseek.citations import CitationRegistry, Round
from citeseek.client import Client
from citeseek.concurrency.background import finish
from citeseek.conversations.checked_citations import CheckedCitations, KeptCheck
from citeseek.conversations.conversation_record import (
    Choices,
    Turn,
    cleaned_message,
)
from citeseek.conversations.store import Store
from citeseek.conversations.switches import Mode, view_reading, view_search
from citeseek.conversations.turn_versions import go_back_to, versions_of
from citeseek.errors import CiteseekError, ModelFailed, NoConversation
from citeseek.fetching.own_file import OwnFile
from citeseek.language_model.model import Model, check_model
from citeseek.observing.account import Account
from citeseek.person import current_person
from citeseek.settings.assistant_settings import Gate
from citeseek.settings.budget_settings import answer_budget
from citeseek.urls import same_page_key

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from citeseek.observing.receipt import Ledger


class Keeping(NamedTuple):
    """How one answer is kept: see :meth:`Conversation.stream`."""

    turn_id: str | None
    may_keep: Callable[[], Awaitable[bool]] | None
    complete: Callable[[Turn], Turn] | None


class Conversation:
    """An open conversation with the client and the model that it began with.

    Messages are answered one after the other. ``model`` replaces the one of the settings.
    """

    def __init__(
        self,
        session: OpenSession,
        client: Client,
        store: Store,
        *,
        model: Model | None = None,
        tools: Sequence[BaseTool] = (),
        today: Callable[[], date] = date.today,
    ) -> None:
        self.session = session
        self.person = current_person()
        self._client = client
        self.kept = KeptSession(session, store)
        self._clock = recorded_answer.AnswerClock(today)
        self._responder = Responder(session, client, model=model, tools=tools, clock=self._clock)
        self.follow_ups = FollowUps(session, self.kept, self._responder, self._ledger)
        self._instead: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The id of the session."""
        return self.session.id

    @property
    def state(self) -> State:
        """The mode, what the switches show, and the gate."""
        record = self.session.record
        switch = view_search(
            record.mode,
            record.switch,
            engines=self._engine_labels,
            has_tool=self.may_search,
        )
        read = view_reading(record.mode, on=self.reads_pages)
        return State(mode=record.mode, switch=switch, read=read, gate=self.gate)

    @property
    def may_search(self) -> bool:
        """Whether Agent mode has a search tool: not with an agent of agents.json without one."""
        return self._responder.may_search

    @property
    def usual_switch(self) -> bool:
        """The switch of a new conversation; see :func:`citeseek.assistant.choices.usual_switch`."""
        return usual_switch(self._client.settings, self._responder.model_name)

    @property
    def reads_pages(self) -> bool:
        """Whether Chat mode reads what it finds."""
        return self._responder.reads_pages

    @property
    def wishes_follow_ups(self) -> bool:
        """Whether questions that may be asked next are wished for, by the settings."""
        return self._client.settings.answer.follow_ups

    async def look_for_engine(self) -> None:
        """Find out whom Chat mode asks where nobody said so, for the words beside the switch."""
        chosen = self.session.record.choices
        found = await with_engine(chosen, self._client)
        self._instead = () if found == chosen else first_labels(found, self._client)

    async def set_mode(self, mode: Mode) -> State:
        """Change the mode; the switch of Chat mode is kept for the way back."""
        self.session.record.mode = mode
        await self.kept.keep()
        return self.state

    async def set_switch(self, *, on: bool) -> State:
        """Move the search switch; in Agent mode it cannot be moved."""
        return await self._set_in_chat("switch", on=on)

    async def set_reading(self, *, on: bool) -> State:
        """Say whether Chat mode reads what it finds; in Agent mode the switch cannot be moved."""
        return await self._set_in_chat("read", on=on)

    async def _set_in_chat(self, name: str, *, on: bool) -> State:
        if self.session.record.mode == "chat":
            setattr(self.session.record, name, on)
            await self.kept.keep()
        return self.state

    @property
    def gate(self) -> Gate:
        """What is done with sentences that a page contradicts, as chosen or by the settings."""
        return self._responder.gate

    async def set_gate(self, gate: Gate) -> None:
        """Say what is done with sentences that a page contradicts, in either mode."""
        self.session.record.gate = gate
        await self.kept.keep()

    async def add_file(self, file: Path | str | bytes, *, name: str = "") -> OwnFile:
        """Read a file for the answers that are to come; it is deleted with the conversation.

        Raise as :meth:`citeseek.client.Client.read_file` does, and InvalidInput for too many.
        """
        own = await self._client.read_file(file, name=name)
        await self.kept.add_file(own, self._client.settings)
        return own

    async def choose(self, choices: Choices) -> None:
        """Change results, timeout, language, engine or model for what comes next.

        Raise InvalidInput for a choice that cannot be made, and change nothing then.
        """
        check(choices, self._client.registry)
        if choices.model not in (None, self.session.record.choices.model):
            await check_model(self._client.settings, choices.model)
        self.session.choose(choices)
        await self.look_for_engine()
        await self.kept.keep()

    async def show(self, turn_id: str) -> None:
        """Show a version of a turn with what followed it last; raise NoConversation for none."""
        await self.kept.show(turn_id)

    async def check(self, turn_id: str) -> CheckedCitations:
        """Compare an answer with what it cites, and keep with it what that finds.

        It stands in the place of an earlier check. Raise NoConversation when there is no such turn.
        """
        found = await check_turn(self.session, turn_id, self._client, self._responder)
        # More may have been added to the turn meanwhile, and it may be gone.
        if turn := self.session.record.find(turn_id):
            kept = KeptCheck.of(found, at=self.now())
            await self.kept.amend(structs.replace(turn, checked=kept))
        return found

    async def stream(
        self,
        message: str,
        *,
        turn_id: str | None = None,
        instead_of: str = "",
        may_keep: Callable[[], Awaitable[bool]] | None = None,
        program: Program | None = None,
        complete: Callable[[Turn], Turn] | None = None,
    ) -> AsyncGenerator[Event]:
        """Answer ``message``, a question or a command; end with :class:`Done`.

        It comes in the place of the turn ``instead_of``, if there is one: the conversation goes on
        from there, and that turn is kept as a version, with all that followed it.

        Whoever stops listening stops the answer; what was written until then is kept, under
        ``turn_id`` if there is one, unless ``may_keep`` says that somebody else has kept it.
        ``program`` says what a program wants, which gives no commands; what is kept of its answer
        is what ``complete`` makes of it. Where it brings results of its functions, ``message`` is
        the one that they belong to. Raise InvalidInput for no message and one that is too long,
        and NoConversation when no such turn is shown.
        """
        message, record = cleaned_message(message), self.session.record
        async with self.session.busy:
            await self.kept.take_over()
            command = commands.parse(message) if program is None else None
            if command is not None:
                events = self._run_command(command)
            else:
                ledger = self._ledger()
                account = self._account(message, program)
                keeping = Keeping(turn_id, may_keep, complete)
                replaced = self._find_shown(instead_of) if instead_of else None
                answer = self._answer(message, replaced, ledger, keeping, program or NO_PROGRAM)
                events = self._client.recorded(
                    "answer",
                    partial(
                        recorded_answer.describe,
                        message,
                        turn_id,
                        self._responder,
                        record,
                        instead_of=instead_of,
                        program=program,
                    ),
                    observing.follow(None, answer, (ledger, account)),
                )
            async with aclosing(events):
                async for event in events:
                    yield event

    def _ledger(self) -> Ledger:
        return self._client.ledger(priced=self._is_usual)

    @property
    def _is_usual(self) -> bool:
        """Whether the model is that of the settings, whose prices they say."""
        return self._responder.model_name == self._client.settings.model.name

    def _account(self, message: str, program: Program | None) -> Account:
        """Return the account of one answer, which knows what the person named and was shown."""
        record, settings = self.session.record, self._client.settings
        named = [message, record.instructions, program.instructions if program else ""]
        account = Account(
            answer_budget(settings, record.agent_id),
            prices=self._client.prices if self._is_usual else None,
            named_in=[*named, *(turn.message for turn in record.turns)],
        )
        account.find(source.url for turn in record.turns for source in turn.sources)
        account.find(source.url for source in self.session.registry)
        return account

    def _find_shown(self, turn_id: str) -> Turn:
        for turn in self.session.record.turns:
            if turn.id == turn_id:
                return turn
        raise NoConversation(
            "There is no such turn among those that are shown.",
            hint="Show its version first.",
            values={"case": "turn_not_shown"},
        )

    async def _run_command(self, command: commands.Command) -> AsyncGenerator[Event]:
        record = self.session.record
        await self.look_for_engine()
        commands.apply(command, record)
        if command.begins_anew:
            await self.kept.clear()
        await self.kept.keep()
        state = self.state
        yield commands.answer(command, record.mode, state.switch, state.read, self.gate)
        yield state
        yield Done(text="", outcome="command")

    async def _answer(
        self,
        message: str,
        replaced: Turn | None,
        ledger: Ledger,
        keeping: Keeping,
        program: Program,
    ) -> AsyncGenerator[Event]:
        record = self.session.record
        mode = record.mode
        registry = self.session.registry
        if mode == "chat":
            registry = CitationRegistry(same_page_key=same_page_key)
        first = len(registry.rounds)
        shown, others = record.turns, record.others
        versions = versions_of(replaced, record) if replaced else ()
        follows = None
        if replaced:
            at = shown.index(replaced)
            follows = shown[at - 1].id if at else ""
            go_back_to(follows, record)

        def rounds() -> tuple[Round, ...] | None:
            return registry.rounds[first:] if mode == "agent" else None

        draft = Draft(
            message,
            mode,
            registry,
            self._responder.model_name,
            turn_id=keeping.turn_id or recorded_answer.turn_id(),
            clock=self._clock,
            gate=self._responder.gate,
            follows=follows,
            versions=versions,
            results=program.results,
        )
        title = record.title
        try:
            begun = structs.replace(draft.turn(), notices=(notices.INTERRUPTED,))
            await self.kept.begin(begun, replaced)
        except CiteseekError:
            # It was refused: nothing of it stays.
            record.asked, record.title = None, title
            record.turns, record.others = shown, others
            raise
        try:
            yield draft.started
            async with aclosing(self._responder.events(draft, program)) as events:
                async for event in events:
                    yield event
            draft.outcome = "answered"
        except ModelFailed as error:
            draft.outcome = "failed"
            for ending in draft.end(rounds()):
                yield ending
            yield draft.note(notices.model_failed(error, has_sources=bool(draft.sources)))
        finally:
            if draft.outcome == "stopped":
                draft.cut(rounds())
            turn = structs.replace(draft.turn(), egress=ledger.receipt())
            await finish(self._end(turn, keeping))
        yield Done.of(turn)

    async def _end(self, turn: Turn, keeping: Keeping) -> None:
        if keeping.may_keep is None or await keeping.may_keep():
            await self.kept.keep_turn(keeping.complete(turn) if keeping.complete else turn)
        else:
            self.session.record.asked = None

    def now(self) -> float:
        """Return the time, in seconds since 1970."""
        return self._clock.time()

    @property
    def _engine_labels(self) -> tuple[str, ...]:
        """The names of the engines that Chat mode asks, as far as they were looked for."""
        return self._instead or engine_labels(self.session.record.choices, self._client)
