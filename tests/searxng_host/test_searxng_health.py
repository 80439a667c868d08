"""A SearXNG of one's own is called well only when a search on it can work: real ones."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest
from tests.loopback import LoopbackServer, black_hole, refused_port, replies
from tests.searxng.conftest import States
from tests.searxng.conftest import searxng as searxng  # noqa: PLC0414 - a fixture
from tests.searxng.programs import free_port
from tests.searxng_host.commands import Place, ended

from citeseek.searxng_host import status
from citeseek.searxng_host.searxng_process import mark_process

NO_JSON = ("    - json\n", "")
NO_ENGINE = ("    shortcut: ix\n", "    shortcut: ix\n    disabled: true\n")


@pytest.mark.parametrize(
    ("change", "code"),
    [(NO_JSON, "json_format_disabled"), (NO_ENGINE, "no_engines")],
    ids=["json off", "engines off"],
)
def test_what_cannot_search_is_not_well(
    installed: Place, change: tuple[str, str], code: str
) -> None:
    settings = installed.files / "settings.yml"
    assert change[0] in settings.read_text()
    settings.write_text(settings.read_text().replace(*change))
    for action in (("up", "--native", "--port", str(free_port())), ("status",), ("restart",)):
        said = installed.run(*action, code=3)
        assert f"Health:          not well: {code}" in said
        assert "OK" not in said.partition("Health:")[2].partition("\n")[0]
        # What mends it is there at once.
        assert "settings.yml" in said.partition("Health:")[2].partition("Settings:")[0]
        assert "citeseek doctor searxng" in said
    status = installed.status(code=3)
    assert status["running"] is True
    assert status["healthy"] is False
    assert status["problem"] == code
    assert status["finding"]["code"] == code
    assert status["finding"]["repair"]


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("json_on", ""),
        ("json_off", "json_format_disabled"),
        ("without_engines", "no_engines"),
        ("limiter", "limiter_enabled"),
        ("pass_list", ""),
        ("older", ""),
        ("older_json_off", "json_format_disabled"),
    ],
)
def test_each_state_has_the_doctor_s_code(searxng: States, state: str, code: str) -> None:
    instance = searxng(state)
    before = len(instance.index.requests)
    # As often as one likes: neither engines nor the limiter count it.
    assert [status.search_problem(instance.port) for _ in range(6)] == [code] * 6
    assert len(instance.index.requests) == before


def test_what_says_ok_and_is_no_searxng_is_not_well(server: LoopbackServer) -> None:
    server.otherwise(replies.html("OK"))
    assert status.search_problem(int(server.base_url.rpartition(":")[2])) == "api_not_enabled"


def test_a_port_where_nothing_answers_is_told_in_time() -> None:
    with refused_port() as port:
        assert status.search_problem(port) == "refused"
    began = time.monotonic()
    with black_hole() as port:
        assert status.search_problem(port, seconds=0.3) == "timeout"
    assert time.monotonic() - began < 10


def test_one_that_hangs_is_mended_by_the_command_that_is_told(installed: Place) -> None:
    installed.run("up", "--native", "--port", str(free_port()))
    before = installed.status()
    os.kill(before["pid"], signal.SIGSTOP)
    several = [
        installed.start(*action)
        for action in (("status",), ("up", "--native"), ("status", "--json"))
    ]
    *words, in_json = [each.communicate(timeout=50)[0] for each in several]
    assert [each.returncode for each in several] == [3, 3, 3]
    for said in words:
        health = said.partition("Health:")[2].partition("Settings:")[0]
        assert "not well: timeout" in health
        assert "  citeseek searxng restart\n" in health
    assert json.loads(in_json)["repair"] == ["citeseek searxng restart"]
    assert "Health:          OK" in ended(installed.start("restart"))
    assert mark_process(before["pid"]) is None
    assert "repair" not in installed.status()
