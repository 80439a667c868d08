"""An open conversation: its cache and its numbers are its own, and end with it."""

from __future__ import annotations

import asyncio
import gc
import re
import threading
import time
import weakref
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.assistant.conversations import items, turn
from tests.shelf import Shelf, in_turn

from citeseek.assistant.session import OpenSession
from citeseek.conversations.conversation_record import Choices, Record, new_record, title_of
from citeseek.errors import InvalidInput
from citeseek.http import Transports
from citeseek.models import SearchResponse
from citeseek.query import Query
from citeseek.searching.runner import Runner
from citeseek.searching.service import Service
from citeseek.tools.web_search import WebSearch

DAY = 86_400.0


@pytest.fixture
def session() -> OpenSession:
    return OpenSession(new_record())


def answer(text: str, *numbers: int) -> SearchResponse:
    return SearchResponse(query=Query.of(text), provider="stub", items=items(*numbers))


async def fill(session: OpenSession, names: Iterable[object]) -> None:
    for name in names:
        await session.cache.put(f"q{name}", answer("tea"))


async def search(service: Service, shelf: Shelf, session: OpenSession, text: str) -> SearchResponse:
    return await service.search(Query.of(text), in_turn(shelf), cache=session.cache, key=text)


@pytest.mark.requirement("S1-146", "S1-147", "S1-148", "S1-151")
async def test_a_session_asks_for_a_query_once(
    session: OpenSession,
) -> None:
    service, shelf = Service(Runner(Transports())), Shelf()
    first = await search(service, shelf, session, "tea")
    again = await search(service, shelf, session, "tea")
    assert again.items == first.items
    assert len(shelf.calls) == 1
    await search(service, shelf, session, "coffee")
    assert len(shelf.calls) == len(session.cache) == 2


@pytest.mark.requirement("S1-154", "S1-155")
async def test_another_session_searches_itself(session: OpenSession) -> None:
    service, shelf = Service(Runner(Transports())), Shelf()
    for each in (session, OpenSession(new_record()), OpenSession(session.record)):
        assert not (await search(service, shelf, each, "tea")).cached
    assert len(shelf.calls) == 3


