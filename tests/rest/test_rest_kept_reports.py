"""Reports that are kept: asked for, followed with a pause, listed, cancelled, read and deleted."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import settings
from tests.jobs.library import NAMES, QUESTION, Library, in_journal, question, until
from tests.loopback import LoopbackServer, Reply
from tests.rest.serving import PREFIX
from tests.serving.command import serving
from tests.serving.running import Answered, Caller, Sent, events, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app

REPORTS = f"{PREFIX}/research"


class Desk:
    """A running API that writes reports from ``library``."""

    def __init__(self, base_url: str, library: Library) -> None:
        self.http = Caller(base_url)
        self.library = library

    def ask(self, **asked: Any) -> dict[str, Any]:
        answer = self.http("POST", REPORTS, question(**asked))
        assert answer.status == 202, answer.text
        shown: dict[str, Any] = answer.json()
        assert answer.headers["Location"] == f"{REPORTS}/{shown['id']}"
        return shown

    def show(self, report: dict[str, Any]) -> Any:
        return self.http("GET", f"{REPORTS}/{report['id']}").json()

    def ended(self, report: dict[str, Any]) -> Any:
        return until(lambda: (now := self.show(report))["state"] in ENDED and now)

    def result(self, report: dict[str, Any], **headers: str) -> Answered:
        return self.http("GET", report["result"], headers=headers)

    def follow(self, report: dict[str, Any], after: str = "") -> list[Sent]:
        headers = {"Last-Event-ID": after} if after else {}
        with self.http.opened("GET", report["events"], headers=headers) as response:
            assert response.status == 200
            return list(events(response))


ENDED = ("finished", "failed", "cancelled")


@contextmanager
def desk(**env: str) -> Iterator[Desk]:
    with LoopbackServer() as web:
        library = Library(web)
        fetch = {"allow": [web.host], "fetch_delay_seconds": 0}
        loaded = settings({"web": {"fetch": fetch}}, env={**library.env, **env})
        app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
        with running(app) as base_url:
            yield Desk(base_url, library)


@pytest.fixture
def at() -> Iterator[Desk]:
    with desk() as made:
        yield made


def test_a_report_is_written_while_nobody_waits(at: Desk) -> None:
    begun = at.ask()
    assert (begun["question"], begun["state"], begun["attempt"]) == (QUESTION, "queued", 0)
    now = at.ended(begun)
    assert (now["state"], now["attempt"], now["error"]) == ("finished", 1, None)
    assert now["progress"] == {"stage": "write", "done": 1, "total": 1, "about": ""}
    run = at.result(begun).json()
    assert (run["ok"], run["result"]["query"]) == (True, QUESTION)
    assert len(run["artifacts"]["sources"]) == len(NAMES)
    assert at.library.asked()["search"] == 1
    # It is counted like whatever is done for a request.
    counted = at.http("GET", f"{PREFIX}/metrics").text
    assert 'citeseek_operation_seconds_count{kind="report",name=""} 1.0' in counted


def test_the_result_is_json_or_markdown_by_accept_or_by_name(at: Desk) -> None:
    begun = at.ask()
    at.ended(begun)
    told = at.result(begun).json()["artifacts"]["report"]["text"]
    for answer in (
        at.result(begun, Accept="text/markdown"),
        at.http("GET", f"{begun['result']}?format=markdown"),
    ):
        assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
        assert answer.text == told
        assert "7845 metres" in told
    named = at.http("GET", f"{begun['result']}?format=json", headers={"Accept": "text/markdown"})
    assert named.json()["ok"]


def test_progress_goes_on_behind_the_last_event_that_was_seen(at: Desk) -> None:
    south = at.library.hold("south")
    begun = at.ask()
    with at.http.opened("GET", begun["events"]) as response:
        stream = events(response)
        first = [next(stream), next(stream)]
    south.set()
    rest = at.follow(begun, first[-1].id)
    whole = at.follow(begun)
    seen = [(event.id, event.kind, event.data) for event in (*first, *rest)]
    assert seen == [(event.id, event.kind, event.data) for event in whole]
    assert [event.id for event in whole] == [str(1 + at) for at in range(len(whole))]
    assert {event.kind for event in whole[:-1]} == {"progress"}
    assert (whole[-1].kind, whole[-1].data["state"]) == ("done", "finished")
    # A browser that comes again is told that it need not.
    again = at.http("GET", begun["events"], headers={"Last-Event-ID": whole[-1].id})
    assert (again.status, again.body) == (204, b"")


def test_more_than_may_be_written_at_one_time_wait_and_are_written_all_the_same() -> None:
    with desk(CITESEEK_MAX_REPORTS="1") as at:
        south = at.library.hold("south")
        first, second = at.ask(), at.ask()
        until(lambda: at.library.asked()["south"])
        assert (at.show(first)["state"], at.show(second)["state"]) == ("running", "queued")
        early = at.result(second)
        assert (early.status, early.json()["detail_code"]) == (409, "report_unfinished")
        assert early.headers["Retry-After"] == "2"
        south.set()
        assert [at.ended(each)["state"] for each in (first, second)] == ["finished"] * 2


def test_a_report_is_cancelled_and_its_request_to_a_page_is_closed(at: Desk) -> None:
    at.library.hold("south")
    begun = at.ask()
    until(lambda: at.library.asked()["south"])
    cancelled = at.http("DELETE", f"{REPORTS}/{begun['id']}")
    assert (cancelled.status, cancelled.json()["state"]) == (200, "cancelled")
    (last,) = [each for each in at.library.web.requests if each.path == "/south"]
    assert last.closed.wait()
    assert at.follow(begun)[-1].data["state"] == "cancelled"
    none = at.result(begun)
    assert (none.status, none.json()["code"]) == (404, "NoReport")


def test_one_that_has_ended_is_deleted_for_good(at: Desk) -> None:
    begun = at.ask()
    at.ended(begun)
    assert at.http("DELETE", f"{REPORTS}/{begun['id']}").status == 204
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/events"), ("GET", "/result")):
        gone = at.http(method, f"{REPORTS}/{begun['id']}{path}")
        assert (gone.status, gone.json()["code"]) == (404, "NoReport"), path
    assert at.http("GET", REPORTS).json() == {"reports": [], "next": None}


def test_reports_are_listed_by_pages_the_newest_first(at: Desk) -> None:
    asked = [at.ask(question=f"How long is bridge {number}?")["id"] for number in range(5)]
    listed: list[str] = []
    page = at.http("GET", f"{REPORTS}?limit=2").json()
    while True:
        listed += [each["id"] for each in page["reports"]]
        if page["next"] is None:
            break
        page = at.http("GET", f"{REPORTS}?limit=2&before={page['next']}").json()
    assert listed == asked[::-1]


@pytest.mark.parametrize("name", ["nobody", "0" * 16, "%00", "..%2f", "0" * 200])
def test_ids_of_nothing_are_404(at: Desk, name: str) -> None:
    assert at.http("GET", f"{REPORTS}/{name}").status == 404


@pytest.mark.parametrize("before", ["x", "1~%00", "nan~'", "1~" + "f" * 500])
def test_no_place_in_the_list_breaks_it(at: Desk, before: str) -> None:
    assert at.http("GET", f"{REPORTS}?before={before}").status in (200, 422)


def test_a_run_that_failed_says_why(at: Desk) -> None:
    at.library.web.on("/search", Reply(503))
    begun = at.ask()
    now = at.ended(begun)
    assert now["state"] == "failed"
    problem = at.result(begun)
    assert problem.headers["Content-Type"] == "application/problem+json"
    assert problem.json()["code"] == now["error"]["code"]
    assert problem.json()["run"]["ok"] is False
    for lang, told in (("en", "The engine failed (HTTP 503)."), ("zh", "引擎出错（HTTP 503）。")):
        spoken = {"Accept-Language": lang}
        shown = at.http("GET", f"{REPORTS}/{begun['id']}", headers=spoken).json()
        page = at.http("GET", f"/reports/{begun['id']}", headers=spoken)
        assert shown["error"]["message"] == told
        assert f"searxng: {told}" in page.text


def test_a_model_that_cannot_be_made_fails_the_report_and_not_the_server() -> None:
    with desk(CITESEEK_MODEL="nobody:knows") as at:
        begun = at.ask()
        now = at.ended(begun)
        assert (now["state"], now["error"]["code"]) == ("failed", "ModelFailed")
        problem = at.result(begun).json()
        assert (problem["code"], problem["run"]) == ("ModelFailed", {})


def test_who_waits_gets_the_report_itself_and_nothing_is_kept(at: Desk) -> None:
    for prefer in ("wait", "wait=60", 'respond-async, wait="60"', "handling=lenient; wait = 5"):
        waited = at.http("POST", REPORTS, question(), {"Prefer": prefer})
        assert (waited.status, waited.json()["ok"]) == (200, True), prefer
        assert waited.headers["Preference-Applied"] == "wait"
    assert at.http("POST", REPORTS, question(), {"Prefer": "respond-async, waiting"}).status == 202
    assert len(at.http("GET", REPORTS).json()["reports"]) == 1


@pytest.mark.release
def test_who_waits_for_so_many_seconds_gets_what_was_read_by_then(at: Desk) -> None:
    at.library.hold("south")
    waited = at.http("POST", REPORTS, question(seconds=600), {"Prefer": "wait=8"}).json()
    assert any("8" in note for note in waited["result"]["notes"])
    assert len(waited["artifacts"]["sources"]) < len(NAMES)


@pytest.mark.sample(1)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_comes_back_goes_on_and_asks_nothing_twice(
    how: signal.Signals, server: LoopbackServer, tmp_path: Path
) -> None:
    library = Library(server)
    south = library.hold("south")
    config = ("--config", str(library.config(tmp_path)))
    file = tmp_path / "sessions.sqlite3"
    with serving(tmp_path, *config, alone=True, **library.env) as process:
        begun = process.call("POST", REPORTS, question()).json()
        # The search, and the pages before the one that is held.
        until(lambda: library.asked()["south"] and in_journal(file) == len(NAMES))
        process.kill(how)
    south.set()
    with serving(tmp_path, *config, alone=True, **library.env) as process:
        at = Desk(process.base_url, library)
        now = at.ended(begun)
        run = at.result(begun).json()
    assert (now["state"], now["attempt"]) == ("finished", 2)
    assert len(run["artifacts"]["sources"]) == len(NAMES)
    asked = library.asked()
    assert [asked[each] for each in ("search", *NAMES)] == [1, 1, 1, 1, 2]
    assert in_journal(file) == 0
