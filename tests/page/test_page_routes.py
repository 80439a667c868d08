"""The addresses of the page on a real server: what a browser gets, byte by byte."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import resources

import pytest
from fastapi import FastAPI
from tests.assistant.agent_runs import Bench, bench
from tests.loopback import Signal
from tests.serving.running import Caller, Sent, events, running

from citeseek.assistant.assistant import Assistant
from citeseek.concurrency.admission import Places
from citeseek.jobs.batches import open_batches
from citeseek.jobs.reports import open_reports
from citeseek.live_answers.hub import Hub
from citeseek.surfaces.page.routes import page_router
from citeseek.surfaces.page.static_files import SCRIPTS
from citeseek.surfaces.server import login
from citeseek.surfaces.server.app import add_api
from citeseek.surfaces.web.event_streams import Streams


class Site:
    """A running page with its API."""

    def __init__(self, base_url: str, at: Bench) -> None:
        self.http = Caller(base_url)
        self.at = at
        self.model = at.model

    def begin(self, **how: object) -> str:
        return str(self.http("POST", "/api/v1/sessions", how).json()["id"])

    def ask(self, session: str, text: str) -> None:
        """Ask, and wait for the end of the answer."""
        headers = {"Accept": "text/event-stream"}
        path = f"/api/v1/sessions/{session}/messages"
        assert self.http("POST", path, {"text": text}, headers).status == 200

    def html(self, path: str, **headers: str) -> str:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        answered = self.http("GET", path, headers=sent)
        assert answered.status == 200
        return answered.text

    @contextmanager
    def stream(self, path: str, **headers: str) -> Iterator[Iterator[Sent]]:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        with self.http.opened("GET", path, headers=sent) as response:
            assert response.status == 200
            assert response.headers["Content-Type"].startswith("text/event-stream")
            yield events(response)


@contextmanager
def serving(*, demo: bool = False, max_streams: int = 8, **env: str) -> Iterator[Site]:
    with bench() as at:
        at.env |= env
        assistant = Assistant(at.load)
        hub = Hub(assistant)

        @asynccontextmanager
        async def lifespan(_: FastAPI) -> AsyncIterator[None]:
            yield
            await reports.close()
            await batches.close()
            await hub.close()
            await assistant.close()

        app = FastAPI(lifespan=lifespan)
        streams = Streams(max_streams)
        reports = open_reports(at.load(), assistant.store, assistant.clients.current)
        places = Places(1, "report", "server.max_reports")
        batches = open_batches(at.load(), assistant.store, assistant)
        add_api(app, hub, streams, places, reports=reports, batches=batches)
        app.include_router(page_router(hub, streams, demo=demo))
        with running(app) as base_url:
            yield Site(base_url, at)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running_site:
        yield running_site


def in_page(html: str, name: str) -> object:
    """Return the JSON in the script element with this id."""
    match = re.search(f'<script type="application/json" id="{name}">(.*?)</script>', html)
    assert match
    return json.loads(match[1])


def revision(html: str) -> str:
    match = re.search('data-revision="([^"]*)"', html)
    assert match
    return match[1]


def test_the_start_page_has_everything_and_stores_nothing(site: Site) -> None:
    html = site.html("/")
    ids = """bar history-button home mode search-switch search-label search-state search-hint
    settings-button confirmation history new-chat history-list settings settings-search
    choice-results choice-seconds choice-language choice-engine choice-theme model-other
    choice-ui-language messages empty composer message send stop citation-card words state"""
    found = re.findall(r'\bid="([^"]+)"', html)
    assert set(ids.split()) <= set(found)
    assert len(found) == len(set(found))
    assert 'lang="zh-CN" data-theme="auto" data-lang="zh"' in html
    assert '<body data-session="">' in html
    assert revision(html) == ""
    assert "启用后将使用SearXNG搜索实时信息" in html
    assert html.count('class="example" data-question="') == 4
    assert "notice-bar" not in html
    assert "style=" not in html
    assert not re.search(r"<script(?! type=\"(application/json|module)\")", html)
    assert site.http("GET", "/api/v1/sessions").json()["sessions"] == []


@pytest.mark.release
@pytest.mark.requirement("S1-105", "S1-107")
def test_the_settings_have_the_switch_and_every_choice(site: Site) -> None:
    choices = {"results": 4, "seconds": 2.5, "language": "fr", "engines": ["wikipedia"]}
    session = site.begin(search=True, choices=choices)
    html = site.html(f"/c/{session}")
    panel = html.partition('id="settings"')[2].partition("</aside>")[0]
    assert re.search(r'id="settings-search" role="switch" aria-checked="true"', panel)
    assert "联网搜索" in panel
    for value in ("4", "fr", "wikipedia"):
        assert f'<option value="{value}" selected>' in panel
    assert 'value="2.5"' in panel
    assert '<option value="brave" disabled>Brave Search API（未设置密钥）</option>' in panel
    for control in re.findall(r'<(?:select|input) id="([^"]+)"', panel):
        assert f'<label for="{control}">' in panel
    state = in_page(html, "state")
    assert isinstance(state, dict)
    assert state["choices"]["engines"] == ["wikipedia"]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("path", "headers", "lang"),
    [
        ("/", {}, "zh"),
        ("/", {"Accept_Language": "en"}, "en"),
        ("/", {"Accept_Language": "fr"}, "zh"),
        ("/?lang=en", {}, "en"),
        ("/", {"Cookie": "citeseek_lang=en"}, "en"),
        ("/?lang=zh", {"Cookie": "citeseek_lang=en"}, "zh"),
        ("/?lang=%3Cb%3E", {}, "zh"),
    ],
)
def test_the_page_speaks_the_readers_language(
    site: Site, path: str, headers: dict[str, str], lang: str
) -> None:
    html = site.html(path, **headers)
    assert f'data-lang="{lang}"' in html
    assert ("Web search" in html) == (lang == "en")
    assert ("联网搜索" in html) == (lang == "zh")


def test_the_setting_may_leave_the_language_to_the_browser() -> None:
    with serving(CITESEEK_PAGE_LANGUAGE="auto") as site:
        assert 'data-lang="en"' in site.html("/", Accept_Language="en-GB")
        assert 'data-lang="zh"' in site.html("/")


def test_a_language_in_the_address_is_remembered_and_a_theme_read(site: Site) -> None:
    answered = site.http("GET", "/?lang=en", headers={"Cookie": "citeseek_theme=dark"})
    cookie = answered.headers["Set-Cookie"]
    assert cookie.startswith("citeseek_lang=en;")
    assert "SameSite=strict" in cookie
    assert 'data-theme="dark"' in answered.text
    assert answered.headers["Cache-Control"] == "no-store"
    odd = site.http("GET", "/", headers={"Cookie": 'citeseek_theme="><x'})
    assert 'data-theme="auto"' in odd.text
    assert "Set-Cookie" not in odd.headers


def test_who_came_in_by_the_login_can_go_out_again(site: Site) -> None:
    assert 'action="/logout"' not in site.html("/")
    html = site.html("/", Cookie=f"{login.COOKIE}=sealed")
    assert '<form id="logout" method="post" action="/logout">' in html


def test_a_demo_says_that_its_results_are_examples() -> None:
    with serving(demo=True) as site:
        bar = re.search('<div id="notice-bar"[^>]*>(.*?)</div>', site.html("/"))
        assert bar
        assert "示例页面" in bar[1]
        assert "example pages" in site.html("/?lang=en")


def test_the_engine_that_makes_up_results_is_offered_in_a_demo_or_where_it_is_set() -> None:
    stub = '<option value="stub"'
    with serving() as site:
        assert stub not in site.html("/")
        session = site.begin(choices={"engines": ["stub"]})
        assert f"{stub} selected>" in site.html(f"/c/{session}")
    with serving(CITESEEK_CHAT_ENGINE="stub") as site:
        assert stub in site.html("/")
    with serving(demo=True) as site:
        assert stub in site.html("/")


def test_engines_that_are_asked_together_are_called_by_their_names(site: Site) -> None:
    session = site.begin(choices={"engines": ["mojeek", "bing_html"]})
    chosen = '<option value="mojeek,bing_html" selected>Mojeek、Bing</option>'
    assert site.html(f"/c/{session}").count(chosen) == 2


def test_a_demo_does_not_claim_it_where_another_engine_is_asked() -> None:
    with serving(demo=True) as site:
        session = site.begin(search=True)
        assert "示例页面" in site.html(f"/c/{session}")
        chosen = {"choices": {"engines": ["mojeek"]}}
        assert site.http("PATCH", f"/api/v1/sessions/{session}", chosen).status == 200
        assert "示例页面" not in site.html(f"/c/{session}")
    with serving(demo=True, SEARXNG_BASE_URL="https://searx.example.org") as site:
        assert "示例页面" not in site.html("/")


def test_a_conversation_is_shown_with_its_turns_and_its_title(site: Site) -> None:
    session = site.begin(search=True)
    site.model.says("Tea **is** [1].")
    site.ask(session, "tea & <milk>")
    html = site.html(f"/c/{session}")
    assert f'data-session="{session}"' in html
    assert "<title>tea &amp; &lt;milk&gt; · Citeseek</title>" in html
    assert "Tea <strong>is</strong>" in html
    assert '<section id="empty" hidden>' in html
    assert re.search(rf'<li data-session="{session}" data-at="[0-9.]+" data-current>', html)
    assert f'href="/api/v1/sessions/{session}/export"' in html
    assert site.http("HEAD", f"/c/{session}").body == b""


@pytest.mark.parametrize("path", ["/c/unknown", "/c/unknown?lang=en", "/static/nothing.js"])
def test_what_is_not_there_is_404_with_a_way_home(site: Site, path: str) -> None:
    answered = site.http("GET", path)
    assert answered.status == 404
    assert answered.headers["Content-Type"].startswith("text/html")
    assert '<a href="/">' in answered.text
    assert ("没有这个页面或对话" in answered.text) == ("lang" not in path)


def test_the_stream_begins_where_the_page_ends_and_resumes(site: Site) -> None:
    session = site.begin(search=True)
    mark = revision(site.html(f"/c/{session}"))
    go = Signal()
    site.model.says("Tea [1] ", go, "is a plant.")
    with site.stream(f"/c/{session}/events?after={mark}") as stream:
        begun = site.http("POST", f"/api/v1/sessions/{session}/messages", {"text": "tea"}).json()
        seen, last = [], ""
        for sent in stream:
            seen.append(sent.kind)
            last = sent.id or last
            # What came before the turn was first sent stands in it.
            if sent.kind in ("turn", "blocks") and "Tea" in str(sent.data):
                break
        assert sent.data["turn"] == begun["answer"]
    go.set()
    assert seen.index("state") < seen.index("turn")
    # The browser comes back with the last id that it has; the address still names the first one.
    path = f"/c/{session}/events?after={mark}"
    with site.stream(path, Last_Event_ID=last, Cookie="citeseek_lang=en") as stream:
        for sent in stream:
            if sent.kind == "turn" and "References" in sent.data["html"]:
                break
        assert 'data-outcome="answered"' in sent.data["html"]
    with site.stream(f"/c/{session}/events?after=ffffffff.3") as stream:
        assert [sent.kind for sent in stream] == ["stale"]
    # Without a mark it sends all there is.
    with site.stream(f"/c/{session}/events") as stream:
        kinds = [next(stream).kind for _ in range(4)]
        assert kinds == ["state", "order", "turn", "history"]


def test_an_id_stands_only_at_the_end_of_what_goes_together(site: Site) -> None:
    session = site.begin()
    with site.stream(f"/c/{session}/events") as stream:
        *first, last = (next(stream) for _ in range(3))
    assert [(each.kind, each.id) for each in first] == [("state", ""), ("order", "")]
    assert last.kind == "history"
    assert re.fullmatch(r"[0-9a-f]{8}\.\d+", last.id)


def test_a_deleted_conversation_ends_its_stream(site: Site) -> None:
    session = site.begin()
    with site.stream(f"/c/{session}/events") as stream:
        next(stream)
        site.http("DELETE", f"/api/v1/sessions/{session}")
        assert [sent.kind for sent in stream][-1] == "gone"
    assert site.http("GET", f"/c/{session}/events").status == 404


def test_beyond_the_limit_a_stream_is_refused_until_another_one_closes() -> None:
    with serving(max_streams=1) as site:
        session = site.begin()
        path = f"/c/{session}/events"
        with site.stream(path) as stream:
            next(stream)
            refused = site.http("GET", path)
            assert refused.status == 503
            assert int(refused.headers["Retry-After"]) > 0
            assert site.http("GET", f"/c/{session}").status == 200
            site.http("DELETE", f"/api/v1/sessions/{session}")
            assert list(stream)[-1].kind == "gone"
        other = site.begin()
        with site.stream(f"/c/{other}/events") as stream:
            assert next(stream).kind == "state"


def test_static_files_are_those_of_the_package_and_are_asked_for_again_only_when_new(
    site: Site,
) -> None:
    folder = resources.files("citeseek.surfaces.page") / "static"
    types = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
    for file in folder.iterdir():
        answered = site.http("GET", f"/static/{file.name}")
        assert answered.status == 200
        if file.name not in SCRIPTS:
            assert answered.body == file.read_bytes()
        assert answered.headers["Content-Type"].split(";")[0] == types[file.name.rpartition(".")[2]]
        assert answered.headers["Cache-Control"] == "no-cache"
    etag = answered.headers["ETag"]
    for known in (etag, f'"x", W/{etag}', "*"):
        again = site.http("GET", f"/static/{file.name}", headers={"If-None-Match": known})
        assert (again.status, again.body, again.headers["ETag"]) == (304, b"", etag)
    for path in ("../routes.py", "%2e%2e/routes.py", "..%2froutes.py", "%00", "/etc/passwd", ""):
        assert site.http("GET", f"/static/{path}").status == 404


@pytest.mark.parametrize(
    ("accepted", "is_compressed"),
    [("gzip, br", True), ("br, GZIP;q=0.5", True), ("gzip;q=0", False), ("br", False)],
)
def test_static_files_come_compressed_to_who_accepts_it(
    site: Site, *, accepted: str, is_compressed: bool
) -> None:
    headers = {"Accept-Encoding": accepted}
    answered = site.http("GET", "/static/page.css", headers=headers)
    plain = site.http("GET", "/static/page.css")
    assert answered.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert answered.headers.get("Content-Encoding") == ("gzip" if is_compressed else None)
    assert (answered.headers["ETag"] != plain.headers["ETag"]) == is_compressed
    body = gzip.decompress(answered.body) if is_compressed else answered.body
    assert body == plain.body
    assert (len(answered.body) < len(plain.body) / 3) == is_compressed
    known = {**headers, "If-None-Match": answered.headers["ETag"]}
    assert site.http("GET", "/static/page.css", headers=known).status == 304


def test_every_script_and_style_that_a_page_names_is_there(site: Site) -> None:
    for path in ("/", "/c/unknown"):
        html = site.http("GET", path).text
        named = re.findall(r'(?:src|href)="(/static/[^"]+)"', html)
        assert named
        for name in named:
            file, _, symbol = name.partition("#")
            answer = site.http("GET", file)
            assert answer.status == 200, name
            assert not symbol or f'<symbol id="{symbol}"' in answer.text, name
