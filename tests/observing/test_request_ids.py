"""Every request has an id: in the answer, and in each line of the log that is about it."""

from __future__ import annotations

import json
import logging
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply
from tests.serving.command import serving
from tests.serving.guarding import guarding

from citeseek import Client
from citeseek.observing.log_lines import FIELDS, REQUEST_ID, JsonLines, TextLines, as_log_line
from citeseek.settings import log_format
from citeseek.surfaces.server.rules import Rules

MADE = re.compile(r"[0-9a-f]{16}")


@pytest.mark.parametrize("given", ["abc-1.2_3", "a/b+c=", "urn:uuid:1", "x" * 128])
def test_the_id_of_the_caller_is_given_back(given: str) -> None:
    with guarding() as served:
        answer = served.call("GET", "/x", headers={"X-Request-ID": given})
        assert answer.headers["X-Request-ID"] == given


@pytest.mark.parametrize("given", ["", "two words", 'a"b', "a,b", "x" * 129, "é", "{json}"])
def test_an_id_that_might_break_a_log_is_replaced(given: str) -> None:
    with guarding() as served:
        answer = served.call("GET", "/x", headers={"X-Request-ID": given})
        assert MADE.fullmatch(answer.headers["X-Request-ID"])


def test_answers_of_the_guard_and_broken_ones_have_one_and_no_two_are_alike() -> None:
    with guarding(Rules(token="marked-token-8c1d4e")) as served:
        bearer = {"Authorization": "Bearer marked-token-8c1d4e"}
        answers = [
            served.call("GET", "/api/v1/x"),
            served.call("GET", "/", headers={"Host": "evil.example"}),
            served.call("GET", "/broken", headers=bearer),
            served.call("GET", "/x", headers=bearer),
            served.call("GET", "/x", headers=bearer),
        ]
        assert [answer.status for answer in answers] == [401, 421, 500, 200, 200]
        ids = [answer.headers["X-Request-ID"] for answer in answers]
        assert all(map(MADE.fullmatch, ids))
        assert len(set(ids)) == len(ids)


def lines(told: str) -> list[dict[str, Any]]:
    """Read a log of JSON lines; every line must be one."""
    return [json.loads(line) for line in told.splitlines()]


def test_a_server_writes_json_and_each_line_about_a_request_has_its_id(tmp_path: Path) -> None:
    with LoopbackServer() as engine:
        engine.on("/search", Reply(500))
        env = {"SEARXNG_BASE_URL": engine.base_url, "CITESEEK_LOG_FORMAT": "json"}
        with serving(tmp_path, "-v", **env) as server:
            mine = {"X-Request-ID": "mine-1"}
            path = "/api/v1/search?q=marked-query&engine=searxng"
            assert server.call("GET", path, headers=mine).status == 502
            session = server.call("POST", "/api/v1/sessions", {}).json()["id"]
            asked = {"X-Request-ID": "mine-2", "Accept": "text/event-stream"}
            said = {"text": "/search on"}
            where = f"/api/v1/sessions/{session}/messages"
            assert server.call("POST", where, said, asked).status == 200
            code, told = server.end(signal.SIGINT)
    assert code == 0
    log = lines(told)
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in log)
    of_mine = [line for line in log if line.get("request_id") == "mine-1"]
    assert [line["level"] for line in of_mine if "search failed" in line["message"]] == ["error"]
    (engine,) = [line for line in of_mine if line["message"].startswith("engine failed")]
    assert (engine["level"], "searxng" in engine["message"]) == ("warning", True)
    (request,) = [line for line in of_mine if "status" in line]
    assert request["path"] == "/api/v1/search"
    assert (request["method"], request["status"], request["caller"]) == ("GET", 502, "127.0.0.1")
    assert "marked-query" not in json.dumps(request)
    assert any(line.get("request_id") == "mine-2" for line in log)
    # What is said to people is a line of the log as well.
    assert any("Ctrl-C" in line["message"] for line in log)
    assert "request_id" not in log[0]


def test_the_log_for_people_has_the_id_behind_the_sentence(tmp_path: Path) -> None:
    with serving(tmp_path, "-v") as server:
        server.call("GET", "/api/v1/health", headers={"X-Request-ID": "mine-1"})
        _, told = server.end()
    assert re.search(r"^citeseek: GET '/api/v1/health' 200, \d+ ms \[mine-1\]$", told, re.MULTILINE)


