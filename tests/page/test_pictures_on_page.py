"""Pictures of results on the page: from this server alone, at addresses that it signed itself."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from tests.assistant.agent_runs import Bench, bench, result
from tests.fetching.test_picture_bytes import PLAIN, TELLING
from tests.loopback import Reply, replies
from tests.serving.running import Caller, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.errors import InvalidInput
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.headers import ALWAYS
from citeseek.surfaces.server.rules import Rules
from citeseek.surfaces.web.picture_addresses import PictureAddresses

JPEG = "image/jpeg"


@contextmanager
def serving(**env: str) -> Iterator[tuple[Caller, Bench]]:
    with bench() as at:
        at.env |= {"WEB_FETCH_ALLOW": "127.0.0.0/8", **env}
        app = create_app(at.load, store=MemoryStore(), looks=False)
        with running(guard_app(app, rules=Rules())) as base_url:
            yield Caller(base_url), at


def ask_about_tea(call: Caller, at: Bench, thumbnail: str) -> list[str]:
    """Ask, and return the addresses of the pictures that the page then shows."""
    shown = {**result("tea", 1), "thumbnail": thumbnail}
    at.model.says("Tea [1].")
    at.replies["tea"] = replies.as_json({"results": [shown, result("tea", 2)]})
    session = call("POST", "/api/v1/sessions", {"search": True}).json()["id"]
    events = {"Accept": "text/event-stream"}
    call("POST", f"/api/v1/sessions/{session}/messages", {"text": "tea"}, events)
    page = call("GET", f"/c/{session}").text
    assert page.count('<li class="source"') == 2
    return [html.unescape(found) for found in re.findall(r'<img[^>]* src="([^"]*)"', page)]


def test_the_page_shows_pictures_from_its_own_server_which_hides_the_reader() -> None:
    with serving() as (call, at):
        at.engine.on("/leaf", Reply(200, {"Content-Type": "text/html"}, TELLING[JPEG]))
        (address,) = ask_about_tea(call, at, at.engine.url("/leaf"))
        assert address.startswith("/api/v1/image?")
        answered = call("GET", address, headers={"Cookie": "secret=1", "Referer": call.base_url})
        assert (answered.status, answered.body) == (200, PLAIN[JPEG])
        assert answered.headers["Content-Type"] == JPEG
        assert answered.headers["Content-Disposition"] == 'inline; filename="picture.jpeg"'
        assert all(answered.headers[name] == value for name, value in ALWAYS.items())
        (asked,) = [each for each in at.engine.requests if each.path == "/leaf"]
        assert not {"cookie", "referer"} & asked.headers.keys()


def test_no_picture_is_fetched_at_an_address_that_was_not_signed_here() -> None:
    with serving() as (call, at):
        (address,) = ask_about_tea(call, at, at.engine.url("/leaf"))
        sent = {name: value for name, (value,) in parse_qs(urlsplit(address).query).items()}
        for changed in (
            {**sent, "url": at.engine.url("/other")},
            {**sent, "sig": "0" * 64},
            {**sent, "sig": "é"},
            {"url": sent["url"]},
            {},
        ):
            answered = call("GET", f"/api/v1/image?{urlencode(changed)}")
            assert answered.status == 422
            assert answered.json()["code"] == "InvalidInput"
        assert {each.path for each in at.engine.requests} == {"/search"}


@pytest.mark.parametrize(
    ("env", "thumbnail"),
    [({"CITESEEK_PAGE_PICTURES": "off"}, "https://tea.example/a.png"), ({}, "data:image/png,x")],
)
def test_without_an_address_or_by_choice_there_is_no_picture(
    env: dict[str, str], thumbnail: str
) -> None:
    with serving(**env) as (call, at):
        assert ask_about_tea(call, at, thumbnail) == []


def test_a_picture_that_is_none_is_a_problem_and_no_picture() -> None:
    with serving() as (call, at):
        at.engine.on("/leaf", Reply(200, {"Content-Type": "image/svg+xml"}, b"<svg/>"))
        (address,) = ask_about_tea(call, at, at.engine.url("/leaf"))
        answered = call("GET", address)
        assert answered.status == 502
        assert answered.headers["Content-Type"] == "application/problem+json"
        assert answered.json()["detail_code"] == "unsupported_media"


def test_each_server_has_a_key_of_its_own() -> None:
    ours, theirs = PictureAddresses(), PictureAddresses()
    url = "https://tea.example/a b.png?x=1&y=é"
    sent = parse_qs(urlsplit(theirs.of(url)).query)
    assert sent["url"] == [url]
    theirs.check(url, sent["sig"][0])
    with pytest.raises(InvalidInput):
        ours.check(url, sent["sig"][0])
