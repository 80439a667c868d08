"""Conversations over HTTP, on a real server with a real engine server and a scripted model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.conftest import settings
from tests.rest.serving import PREFIX, Served, served
from tests.serving.running import Caller, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app


@pytest.fixture
def at() -> Iterator[Served]:
    with served() as running:
        yield running


def test_a_conversation_begins_with_the_switch_off_and_is_found_again(at: Served) -> None:
    begun = at.call("POST", "/sessions", {})
    assert begun.status == 201
    session = begun.json()
    assert begun.headers["Location"] == f"/api/v1/sessions/{session['id']}"
    assert session["switch"] == {
        "value": False,
        "disabled": False,
        "hint": "启用后将使用SearXNG搜索实时信息",
        "state": "关闭",
    }
    assert (session["mode"], session["turns"], session["running"]) == ("chat", [], None)
    assert at.call("GET", f"/sessions/{session['id']}").json() == session


@pytest.mark.requirement("S1-8..S1-11")
def test_the_switch_over_changes_of_mode(at: Served) -> None:
    session = at.begin(search=True)
    in_agent = at.call("PATCH", session, {"mode": "agent", "search": False}).json()["switch"]
    assert in_agent == {
        "value": False,
        "disabled": True,
        "hint": "Agent 模式下由 AI 自动决策搜索",
        "state": "禁用",
    }
    assert at.call("PATCH", session, {"mode": "chat"}).json()["switch"]["state"] == "开启"


def test_choices_change_one_by_one_and_null_gives_them_back(at: Served) -> None:
    session = at.begin(choices={"results": 3})
    shown = at.call("PATCH", session, {"choices": {"language": "zh-CN", "seconds": 2}}).json()
    assert shown["choices"] == {
        "results": 3,
        "seconds": 2.0,
        "language": "zh-CN",
        "engines": [],
        "model": None,
        "freshness": None,
        "category": None,
    }
    shown = at.call("PATCH", session, {"choices": {"results": None}}).json()
    assert shown["choices"]["results"] is None
    assert "turns" not in shown


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"choices": {"results": 6}}, "results"),
        ({"choices": {"engines": ["nowhere"]}}, "nowhere"),
        ({"mode": "both"}, "mode"),
        ({"searching": True}, "searching"),
        ({"title": "  "}, "标题"),
        ([], "object"),
        (b"{", "没有写完"),
        (b"\xff", "不是 UTF-8"),
    ],
)
def test_a_change_that_cannot_be_is_a_problem_and_changes_nothing(
    at: Served, body: object, told: str
) -> None:
    session = at.begin()
    before = at.call("GET", session).json()
    refused = at.call("PATCH", session, body, {"Content-Type": "application/json"})
    assert refused.status == 422
    assert refused.headers["Content-Type"] == "application/problem+json"
    problem = refused.json()
    assert (problem["code"], problem["status"]) == ("InvalidInput", 422)
    assert told in problem["detail"]
    assert at.call("GET", session).json() == before


def test_the_list_has_what_was_said_page_by_page(at: Served) -> None:
    at.begin()
    said = []
    for number in range(3):
        session = at.begin()
        at.model.says("Tea.")
        at.ask(session, f"question {number}")
        said.append(f"question {number}")
    first = at.call("GET", "/sessions?limit=2").json()
    assert [each["title"] for each in first["sessions"]] == said[:0:-1]
    rest = at.call("GET", f"/sessions?limit=2&before={first['next']}").json()
    assert [each["title"] for each in rest["sessions"]] == said[:1]
    assert rest["next"] is None
    assert at.call("GET", "/sessions?before=x~y").status == 422
    assert at.call("GET", "/sessions?limit=0").status == 422


def test_a_title_is_changed_and_a_conversation_deleted_for_good(at: Served) -> None:
    session = at.begin()
    at.model.says("Tea.")
    at.ask(session, "tea")
    assert at.call("PATCH", session, {"title": "About tea"}).json()["title"] == "About tea"
    (listed,) = at.call("GET", "/sessions").json()["sessions"]
    assert listed["title"] == "About tea"
    assert at.call("DELETE", session).status == 204
    gone = at.call("GET", session)
    assert (gone.status, gone.json()["code"]) == (404, "NoConversation")
    assert at.call("DELETE", session).status == 404
    assert at.call("GET", "/sessions").json()["sessions"] == []


def test_the_export_is_markdown_with_the_readers_links(at: Served) -> None:
    session = at.begin(search=True)
    at.model.says("Tea is a leaf [1].")
    at.ask(session, "茶是什么？\n[second](http://line.example)")
    shown = at.call("GET", session).json()["turns"][0]
    export = at.call("GET", f"{session}/export")
    assert export.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert "filename*=UTF-8''%E8%8C%B6" in export.headers["Content-Disposition"]
    assert shown["answer"] + shown["references"].rstrip() in export.text
    assert "> 茶是什么？\n> \\[second\\](http://line.example)" in export.text
    assert "参考文献" in export.text


def test_conversations_know_nothing_of_each_other(at: Served) -> None:
    one, other = at.begin(search=True), at.begin()
    at.model.says("Tea [1].")
    at.ask(one, "tea")
    assert at.call("GET", other).json()["turns"] == []
    assert not at.call("GET", other).json()["switch"]["value"]
    answer = at.call("GET", one).json()["turns"][0]["id"]
    assert at.call("GET", f"{other}/answers/{answer}").status == 404


def test_a_model_that_nobody_knows_cannot_be_chosen() -> None:
    with running(create_app(settings, store=MemoryStore(), looks=False)) as base_url:
        http = Caller(base_url)
        session = http("POST", f"{PREFIX}/sessions", {}).json()["id"]
        for name in ("gpt", "nobody:knows"):
            choices = {"choices": {"model": name}}
            asked = (("POST", "/sessions"), ("PATCH", f"/sessions/{session}"))
            for refused in [http(method, PREFIX + path, choices) for method, path in asked]:
                assert (refused.status, refused.json()["code"]) == (422, "InvalidInput")
                assert name in refused.json()["detail"]
                assert "openai:gpt-5-mini" in refused.json()["hint"]
        for name in ("openai:other", "extractive"):
            changed = http("PATCH", f"{PREFIX}/sessions/{session}", {"choices": {"model": name}})
            assert changed.json()["choices"]["model"] == name


@pytest.mark.requirement("P22")
def test_the_agents_of_the_file_are_listed_and_opened() -> None:
    agents = {
        "agents": [
            {"id": "on", "name": " Scout ", "webSearch": {"enabled": True, "provider": "stub"}},
            {"id": "off", "webSearch": {"enabled": False}},
            {"id": "bare", "name": 5},
        ]
    }
    limits = ("results", "seconds", "cache_minutes", "searches")
    without_search = {"search": False, "engine": None, **dict.fromkeys(limits)}
    loaded = settings(agents=agents)
    app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
    with running(app) as address:
        http = Caller(address)
        assert http("GET", "/api/v1/agents").json() == [
            {
                "id": "on",
                "name": "Scout",
                "search": True,
                "engine": "stub",
                "results": 5,
                "seconds": 15,
                "cache_minutes": 5,
                "searches": 5,
            },
            {"id": "off", "name": "off", **without_search},
            {"id": "bare", "name": "bare", **without_search},
        ]
        opened = {
            agent_id: http("POST", "/api/v1/sessions", {"agent_id": agent_id}).json()
            for agent_id in ("on", "off")
        }
        unknown = http("POST", "/api/v1/sessions", {"agent_id": "nobody"})
    assert {session["mode"] for session in opened.values()} == {"agent"}
    assert "自动决策" in opened["on"]["switch"]["hint"]
    assert "未启用联网搜索" in opened["off"]["switch"]["hint"]
    assert unknown.status == 422