def record(message: str, **more: Any) -> logging.LogRecord:
    made = logging.LogRecord("citeseek.x", logging.WARNING, "", 0, message, (), None)
    vars(made).update(more)
    return made


def test_one_line_whatever_is_in_it() -> None:
    told = JsonLines().format(record('a\nb\u2028"c" 茶', **{FIELDS: {"odd": {1, 2}}}))
    assert "\n" not in told
    read = json.loads(told)
    assert read["message"] == 'a\nb\u2028"c" 茶'
    assert read["level"] == "warning"
    assert read["odd"] == "{1, 2}"
    assert "request_id" not in read
    assert TextLines().format(record("tea")) == "citeseek: tea"


def test_a_failure_is_told_with_its_traceback_in_one_line() -> None:
    token = REQUEST_ID.set("r-1")
    try:
        int("x")
    except ValueError as error:
        shown = record("broken", exc_info=(ValueError, error, error.__traceback__))
        read = json.loads(JsonLines().format(shown))
    finally:
        REQUEST_ID.reset(token)
    assert read["request_id"] == "r-1"
    assert read["exception"].splitlines()[-1].startswith("ValueError: ")


@pytest.mark.parametrize(
    ("env", "form"),
    [
        ({}, "text"),
        ({"CITESEEK_LOG_FORMAT": "json"}, "json"),
        ({"CITESEEK_LOG_FORMAT": "JSON "}, "json"),
        ({"CITESEEK_LOG_FORMAT": "xml"}, "text"),
        ({"CITESEEK_LOG_FORMAT": ""}, "text"),
    ],
)
def test_the_format_is_known_before_any_file_is_read(env: dict[str, str], form: str) -> None:
    assert log_format(env) == form


def test_a_note_is_a_sentence_where_nobody_asked_for_json() -> None:
    assert as_log_line("tea") == "citeseek: tea"


ESC_AND_MORE = "one\x1b[31m\ntwo\u202e\ud83d \u2028three\x9b"


def record_of(sentence: str) -> logging.LogRecord:
    return logging.LogRecord("citeseek", logging.INFO, "", 0, "%s", (sentence,), None)


def test_what_others_wrote_is_one_line_that_speaks_to_no_terminal() -> None:
    line = TextLines().format(record_of(ESC_AND_MORE))
    assert line == "citeseek: one[31m two\ufffd  three"


def test_in_json_it_is_escaped_and_can_be_encoded() -> None:
    line = JsonLines().format(record_of(ESC_AND_MORE))
    assert not set(line) & set("\x1b\n\x9b\u202e")
    assert line.encode()
    assert json.loads(line)["message"].startswith("one\x1b[31m\ntwo")


@pytest.mark.parametrize("formatter", [TextLines(), JsonLines()], ids=["text", "json"])
def test_a_line_of_the_log_has_an_end(formatter: logging.Formatter) -> None:
    record = logging.LogRecord("citeseek", logging.INFO, "", 0, "%s", ("x" * 200_000,), None)
    assert len(formatter.format(record)) < 4_500


@pytest.mark.parametrize("formatter", [TextLines(), JsonLines()], ids=["text", "json"])
def test_a_traceback_keeps_its_lines_and_loses_what_speaks_to_a_terminal(
    formatter: logging.Formatter,
) -> None:
    record = record_of("Broken")
    record.exc_info = (ValueError, ValueError(ESC_AND_MORE), None)
    line = formatter.format(record)
    assert "ValueError: one" in line
    assert not set(line) & set("\x1b\x9b\u202e\ud83d")


@pytest.mark.parametrize("formatter", [TextLines(), JsonLines()], ids=["text", "json"])
async def test_a_cache_hit_is_written_without_the_query(
    formatter: logging.Formatter, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with Client(settings()) as client:
        for _ in range(2):
            await client.search("my secret plan", engine="stub")
    lines = [formatter.format(record) for record in caplog.records]
    assert any("cache hit" in line for line in lines)
    assert not any("secret plan" in line for line in lines)
