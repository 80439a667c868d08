"""An open conversation: one answer at a time, its search cache, the numbers of its sources."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from msgspec import structs

from citeseek.citations import CitationRegistry
from citeseek.conversations.conversation_record import (
    NO_TURN,
    Choices,
    Glance,
    LastTurn,
    Record,
    Turn,
    title_of,
)
from citeseek.conversations.turn_versions import go_back_to
from citeseek.searching.cache import MemoryCache, session_cache
from citeseek.tools.search_options import Options
from citeseek.urls import same_page_key


class OpenSession:
    """An open conversation. One answer at a time: ``busy`` is held while one is made.

    The search cache and the numbers of Agent mode belong to it alone and end with it.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        # With the key, if one was given.
        self.web_search: Options | None = record.web_search
        self.busy = asyncio.Lock()
        # The last stored turn, None where somebody else may have stored others.
        self.last: LastTurn | None = None if record.turns else NO_TURN
        # Turns that could not be stored: they are stored with the next.
        self.unkept: list[Turn] = []
        self.cache: MemoryCache = session_cache()
        self.registry = CitationRegistry.of(
            record.sources, record.rounds, same_page_key=same_page_key
        )

    @property
    def id(self) -> str:
        """The id, which nobody can guess."""
        return self.record.id

    @property
    def head(self) -> str:
        """The id of the last turn that is shown and stored, empty without any."""
        unkept = {turn.id for turn in self.unkept}
        return next((turn.id for turn in reversed(self.record.turns) if turn.id not in unkept), "")

    def cited(self) -> frozenset[int]:
        """Return the numbers of Agent mode that its answers cited so far."""
        turns = (turn for turn in self.record.turns if turn.mode == "agent")
        return frozenset(number for turn in turns for number in turn.cited)

    def is_retry(self, message: str, versions: Collection[str]) -> bool:
        """Whether a person asks again what could not be searched for a moment ago.

        ``versions`` are the turns in whose place it is asked.
        """
        earlier = [turn for turn in self.record.others if turn.id in versions]
        return any(
            turn.message == message and any(search.failure for search in turn.searches)
            for turn in (*self.record.turns[-1:], *earlier)
        )

    def begin(self, turn: Turn) -> None:
        """Remember an answer that has begun; the first message becomes the title."""
        self.record.asked = turn
        self.record.title = self.record.title or title_of(turn.message)

    def add(self, turn: Turn) -> None:
        """Keep a turn that has ended, and the numbers that it gave out."""
        record = self.record
        record.asked = None
        if turn.follows is None:
            turn = structs.replace(turn, follows=record.turns[-1].id if record.turns else "")
        else:
            go_back_to(turn.follows, record)
        record.turns = [*record.turns, turn]
        record.sources, record.rounds = tuple(self.registry), self.registry.rounds
        if turn.outcome != "command":
            record.title = record.title or title_of(turn.message)

    def give_numbers(self, turn: Turn) -> None:
        """Take it that the sources of ``turn``, which another process made, have their numbers."""
        record = self.record
        known = {source.number for source in record.sources}
        new = (source for source in turn.sources if source.number not in known)
        self.registry = CitationRegistry.of(
            (*record.sources, *new), (*record.rounds, *turn.rounds), same_page_key=same_page_key
        )

    def knows(self, glance: Glance) -> bool:
        """Whether what is stored is what stands here."""
        mine, stored = self.record, glance.about
        return stored is None or (
            glance.last == self.last
            and glance.head in ("", self.head)
            and glance.files == tuple(file.url for file in self.record.files)
            and (stored.title, stored.mode, stored.switch, stored.read, stored.gate, stored.choices)
            == (mine.title, mine.mode, mine.switch, mine.read, mine.gate, mine.choices)
        )

    def take(self, stored: Record, last: LastTurn) -> None:
        """Go on with what is stored, up to ``last``; what only stands here stays behind it."""
        self.choose(stored.choices)
        for name in stored.__struct_fields__:
            setattr(self.record, name, getattr(stored, name))
        kept = {turn.id for turn in stored.turns}
        self.unkept = [turn for turn in self.unkept if turn.id not in kept]
        self.record.turns = [*stored.turns, *self.unkept]
        self.registry = CitationRegistry.of(
            stored.sources, stored.rounds, same_page_key=same_page_key
        )
        self.last = last

    def choose(self, choices: Choices) -> None:
        """Change what was chosen; answers found under other choices are forgotten."""
        if choices != self.record.choices:
            self.record.choices = choices
            self.end()

    def reset(self) -> None:
        """Begin anew under the same id: no history, no numbers, no cached answers.

        Mode, switch and choices stay.
        """
        record = self.record
        record.turns, record.others, record.title = [], [], ""
        record.sources, record.rounds, record.files = (), (), ()
        self.registry = CitationRegistry(same_page_key=same_page_key)
        self.end()

    def end(self) -> None:
        """Forget every cached answer, also one that a search still under way is about to store."""
        self.cache.close()
        self.cache = session_cache()
