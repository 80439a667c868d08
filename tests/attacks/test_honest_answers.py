"""Answers that nobody attacks are the same with a budget as without one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackProxy, LoopbackServer, Reply, Request, replies

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import Done, Notice
from citeseek.conversations.sqlite_store import MemoryStore

# Many answers one after the other, on a machine that others use as well.
pytestmark = pytest.mark.timeout(600)
# As many answers in each mode, so many times over: five hundred and ten.
CHAT, AGENT, TIMES = 30, 4, 15
SITES = 60
BOUNDLESS = {
    "CITESEEK_ANSWER_HOSTS": "any",
    "CITESEEK_ANSWER_REQUESTS": "0",
    "CITESEEK_ANSWER_BYTES": "0",
}


def find(request: Request) -> Reply:
    """Be a SearXNG that finds five sites for the number in a question."""
    number = int((request.param("q") or "0").split()[-1].rstrip("?"))
    places = [(number * 7 + step * 11) % SITES for step in range(5)]
    found = [
        {
            "url": f"http://{'www.' if place % 3 else ''}site{place}.example/tea",
            "title": f"Tea of site {place}",
            "content": f"The tea of site {place} opens at {place % 12} and costs {place} coins.",
        }
        for place in places
    ]
    return replies.as_json({"results": found})


def serve(request: Request) -> Reply:
    """Be all the sites: some redirect to another host, some to another page of theirs."""
    host = request.headers.get("host", "")
    place = int("".join(filter(str.isdigit, host)) or 0)
    if request.path == "/tea" and place % 5 == 1:
        return Reply(301, {"Location": f"http://moved{place}.example/tea/house"})
    if request.path == "/tea" and place % 5 == 2:
        return replies.html(f"<meta http-equiv=refresh content='0;url=http://{host}/tea/house'>")
    text = f"The tea house of site {place} opens at {place % 12} and closes late. " * 3
    return replies.html(
        f"<html><head><title>House {place}</title></head><body><article><p>{text}</p></article>"
    )


@contextmanager
def the_web() -> Iterator[dict[str, str]]:
    with LoopbackServer() as engine, LoopbackServer() as sites:
        engine.on("/search", find)
        sites.otherwise(serve)
        with LoopbackProxy(upstream=(sites.host, sites.port)) as proxy:
            hosts = [f"{name}{n}.example" for n in range(SITES) for name in ("site", "moved")]
            yield {
                "SEARXNG_BASE_URL": engine.base_url,
                "WEB_FETCH_PROXY": proxy.url,
                "WEB_FETCH_ALLOW": ",".join((*hosts, *(f"www.{host}" for host in hosts))),
                "WEB_FETCH_DELAY_SECONDS": "0",
                "WEB_FETCH_TIMEOUT_MS": "60000",
                "CITESEEK_CHAT_READ": "on",
                "CITESEEK_CHAT_READ_TIMEOUT": "60",
                "CITESEEK_CHAT_TIMEOUT": "60",
            }


async def answers(
    env: dict[str, str], chat: int, agent: int, first: int
) -> list[tuple[object, ...]]:
    """Return what people are given, question by question, from the number ``first`` on."""
    loaded = settings(env=env)
    told: list[tuple[object, ...]] = []
    async with Assistant(lambda: loaded, store=MemoryStore()) as assistant:
        for number in range(chat + agent):
            talk = await assistant.open(mode="chat" if number < chat else "agent")
            if number < chat:
                await talk.set_switch(on=True)
            events = [
                event async for event in talk.stream(f"when does the tea open {first + number}?")
            ]
            done = events[-1]
            assert isinstance(done, Done)
            assert done.egress is not None
            assert done.egress.over_budget == ()
            (turn,) = talk.session.record.turns
            reads = [(read.url, read.number, read.failure) for read in turn.reads]
            notices = [event.code for event in events if isinstance(event, Notice)]
            told.append(
                (done.outcome, done.text, [one.url for one in done.sources], reads, notices)
            )
    return told


async def same(chat: int, agent: int, first: int = 0) -> None:
    with the_web() as env:
        without = await answers({**env, **BOUNDLESS}, chat, agent, first)
        within = await answers(env, chat, agent, first)
    assert within == without
    assert len(within) == chat + agent
    assert all(outcome == "answered" for outcome, *_ in within)
    assert sum(len(reads) for *_, reads, _ in within) >= chat


async def test_some_honest_answers_are_the_same_within_a_budget() -> None:
    await same(4, 1)


@pytest.mark.release
@pytest.mark.parametrize("first", [(CHAT + AGENT) * time for time in range(TIMES)])
async def test_five_hundred_honest_answers_are_the_same_within_a_budget(first: int) -> None:
    await same(CHAT, AGENT, first)
