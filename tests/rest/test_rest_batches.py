"""Batches over REST: given, followed with a pause, read in order, cancelled, gone on with."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import settings
from tests.jobs.library import until
from tests.loopback import LoopbackServer, Reply, Request, Signal, replies
from tests.rest.serving import PREFIX
from tests.serving.command import serving
from tests.serving.running import Answered, Caller, events, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

BATCHES = f"{PREFIX}/batches"
LINES = {"Content-Type": "application/jsonl"}
PART = 50
OFFLINE = {"CITESEEK_ENGINE": "stub", "CITESEEK_CHAT_ENGINE": "stub"}


class Counter:
    """A running API that is given batches."""

    def __init__(self, base_url: str) -> None:
        self.http = Caller(base_url)

    def give(self, *lines: Any, query: str = "?command=search") -> Answered:
        body = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
        return self.http("POST", BATCHES + query, body, LINES)

    def given(self, *lines: Any, query: str = "?command=search") -> Any:
        answer = self.give(*lines, query=query)
        assert answer.status == 202, answer.text
        shown = answer.json()
        assert answer.headers["Location"] == f"{BATCHES}/{shown['id']}"
        return shown

    def show(self, batch: Any) -> Any:
        return self.http("GET", f"{BATCHES}/{batch['id']}").json()

    def ended(self, batch: Any) -> Any:
        return until(
            lambda: (now := self.show(batch))["state"] in ("finished", "cancelled") and now
        )

    def answers(self, batch: Any, query: str = "") -> list[Any]:
        answer = self.http("GET", batch["result"] + query)
        assert answer.status == 200, answer.text
        assert answer.headers["Content-Type"].startswith("application/jsonl")
        return [json.loads(line) for line in answer.text.splitlines()]


@contextmanager
def counter(**env: str) -> Iterator[Counter]:
    loaded = settings(env={**OFFLINE, **env})
    app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
    with running(guard_app(app, rules=Rules.of(loaded))) as base_url:
        yield Counter(base_url)


@pytest.fixture
def at() -> Iterator[Counter]:
    with counter() as made:
        yield made


def test_answers_are_those_of_the_lines_in_their_order(at: Counter) -> None:
    asked = [f"query {number}" for number in range(2 * PART + 7)]
    batch = at.given(*asked[:-1], {"query": asked[-1], "id": "last", "count": 1})
    assert (batch["total"], batch["invalid"], batch["faults"]) == (len(asked), 0, [])
    now = at.ended(batch)
    assert (now["state"], now["done"], now["failed"]) == ("finished", len(asked), 0)
    assert (now["rate"] > 0, now["seconds_left"]) == (True, None)
    answers = at.answers(batch)
    assert [each["line"] for each in answers] == list(range(1, len(asked) + 1))
    assert [each["asked"] for each in answers] == asked
    assert all(
        asked[at_] in each["result"]["items"][0]["title"] for at_, each in enumerate(answers)
    )
    assert answers[-1]["id"] == "last"
    assert len(answers[-1]["result"]["items"]) == 1
    assert at.http("GET", BATCHES).json()["batches"] == [now]
    assert at.http("DELETE", f"{BATCHES}/{batch['id']}").status == 204
    gone = at.http("GET", f"{BATCHES}/{batch['id']}")
    assert (gone.status, gone.json()["code"]) == (404, "NoBatch")


def test_a_line_that_is_no_question_is_named_and_answered_by_its_error(at: Counter) -> None:
    body = (
        b'"tea"\n{"query": 7}\nno json\n\n{"query": "x", "cuont": 3}\n{"query": "y", "count": "z"}'
    )
    answer = at.http("POST", f"{BATCHES}?command=search", body, LINES)
    batch = answer.json()
    assert (answer.status, batch["total"], batch["invalid"]) == (202, 6, 4)
    assert [each["line"] for each in batch["faults"]] == [2, 3, 4, 5]
    assert "Unknown: cuont." in batch["faults"][-1]["message"]
    assert at.ended(batch)["failed"] == 5
    kinds = [(each.get("error") or {}).get("type") for each in at.answers(batch)]
    assert kinds == [None, *["InvalidInput"] * 5]


@pytest.mark.parametrize(
    ("query", "body", "status", "words"),
    [
        ("?command=search", b"", 422, "There is no line"),
        ("?command=search", b"{}\n[]", 422, "line 1: A line is a text"),
        ("?command=sing", b'"tea"', 422, "command"),
        ("", b'"tea"', 422, "command"),
        ("?command=search&engine=nobody", b'"tea"', 422, "nobody"),
        ("?command=fetch&engine=stub", b'"tea"', 422, "leave engine out"),
        ("?command=search&model=x", b'"tea"', 422, "leave model out"),
        ("?command=ask&model=nobody:x", b'"tea"', 422, "nobody"),
        ("?command=search&at_once=0", b'"tea"', 422, "at_once"),
    ],
)
def test_what_no_line_could_be_asked_with_is_refused(
    at: Counter, query: str, body: bytes, status: int, words: str
) -> None:
    answer = at.http("POST", BATCHES + query, body, LINES)
    assert answer.status == status
    assert words in json.dumps(answer.json())
    assert at.http("GET", BATCHES).json()["batches"] == []


def test_a_body_that_is_too_large_or_no_lines_is_refused() -> None:
    with counter(CITESEEK_MAX_BATCH_BYTES="1000") as at:
        line = json.dumps("x" * 100).encode() + b"\n"
        assert at.http("POST", f"{BATCHES}?command=search", line * 9, LINES).status == 202
        for more in ({}, {"Transfer-Encoding": "chunked"}):
            body = line * 20 if not more else b"%x\r\n%b\r\n0\r\n\r\n" % (len(line) * 20, line * 20)
            answer = at.http("POST", f"{BATCHES}?command=search", body, {**LINES, **more})
            assert (answer.status, "1,000 字节" in answer.json()["detail"]) == (413, True)
        kind = {"Content-Type": "application/json"}
        assert at.http("POST", f"{BATCHES}?command=search", line, kind).status == 415
        assert len(at.http("GET", BATCHES).json()["batches"]) == 1


def test_a_batch_is_larger_than_other_bodies_may_be_and_needs_the_token() -> None:
    token = "a-token-of-the-tests"
    with counter(CITESEEK_TOKEN=token) as at:
        lines = b"".join(b'"%s %d"\n' % (b"x" * 90, number) for number in range(4_000))
        assert at.http("POST", f"{BATCHES}?command=search", lines, LINES).status == 401
        held = {**LINES, "Authorization": f"Bearer {token}"}
        answer = at.http("POST", f"{BATCHES}?command=search", lines, held)
        assert (answer.status, answer.json()["total"]) == (202, 4_000)
        at.http("DELETE", f"{BATCHES}/{answer.json()['id']}", headers=held)


class Slow:
    """A counter whose engine holds the query ``slow`` until it is let go."""

    def __init__(self, at: Counter, engine: LoopbackServer, until_set: Signal) -> None:
        self.at, self.engine, self.gate = at, engine, until_set


@contextmanager
def slow(**env: str) -> Iterator[Slow]:
    with LoopbackServer() as engine:
        gate = hold_slow(engine)
        told = {"CITESEEK_ENGINE": "searxng", "SEARXNG_BASE_URL": engine.base_url, **env}
        with counter(**told) as at:
            yield Slow(at, engine, gate)


def hold_slow(engine: LoopbackServer) -> Signal:
    gate = Signal()

    def answer(request: Request) -> Reply:
        text = request.param("q")
        page = {"title": f"On {text}", "url": f"https://{text}.example/", "content": ""}
        found = replies.as_json({"results": [page]})
        return replies.held(found, gate) if text == "slow" else found

    engine.on("/search", answer)
    return gate


def test_progress_is_followed_from_where_a_reader_was() -> None:
    with slow() as made:
        at = made.at
        asked = [f"q{number}" for number in range(PART)]
        batch = at.given(*asked, "slow", *asked[1:4])
        with at.http.opened("GET", batch["events"]) as response:
            following = events(response)
            seen = next(each for each in following if each.data["done"] == PART)
            assert (seen.kind, seen.id) == ("progress", str(PART))
            assert seen.data["rate"] > 0
            assert seen.data["seconds_left"] > 0
        unfinished = at.http("GET", batch["result"])
        assert (unfinished.status, unfinished.json()["detail_code"]) == (409, "batch_unfinished")
        assert unfinished.headers["Retry-After"]
        assert len(at.answers(batch, "?partial=true")) == PART
        made.gate.set()
        with at.http.opened("GET", batch["events"], headers={"Last-Event-ID": seen.id}) as response:
            (last,) = events(response)
        assert (last.kind, last.data["done"]) == ("done", PART + 4)
        behind = {"Last-Event-ID": last.id}
        assert at.http("GET", batch["events"], headers=behind).status == 204
        # Whoever comes only now gets how it ended.
        with at.http.opened("GET", batch["events"]) as response:
            assert [each.kind for each in events(response)] == ["done"]


def test_one_that_is_cancelled_keeps_what_is_answered() -> None:
    with slow() as made:
        at = made.at
        batch = at.given(*(f"q{number}" for number in range(PART)), "slow")
        until(lambda: at.show(batch)["done"] == PART)
        (request,) = until(
            lambda: [one for one in made.engine.requests if one.param("q") == "slow"]
        )
        assert at.http("DELETE", f"{BATCHES}/{batch['id']}").json()["state"] == "cancelled"
        assert request.closed.wait()
        assert [each["line"] for each in at.answers(batch)] == list(range(1, PART + 1))
        assert at.ended(batch)["seconds_left"] is None


def test_every_command_answers_a_batch(at: Counter) -> None:
    asked = at.given("What is tea?", query="?command=ask&model=extractive")
    report = at.given({"question": "What is tea?", "max_sources": 1}, query="?command=research")
    page = at.given("http://127.0.0.1:1/", query="?command=fetch")
    at.ended(asked)
    at.ended(report)
    at.ended(page)
    (answer,) = at.answers(asked)
    assert answer["result"]["outcome"] == "answered"
    assert len(answer["result"]["sources"]) == 3
    (told,) = at.answers(report)
    # Its pages are examples, which nobody can read.
    assert told["error"]["detail_code"] or told["result"]["ok"]
    (read,) = at.answers(page)
    assert read["error"]["detail_code"] == "ssrf_blocked"
    assert at.http("GET", f"{PREFIX}/sessions").json()["sessions"] == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_comes_back_answers_the_rest_and_nothing_twice(
    how: signal.Signals, server: LoopbackServer, tmp_path: Path
) -> None:
    gate = hold_slow(server)
    env = {"CITESEEK_ENGINE": "searxng", "SEARXNG_BASE_URL": server.base_url}
    asked = [f"q{number}" for number in range(PART)]
    with serving(tmp_path, alone=True, **env) as process:
        at = Counter(process.base_url)
        batch = at.given(*asked, "slow", "q1000")
        until(lambda: at.show(batch)["done"] == PART)
        until(lambda: any(one.param("q") == "slow" for one in server.requests))
        process.kill(how)
    gate.set()
    with serving(tmp_path, alone=True, **env) as process:
        at = Counter(process.base_url)
        assert at.ended(batch)["failed"] == 0
        answers = at.answers(batch)
    assert [each["asked"] for each in answers] == [*asked, "slow", "q1000"]
    queries = [one.param("q") for one in server.requests]
    # What was kept was not asked again.
    assert all(queries.count(each) == 1 for each in asked)
