"""Sources of kept answers read again over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.assistant.chatting import found
from tests.extraction.raw_pdf import pdf
from tests.loopback import faults, replies
from tests.rest.serving import PREFIX, Served, served
from tests.verification.checking import ENV, SENTENCE, article

BYTES = {"Content-Type": "application/octet-stream"}
LATER = SENTENCE.replace("1912", "1921")


@pytest.fixture
def at() -> Iterator[Served]:
    with served(**ENV, CITESEEK_MAX_ANSWERS="1") as running:
        page = {"url": running.engine.url("/tea"), "title": "Tea", "content": SENTENCE}
        running.engine.on("/search", found({**page, "engine": "stub"}))
        running.engine.on("/tea", replies.html(article(SENTENCE, "It is closed on Mondays.")))
        yield running


def answered(at: Served) -> tuple[str, str]:
    """Return the path of a conversation with one answer, and the id of that."""
    session = at.begin(search=True)
    at.model.says("The tea house at the lake opened in 1912 [1].")
    return session, at.ask(session, "When did it open?")[-1].data["turn_id"]


def test_a_source_that_says_something_else_is_told_as_the_command_tells_it(at: Served) -> None:
    session, turn = answered(at)
    quiet = at.call("POST", f"{session}/watch").json()
    assert (quiet["same"], quiet["answers"][0]["sources"][0]["state"]) == (True, "same")
    at.engine.on("/tea", replies.html(article(LATER, "It is closed on Tuesdays.")))
    told = at.call("POST", f"{session}/watch", {"turns": [turn]}).json()
    (source,) = told["answers"][0]["sources"]
    assert (told["same"], source["state"]) == (False, "changed")
    assert [(one["was"], one["now"]) for one in source["changes"]] == [(SENTENCE, LATER)]
    assert told["answers"][0]["egress"]["requests"] == 1


def test_why_a_page_could_not_be_read_is_in_the_language_of_the_caller(at: Served) -> None:
    session, _ = answered(at)
    at.engine.on("/tea", replies.status(503))
    told = at.call("POST", f"{session}/watch", None, {"Accept-Language": "zh"}).json()
    (source,) = told["answers"][0]["sources"]
    assert (told["same"], source["state"]) == (False, "unread")
    assert "HTTP 503" in source["failure"]["message"]
    assert not source["failure"]["message"].isascii()


def test_what_is_not_there_is_refused(at: Served) -> None:
    session, _ = answered(at)
    assert at.call("POST", "/sessions/nobody/watch").status == 404
    assert at.call("POST", f"{session}/watch", {"turns": ["nobody"]}).status == 422
    assert at.call("POST", f"{session}/watch", {"turns": []}).status == 422


def test_it_takes_a_place_and_stops_when_the_client_goes_away(at: Served) -> None:
    session, _ = answered(at)
    at.engine.requests.clear()
    at.engine.on("/tea", faults.hang())
    with at.http.left("POST", f"{PREFIX}{session}/watch", {}):
        at.engine.requests.reach(1).wait()
        second = at.call("POST", f"{session}/watch")
        assert (second.status, second.json()["detail_code"]) == (503, "too_many_answers")
    at.engine.on("/tea", replies.html(article(SENTENCE)))
    tries = (at.call("POST", f"{session}/watch").status for _ in range(1_000))
    assert next(status for status in tries if status != 503) == 200


def test_a_report_rests_on_the_files_of_a_conversation(at: Served) -> None:
    session = at.begin()
    fact = "The second basin of Alder was opened in 1921 and cost 98 million crowns."
    at.call("POST", f"{session}/files?name=harbour.pdf", pdf("The harbour.", fact), BYTES)
    asked = {
        "question": "When was the second basin of Alder opened?",
        "session": session.rpartition("/")[2],
        "model": "extractive",
        "max_sources": 1,
    }
    run = at.call("POST", "/research", asked, {"Prefer": "wait"}).json()
    (source,) = run["artifacts"]["sources"]
    (quote,) = run["artifacts"]["evidence"]
    assert (source["domain"], quote["quote"]) == ("harbour.pdf", fact)
    assert quote["page"] == {"kind": "page", "number": 2}
    assert at.call("POST", "/research", {**asked, "session": "nobody"}).status == 404
