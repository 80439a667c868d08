"""One answer or one report by a link: whoever has it reads that and nothing else, until it ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from selectolax.lexbor import LexborHTMLParser
from tests.assistant.chatting import FOUND
from tests.conftest import settings
from tests.jobs.library import QUESTION, until
from tests.loopback import LoopbackServer
from tests.rest.test_rest_kept_reports import desk
from tests.serving.running import Answered, Caller, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

TOKENS = {"alice": "alices-token-5d1c0e", "bob": "bobs-token-77ab41", "eve": "eves-token-93c0d2"}
PEOPLE = ",".join(
    f"{name}:{'guest' if name == 'eve' else 'member'}:{token}" for name, token in TOKENS.items()
)
SHARES = "/api/v1/shares"


class Sharing(NamedTuple):
    """A server, its callers by name, a stranger, and what alice has."""

    alice: Caller
    bob: Caller
    eve: Caller
    stranger: Caller
    session: str
    turns: list[str]

    def share(self, **what: str) -> dict[str, Any]:
        answer = self.alice("POST", SHARES, what)
        assert answer.status == 201, answer.text
        shown: dict[str, Any] = answer.json()
        assert answer.headers["Location"] == shown["page"]
        return shown

    def answer(self, place: int = 0) -> dict[str, Any]:
        return self.share(session=self.session, turn=self.turns[place])


def ended(call: Caller, place: str, turns: int) -> list[dict[str, Any]]:
    """Return the turns of a conversation when there are so many, and no answer is under way."""

    def look() -> list[dict[str, Any]]:
        shown: dict[str, Any] = call("GET", place).json()
        return shown["turns"] if len(shown["turns"]) == turns and not shown["running"] else []

    found: list[dict[str, Any]] = until(look)
    return found


@pytest.fixture(scope="module")
def served() -> Iterator[Sharing]:
    with LoopbackServer() as engine:
        engine.on("/search", FOUND)
        loaded = settings(env={"CITESEEK_PEOPLE": PEOPLE, "SEARXNG_BASE_URL": engine.base_url})
        app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
        with running(guard_app(app, rules=Rules.of(loaded))) as at:
            callers = {
                name: Caller(at, Authorization=f"Bearer {token}") for name, token in TOKENS.items()
            }
            alice = callers["alice"]
            session = alice("POST", "/api/v1/sessions", {}).json()["id"]
            place = f"/api/v1/sessions/{session}"
            for number, text in enumerate(("Where are alders?", "And the secret birches?"), 1):
                assert alice("POST", f"{place}/messages", {"text": text}).status == 202
                turns = ended(alice, place, number)
            ids = [turn["id"] for turn in turns]
            yield Sharing(**callers, stranger=Caller(at), session=session, turns=ids)


def hrefs(page: Answered) -> list[str]:
    found = LexborHTMLParser(page.text).css("a[href]")
    return [node.attributes["href"] or "" for node in found]


def test_a_stranger_reads_the_answer_and_nothing_else(served: Sharing) -> None:
    shown = served.answer()
    assert re.fullmatch(r"/s/[\w-]{24}", shown["page"])
    page = served.stranger("GET", shown["page"], headers={"Accept-Language": "en"})
    assert page.status == 200
    assert "Where are alders?" in page.text
    assert "birches" not in page.text
    # Neither the conversation nor its person is told, and no link leads into the server.
    for hidden in (served.session, "alice", *TOKENS.values()):
        assert hidden not in page.text
    assert [link for link in hrefs(page) if link.startswith("/")] == []
    assert LexborHTMLParser(page.text).css("script, form, style") == []
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert page.headers["Cache-Control"] == "no-store"
    sheets = LexborHTMLParser(page.text).css("link[rel=stylesheet]")
    assert sheets
    for sheet in sheets:
        assert served.stranger("GET", sheet.attributes["href"] or "").status == 200
    assert served.stranger("HEAD", shown["page"]).status == 200
    # Who has a link is let in nowhere by it.
    assert served.stranger("GET", f"/c/{served.session}").status == 303
    assert served.stranger("GET", "/s/").status in (303, 404)
    assert served.stranger("POST", shown["page"], {}).status in (404, 405)


def test_the_same_answer_has_one_link_until_it_is_taken_back(served: Sharing) -> None:
    shown = served.answer(1)
    assert served.answer(1) == shown
    assert shown in served.alice("GET", SHARES).json()["shares"]
    assert served.alice("DELETE", f"{SHARES}/{shown['id']}").status == 204
    assert served.stranger("GET", shown["page"]).status == 404
    again = served.alice("DELETE", f"{SHARES}/{shown['id']}")
    assert (again.status, again.json()["code"]) == (404, "NoShare")
    assert served.answer(1)["id"] != shown["id"]


def test_nobody_shares_or_takes_back_what_is_anothers(served: Sharing) -> None:
    shown = served.answer()
    theirs = {"session": served.session, "turn": served.turns[0]}
    assert served.bob("POST", SHARES, theirs).status == 404
    assert served.bob("DELETE", f"{SHARES}/{shown['id']}").status == 404
    assert served.bob("GET", SHARES).json() == {"shares": []}
    refused = served.eve("POST", SHARES, theirs)
    assert (refused.status, refused.json()["code"]) == (403, "NotPermitted")
    for nothing in ("POST", "GET"):
        assert served.stranger(nothing, SHARES).status == 401
    assert served.stranger("GET", shown["page"]).status == 200


@pytest.mark.parametrize(
    ("what", "status"),
    [
        ({}, 422),
        ({"session": "SESSION"}, 422),
        ({"turn": "x", "report": "y"}, 422),
        ({"session": "SESSION", "turn": ""}, 404),
        ({"session": "SESSION", "turn": "nothing"}, 404),
        ({"session": "../x", "turn": "nothing"}, 404),
        ({"report": "0" * 16}, 404),
        ({"report": "\0"}, 404),
    ],
)
def test_what_is_not_there_has_no_link(served: Sharing, what: dict[str, str], status: int) -> None:
    asked = {name: value.replace("SESSION", served.session) for name, value in what.items()}
    assert served.alice("POST", SHARES, asked).status == status


@pytest.mark.parametrize("link", ["x", "A" * 24, "%00", "..%2Fc", "é"])
def test_a_link_that_nobody_made_leads_nowhere(served: Sharing, link: str) -> None:
    assert served.stranger("GET", f"/s/{quote(link, safe='%')}").status == 404


def test_what_is_deleted_is_shared_no_longer(served: Sharing) -> None:
    session = served.alice("POST", "/api/v1/sessions", {}).json()["id"]
    place = f"/api/v1/sessions/{session}"
    assert served.alice("POST", f"{place}/messages", {"text": "Where are elms?"}).status == 202
    turns = ended(served.alice, place, 1)
    shown = served.share(session=session, turn=turns[0]["id"])
    assert "elms" in served.stranger("GET", shown["page"]).text
    assert served.alice("DELETE", place).status == 204
    assert served.stranger("GET", shown["page"]).status == 404
    assert shown["id"] not in served.alice("GET", SHARES).text


def test_a_report_is_shared_when_it_has_ended_well() -> None:
    with desk() as at:
        asked = at.ask()
        early = at.http("POST", SHARES, {"report": asked["id"]})
        assert at.ended(asked)["state"] == "finished"
        shown = at.http("POST", SHARES, {"report": asked["id"]}).json()
        assert early.status == 404 or early.json() == shown
        page = at.http("GET", shown["page"])
        assert page.status == 200
        assert QUESTION in page.text
        assert asked["id"] not in page.text
        assert [link for link in hrefs(page) if link.startswith("/")] == []
        assert at.http("DELETE", f"/api/v1/research/{asked['id']}").status == 204
        assert at.http("GET", shown["page"]).status == 404
