"""Agent mode over several searches and turns: one numbering, one cache, one list."""

from __future__ import annotations

import gc
import logging
import re
import time
import weakref
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.assistant.agent_runs import Bench, Heard, address, bench, heard, results
from tests.loopback import replies
from tests.loopback.signals import Signal

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import SearchDone
from citeseek.conversations.sqlite_store import SqliteStore

HEADING = "## 参考文献"
# An agent of agents.json shows what it asks for up to its maxResults, the app's own at most five.
SEARCH = {"enabled": True, "provider": "searxng", "maxResults": 10}
TEN = {"agents": [{"id": "ten", "webSearch": SEARCH}]}


@pytest.fixture
def at() -> Iterator[Bench]:
    with bench() as made:
        made.agents = TEN
        yield made


@pytest.fixture
async def assistant(at: Bench) -> AsyncIterator[Assistant]:
    async with Assistant(at.load) as opened:
        yield opened


@pytest.fixture
async def talk(assistant: Assistant) -> Conversation:
    return await assistant.open(mode="agent")


async def searched(at: Bench, talk: Conversation, answer: str, *queries: str) -> Heard:
    for query in queries:
        at.model.calls("web_search", {"query": query})
    at.model.says(answer, chunk=2)
    return await heard(talk.stream("你好"))


def numbers(text: str) -> list[int]:
    """Return the numbers of the results in a tool's text."""
    return [int(number) for number in re.findall(r"^\[(\d+)\] ", text, re.MULTILINE)]


def rows(text: str) -> list[int]:
    """Return the numbers of the rows of the list of references."""
    return [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]


@pytest.mark.requirement("S1-172", "S1-174..S1-182")
async def test_rounds_of_eight_and_five(at: Bench, assistant: Assistant) -> None:
    """Eight results need a configured agent that asks for as many."""
    talk = await assistant.open(agent_id="ten", mode="agent")
    at.replies["a"], at.replies["b"] = results("a", 8), results("b", 5)
    at.model.calls("web_search", {"query": "a", "count": 8})
    at.model.calls("web_search", {"query": "b", "count": 5})
    at.model.says("One [9], another [13].", chunk=2)
    answer = await heard(talk.stream("你好"))
    assert [numbers(text) for text in at.told(2)] == [[*range(1, 9)], [*range(9, 14)]]
    body, _, listed = answer.text.partition(HEADING)
    assert f"One [[9]]({address('b', 1)}), another [[13]]({address('b', 5)})." in body
    assert answer.text.count(HEADING) == 1
    first, second = listed.split("### ")[1:]
    assert first.startswith("第 1 轮搜索：a\n")
    assert second.startswith("第 2 轮搜索：b\n")
    assert rows(first) == [*range(1, 9)]
    assert rows(second) == [*range(9, 14)]
    assert first.count("（未引用）") == 8
    assert f"9. [b 1]({address('b', 1)}) - b.example\n" in second
    assert second.count("（未引用）") == 3
    assert answer.text.endswith(f"13. [b 5]({address('b', 5)}) - b.example\n")
    later = await searched(at, talk, "Last [14].", "c")
    assert numbers(at.told(4)[-1]) == [14, 15, 16]
    assert f"[[14]]({address('c', 1)})" in later.text
    assert rows(later.text) == [14, 15, 16]


@pytest.mark.requirement("P17", "S1-174", "S1-175")
async def test_rounds_of_five_of_the_apps_own_agent(at: Bench, talk: Conversation) -> None:
    at.replies["a"], at.replies["b"] = results("a", 8), results("b", 5)
    answer = await searched(at, talk, "One [5], another [6].", "a", "b")
    assert [numbers(text) for text in at.told(2)] == [[*range(1, 6)], [*range(6, 11)]]
    assert f"One [[5]]({address('a', 5)}), another [[6]]({address('b', 1)})." in answer.text
    assert [found.round for found in answer.of(SearchDone)] == [1, 2]
    assert [round_.numbers for round_ in answer.done.rounds] == [(1, 2, 3, 4, 5), (6, 7, 8, 9, 10)]


@pytest.mark.requirement("P18")
async def test_an_answer_that_cites_nothing_has_no_list(at: Bench, talk: Conversation) -> None:
    answer = await searched(at, talk, "As [99] says.", "a", "b")
    assert answer.text == "As [99] says."
    assert [round_.query for round_ in answer.done.rounds] == ["a", "b"]
    assert len(answer.done.sources) == 6


