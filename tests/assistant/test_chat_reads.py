"""Chat mode that reads: pages of the results, opened side by side within one deadline."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.assistant.chatting import (
    Chatting,
    all_of,
    chatting,
    done,
    found,
    numbered,
    result,
    summaries,
    tasks,
    without_ids,
)
from tests.conftest import settings
from tests.extraction.raw_pdf import pdf
from tests.loopback import LoopbackServer, Reply, Request, Signal, faults, replies

from citeseek import Client
from citeseek.assistant.events import (
    Citation,
    ReadBroken,
    ReadDone,
    ReadStarted,
    SearchDone,
)
from citeseek.assistant.opened_pages import OpenedPages
from citeseek.assistant.page_reading import PageReading, nearest
from citeseek.citations import Source
from citeseek.concurrency.clock import Clock
from citeseek.conversations.conversation_record import Choices
from citeseek.locators import Locator
from citeseek.models import SearchItem
from citeseek.surfaces.page.turn_reducer import begin, of_turn, reduce
from citeseek.tools.budget import tokens
from citeseek.tools.web_fetch import FetchCall

QUESTION = "When does the tea house at the lake close?"
ANSWER = "The tea house at the lake closes at half past nine on Sundays."
FILLER = "Boats are lent beside the bridge, and the park has old trees of many kinds. " * 12


def page(*sentences: str, title: str = "A page") -> Reply:
    """Answer with an article of ``sentences``, the text about other things before them."""
    body = "".join(f"<p>{sentence}</p>" for sentence in (FILLER, *sentences, FILLER))
    return replies.html(
        f"<html><head><title>{title}</title></head><article>{body}</article></html>"
    )


def results(server: LoopbackServer, *paths: str) -> Reply:
    """Find the pages of ``server`` at ``paths``."""
    return found(*(result(n, url=server.url(path)) for n, path in enumerate(paths, 1)))


READING = {"web": {"fetch": {"allow": ["127.0.0.1"], "fetch_delay_seconds": 0}}}


@asynccontextmanager
async def reading(
    *answers: Reply | Callable[[Request], Reply],
    engines: dict[str, Any] | None = None,
    seconds: int = 60,
    **env: str,
) -> AsyncIterator[Chatting]:
    """Give a chat that reads, whose engine gives ``answers``."""
    config = {**READING, "engines": engines or {}, "chat": {"read": True, "read_seconds": seconds}}
    async with chatting(*answers, config=config, **env) as chat:
        yield chat


async def test_the_passages_nearest_to_the_question_stand_in_the_prompt(
    server: LoopbackServer,
) -> None:
    server.on("/open", page(ANSWER))
    server.on(
        "/other", page("The tea is grown in the hills.", "A cup costs three crowns at the lake.")
    )
    async with reading(results(server, "/open", "/other")) as chat:
        chat.model.says("At half past nine [1].")
        events = await chat.say(QUESTION)
        prompt = chat.asked.prompt
    assert numbered(prompt) == {1: server.url("/open"), 2: server.url("/other")}
    assert f"   Passages:\n   - {ANSWER}\n" in prompt
    assert "A cup costs three crowns at the lake." in prompt
    assert summaries(prompt) == []
    assert "Summary 1." not in prompt
    assert [event.source.number for event in all_of(events, ReadDone)] in ([1, 2], [2, 1])
    assert [source.was_read for source in done(events).sources] == [True, True]
    (cited,) = all_of(events, Citation)
    assert cited.source.was_read


async def test_a_wall_a_failure_and_a_slow_page_leave_the_summary(server: LoopbackServer) -> None:
    server.on("/open", page(ANSWER))
    server.on("/wall", replies.status(403, "Log in to go on."))
    server.on("/gone", replies.status(404))
    server.on("/broken", faults.reset())
    server.on("/slow", faults.hang())
    paths = ("/wall", "/open", "/gone", "/broken", "/slow")
    async with reading(results(server, *paths), seconds=2) as chat:
        # Kept from now on, so that it is there at once.
        await chat.assistant.clients.current().fetch(server.url("/open"))
        chat.model.says("At half past nine [2], they say [5].")
        before = tasks()
        events = await chat.say(QUESTION)
        assert tasks() == before
        prompt = chat.asked.prompt
        turn = (await chat.assistant.open(chat.id)).session.record.turns[0]
    assert summaries(prompt) == ["Summary 1.", "Summary 3.", "Summary 4.", "Summary 5."]
    assert ANSWER in prompt
    end = done(events)
    assert [source.was_read for source in end.sources] == [False, True, False, False, False]
    assert end.outcome == "answered"
    failures = {event.call: event.failure.type for event in all_of(events, ReadBroken)}
    assert failures.keys() == {1, 3, 4, 5}
    assert failures[5] == "Timeout"
    assert turn.sources == end.sources
    assert [read.number for read in turn.reads] == [0, 2, 0, 0, 0]
    assert [ANSWER in read.passages for read in turn.reads] == [False, True, False, False, False]


async def test_with_reading_off_nothing_is_opened_and_the_prompt_is_as_it_was(
    server: LoopbackServer,
) -> None:
    server.otherwise(page(ANSWER))
    prompts, systems = [], []
    for env in ({}, {"CITESEEK_CHAT_READ": "off"}):
        async with chatting(results(server, "/open"), config=READING, **env) as chat:
            chat.model.says("At half past nine [1].")
            events = await chat.say(QUESTION)
            prompts.append(without_ids(chat.asked.prompt))
            systems.append(without_ids(chat.asked.system))
        assert all_of(events, ReadStarted) == []
        assert [source.was_read for source in done(events).sources] == [False]
    assert server.requests == []
    assert prompts[0] == prompts[1]
    assert systems[0] == systems[1]
    assert summaries(prompts[0]) == ["Summary 1."]


async def test_pages_are_opened_side_by_side(server: LoopbackServer) -> None:
    """Each page comes when all have been asked for; one after the other none would come."""
    gate, asked = Signal(), []

    def answer(request: Request) -> Reply:
        asked.append(request.path)
        if len(asked) == 3:
            gate.set()
        return replies.held(page(ANSWER), gate)

    server.otherwise(answer)
    async with reading(results(server, "/1", "/2", "/3")) as chat:
        chat.model.says("At half past nine [1].")
        events = await chat.say(QUESTION)
    assert [source.was_read for source in done(events).sources] == [True] * 3


async def test_pages_are_opened_while_other_engines_are_still_out(server: LoopbackServer) -> None:
    """The second engine answers when a page of the first has been asked for."""
    gate = Signal()

    def answer(_: Request) -> Reply:
        gate.set()
        return page(ANSWER)

    server.on("/open", answer)
    with LoopbackServer() as other:
        other.on("/html/", replies.held(replies.html("<p>No results.</p>"), gate))
        async with reading(
            results(server, "/open"), engines={"ddg_html": {"base_url": other.base_url}}
        ) as chat:
            talk = await chat.assistant.open()
            await talk.choose(Choices(engines=("searxng", "ddg_html")))
            await talk.set_switch(on=True)
            chat.model.says("At half past nine [1].")
            events = [event async for event in talk.stream(QUESTION)]
    (search,) = all_of(events, SearchDone)
    assert [source.url for source in search.sources] == [server.url("/open")]
    assert done(events).sources[0].was_read


async def test_an_answer_that_is_stopped_leaves_no_page_under_way(server: LoopbackServer) -> None:
    server.otherwise(faults.hang())
    async with reading(results(server, "/1", "/2")) as chat:
        talk = await chat.assistant.open()
        await talk.set_switch(on=True)
        before = tasks()
        stream = talk.stream(QUESTION)
        async for event in stream:
            if isinstance(event, ReadStarted) and event.call == 2:
                break
        assert tasks() > before
        await stream.aclose()
        assert tasks() == before
        (turn,) = talk.session.record.turns
    assert turn.outcome == "stopped"
    assert [read.was_stopped for read in turn.reads] == [True, True]
    assert not any(source.was_read for source in turn.sources)


async def test_the_built_in_model_quotes_the_pages(server: LoopbackServer) -> None:
    server.on("/open", page(ANSWER))
    async with reading(results(server, "/open"), CITESEEK_MODEL="extractive") as chat:
        events = await chat.say(QUESTION)
    assert f"{ANSWER} [[1]]" in done(events).answer


async def test_the_receipt_counts_the_pages(server: LoopbackServer) -> None:
    server.otherwise(page(ANSWER))
    async with reading(results(server, "/1", "/2")) as chat:
        chat.model.says("At half past nine [1].")
        receipt = done(await chat.say(QUESTION)).egress
    assert receipt is not None
    assert {host.host: host.requests for host in receipt.hosts}[server.url("")[7:]] == 2


async def test_a_page_is_kept_for_the_check_and_for_the_next_answer(server: LoopbackServer) -> None:
    server.on("/open", page(ANSWER))
    async with reading(results(server, "/open")) as chat:
        chat.model.says(f"{ANSWER[:-1]} [1].")
        chat.model.says(f"{ANSWER[:-1]} [1].")
        end = done(await chat.say(QUESTION))
        talk = await chat.assistant.open(chat.id)
        check = await talk.check(end.turn_id)
        events = await chat.say(QUESTION)
    assert [each.verdict for each in check.checks] == ["supported"]
    assert [event.cached for event in all_of(events, ReadDone)] == [True]
    assert len(server.requests) == 1


async def test_what_a_reader_sees_at_the_end_is_what_was_kept(server: LoopbackServer) -> None:
    server.on("/open", page(ANSWER))
    server.on("/gone", replies.status(404))
    async with reading(results(server, "/gone", "/open")) as chat:
        chat.model.says("At half past nine [2].")
        events = await chat.say(QUESTION)
        kept = of_turn((await chat.assistant.open(chat.id)).session.record.turns[0])
    view = begin(events[0])  # type: ignore[arg-type]
    doing = []
    for event in events[1:]:
        view = reduce(view, event)
        doing.append(view.doing)
    assert doing.index("searching") < doing.index("reading") < doing.index("answering")
    assert view.searches == kept.searches
    assert view.sources == kept.sources
    assert view.reads == kept.reads


def test_the_passages_take_no_more_than_they_may() -> None:
    near = "\n".join(
        f"The tea house number {n} at the lake closes at {n} o'clock." for n in range(60)
    )
    far = "Nothing of it is said here, but of mountains. " * 50
    for limit in (50, 400, 2_000):
        quoted = nearest(QUESTION, [near, far, "短文。"], limit)
        assert len(quoted) == 3
        assert all(quoted)
        assert sum(tokens(passage.text) for page in quoted for passage in page) <= limit * 1.1
        assert all("\n" not in passage.text for page in quoted for passage in page)


def test_a_page_that_shares_no_word_with_the_question_gives_its_beginning() -> None:
    (quoted,) = nearest("茶馆几点关门？", [f"It closes at nine.\n\n{FILLER}"], 100)
    assert quoted[0].text.startswith("It closes at nine. Boats are lent")


async def test_no_more_pages_are_opened_than_are_worth_it(server: LoopbackServer) -> None:
    server.otherwise(page(ANSWER))
    items = [
        SearchItem(title="T", url=server.url(f"/{n}"), snippet="", provider="x", rank=n + 1)
        for n in range(30)
    ]
    async with Client(settings(READING)) as client, PageReading(client, 10, Clock()) as pages:
        pages.begin(items)
        opened = [url async for url, _ in pages.outcomes([items[0].url, items[29].url])]
    assert sorted(opened) == sorted([items[0].url, items[29].url])
    assert len(server.requests) <= 10


async def test_a_page_that_was_read_says_its_day_where_the_search_did_not(
    server: LoopbackServer,
) -> None:
    meta = '<meta property="article:published_time" content="2023-03-04T08:00:00Z">'
    for path, day in (("/one", "1811"), ("/two", "1843")):
        body = f"<p>{FILLER}</p><p>Orr Mill was built in {day} by John Kerr.</p><p>{FILLER}</p>"
        server.on(
            path,
            replies.html(
                f"<html><head><title>Orr Mill</title>{meta}</head><article>{body}</article></html>"
            ),
        )
    said = found(
        result(1, url=server.url("/one"), publishedDate="2021-05-04T00:00:00"),
        result(2, url=server.url("/two")),
    )
    async with reading(said, CITESEEK_MODEL="extractive") as chat:
        end = done(await chat.say("When was Orr Mill built?"))
    assert [one.published_at for one in end.voices] == [("2021-05-04",), ("2023-03-04",)]
    assert [source.published_at[:10] for source in end.sources] == ["2021-05-04", "2023-03-04"]


def document(*pages: str) -> Reply:
    """Answer with a PDF of one line on each page."""
    return Reply(200, {"Content-Type": "application/pdf"}, pdf(*pages))


async def test_an_answer_cites_the_page_of_a_document(server: LoopbackServer) -> None:
    server.on("/paper", document("Boats are lent beside the bridge.", ANSWER))
    async with reading(results(server, "/paper")) as chat:
        chat.model.says("At the lake the tea house closes at half past nine on Sundays [1].")
        end = done(await chat.say(QUESTION))
        assert f"(p. 2) {ANSWER}" in chat.asked.prompt
        turn = (await chat.assistant.open(chat.id)).session.record.turns[0]
    assert [source.pages for source in end.sources] == [(Locator("page", 2),)]
    assert turn.sources == end.sources
    assert end.text.splitlines()[-1].endswith(" - 127.0.0.1, p. 2")


async def test_an_agent_cites_the_page_of_a_document(server: LoopbackServer) -> None:
    server.on("/paper", document(ANSWER, "Boats are lent beside the bridge."))
    page_text = await Client(settings(READING)).fetch(server.url("/paper"), form="markdown")
    opened = OpenedPages()
    opened.begin(1, page_text.url)
    source = Source(3, "Paper", page_text.url, page_text.domain)
    opened.end(FetchCall(number=1, url=page_text.url, text="", source=source, response=page_text))
    cited = opened.cited_pages("Boats are lent there [3]. The tea house closes early [3][4].")
    assert cited == {3: (Locator("page", 1), Locator("page", 2))}