@pytest.mark.requirement("S1-149")
async def test_an_answer_is_valid_after_a_day(
    session: OpenSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    await session.cache.put("tea", answer("tea"))
    clocks = {name: getattr(time, name) for name in ("time", "monotonic")}
    for name, clock in clocks.items():
        monkeypatch.setattr(time, name, lambda clock=clock: clock() + DAY)
    assert await session.cache.get("tea") == answer("tea")


@pytest.mark.requirement("S1-156")
async def test_the_least_recently_used_query_goes(session: OpenSession) -> None:
    await fill(session, range(1, 21))
    assert await session.cache.get("q1")
    await fill(session, [21])
    assert await session.cache.get("q2") is None
    assert await session.cache.get("q1")
    assert len(session.cache) == 20


@pytest.mark.requirement("S1-157")
async def test_never_more_than_20_under_concurrency(session: OpenSession) -> None:
    sizes: set[int] = set()
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            sizes.add(len(session.cache))

    def put_from_a_thread(name: str) -> None:
        asyncio.run(fill(session, (f"{name}-{number}" for number in range(100))))

    with ThreadPoolExecutor(5) as threads:
        threads.submit(watch)
        loop = asyncio.get_running_loop()
        await asyncio.gather(
            *(fill(session, (f"task-{task}-{n}" for n in range(100))) for task in range(5)),
            *(loop.run_in_executor(threads, put_from_a_thread, f"thread-{n}") for n in range(4)),
        )
        done.set()
    assert max(sizes) <= 20
    assert len(session.cache) == 20


@pytest.mark.requirement("S1-158")
async def test_a_thousand_queries_leave_20(session: OpenSession) -> None:
    for number in range(1000):
        await fill(session, [number])
        assert len(session.cache) <= 20
    assert len(session.cache) == 20


@pytest.mark.release
@pytest.mark.requirement("S1-153")
async def test_the_end_frees_every_answer(session: OpenSession) -> None:
    kept = answer("tea")
    cache = weakref.ref(session.cache)
    await session.cache.put("tea", kept)
    session.end()
    assert len(session.cache) == 0
    assert await session.cache.get("tea") is None
    gc.collect()
    assert cache() is None


@pytest.mark.requirement("S1-153")
async def test_a_search_that_ends_after_the_session_leaves_nothing(
    session: OpenSession,
) -> None:
    service, shelf = Service(Runner(Transports())), Shelf()
    shelf.open.clear()
    late = asyncio.create_task(search(service, shelf, session, "tea"))
    await shelf.called.wait()
    session.end()
    shelf.open.set()
    await late
    assert len(session.cache) == 0


@pytest.mark.requirement("P7")
async def test_other_choices_empty_the_cache_and_equal_ones_do_not(session: OpenSession) -> None:
    await session.cache.put("tea", answer("tea"))
    session.choose(Choices())
    assert len(session.cache) == 1
    session.choose(Choices(results=3))
    assert len(session.cache) == 0
    assert session.record.choices == Choices(results=3)


@pytest.mark.requirement("P7")
async def test_what_is_found_under_old_choices_does_not_answer_under_new_ones(
    session: OpenSession,
) -> None:
    service, shelf = Service(Runner(Transports())), Shelf()
    shelf.open.clear()
    early = asyncio.create_task(search(service, shelf, session, "tea"))
    await shelf.called.wait()
    session.choose(Choices(language="zh"))
    shelf.open.set()
    await early
    assert not (await search(service, shelf, session, "tea")).cached


@pytest.mark.requirement("S1-173", "S1-174")
def test_numbers_go_on_over_rounds_and_turns(session: OpenSession) -> None:
    first = session.registry.add_round("one", items(*range(1, 9)))
    second = session.registry.add_round("two", items(*range(9, 14)))
    assert first.numbers == tuple(range(1, 9))
    assert second.numbers == tuple(range(9, 14))
    session.add(turn(1))
    assert session.registry.add_round("three", items(14)).numbers == (14,)
    assert OpenSession(new_record()).registry.add_round("one", items(1)).numbers == (1,)


@pytest.mark.requirement("P8")
def test_a_page_found_again_keeps_its_number(session: OpenSession) -> None:
    session.registry.add_round("one", items(1, 2))
    assert session.registry.add_round("two", items(2, 3)).numbers == (2, 3)


@pytest.mark.requirement("S1-150", "S1-175")
async def test_the_model_is_shown_the_numbers_of_the_session(
    session: OpenSession,
) -> None:
    class Found:
        cached = False

        async def search(self, text: str, **asked: object) -> SearchResponse:
            response = answer(text, *range(9, 14))
            return SearchResponse(
                query=response.query, provider="stub", items=response.items, cached=self.cached
            )

    found = Found()
    session.registry.add_round("one", items(*range(1, 9)))
    tool = WebSearch(found, registry=session.registry, cache=session.cache)  # type: ignore[arg-type]
    call = await tool.run({"query": "two"})
    for number in range(9, 14):
        assert f"[{number}]" in call.text
    assert call.round == 2
    found.cached = True
    again = await tool.run({"query": "two"})
    assert [source.number for source in again.sources] == list(range(9, 14))
    assert (again.round, len(session.registry.rounds)) == (0, 2)


@pytest.mark.requirement("P17", "P38")
def test_chat_takes_no_number_of_agent_mode(session: OpenSession) -> None:
    session.registry.add_round("one", items(1, 2))
    session.add(turn(1, mode="agent"))
    session.record.mode = "chat"
    session.add(turn(2, mode="chat"))
    session.record.mode = "agent"
    assert len(session.record.sources) == 2
    assert session.registry.add_round("two", items(3)).numbers == (3,)


@pytest.mark.requirement("P17")
async def test_a_reset_begins_at_1_and_leaves_switch_and_choices(session: OpenSession) -> None:
    session.record.switch, session.record.choices = True, Choices(results=3)
    session.registry.add_round("one", items(1, 2, 3))
    session.add(turn(1))
    await session.cache.put("tea", answer("tea"))
    session.reset()
    record = session.record
    assert (record.turns, record.sources, record.rounds, record.title) == ([], (), (), "")
    assert len(session.cache) == 0
    assert session.registry.add_round("two", items(9)).numbers == (1,)
    assert (record.switch, record.choices) == (True, Choices(results=3))


def test_the_first_message_that_is_no_command_is_the_title(session: OpenSession) -> None:
    session.add(turn(1, message="/search on", outcome="command"))
    assert session.record.title == ""
    session.add(turn(2, message=" 茶\n 从哪里来？ "))
    session.add(turn(3, message="coffee"))
    assert session.record.title == "茶 从哪里来？"


def test_a_long_title_is_cut_where_a_reader_would() -> None:
    assert title_of("a" * 60) == "a" * 60
    assert title_of("a" * 61) == "a" * 59 + "…"
    assert title_of(" \n") == ""
    assert title_of("\u2060 \u3164") == ""
    assert title_of("\u202e\u2060 x\xad\x1b") == "x"


@pytest.mark.parametrize(
    "session_id", ["", "../x", "a b", "a\n", "x" * 65, "茶", "a;--", "a\x00"], ids=ascii
)
def test_an_id_that_cannot_stand_in_an_address_is_refused(session_id: str) -> None:
    with pytest.raises(InvalidInput, match="names no conversation"):
        Record(id=session_id, created_at=0)


def test_ids_cannot_be_guessed() -> None:
    ids = {new_record().id for _ in range(1000)}
    assert len(ids) == 1000
    assert min(map(len, ids)) >= 24


def test_records_share_no_history() -> None:
    OpenSession(new_record()).add(turn(1))
    assert new_record().turns == []


def test_an_id_is_also_a_word_of_a_command_line() -> None:
    """One that began with a hyphen would be taken for an option."""
    ids = {new_record().id for _ in range(200)}
    assert len(ids) == 200
    assert all(re.fullmatch(r"[0-9a-f]{32}", id_) for id_ in ids)