@pytest.mark.requirement("P18")
async def test_a_source_of_an_earlier_turn_has_its_own_group(at: Bench, talk: Conversation) -> None:
    await searched(at, talk, "First [1].", "a")
    answer = await searched(at, talk, "Old [2], new [4].", "b")
    groups = answer.text.split("### ")[1:]
    assert [group.splitlines()[0] for group in groups] == ["第 1 轮搜索：b", "此前的搜索"]
    assert rows(groups[1]) == [2]
    without = await searched(at, talk, "Old again [1].")
    assert f"[[1]]({address('a', 1)})" in without.text
    assert without.notices == ["earlier_sources"]


@pytest.mark.requirement("P17")
async def test_a_page_keeps_its_number(at: Bench, talk: Conversation) -> None:
    page = {"url": address("a", 2) + "#top", "title": "again", "content": ""}
    other = {"url": address("b", 1), "title": "new", "content": ""}
    at.replies["b"] = replies.as_json({"results": [page, other]})
    answer = await searched(at, talk, "Both [2][4].", "a", "b")
    assert numbers(at.told(2)[1]) == [2, 4]
    assert sorted(rows(answer.text)) == [1, 2, 3, 4]
    assert f"[[4]]({address('b', 1)})" in answer.text


async def test_parallel_searches_have_numbers_of_their_own(at: Bench, talk: Conversation) -> None:
    gate = Signal()
    at.replies["slow"] = replies.held(results("slow", 3), gate)
    at.model.calls("web_search", {"query": "slow"}, {"query": "fast"})
    at.model.says("All [1][2][3][4][5][6].")
    found: dict[str, tuple[int, ...]] = {}
    events = []
    async for event in talk.stream("你好"):
        events.append(event)
        if isinstance(event, SearchDone):
            found[event.query] = tuple(source.number for source in event.sources)
            gate.set()
    assert found == {"fast": (1, 2, 3), "slow": (4, 5, 6)}
    # Each text goes to its own call, in the order of the calls.
    assert [numbers(text) for text in at.told(1)] == [[4, 5, 6], [1, 2, 3]]
    text = Heard(events).text
    assert f"[[1]]({address('fast', 1)})" in text
    assert f"[[6]]({address('slow', 3)})" in text


async def test_equal_parallel_searches_are_one(at: Bench, talk: Conversation) -> None:
    at.model.calls("web_search", {"query": "x"}, {"query": "x"})
    at.model.says("All [1][3].")
    answer = await heard(talk.stream("你好"))
    assert at.queries == ["x"]
    assert [numbers(text) for text in at.told(1)] == [[1, 2, 3], [1, 2, 3]]
    assert len(answer.done.rounds) == 1


@pytest.mark.requirement("S0-29..S0-31", "S1-146..S1-152")
async def test_a_query_is_searched_once(
    at: Bench, talk: Conversation, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "citeseek")
    first = await searched(at, talk, "Found [1].", "x")
    assert "cache hit" not in caplog.text
    again = await searched(at, talk, "Again [1].", "x")
    assert at.queries == ["x"]
    assert "cache hit: x" in caplog.text
    (before,), (after,) = first.of(SearchDone), again.of(SearchDone)
    assert before.sources == after.sources
    assert (before.cached, after.cached) == (False, True)
    assert (before.round, after.round) == (1, 0)
    texts = at.told(3)
    assert numbers(texts[-1]) == numbers(texts[0]) == [1, 2, 3]
    assert f"[[1]]({address('x', 1)})" in again.text
    await searched(at, talk, "Other.", "y")
    assert at.queries == ["x", "y"]
    assert len(talk.session.registry.rounds) == 2


@pytest.mark.requirement("S1-149", "S0-30")
async def test_an_answer_is_kept_as_long_as_the_session(
    at: Bench, talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    await searched(at, talk, "Found.", "x")
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 86_400)
    await searched(at, talk, "Again.", "x")
    assert at.queries == ["x"]


@pytest.mark.release
@pytest.mark.requirement("S0-33")
async def test_the_twenty_last_queries_are_kept(at: Bench) -> None:
    at.env["CITESEEK_MAX_SEARCHES"] = "50"
    async with Assistant(at.load) as assistant:
        talk = await assistant.open(mode="agent")
        queries = [f"q{number}" for number in range(20)]
        await searched(at, talk, "All.", *queries)
        await searched(at, talk, "Hits.", *queries)
        assert at.queries == queries
        # q0 was used last of all, so the next query displaces q1.
        await searched(at, talk, "More.", "q0", "q20", "q0", "q1")
    assert at.queries == [*queries, "q20", "q1"]


