"""Answers that one process makes and others follow, stop and end, at a real Valkey."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from redis import Redis
from tests.assistant.chatting import Chatting, chatting
from tests.loopback.models import HANG
from tests.loopback.signals import Signal
from tests.shared_state.server import ValkeyServer

from citeseek.assistant.events import Done, Event, Notice, Started, Token
from citeseek.concurrency.background import cancel
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.errors import Busy, NoConversation
from citeseek.live_answers import published_answer, valkey_streams
from citeseek.live_answers.hub import Hub
from citeseek.live_answers.live_answer import START, EntryId, LiveAnswer
from citeseek.live_answers.news import AnswerBegan, Changed, Deleted, News, Over, Told
from citeseek.live_answers.published_answer import PublishedAnswer
from citeseek.shared_state.valkey import Gone, Valkey

pytestmark = pytest.mark.valkey

SECONDS = 30


class Worker:
    """A server process, as far as conversations go: two of them are as strange as two are."""

    def __init__(self, chat: Chatting, url: str, name: str) -> None:
        self.chat = chat
        self.model = chat.model
        self.valkey = Valkey(url)
        self.valkey.process = name
        self.news: list[News] = []
        self._more = asyncio.Event()
        self.hub = Hub(chat.assistant, watchers=[self._hear], valkey=self.valkey)
        self.hub.begin()

    def _hear(self, news: News) -> None:
        self.news.append(news)
        self._more.set()

    async def heard(self, is_it: Callable[[News], bool]) -> None:
        """Return when there were such news."""
        async with asyncio.timeout(SECONDS):
            while not any(map(is_it, self.news)):
                self._more.clear()
                await self._more.wait()


@asynccontextmanager
async def workers(valkey: ValkeyServer, path: Path) -> AsyncIterator[tuple[Worker, Worker]]:
    async with AsyncExitStack() as stack:
        both = []
        for name in ("one", "other"):
            chat = await stack.enter_async_context(chatting(store=SqliteStore(path)))
            worker = Worker(chat, valkey.url, name)
            stack.push_async_callback(worker.valkey.aclose)
            stack.push_async_callback(worker.hub.close)
            both.append(worker)
        yield both[0], both[1]


async def told(answer: LiveAnswer, after: EntryId = START) -> list[tuple[EntryId, Event]]:
    return [entry async for entry in answer.follow(after)]


async def has_token(answer: LiveAnswer) -> None:
    async for _, event in answer.follow():
        if isinstance(event, Token):
            return


async def test_readers_of_any_process_get_the_same_events_with_the_same_ids(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    async with workers(valkey, tmp_path / "sessions.sqlite3") as (one, other):
        go = Signal()
        one.model.says("Tea ", go, "is a leaf [1].", chunk=3)
        session = await one.hub.create(search=True)
        made = await one.hub.ask(session.id, "tea")
        await has_token(made)
        followed = await other.hub.answer(session.id, made.id)
        assert followed is not None
        assert not followed.is_made_here
        assert other.hub.running(session.id) is followed
        go.set()
        here, there = await asyncio.gather(told(made), told(followed))
        assert here == there
        assert isinstance(here[0][1], Started)
        assert isinstance(here[-1][1], Done)
        assert followed.message == "tea"
        for at, (id_, _) in enumerate(here):
            assert await told(followed, EntryId.of(str(id_))) == here[at + 1 :]
        # The turn was kept first.
        kept = await other.hub.open(session.id)
        assert kept.session.record.turns[-1].answer == here[-1][1].answer
        assert other.hub.running(session.id) is None


async def test_an_answer_that_ended_is_read_from_any_process(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    async with workers(valkey, tmp_path / "sessions.sqlite3") as (one, other):
        one.model.says("Tea is a leaf.")
        session = await one.hub.create()
        made = await one.hub.ask(session.id, "tea")
        whole = await told(made)
        late = await other.hub.answer(session.id, made.id)
        assert late is not None
        assert await told(late) == whole
        assert not [news for news in other.news if isinstance(news, Told)]
        assert await other.hub.answer(session.id, "0123456789abcdef") is None


async def test_who_comes_to_a_process_that_knows_nothing_yet_gets_nothing_twice(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    async with workers(valkey, tmp_path / "sessions.sqlite3") as (one, other):
        one.model.says("Tea is a leaf.", chunk=3)
        session = await one.hub.create()
        made = await one.hub.ask(session.id, "tea")
        whole = await told(made)
        late = await other.hub.answer(session.id, made.id)
        assert late is not None
        assert not late.events
        assert await told(late, whole[2][0]) == whole[3:]


async def test_a_conversation_has_one_answer_under_way_in_all_processes(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    async with workers(valkey, tmp_path / "sessions.sqlite3") as (one, other):
        one.model.says("Tea", HANG)
        session = await one.hub.create()
        made = await one.hub.ask(session.id, "tea")
        await made.wait_for_beginning()
        with pytest.raises(Busy) as caught:
            await other.hub.ask(session.id, "coffee")
        assert caught.value.detail_code == "answering"
        await made.end()
        other.model.says("Coffee is a bean.")
        await told(await other.hub.ask(session.id, "coffee"))
        here = await one.hub.open(session.id)
        assert [turn.message for turn in here.session.record.turns] == ["tea", "coffee"]
        assert [turn.outcome for turn in here.session.record.turns] == ["stopped", "answered"]


async def test_any_process_stops_it_within_a_second(valkey: ValkeyServer, tmp_path: Path) -> None:
    async with workers(valkey, tmp_path / "sessions.sqlite3") as (one, other):
        one.model.says("Tea is", HANG)
        session = await one.hub.create()
        made = await one.hub.ask(session.id, "tea")
        await has_token(made)
        followed = await other.hub.answer(session.id, made.id)
        assert followed is not None
        await followed.end()
        last = followed.events[-1]
        assert isinstance(last, Done)
        assert (last.outcome, last.answer) == ("stopped", "Tea is")
        assert await told(made) == await told(followed)
        assert published_answer.BEAT_SECONDS <= 0.5


async def test_who_shows_a_conversation_hears_of_it(valkey: ValkeyServer, tmp_path: Path) -> None:
    async with workers(valkey, tmp_path / "sessions.sqlite3") as (one, other):
        session = await one.hub.create()
        other.hub.is_shown = lambda _: True
        await other.hub.open(session.id)
        one.model.says("Tea is a leaf.")
        await told(await one.hub.ask(session.id, "tea"))
        await other.heard(lambda news: isinstance(news, Over))
        kinds = [type(news) for news in other.news if not isinstance(news, Changed)]
        assert kinds[0] is AnswerBegan
        assert set(kinds[1:-1]) == {Told}
        assert kinds[-1] is Over
        await one.hub.delete(session.id)
        await other.heard(lambda news: isinstance(news, Deleted))
        with pytest.raises(NoConversation):
            await other.hub.open(session.id)


async def test_an_answer_whose_maker_died_ends_with_what_was_written(
    valkey: ValkeyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(valkey_streams, "HELD_MS", 800)
    async with workers(valkey, tmp_path / "sessions.sqlite3") as (one, other):
        one.model.says("Tea is a leaf [1], and", HANG)
        session = await one.hub.create(search=True)
        made = await one.hub.ask(session.id, "tea")
        await has_token(made)
        followed = await other.hub.answer(session.id, made.id)
        assert followed is not None
        await kill(one, made)
        events = [event for _, event in await told(followed)]
        assert isinstance(events[-2], Notice)
        assert events[-2].code == "interrupted"
        last = events[-1]
        assert isinstance(last, Done)
        assert (last.outcome, last.cited) == ("stopped", (1,))
        assert last.answer.startswith("Tea is a leaf [[1]](")
        (turn,) = (await other.hub.open(session.id)).session.record.turns
        assert (turn.written, turn.message) == ("Tea is a leaf [1], and", "tea")
        assert [search.query for search in turn.searches]
        assert turn.sources[0].number == 1
        # The next question goes on from there.
        other.model.says("It is.")
        await told(await other.hub.ask(session.id, "really?"))
        assert "Tea is a leaf" in str(other.model.requests[-1].body)


async def test_a_conversation_whose_maker_died_is_free_when_it_is_opened(
    valkey: ValkeyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(valkey_streams, "HELD_MS", 300)
    async with workers(valkey, tmp_path / "sessions.sqlite3") as (one, other):
        one.model.says("Tea is", HANG)
        session = await one.hub.create()
        made = await one.hub.ask(session.id, "tea")
        await has_token(made)
        await kill(one, made)
        await until_free(other, session.id)
        (turn,) = (await other.hub.open(session.id)).session.record.turns
        assert (turn.answer, turn.outcome) == ("Tea is", "stopped")


async def test_a_maker_that_was_taken_for_dead_keeps_nothing(
    valkey: ValkeyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(valkey_streams, "HELD_MS", 300)
    async with workers(valkey, tmp_path / "sessions.sqlite3") as (one, other):
        go = Signal()
        one.model.says("Tea is", go, " a leaf.")
        session = await one.hub.create()
        made = await one.hub.ask(session.id, "tea")
        await has_token(made)
        # It cannot say that it is alive, and does not know.
        append = one.hub._answers._streams.append
        alone = asyncio.Event()

        async def cut_off(*given: object, **named: object) -> object:
            await alone.wait()
            return await append(*given, **named)

        monkeypatch.setattr(one.hub._answers._streams, "append", cut_off)
        followed = await other.hub.answer(session.id, made.id)
        assert followed is not None
        theirs = await told(followed)
        alone.set()
        go.set()
        assert await told(made) == theirs
        assert isinstance(theirs[-2][1], Notice)
        stored = await one.chat.assistant.store.get(session.id)
        assert stored is not None
        assert [turn.answer for turn in stored.turns] == ["Tea is"]


@pytest.mark.parametrize("loss", ["restart", "emptied"])
async def test_events_wait_for_a_server_that_is_gone(
    running: ValkeyServer, tmp_path: Path, loss: str
) -> None:
    running.empty()
    async with workers(running, tmp_path / "sessions.sqlite3") as (one, other):
        go = Signal()
        one.model.says("Tea is", go, " a leaf.")
        session = await one.hub.create()
        made = await one.hub.ask(session.id, "tea")
        await has_token(made)
        followed = await other.hub.answer(session.id, made.id)
        assert followed is not None
        await has_token(followed)
        if loss == "restart":
            running.stop()
            go.set()
            with pytest.raises(Busy) as caught:
                await other.hub.ask((await other.hub.create()).id, "coffee")
            assert caught.value.detail_code == "shared_state_gone"
            assert caught.value.retry_after
            running.start()
        else:
            running.empty()
            go.set()
        here, there = await asyncio.gather(told(made), told(followed))
        assert here == there
        last = here[-1][1]
        assert isinstance(last, Done)
        assert last.answer == "Tea is a leaf."
        # Who reads it anew gets all of it, under the ids of then.
        late = await other.hub._answers._streams.read(session.id, made.id)
        assert [(entry.id, entry.event) for entry in late if entry.event] == here


async def test_a_large_event_is_kept_beside_the_stream(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    async with workers(valkey, tmp_path / "sessions.sqlite3") as (one, other):
        one.model.says("Tea. " * 20_000, chunk=90_000)
        session = await one.hub.create()
        made = await one.hub.ask(session.id, "tea")
        here = await told(made)
        late = await other.hub.answer(session.id, made.id)
        assert late is not None
        assert await told(late) == here
        stream = f"{{{session.id}}}:answer:events:{made.id}"
        entries = await other.valkey.read_stream(stream, "0", 0, 100)
        assert max(len(fields[b"event"]) for _, fields in entries) <= valkey_streams.MAX_ENTRY_BYTES


async def kill(worker: Worker, answer: LiveAnswer) -> None:
    """Let ``worker`` do nothing more for its answer, as if its process had been killed."""

    async def gone(_: object) -> object:
        raise Gone("it was killed")

    assert isinstance(answer, PublishedAnswer)
    worker.valkey._do = gone  # type: ignore[method-assign]
    await cancel(answer._telling)


async def until_free(worker: Worker, session_id: str) -> None:
    await worker.hub.open(session_id)
    while (answer := worker.hub.running(session_id)) is not None:
        await told(answer)
        await worker.hub.open(session_id)


async def test_a_full_server_takes_no_question_and_throws_nothing_away(tmp_path: Path) -> None:
    (tmp_path / "valkey").mkdir()
    with (
        ValkeyServer(tmp_path / "valkey", "--maxmemory", "6mb") as server,
        Redis.from_url(server.url) as client,
    ):
        async with workers(server, tmp_path / "sessions.sqlite3") as (one, _):
            one.model.says("Tea is a leaf.")
            session = await one.hub.create()
            await told(await one.hub.ask(session.id, "tea"))
            kept = set(client.scan_iter("citeseek:*:answer:*"))
            assert kept
            client.setrange("much", 10_000_000, b"x")
            with pytest.raises(Busy) as caught:
                await one.hub.ask(session.id, "coffee")
            assert caught.value.detail_code == "shared_state_gone"
            assert kept <= set(client.scan_iter("citeseek:*:answer:*"))
