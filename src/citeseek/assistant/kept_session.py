"""An open session and the store that keeps it, to which other processes may write as well."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from citeseek.assistant.events import Event
from citeseek.assistant.interrupted_answer import interrupted_turn
from citeseek.assistant.session import OpenSession
from citeseek.conversations import turn_versions
from citeseek.conversations.conversation_record import Turn, title_of
from citeseek.conversations.store import Store
from citeseek.errors import NoConversation
from citeseek.fetching.own_file import OwnFile, with_file, without_file
from citeseek.settings import Settings


class KeptSession:
    """Keeps ``session`` in ``store``, and takes over what others stored there."""

    def __init__(self, session: OpenSession, store: Store) -> None:
        self._session = session
        self._store = store
        self._reading = asyncio.Lock()

    async def keep(self) -> None:
        """Store the conversation, though nothing may have been said in it yet."""
        await self._store.put(self._session.record)

    async def begin(self, turn: Turn, replaced: Turn | None) -> None:
        """Remember and store an answer that has begun, in the place of ``replaced`` if that is one.

        A title that is the first question stays so when another one takes its place.
        """
        record = self._session.record
        title = record.title
        if replaced is not None and not turn.follows and title == title_of(replaced.message):
            record.title = ""
        self._session.begin(turn)
        if title and title != record.title:
            await self.rename(record.title)
        else:
            await self.keep()

    async def keep_turn(self, turn: Turn) -> None:
        """Store a turn that has ended; one that cannot be stored waits for the next."""
        self._session.add(turn)
        self._session.unkept.append(turn)
        await self._keep_rest()

    async def drop_turn(self, turn_id: str) -> bool:
        """Take one turn away for good; tell whether there was one."""
        async with self._session.busy:
            dropped = await self._store.drop_turn(self._session.id, turn_id)
            # What stands in the store now is taken over.
            self._session.last = None
            await self.take_over()
        return dropped

    async def go_back_to(self, turn_id: str) -> None:
        """Let the conversation go on from ``turn_id``: what follows it stays as a version."""
        async with self._session.busy:
            await self.take_over()
            turn_versions.show(turn_id, self._session.record)
            turn_versions.go_back_to(turn_id, self._session.record)
            await self._store.show(self._session.id, turn_id)

    async def rename(self, title: str) -> None:
        """Give the conversation another title; raise InvalidInput for an empty one."""
        await self.keep()
        await self._store.rename(self._session.id, title)
        self._session.record.title = title_of(title)

    async def clear(self) -> None:
        """Let the conversation begin anew, here and in the store."""
        self._session.reset()
        await self._store.clear(self._session.id)

    async def amend(self, turn: Turn) -> None:
        """Keep a turn as it is now, be it shown or not."""
        session, record = self._session, self._session.record
        record.turns = [turn if each.id == turn.id else each for each in record.turns]
        record.others = [turn if each.id == turn.id else each for each in record.others]
        session.unkept = [turn if each.id == turn.id else each for each in session.unkept]
        last = await self._store.amend(session.id, turn)
        if last is not None and session.last is not None and last[0] == session.last[0]:
            session.last = last

    async def show(self, turn_id: str) -> None:
        """Show a version of a turn with what followed it last; raise NoConversation for none."""
        async with self._session.busy:
            await self.take_over()
            record = self._session.record
            if not turn_versions.show(turn_id, record):
                raise NoConversation(
                    "There is no such turn in this conversation.", values={"case": "no_such_turn"}
                )
            await self._store.show(self._session.id, record.turns[-1].id)

    async def add_file(self, file: OwnFile, settings: Settings) -> None:
        """Keep ``file`` with the conversation; raise InvalidInput for one more than may be."""
        async with self._reading:
            files = with_file(self._session.record.files, file, settings)
            await self.keep()
            await self._store.add_file(self._session.id, file)
            self._session.record.files = files

    async def drop_file(self, file_id: str) -> None:
        """Take a file away; raise InvalidInput when there is none with this id."""
        async with self._reading:
            gone, others = without_file(self._session.record.files, file_id)
            await self._store.drop_file(self._session.id, gone.url)
            self._session.record.files = others

    async def refresh(self) -> bool:
        """Take over what another process stored meanwhile, unless an answer is being made.

        Return whether there was something. Raise NoConversation when it was deleted there.
        """
        async with self._reading:
            if self._session.busy.locked():
                return False
            if self._session.unkept:
                # What keeps conversations was gone when they ended, and may be back.
                await self._keep_rest()
            return await self.take_over(unless_busy=True)

    async def take_over(self, *, unless_busy: bool = False) -> bool:
        """Do the same, by default also while an answer is being made."""
        session = self._session
        glance = await self._store.glance(session.id)
        if glance is not None and glance.is_deleted:
            raise NoConversation(
                f"The conversation {session.id!r:.60} was deleted.",
                values={"case": "deleted", "id": f"{session.id!r:.60}"},
            )
        if glance is None or session.knows(glance):
            return False
        stored = await self._store.get(session.id)
        # An answer that began meanwhile has looked itself.
        if stored is None or (unless_busy and session.busy.locked()):
            return False
        before = session.record.turns
        session.take(stored, glance.last)
        return before != session.record.turns

    async def recover(self) -> None:
        """Keep the turn of an answer whose process ended before it did, if there is one."""
        record = self._session.record
        if (turn := record.asked) is None:
            return
        if any(kept.id == turn.id for kept in record.turns):
            # Somebody else kept it, and this was written over what it said then.
            record.asked = None
            return
        await self.keep_turn(turn)

    async def end_interrupted(
        self, turn_id: str, events: Sequence[Event], *, at: float
    ) -> Turn | None:
        """Return the turn of an answer whose maker died, kept with what ``events`` tell of it.

        One that was kept before that stays as it is. None when nothing is known of it. ``at`` is
        the time, in seconds since 1970.
        """
        async with self._session.busy:
            await self.take_over()
            for kept in reversed(self._session.record.turns):
                if kept.id == turn_id:
                    return kept
            turn = interrupted_turn(turn_id, events, self._session.record, at=at)
            if turn is None:
                return None
            if turn.mode == "agent":
                self._session.give_numbers(turn)
            await self.keep_turn(turn)
            return turn

    async def _keep_rest(self) -> None:
        session = self._session
        await self.keep()
        while session.unkept:
            places = await self._store.add_turn(session.id, session.unkept[0])
            session.unkept.pop(0)
            # Where another one stands before it, another process added that.
            session.last = places[1] if places and places[0] == session.last else None