@pytest.mark.requirement("S0-32", "S1-153", "S1-154")
async def test_the_end_of_a_session_forgets(at: Bench, assistant: Assistant) -> None:
    talk = await assistant.open(mode="agent")
    await searched(at, talk, "Found.", "x")
    cache = weakref.ref(talk.session.cache)
    assistant.end(talk.id)
    del talk
    gc.collect()
    assert cache() is None
    later = await assistant.open(mode="agent")
    answer = await searched(at, later, "Found [1].", "x")
    assert at.queries == ["x", "x"]
    assert [source.number for source in answer.done.sources] == [1, 2, 3]


@pytest.mark.requirement("S0-32", "S1-155", "S1-173")
async def test_sessions_share_nothing(at: Bench, assistant: Assistant) -> None:
    one, two = [await assistant.open(mode="agent") for _ in range(2)]
    await searched(at, one, "Found.", "x")
    answer = await searched(at, two, "Found [1].", "x")
    assert at.queries == ["x", "x"]
    assert one.session.registry is not two.session.registry
    assert [source.number for source in answer.done.sources] == [1, 2, 3]


@pytest.mark.requirement("P17", "S1-183..S1-185")
async def test_chat_has_numbers_of_its_own(at: Bench, talk: Conversation) -> None:
    at.replies["a"] = results("a", 5)
    await searched(at, talk, "Agent [8].", "a", "b")
    before = (tuple(talk.session.registry), talk.session.registry.rounds)
    await talk.set_mode("chat")
    await talk.set_switch(on=True)
    at.model.says("Chat [1][8].", chunk=2)
    chat = await heard(talk.stream("c"))
    assert f"Chat [[1]]({address('c', 1)})[8]." in chat.text
    assert rows(chat.text) == [1]
    assert chat.text.endswith(
        f"\n\n---\n\n## References\n\n1. [c 1]({address('c', 1)}) - c.example\n"
    )
    assert chat.done.rounds == ()
    assert (tuple(talk.session.registry), talk.session.registry.rounds) == before
    await talk.set_mode("agent")
    answer = await searched(at, talk, "Agent [9], old [1].", "d")
    assert f"[[9]]({address('d', 1)}), old [[1]]({address('a', 1)})." in answer.text


@pytest.mark.requirement("P17")
async def test_a_command_resets_the_numbers(at: Bench, talk: Conversation) -> None:
    await searched(at, talk, "Found [1].", "a")
    await heard(talk.stream("/reset"))
    answer = await searched(at, talk, "Found [1].", "b")
    assert f"[[1]]({address('b', 1)})" in answer.text
    await searched(at, talk, "Found.", "a")
    assert at.queries == ["a", "b", "a"]


@pytest.mark.requirement("S0-7")
async def test_a_reloaded_conversation_goes_on(at: Bench, tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    async with Assistant(at.load, store=SqliteStore(path)) as assistant:
        talk = await assistant.open(mode="agent")
        await searched(at, talk, "First [1].", "a")
        session_id = talk.id
    async with Assistant(at.load, store=SqliteStore(path)) as assistant:
        talk = await assistant.open(session_id)
        answer = await searched(at, talk, "Old [2], new [4].", "b")
    roles = [message["role"] for message in at.model.requests[2].messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert numbers(at.told(2)[0]) == [1, 2, 3]
    assert at.model.requests[2].messages[4]["content"] == "First [1]."
    assert f"Old [[2]]({address('a', 2)}), new [[4]]({address('b', 1)})." in answer.text
    assert [round_.query for round_ in answer.done.rounds] == ["b"]
    assert answer.of(SearchDone)[0].round == 2


async def test_a_search_that_failed_is_made_again(at: Bench, talk: Conversation) -> None:
    at.replies["x"] = replies.status(500)
    await searched(at, talk, "No.", "x")
    at.replies["x"] = results("x", 3)
    asked = at.queries
    answer = await searched(at, talk, "Yes [1].", "x")
    assert len(at.queries) > len(asked)
    assert answer.done.cited == (1,)
