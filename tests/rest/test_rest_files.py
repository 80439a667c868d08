"""Files of a conversation over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.extraction import raw_documents as raw
from tests.rest.serving import Served, served
from tests.serving.guarding import guarding

from citeseek.surfaces.server.rules import Rules

BYTES = {"Content-Type": "application/octet-stream"}


@pytest.fixture(scope="module")
def at() -> Iterator[Served]:
    with served(CITESEEK_MODEL="extractive", CITESEEK_FILE_MAX_BYTES="300000") as running:
        yield running


def test_a_file_is_given_cited_listed_and_taken_away(at: Served) -> None:
    session = at.begin(search=False)
    added = at.call("POST", f"{session}/files?name=traffic.pptx", raw.pptx(), BYTES)
    assert added.status == 201
    shown = added.json()
    assert added.headers["Location"] == f"/api/v1{session}/files/{shown['id']}"
    assert (shown["name"], shown["title"], shown["pages"]) == ("traffic.pptx", "Harbours", 2)

    end = at.ask(session, "Why did the traffic of harbours fall?")[-1].data
    assert [(one["domain"], one["was_read"]) for one in end["sources"]] == [("traffic.pptx", True)]
    assert at.call("GET", session).json()["files"] == [shown]
    exported = at.call("GET", f"{session}/export").text
    assert "traffic.pptx" in exported
    assert "](file:" not in exported

    assert at.call("DELETE", f"{session}/files/{shown['id']}").status == 204
    assert at.call("GET", f"{session}/files").json() == []
    assert at.call("DELETE", f"{session}/files/{shown['id']}").status == 422


def test_a_file_that_cannot_be_taken_says_why(at: Served) -> None:
    session = at.begin()
    for body, status in ((b"x" * 300_001, 422), (raw.png(), 422), (b"", 422)):
        answer = at.call("POST", f"{session}/files?name=a.bin", body, BYTES)
        assert (answer.status, bool(answer.json()["detail"])) == (status, True)
    assert at.call("POST", "/sessions/nobody/files?name=a.txt", b"text", BYTES).status == 404


def test_nobody_without_the_token_may_send_a_large_body() -> None:
    rules = Rules(token="a-token-of-sufficient-length", max_body=1_000, max_file=5_000)
    path = "/api/v1/sessions/x/files"
    with guarding(rules) as running:
        assert running.call("POST", path, b"x" * 4_000, BYTES).status == 401
        known = {"Authorization": f"Bearer {rules.token}", **BYTES}
        assert running.call("POST", path, b"x" * 4_000, known).status == 200
        assert running.call("POST", path, b"x" * 5_001, known).status == 413
        other = {**known, "Content-Type": "application/json"}
        assert running.call("POST", path, b"{}", other).status == 415
        assert running.call("POST", "/api/v1/sessions", b"x" * 4_000, other).status == 413
