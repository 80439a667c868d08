"""How the server stands: all of it to an owner, what works to others, and nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import pytest
from tests.assistant.chatting import FOUND
from tests.conftest import settings
from tests.jobs.library import until
from tests.loopback import LoopbackServer, replies
from tests.loopback.models import ModelServer
from tests.serving.running import Caller, running

from citeseek.conversations.migrations import HEAD
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.health.dependencies import with_stores
from citeseek.health.texts import tell
from citeseek.observing.store_state import StoreFault, StoreState
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules
from citeseek.version import VERSION

TOKENS = {"alice": "alices-token-5d1c0e", "bob": "bobs-token-77ab41", "eve": "eves-token-93c0d2"}
ROLES = {"alice": "owner", "bob": "member", "eve": "guest"}
PEOPLE = ",".join(f"{name}:{ROLES[name]}:{token}" for name, token in TOKENS.items())
PATH = "/api/v1/status"
SECRET = "the alder bridge"
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Accept-Language": "en"}


class Site(NamedTuple):
    """A server that searched and was refused, its callers by name, and what it asked."""

    callers: dict[str, Caller]
    nobody: Caller
    engine: LoopbackServer
    model: ModelServer


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with LoopbackServer() as engine, ModelServer() as model:
        engine.on("/search", FOUND, replies.status(429, retry_after=3600))
        given = {**model.env, "CITESEEK_PEOPLE": PEOPLE, "SEARXNG_BASE_URL": engine.base_url}
        loaded = settings(env=given)
        app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
        with running(guard_app(app, rules=Rules.of(loaded))) as at:
            callers = {
                name: Caller(at, Authorization=f"Bearer {token}") for name, token in TOKENS.items()
            }
            asked = "/api/v1/search?engine=searxng&q="
            assert callers["bob"]("GET", f"{asked}the+alder+bridge").status == 200
            assert callers["bob"]("GET", f"{asked}another").status == 503
            model.says("An answer.")
            talk = {"model": "citeseek-chat", "messages": [{"role": "user", "content": SECRET}]}
            callers["bob"]("POST", "/v1/chat/completions", talk)
            yield Site(callers, Caller(at), engine, model)


def status(site: Site, name: str) -> dict[str, Any]:
    """Return what a person is told, once the store has answered: a busy machine takes its time."""

    def told() -> dict[str, Any] | None:
        answer = site.callers[name]("GET", PATH)
        assert answer.status == 200
        shown = dict(answer.json())
        return shown if all(each["is_up"] for each in shown["stores"]) else None

    return until(told)


def engine_of(shown: dict[str, Any]) -> dict[str, Any]:
    return next(dict(each) for each in shown["engines"] if each["id"] == "searxng")


def test_an_owner_sees_how_everything_stands(site: Site) -> None:
    shown = status(site, "alice")
    engine = engine_of(shown)
    assert (engine["state"], engine["opened_by"]) == ("open", "WebBlocked/http_429")
    left = datetime.fromisoformat(engine["open_until"]) - datetime.fromisoformat(shown["at"])
    assert timedelta(0) < left <= timedelta(hours=1)
    recent = engine["recent"]
    assert (recent["calls"], recent["failures"]) == (2, 1)
    assert recent["failure"] == "WebBlocked/http_429"
    assert recent["succeeded_at"] <= recent["failed_at"]
    (model,) = shown["models"]
    assert (model["recent"]["calls"], model["recent"]["failures"]) == (1, 0)
    assert shown["stores"] == [{"kind": "sqlite", "is_up": True, "revision": HEAD}]
    queue = {"waiting": 0, "running": 0, "oldest_seconds": 0}
    assert shown["queues"] == [{"kind": "report", **queue}, {"kind": "batch", **queue}]
    assert shown["browser"] == {"running": 0, "pages": 0, "most": 0}
    process = shown["process"]
    assert (process["processes"], process["answers"], process["streams"]) == (1, 0, 0)
    assert process["most_answers"] >= 1
    assert (shown["status"], shown["version"], shown["is_shared"]) == ("ok", VERSION, False)


@pytest.mark.parametrize("name", ["bob", "eve"])
def test_others_see_what_works_and_nothing_of_what_is_done(site: Site, name: str) -> None:
    shown = status(site, name)
    engine = engine_of(shown)
    assert (engine["state"], engine["opened_by"]) == ("open", "WebBlocked/http_429")
    assert engine["recent"] is None
    assert [model["recent"] for model in shown["models"]] == [None]
    assert shown["stores"] == [{"kind": "sqlite", "is_up": True, "revision": ""}]
    assert (shown["queues"], shown["browser"], shown["process"]) == (None, None, None)
    page = site.callers[name]("GET", "/status", headers=HTML)
    assert page.status == 200
    assert "This process" not in page.text
    assert "last hour" not in page.text


def test_the_page_leads_owners_there_and_nobody_else(site: Site) -> None:
    for name, role in ROLES.items():
        page = site.callers[name]("GET", "/", headers=HTML)
        assert page.status == 200
        assert (" data-operates" in page.text) == (role == "owner")


def test_who_is_not_let_in_sees_nothing(site: Site) -> None:
    assert site.nobody("GET", PATH).status == 401
    led = site.nobody("GET", "/status", headers=HTML)
    assert "429" not in led.text


def test_no_text_and_no_key_stands_there(site: Site) -> None:
    texts = [
        site.callers["alice"]("GET", path, headers=headers).text
        for path, headers in ((PATH, {}), ("/status", HTML), ("/status", {"Accept": "*/*"}))
    ]
    for hidden in ("alder", "bob", *TOKENS.values(), site.engine.base_url):
        assert [hidden for text in texts if hidden in text] == []


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/json", "application/json"),
        ("application/json, text/html", "application/json"),
        ("text/html, application/json;q=0.5", "text/html; charset=utf-8"),
        ("*/*", "text/html; charset=utf-8"),
    ],
)
def test_it_is_a_page_or_json_as_is_asked_for(site: Site, accept: str, kind: str) -> None:
    answer = site.callers["alice"]("GET", "/status", headers={"Accept": accept})
    assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
    assert "Accept" in answer.headers["Vary"]


@pytest.mark.parametrize(
    ("language", "title", "paused"),
    [("en", "Status", "Paused"), ("zh", "运行状态", "暂停"), ("ja", "状態", "一時停止")],
)
def test_the_page_speaks_the_language_of_its_reader(
    site: Site, language: str, title: str, paused: str
) -> None:
    headers = {"Accept": "text/html", "Accept-Language": language}
    page = site.callers["alice"]("GET", "/status", headers=headers).text
    assert f"<h1>{title}</h1>" in page
    assert f"<strong>{paused}</strong>" in page


def test_nobody_is_asked_however_often_it_is_looked_at(site: Site) -> None:
    before = len(site.engine.requests), len(site.model.requests)
    for _ in range(5):
        status(site, "alice")
        site.callers["alice"]("GET", "/status", headers=HTML)
    assert (len(site.engine.requests), len(site.model.requests)) == before


def test_without_people_whoever_is_at_the_machine_sees_everything() -> None:
    loaded = settings(env={"CITESEEK_CHAT_ENGINE": "stub"})
    app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
    with running(guard_app(app, rules=Rules.of(loaded))) as at:
        shown = Caller(at)("GET", PATH).json()
    assert shown["engines"][0] == {
        "id": "stub",
        "state": "closed",
        "open_until": None,
        "opened_by": "",
        "recent": {
            "calls": 0,
            "failures": 0,
            "succeeded_at": None,
            "failed_at": None,
            "failure": "",
        },
    }
    assert shown["process"]["seconds"] >= 0


def test_a_look_at_the_search_service_is_within_nobodys_budget(server: LoopbackServer) -> None:
    """It is for everybody, though one request has come upon it."""
    server.otherwise(replies.html("<title>Something else</title>"))
    loaded = settings(env={"SEARXNG_BASE_URL": server.base_url, "CITESEEK_ANSWER_BYTES": "10"})
    with running(create_app(lambda: loaded, store=MemoryStore())) as at:
        health = Caller(at)("GET", "/api/v1/health?max_age=0").json()
    assert health["searxng"]["findings"][0]["code"] == "not_searxng"


def test_the_search_service_is_looked_at_now_and_then_and_not_at_each_request(
    server: LoopbackServer,
) -> None:
    server.otherwise(replies.html("<title>Something else</title>"))
    loaded = settings(env={"SEARXNG_BASE_URL": server.base_url})
    with running(create_app(lambda: loaded, store=MemoryStore())) as at:
        call = Caller(at)
        # The look of the start is over when health has it.
        call("GET", "/api/v1/health")
        looked = len(server.requests)
        shown = [call("GET", PATH).json() for _ in range(3)]
        assert len(server.requests) == looked
    assert {each["status"] for each in shown} == {"degraded"}
    assert shown[0]["findings"][0]["code"] == "not_searxng"
    assert shown[0]["checked_at"] is not None


def test_a_look_at_the_stores_goes_before_an_older_report() -> None:
    gone = tell("valkey", "unreachable", reason="it does not answer")
    back = with_stores([gone], StoreState({"conversations": True, "valkey": True}))
    assert back == []
    down = StoreState({"conversations": False, "valkey": False})
    faults = {
        "conversations": StoreFault("unreachable"),
        "valkey": StoreFault("full", "9.0.0", "out of memory"),
    }
    found = with_stores([gone], down._replace(faults=faults))
    # What is known to be wrong of a store is not said twice.
    assert [(each.part, each.code) for each in found] == [
        ("valkey", "unreachable"),
        ("database", "unreachable"),
    ]
    (full,) = with_stores([], down._replace(faults={"valkey": faults["valkey"]}))
    assert (full.part, full.code, full.status) == ("valkey", "full", "error")
    # A file that is busy is no server that is gone.
    assert with_stores([], down) == []
