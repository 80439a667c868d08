"""What a turn shows: live at its end and from the store alike, and nothing that it should not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from tests.assistant.agent_runs import results
from tests.conftest import settings
from tests.loopback import Reply, Signal, faults
from tests.loopback.models import Thought
from tests.page.page_talk import Talk, html, live, rendering, talking

from citeseek.assistant import notices
from citeseek.assistant.events import Done, SearchStarted, Started
from citeseek.citations import CitationRegistry, Source, references
from citeseek.conversations.notice import Said
from citeseek.conversations.switches import Mode
from citeseek.errors import (
    AuthError,
    BadGateway,
    CiteseekError,
    InvalidInput,
    NetworkError,
    Timeout,
    WebBlocked,
    WebParseError,
)
from citeseek.i18n import catalogue
from citeseek.language_model.model_failures import failure
from citeseek.models import Failure
from citeseek.searching.engine_choice import alternatives
from citeseek.searching.engine_registry import Registry
from citeseek.surfaces.page.panel import labels
from citeseek.surfaces.page.turn_reducer import begin, break_off, of_turn, reduce
from citeseek.surfaces.page.views import SearchView, TurnView
from citeseek.surfaces.page.wording import Wording

BODY = "upstream-body-7f3a"
ROW = re.compile(
    r'<li class="source" value="(\d+)".*?>\1\.</span> '
    r'<a class="title" href="([^"]+)"[^>]*>([^<]*)</a>'
    r'( <span class="uncited">（未引用）</span>)?</p>.*?<summary>'
    r'<span class="url" dir="ltr"><span class="scheme">([^<]*)</span>'
    r'<span class="domain">([^<]*)</span>([^<]*)</span>',
    re.DOTALL,
)
CHIP = re.compile(r'<a class="chip" data-number="(\d+)"[^>]* href="([^"]+)"')


def rows_of(shown: str) -> list[tuple[str, str, str, str, bool]]:
    """Return number, address, title, domain and whether it is marked as uncited, of each row."""
    rows = []
    for number, href, title, uncited, *address in ROW.findall(shown):
        assert "".join(address) == href
        rows.append((number, href, title, address[1], bool(uncited)))
    return rows


def part(whole: str, name: str) -> str:
    """Return the inside of a part of a turn."""
    after = whole.split(f'<div data-part="{name}"', 1)[1].split(">", 1)[1]
    return after.split("</div>\n<div data-part=", 1)[0]


def without_times(view: TurnView) -> TurnView:
    """Leave out what the store does not keep: how long a search took."""
    return replace(view, searches=tuple(replace(each, took_ms=0) for each in view.searches))


async def both(talk: Talk, message: str) -> TurnView:
    """Ask, and see that the live view and the one from the store show the same."""
    answer = await talk.say(message)
    view, kept = live(answer), of_turn(await talk.kept())
    assert without_times(view) == without_times(kept)
    assert html(without_times(view)) == html(without_times(kept))
    return view


async def plain(talk: Talk) -> None:
    talk.model.says("Tea [1] is a **plant** [2].\n\n- one [1]\n- two\n", chunk=3)


async def uncited(talk: Talk) -> None:
    talk.model.says("Tea is a plant.", chunk=2)


async def unsearchable(talk: Talk) -> None:
    talk.at.engine.on("/search", Reply(500, {}, BODY))
    talk.model.says("Without [1].")


async def broken_model(talk: Talk) -> None:
    talk.model.fails(500, BODY, always=True)


async def switched_off(talk: Talk) -> None:
    await talk.hub.change(talk.id, search=False)
    talk.model.says("From what I know [1].")


async def rounds(talk: Talk) -> None:
    talk.model.calls("web_search", {"query": "tea"}, text="I look for tea [1].")
    talk.model.calls("web_search", {"query": "coffee"}, {"query": "tea"}, {"query": "nothing"})
    talk.at.replies["nothing"] = results("nothing", 0)
    talk.model.says("Tea [1] and coffee [5].", chunk=4)


async def no_rounds(talk: Talk) -> None:
    talk.model.says("I know that.")


async def broken_round(talk: Talk) -> None:
    talk.at.replies["tea"] = Reply(500, {}, BODY)
    talk.model.calls("web_search", {"query": "tea"})
    talk.model.says("No luck.")


@pytest.mark.parametrize(
    ("mode", "script"),
    [
        ("chat", plain),
        ("chat", uncited),
        ("chat", unsearchable),
        ("chat", broken_model),
        ("chat", switched_off),
        ("agent", rounds),
        ("agent", no_rounds),
        ("agent", broken_round),
    ],
)
async def test_an_answer_looks_the_same_live_and_after_a_reload(
    mode: str, script: Callable[[Talk], Any]
) -> None:
    async with talking(mode) as talk:
        await script(talk)
        view = await both(talk, "what is tea?")
        assert view.is_over
        assert BODY not in html(view)
        assert "Traceback" not in html(view)


async def test_a_stopped_answer_looks_the_same_live_and_after_a_reload() -> None:
    async with talking() as talk:
        more = Signal()
        talk.model.says("Tea [1] is", more, " never said")
        answer = await talk.ask("tea")
        async for _, event in answer.follow():
            if getattr(event, "text", "").endswith(" is"):
                answer.stop()
        view, kept = live(answer), of_turn(await talk.kept())
        assert without_times(view) == without_times(kept)
        assert view.outcome == "stopped"
        assert "回答已停止" in part(html(view), "ending")
        assert "参考文献" in part(html(view), "references")
        more.set()


@pytest.mark.requirement("S1-30")
async def test_a_search_is_seen_while_it_runs_and_afterwards_with_its_results() -> None:
    view = begin(Started(turn_id="t", message="q", mode="chat"))
    assert "正在思考" in part(html(view), "progress")
    running = reduce(view, SearchStarted(call=1, query="q <1>"))
    shown = html(running)
    assert 'data-state="running"' in shown
    assert "正在搜索：q &lt;1&gt;" in part(shown, "progress")
    assert "正在搜索…" in part(shown, "searches")
    async with talking() as talk:
        await plain(talk)
        over = html(await both(talk, "tea"))
    assert 'data-state="done"' in over
    assert "找到 3 条结果" in part(over, "searches")
    assert "SearXNG · " in part(over, "searches")
    assert "https://tea.example/1" in part(over, "searches")
    assert part(over, "progress") == ""


async def test_a_search_that_is_out_when_the_answer_ends_is_closed() -> None:
    view = begin(Started(turn_id="t", message="q", mode="chat"))
    view = reduce(view, SearchStarted(call=1, query="q"))
    for over in (
        reduce(view, Done(text="", outcome="stopped")),
        break_off(view, CiteseekError("Broken.", hint="Again.")),
    ):
        assert 'data-state="failed"' in html(over)
        assert "已停止" in part(html(over), "searches")
        assert 'data-state="running"' not in html(over)
    assert "Broken." in part(html(over), "notices")
    assert "Again." in part(html(over), "notices")


async def test_remarks_on_the_way_are_shown_until_the_answer_is_there() -> None:
    async with talking("agent") as talk:
        await rounds(talk)
        answer = await talk.say("compare")
    view = begin(answer.events[0])  # type: ignore[arg-type]
    views = [view]
    views += [view := reduce(view, event) for event in answer.events[1:]]
    on_the_way = [view for view in views if view.asides and view.doing != "answering"]
    assert on_the_way
    assert all("I look for tea" in part(html(view), "asides") for view in on_the_way)
    assert all("I look for tea" not in part(html(view), "answer") for view in on_the_way)
    assert "I look for tea" not in html(views[-1])


@pytest.mark.requirement("S1-46", "S1-47", "S1-48", "S1-49", "S1-52")
async def test_the_sources_are_shown_below_the_answer() -> None:
    async with talking() as talk:
        await plain(talk)
        view = await both(talk, "tea")
    chips = CHIP.findall(part(html(view), "sources"))
    assert chips == [(n, f"https://tea.example/{n}") for n in ("1", "2", "3")]
    listed = part(html(view), "references")
    cited, _, more = listed.partition('<details class="more-sources">')
    assert [row[0] for row in rows_of(cited)] == ["1", "2"]
    assert [row[0] for row in rows_of(more)] == ["3"]
    assert "另有 1 条结果未引用" in more
    for number, href, title, domain, _ in rows_of(listed):
        assert (href, title) == (f"https://tea.example/{number}", f"tea {number}")
        assert domain == "tea.example"
        assert f'<p class="snippet" dir="auto">Leaf {number} of tea.</p>' in listed
    marks = re.findall(r'href="([^"]+)" data-number="(\d)"', part(html(view), "answer"))
    assert marks == [(f"https://tea.example/{n}", n) for n in ("1", "2", "1")]


@pytest.mark.parametrize("script", [switched_off, unsearchable, broken_model])
@pytest.mark.requirement("S1-50")
async def test_without_results_there_is_no_source_block(
    script: Callable[[Talk], Any],
) -> None:
    async with talking(search=script is not broken_model) as talk:
        await script(talk)
        shown = html(await both(talk, "tea"))
    assert part(shown, "sources") == ""
    assert part(shown, "references") == ""


def test_a_title_in_which_nothing_is_seen_gives_way_to_the_host_or_the_address() -> None:
    unseen = "\u2060\u3164\u200e"
    sources = (
        Source(1, unseen, "https://a.example/1", "a.example"),
        Source(2, "", "https://b.example/2", unseen),
    )
    search = SearchView(call=1, query="tea", state="done", sources=sources)
    view = TurnView(
        id="t", mode="chat", question="?", outcome="answered", searches=(search,),
        answer="Tea.", sources=sources, cited=(1, 2),
    )  # fmt: skip
    shown = html(view)
    titles = re.findall(r'<a class="title"[^>]*>([^<]*)</a>', shown)
    assert titles == ["a.example", "https://b.example/2"] * 2
    assert re.findall('class="site"[^>]*>([^<]*)<', shown) == ["a.example", "https://b.example/2"]
    assert references("[1] [2]", CitationRegistry.of(sources)).count("[a.example](") == 1


def test_pages_of_one_machine_without_a_name_are_told_apart_by_their_titles() -> None:
    sources = (
        Source(1, "Green tea", "http://127.0.0.1:80/1", "127.0.0.1"),
        Source(2, "Black tea", "http://[::1]/2", "[::1]"),
        Source(3, "Tea", "https://a.example/3", "a.example"),
    )
    view = TurnView(
        id="t", mode="chat", question="?", outcome="answered", answer="Tea.", sources=sources
    )
    shown = re.findall('class="site"[^>]*>([^<]*)<', html(view))
    assert shown == ["Green tea", "Black tea", "a.example"]


@pytest.mark.requirement("S1-128", "S1-129", "S1-130")
async def test_the_references_list_each_cited_source_once() -> None:
    async with talking() as talk:
        talk.model.says("Three [3], one [1], three [3] and [7].")
        shown = part(html(await both(talk, "tea")), "references")
    assert "<h3>参考文献</h3>" in shown
    cited = shown.partition('<details class="more-sources">')[0]
    assert rows_of(cited) == [
        (n, f"https://tea.example/{n}", f"tea {n}", "tea.example", False) for n in ("1", "3")
    ]
    assert re.findall(r'class="support">([^<]*)<', shown) == ["引用于 1 句", "引用于 2 句"]


@pytest.mark.requirement("S1-131", "S1-132")
async def test_without_marks_no_references_but_the_sources() -> None:
    async with talking() as talk:
        await uncited(talk)
        shown = html(await both(talk, "tea"))
    assert "参考文献" not in shown
    listed = part(shown, "references")
    assert "<h3>来源（3）</h3>" in listed
    assert [row[0] for row in rows_of(listed)] == ["1", "2", "3"]
    assert "more-sources" not in listed


@pytest.mark.requirement("S1-179", "S1-180", "S1-181")
async def test_an_agents_answer_has_one_list_by_rounds() -> None:
    async with talking("agent") as talk:
        await rounds(talk)
        view = await both(talk, "compare")
        kept = await talk.kept()
    shown = html(view)
    assert shown.count("<h3>参考文献</h3>") == 1
    listed = part(shown, "references")
    # Two are asked at one time, and are numbered as they end.
    headings = [each.split("：") for each in re.findall("<h4[^>]*>(.*?)</h4>", listed)]
    assert [number for number, _ in headings] == ["第 1 轮搜索", "第 2 轮搜索", "第 3 轮搜索"]
    assert sorted(query for _, query in headings) == ["coffee", "nothing", "tea"]
    assert "（没有结果）" in listed
    rows = [(row[0], row[4]) for row in rows_of(listed)]
    assert rows == [(str(n), n not in (1, 5)) for n in range(1, 7)]
    # The same rows as in the Markdown that programs get.
    written = re.findall(r"^(\d+)\. .*?( \(not cited\))?$", kept.references, re.MULTILINE)
    assert rows == [(number, bool(mark)) for number, mark in written]
    assert [number for number, _ in CHIP.findall(part(shown, "sources"))] == list("123456")
    assert re.findall('class="round">(.*?)<', part(shown, "searches")) == [
        "第 1 轮",
        "第 2 轮",
        "第 3 轮",
    ]
    assert "缓存" in part(shown, "searches")


async def test_what_an_earlier_answer_found_is_listed_when_it_is_cited_again() -> None:
    async with talking("agent") as talk:
        await rounds(talk)
        await talk.say("compare")
        talk.model.calls("web_search", {"query": "tea"})
        talk.model.calls("web_search", {"query": "milk"})
        talk.model.says("Coffee [5], milk [7].")
        view = await both(talk, "and milk?")
    listed = part(html(view), "references")
    assert re.findall("<h4[^>]*>(.*?)</h4>", listed) == ["第 1 轮搜索：milk", "此前的搜索"]
    cited, _, more = listed.partition('<details class="more-sources">')
    assert [row[0] for row in rows_of(cited)] == ["7", "8", "9", "5"]
    # What was found again is no new round, and was shown to the model all the same.
    assert [row[0] for row in rows_of(more)] == ["1", "2", "3"]


@pytest.mark.requirement("S1-20", "S1-23", "S1-73")
async def test_a_failed_search_is_told_without_the_upstreams_words() -> None:
    async with talking(CITESEEK_CHAT_TIMEOUT="0.2") as talk:
        talk.at.engine.on("/search", faults.hang())
        talk.model.says("Without.")
        shown = html(await both(talk, "tea"))
        assert "搜索超时（0.2 秒）" in part(shown, "notices")
        assert "docker compose up -d" in part(shown, "notices")
        assert "搜索超时" in part(shown, "searches")
    async with talking("agent") as talk:
        await broken_round(talk)
        shown = html(await both(talk, "tea"))
        assert "搜索服务不可用" in part(shown, "searches")
        assert BODY not in shown


@pytest.mark.parametrize(
    ("error", "says", "hint"),
    [
        (
            Timeout("x", engine="searxng"),
            "timed out after 5 s: SearXNG gave no",
            "turn web search off",
        ),
        (Timeout("x", engine="bing_html"), "timed out after 5 s: Bing gave", "turn web search off"),
        (
            NetworkError("x", engine="searxng"),
            "no network connection to SearXNG",
            "Check the network",
        ),
        (AuthError("x", engine="searxng"), "SearXNG did not accept", "formats: [html, json]"),
        (AuthError("x", engine="brave"), "Brave Search API did not accept", "Set the key"),
        (WebParseError("x", engine="searxng"), "SearXNG did not accept", "formats: [html, json]"),
        (WebBlocked("x", engine="searxng"), "SearXNG refused", "limiter: false"),
        # Their buttons say it.
        (WebBlocked("x"), "unavailable: the engine refused", ""),
        (BadGateway("x", engine="searxng"), "SearXNG failed", ""),
        (WebParseError("x", engine="mojeek"), "Mojeek failed", ""),
        (InvalidInput("Empty.", hint="Write."), "as a search query: Empty. Answered", "Write."),
    ],
)
def test_an_english_page_says_in_english_what_failed(
    error: CiteseekError, says: str, hint: str
) -> None:
    notice = notices.search_failed(error, seconds=5)
    say = rendering("en").say
    assert says in say.notice(notice)
    assert hint in say.hint(notice)
    assert not re.search("[\u4e00-\u9fff]", say.notice(notice) + say.hint(notice))
    chinese = rendering("zh").say
    told = notice.sentence(catalogue("zh"), labels(Registry(), settings()))
    assert chinese.notice(notice) == told
    assert chinese.hint(notice) in notice.hint
    # The steps that start one stand behind a button; no hint is longer than a line.
    assert "\n" not in chinese.hint(notice)
    steps = dict(say.commands(notice))
    if error.engine == "searxng":
        assert steps["notice.deployment.start"] == "docker compose up -d"
        verify = "curl 'http://localhost:8080/search?q=test&format=json'"
        assert steps["notice.deployment.verify"] == verify
    else:
        assert steps["notice.command.engines"] == "citeseek doctor engines"
        asks = f"citeseek search test --engine {error.engine}"
        assert steps.get("notice.command.search", "") == (asks if error.engine else "")
    # Kept by a version that did not say what it names, it still reads well.
    older = say.notice(replace(notice, values={}))
    assert older
    assert not re.search("[{}]", older)


@pytest.mark.parametrize(
    ("error", "env", "offered"),
    [
        (WebBlocked("x", engine="ddg_html"), {}, "bing_html"),
        (Timeout("x", engine="mojeek"), {}, "ddg_html"),
        # Under another of its names it is the same engine.
        (Timeout("x", engine="duckduckgo"), {}, "bing_html"),
        (AuthError("x", engine="brave"), {}, "ddg_html"),
        (AuthError("x", engine="tavily"), {"BRAVE_API_KEY": "k"}, "brave"),
        (NetworkError("x", engine="searxng"), {}, "ddg_html"),
        (WebBlocked("x", engine="bing_html"), {"SEARXNG_BASE_URL": "http://[::1]:1"}, "searxng"),
    ],
)
def test_another_engine_is_offered_in_place_of_any_that_failed(
    error: CiteseekError, env: dict[str, str], offered: str
) -> None:
    loaded, registry = settings(env=env), Registry()
    others = alternatives(registry, loaded)
    say = Wording(catalogue("en"), labels(registry, loaded), others)
    notice = notices.search_failed(error, seconds=5).kept
    assert say.is_failed_search(notice)
    assert list(say.other_engines(notice)) == [offered]
    # Those that were tried before are none to go to, and where all failed none is offered.
    error.earlier = tuple(WebBlocked("x", engine=one) for one in others)
    assert list(say.other_engines(notices.search_failed(error, seconds=5).kept)) == []


def test_where_a_second_engine_failed_all_that_are_left_are_offered_at_once() -> None:
    loaded, registry = settings(), Registry()
    others = alternatives(registry, loaded)
    say = Wording(catalogue("zh"), labels(registry, loaded), others)
    error = NetworkError("x", engine="duckduckgo")
    second = notices.search_failed(error, seconds=5, lately=["searxng", "duckduckgo"]).kept
    left = ["bing_html", "mojeek", "brave_html", "startpage"]
    assert say.other_engines(second) == left
    assert say.engines(left[:2]) == "Bing、Mojeek"
    last = notices.search_failed(error, seconds=5, lately=["searxng", *reversed(left)]).kept
    assert say.other_engines(last) == []
    # In an order that does not change from one time to the next.
    assert say.all_failed(last) == (
        "搜索服务不可用：这里可用的搜索引擎都没有响应"
        "（DuckDuckGo、Bing、Mojeek、Brave's pages、Startpage、SearXNG）。本次回答未使用搜索结果。"
    )


@pytest.mark.parametrize(
    ("mode", "model", "can_do_without"),
    [("chat", "openai:x", True), ("chat", "extractive", False), ("agent", "openai:x", False)],
)
def test_where_all_failed_what_helps_is_offered(
    mode: Mode, model: str, *, can_do_without: bool
) -> None:
    every = alternatives(Registry(), settings())
    error = NetworkError("x", engine="searxng")
    told = notices.search_failed(error, seconds=5, lately=every).kept
    view = TurnView(id="t", mode=mode, question="q", outcome="answered", answer="a", model=model)
    shown = part(html(replace(view, notices=(told,)), "en"), "notices")
    ways = shown.partition('<p class="ways">')[2].partition("</p>")[0]
    named = re.findall("<(?:button|a) [^>]*>([^<]+)<", ways)
    without = ["Answer without searching"] if can_do_without else []
    assert named == ["Retry", *without, "A SearXNG of your own", "Status"]
    assert "none of the engines that can be asked here answers" in shown
    assert 'class="hint"' not in shown


def test_other_notices_in_english() -> None:
    say = rendering("en").say
    cooling = Timeout("x", engine="searxng", retry_after=7.0)
    cooling.is_cooling = True
    told = say.notice(notices.search_failed(cooling, seconds=5))
    assert told.endswith("it is tried again in 7 s.)")
    model = notices.model_failed(failure("empty"), has_sources=True)
    assert (
        say.notice(model) == "The model did not finish its answer: The model gave an empty answer."
    )
    assert say.hint(model) == "Try again, or another model."
    chinese = rendering("zh").say
    assert chinese.notice(model) == "模型没有完成回答：模型给出了空回答。已找到的来源列在下面。"
    assert chinese.hint(model) == "请再试一次，或换一个模型。"
    unknown = notices.error_notice(CiteseekError("It broke.", hint="Mend it."))
    assert (say.notice(unknown), say.hint(unknown)) == ("It broke.", "Mend it.")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_why_a_search_failed_is_said_for_every_kind_of_failure(lang: Any) -> None:
    say = rendering(lang).say
    kinds = (Timeout, NetworkError, AuthError, WebBlocked, BadGateway, WebParseError)
    for kind in kinds:
        failure = Failure.of(kind(BODY, engine="searxng"))
        search = SearchView(call=1, query="q", state="failed", failure=failure)
        assert "SearXNG" in say.why(search)
        assert BODY not in say.why(search) + say.state(search)
    wrong = Failure.of(InvalidInput("Too long."))
    search = SearchView(call=1, query="q", state="failed", failure=wrong)
    assert say.state(search) in ("不能作为搜索词", "Not a search query")


def test_times_and_numbers_are_for_people() -> None:
    chinese, english = rendering("zh").say, rendering("en").say
    assert chinese.duration(1_234) == "1.2 秒"
    assert english.duration(1_234) == "1.2 s"
    assert chinese.duration(87) == "87 毫秒"
    done = SearchView(call=1, query="q", state="done", provider="searxng+bing_html", took_ms=2_000)
    assert english.origin(done) == "SearXNG + Bing · 2.0 s"
    assert chinese.origin(replace(done, cached=True)) == "SearXNG + Bing · 缓存"
    assert english.origin(replace(done, took_ms=0)) == "SearXNG + Bing"
    source = Source(1, "t", "https://e.example", "e.example")
    assert english.state(done) == "Nothing found"
    assert english.state(replace(done, sources=(source,))) == "1 result"


def test_nothing_that_a_page_of_the_web_or_a_reader_wrote_becomes_markup() -> None:
    evil = '"><script>alert(1)</script>'
    sources = (
        Source(1, evil, "https://e.example/?a=1&copy=2", evil, evil, evil),
        Source(2, evil, "javascript:alert(1)", "e.example"),
        Source(3, "", "https://e.example/'\"><b>", "e.example"),
    )
    search = SearchView(call=1, query=evil, state="done", provider=evil, sources=sources)
    view = TurnView(
        id=evil,
        mode="chat",
        question=evil,
        outcome="answered",
        searches=(search, SearchView(call=2, query=evil)),
        notices=(
            Said(
                code=evil,
                hints=("error",),
                values={"reason": f"{evil}\n{evil}", "advice": evil},
            ),
        ),
        answer=f"{evil} <u onclick=x>",
        sources=sources,
        cited=(1, 2, 3),
        model=evil,
    )
    shown = html(view)
    for markup in ("<script", "<b>", "<u ", 'href="javascript', "onclick="):
        assert markup not in shown.replace("&lt;u onclick=", ""), markup
    assert 'href="https://e.example/?a=1&amp;copy=2"' in shown
    assert "<br>" in part(shown, "notices")


def test_a_turn_says_which_model_answered_and_that_a_command_was_none() -> None:
    view = TurnView(id="t", mode="chat", question="q", outcome="answered", answer="a", model="m:1")
    assert "模型：m:1" in html(view)
    assert "内置模型：" in html(replace(view, model="extractive"))
    command = html(replace(view, outcome="command", answer=""))
    assert part(command, "actions") == ""


@pytest.mark.parametrize(
    ("thinking_ms", "zh", "en"),
    [
        (12_400, "思考了 12 秒", "Thought for 12 s"),
        (400, "模型的思考过程", "What the model thought"),
    ],
)
def test_thinking_stands_behind_how_long_it_took(thinking_ms: int, zh: str, en: str) -> None:
    view = TurnView(id="t", mode="chat", question="?", thinking="Hm <b> [1]?\n" + "x" * 5_000)
    running = part(html(view), "thinking")
    assert "模型正在思考…" in running
    assert len(running) < 3_000
    over = replace(view, outcome="answered", answer="Tea.", thinking_ms=thinking_ms)
    for lang, told in (("zh", zh), ("en", en)):
        shown = part(html(over, lang), "thinking")
        assert f"<summary>{told}</summary>" in shown
        assert "Hm &lt;b&gt; [1]?\n" in shown
        assert "x" * 5_000 in shown
    assert part(html(replace(over, thinking=" \n")), "thinking") == ""


async def test_thinking_is_the_same_live_and_kept() -> None:
    async with talking() as talk:
        talk.model.says(Thought("Which [2]?"), "Tea [1].")
        view = await both(talk, "tea")
        talk.model.says("Yes [9]. </think>Tea [1].", chunk=4)
        late = await both(talk, "tea")
    assert (view.thinking, view.answer) == ("Which [2]?", "Tea [[1]](https://tea.example/1).")
    assert late.answer == "Tea [[1]](https://tea.example/1)."
    assert "Yes [9]." in late.thinking
    assert late.asides == ()


@pytest.mark.parametrize("code", ["cut_length", "cut_connection", "interrupted", "unknown_sources"])
def test_how_an_answer_ended_is_said_below_it(code: str) -> None:
    ending = Said(code=code, values={"numbers": "[7]"})
    other = Said(code="search_limit", values={"limit": "3"})
    shown = html(
        TurnView(
            id="t",
            mode="chat",
            question="?",
            outcome="answered",
            answer="Tea.",
            notices=(ending, other),
        )
    )
    assert f'data-code="{code}"' in part(shown, "ending")
    assert f'data-code="{code}"' not in part(shown, "notices")
    assert "上限" in part(shown, "notices")
    assert shown.index('data-part="answer"') < shown.index('data-part="ending"')


@pytest.mark.parametrize(
    ("question", "length"),
    [
        ("Why?", "short"),
        ("a" * 140, "short"),
        ("a" * 141, "long"),
        ("a\nb\nc", "short"),
        ("a\nb\nc\nd", "long"),
        ("a" * 1_201, "longest"),
    ],
)
def test_a_long_question_is_no_heading(question: str, length: str) -> None:
    shown = html(TurnView(id="t", mode="chat", question=question))
    assert f'data-length="{length}"' in shown
    assert ('tabindex="0"' in shown) is (length == "longest")


def test_where_a_model_failed_in_the_middle_it_is_said_below_what_it_wrote() -> None:
    said = notices.model_failed(failure("cut"), has_sources=True).kept
    view = TurnView(id="t", mode="chat", question="q", outcome="failed", notices=(said,))
    begun = html(replace(view, answer="Tea is"), "en")
    assert part(begun, "notices") == ""
    assert "The connection broke" in part(begun, "ending")
    nothing = html(view, "en")
    assert "The connection broke" in part(nothing, "notices")
    assert part(nothing, "ending") == ""
