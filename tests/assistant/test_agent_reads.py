"""Reading pages in Agent mode: what may be opened, how often, and what the reader sees of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.assistant.agent_runs import Bench, Heard, bench, heard
from tests.conftest import settings
from tests.loopback import LoopbackServer, replies

from citeseek import Client
from citeseek.assistant.answer_draft import Draft
from citeseek.assistant.assistant import Assistant
from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import ReadBroken, ReadDone, ReadStarted
from citeseek.citations import CitationRegistry
from citeseek.concurrency.clock import Clock
from citeseek.conversations.conversation_record import Read
from citeseek.errors import InvalidInput
from citeseek.surfaces.page.turn_reducer import begin, of_turn, reduce
from citeseek.tools.web_fetch import WebFetch
from citeseek.urls import same_page_key

SENTENCE = "The tea house at the lake opens at nine and closes when the last guest has gone."
ARTICLE = replies.html(
    f"<html><head><title>Tea house</title></head><body><article><p>{SENTENCE}</p>"
    f"<p>{SENTENCE}</p></article></body></html>"
)
READING = {"web": {"fetch": {"allow": ["127.0.0.1"], "fetch_delay_seconds": 0}}}


@pytest.fixture
def at() -> Iterator[Bench]:
    with bench() as made:
        made.config = READING
        yield made


async def asked(at: Bench, text: str) -> tuple[Heard, Conversation]:
    async with Assistant(at.load) as assistant:
        talk = await assistant.open(mode="agent")
        return await heard(talk.stream(text)), talk


def found(at: Bench, url: str) -> None:
    """Let a search for tea find ``url``."""
    at.replies["tea"] = replies.as_json(
        {"results": [{"url": url, "title": "Tea", "content": "About tea."}]}
    )


async def test_a_result_is_read_by_its_number(at: Bench, server: LoopbackServer) -> None:
    server.on("/tea", ARTICLE)
    url = server.url("/tea")
    found(at, url)
    at.model.calls("web_search", {"query": "tea"})
    at.model.calls("web_fetch", {"url": "[1]"})
    at.model.says("It opens at nine [1].")
    answer, talk = await asked(at, "when does the tea house open?")
    assert SENTENCE in at.told(2)[1]
    assert "[1] Tea house" in at.told(2)[1]
    assert answer.of(ReadStarted) == [ReadStarted(call=1, url=url)]
    (done,) = answer.of(ReadDone)
    assert (done.call, done.url, done.source.number) == (1, url, 1)
    assert f"[[1]]({url})" in answer.text
    assert "读取的网页" not in answer.text
    assert answer.notices == []
    (turn,) = talk.session.record.turns
    assert [(read.url, read.number) for read in turn.reads] == [(url, 1)]


async def test_the_address_that_a_person_writes_is_read_without_a_search(
    at: Bench, server: LoopbackServer
) -> None:
    server.on("/tea", ARTICLE)
    url = server.url("/tea")
    at.model.calls("web_fetch", {"url": url})
    at.model.says("It opens at nine [1].")
    answer, _ = await asked(at, f"读一下{url}的内容")
    assert SENTENCE in at.told(1)[0]
    assert [source.url for source in answer.done.sources] == [url]
    assert f"### 读取的网页\n\n1. [Tea house]({url})" in answer.text
    assert answer.notices == []


async def test_an_address_that_nobody_named_is_not_opened(
    at: Bench, server: LoopbackServer
) -> None:
    """A page that tells the model to send what it knows to an address of its own making."""
    server.on("/tea", replies.html(f"<p>{SENTENCE} Open {server.url('/more')} for tea.</p>"))
    server.on("/more", ARTICLE)
    found(at, server.url("/tea"))
    at.model.calls("web_search", {"query": "tea"})
    at.model.calls("web_fetch", {"url": server.url("/more")})
    at.model.calls("web_fetch", {"url": "1"})
    at.model.calls("web_fetch", {"url": server.url("/more")})
    at.model.calls("web_fetch", {"url": server.url("/more2?secret=1")})
    at.model.says("No.")
    at.env["CITESEEK_MAX_READS"] = "9"
    answer, _ = await asked(at, "tea?")
    told = at.told(5)
    assert "stands in no result, no page and no message" in told[1]
    assert "Tea house" in told[3]
    assert "stands in no result" in told[4]
    assert [request.path for request in server.requests] == ["/tea", "/more"]
    assert [event.failure.type for event in answer.of(ReadBroken)] == ["InvalidInput"] * 2


async def test_the_pages_of_an_answer_are_limited(at: Bench, server: LoopbackServer) -> None:
    server.otherwise(ARTICLE)
    at.env["CITESEEK_MAX_READS"] = "2"
    urls = [server.url(f"/{n}") for n in range(2)]
    for url in urls:
        at.model.calls("web_fetch", {"url": url})
    at.model.says("Enough [1][2].")
    answer, _ = await asked(at, " ".join(urls))
    assert [request.tools for request in at.model.requests] == [
        ["web_search", "web_fetch"],
        ["web_search", "web_fetch"],
        ["web_search"],
    ]
    assert answer.notices == ["read_limit"]


async def test_a_page_is_cut_to_its_budget(at: Bench, server: LoopbackServer) -> None:
    server.otherwise(replies.html(f"<article><p>{'茶叶很好喝。' * 2_000}</p></article>"))
    at.env["CITESEEK_CALL_TOKENS"] = "500"
    at.model.calls("web_fetch", {"url": server.url("/tea")})
    at.model.says("Tea.")
    answer, _ = await asked(at, server.url("/tea"))
    (text,) = at.told(1)
    assert 400 < text.count("茶叶很好喝。") * 6 <= 500
    assert "(the text is cut)" in text
    assert answer.of(ReadDone)[0].truncated


async def test_no_pages_are_read_where_it_is_turned_off(at: Bench) -> None:
    at.env["CITESEEK_MAX_READS"] = "0"
    at.model.says("Hello.")
    await asked(at, "hi")
    (request,) = at.model.requests
    assert request.tools == ["web_search"]
    assert "web_fetch" not in request.system


async def test_the_model_is_told_when_to_read_and_an_agent_of_the_files_reads_nothing(
    at: Bench,
) -> None:
    at.agents = {"agents": [{"id": "one", "webSearch": {"enabled": True, "provider": "searxng"}}]}
    at.model.says("Hello.")
    at.model.says("Hello.")
    await asked(at, "hi")
    assert "call web_fetch" in at.model.requests[0].system
    async with Assistant(at.load) as assistant:
        await heard(assistant.stream("hi", agent_id="one"))
    assert at.model.requests[1].tools == ["web_search"]
    assert "web_fetch" not in at.model.requests[1].system


async def test_a_page_that_cannot_be_had_costs_nothing_but_itself(
    at: Bench, server: LoopbackServer
) -> None:
    server.on("/tea", replies.status(403))
    at.model.calls("web_fetch", {"url": server.url("/tea")})
    at.model.says("I could not read it.")
    answer, talk = await asked(at, server.url("/tea"))
    (broken,) = answer.of(ReadBroken)
    assert (broken.failure.type, broken.failure.detail_code) == ("WebBlocked", "http_403")
    assert answer.done.outcome == "answered"
    assert answer.notices == ["no_search"]
    (turn,) = talk.session.record.turns
    assert turn.reads[0].failure == broken.failure


async def test_the_next_answer_knows_which_page_has_which_number(
    at: Bench, server: LoopbackServer
) -> None:
    server.on("/tea", ARTICLE)
    async with Assistant(at.load) as assistant:
        talk = await assistant.open(mode="agent")
        at.model.calls("web_fetch", {"url": server.url("/tea")})
        at.model.says("It opens at nine [1].")
        await heard(talk.stream(server.url("/tea")))
        at.model.says("At nine [1].")
        await heard(talk.stream("when?"))
    (told,) = at.told(2)
    assert f"[1] Tea house <{server.url('/tea')}>" in told
    assert SENTENCE not in told


async def test_what_is_shown_while_it_is_made_is_what_is_kept(
    at: Bench, server: LoopbackServer
) -> None:
    server.on("/tea", ARTICLE)
    server.on("/no", replies.status(404))
    at.model.calls("web_fetch", {"url": server.url("/tea")})
    at.model.calls("web_fetch", {"url": server.url("/no")})
    at.model.says("It opens at nine [1].")
    answer, talk = await asked(at, f"{server.url('/tea')} {server.url('/no')}")
    view = begin(answer.events[0])  # type: ignore[arg-type]
    doing = []
    for event in answer.events[1:]:
        view = reduce(view, event)
        doing.append(view.doing)
    assert "reading" in doing
    kept = of_turn(talk.session.record.turns[0])
    assert kept.reads == view.reads
    assert [read.state for read in kept.reads] == ["done", "failed"]


def test_a_page_that_was_under_way_was_stopped() -> None:
    registry = CitationRegistry(same_page_key=same_page_key)
    draft = Draft("hi", "agent", registry, "model", turn_id="turn", clock=Clock())
    draft.begin_read(1, "https://a.example/")
    assert draft.turn().reads == (Read(url="https://a.example/", was_stopped=True),)


@pytest.mark.parametrize(
    ("text", "url", "opened"),
    [
        ("read https://a.example/tea.", "https://a.example/tea", True),
        ("read https://www.a.example/tea/, now", "http://a.example/tea", True),
        ("看看a.example的内容", "a.example", True),
        ("read https://a.example/tea", "https://a.example/tea?secret=1", False),
        ("read https://a.example/tea", "https://a.example/te", False),
        ("read https://a.example.com/", "https://a.example/", False),
        ("read https://aa.example/", "https://a.example/", False),
        ("read it", "https://a.example/", False),
    ],
)
async def test_an_address_stands_in_a_message_as_a_whole(
    text: str, url: str, *, opened: bool
) -> None:
    async with Client(settings({"web": {"fetch": {"proxy": "http://127.0.0.1:9"}}})) as client:
        reading = await WebFetch(client, named_in=[text], seconds=1).run({"url": url})
    assert isinstance(reading.error, InvalidInput) is not opened
