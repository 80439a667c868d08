"""What was started without Docker and is not as it was noted: died, forgotten, damaged."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from tests.browser.processes import wait_until
from tests.searxng.programs import free_port
from tests.searxng_host.commands import Place

from citeseek.searxng_host.searxng_process import mark_process

DAMAGED = ["", "{", "null", '{"pid": 1}', '{"pid": 0, "mark": "", "port": 99999}']


@pytest.fixture
def running(installed: Place) -> Place:
    """Give a place where SearXNG runs."""
    installed.run("up", "--native", "--port", str(free_port()))
    return installed


def kill(place: Place) -> dict:
    """Kill what runs and return its status of before."""
    before = place.status()
    os.kill(before["pid"], signal.SIGKILL)
    wait_until(lambda: mark_process(before["pid"]) is None)
    return before


def test_one_that_was_killed_is_told_of_with_its_last_words(running: Place) -> None:
    before = kill(running)
    said = running.run("status", code=1)
    assert f"it was started at {before['url']} (native, pid {before['pid']}, since 2" in said
    assert "has died and was not stopped" in said
    assert "Serving Flask app" in said
    assert "citeseek searxng restart" in said
    status = running.status(code=1)
    assert (status["running"], status["state"], status["healthy"]) == (False, "died", False)
    assert status["settings"] == str(running.files / "settings.yml")


def test_one_that_was_killed_is_started_again_as_it_was(running: Place) -> None:
    before = kill(running)
    assert "Health:          OK" in running.run("restart")
    after = running.status()
    assert after["pid"] != before["pid"]
    assert (after["port"], after["settings"]) == (before["port"], before["settings"])


def test_one_that_was_killed_can_be_forgotten(running: Place) -> None:
    kill(running)
    assert "nothing to stop" in running.run("down")
    assert running.status(code=1) == {"running": False}


def test_up_starts_another_after_one_was_killed(running: Place) -> None:
    before = kill(running)
    port = free_port()
    running.run("up", "--native", "--port", str(port))
    assert running.status()["pid"] != before["pid"]
    assert running.status()["port"] == port


def test_another_process_of_the_same_number_is_left_alone(installed: Place) -> None:
    mine = {
        "pid": os.getpid(),
        "mark": "of an earlier boot 1",
        "port": 1,
        "settings": "",
        "since": "",
    }
    (installed.state / "process.json").write_text(json.dumps(mine))
    assert installed.status(code=1)["state"] == "died"
    assert "nothing to stop" in installed.run("down")


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc")
@pytest.mark.parametrize("content", [*DAMAGED, None])
def test_a_process_whose_note_is_damaged_is_found(running: Place, content: str | None) -> None:
    before = running.status()
    note = running.state / "process.json"
    note.unlink() if content is None else note.write_text(content)
    after = running.status()
    for name in ("pid", "port", "settings", "healthy"):
        assert after[name] == before[name]
    assert "was stopped (native)" in running.run("down")
    assert mark_process(before["pid"]) is None
    assert running.status(code=1) == {"running": False}


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc")
def test_up_and_restart_find_it_and_note_it_again(running: Place) -> None:
    before = running.status()
    note = running.state / "process.json"
    note.write_text("{")
    assert "runs already (native)" in running.run("up", "--native")
    assert json.loads(note.read_bytes())["pid"] == before["pid"]
    note.write_text("{")
    assert "Health:          OK" in running.run("restart")
    assert running.status()["port"] == before["port"]
    assert mark_process(before["pid"]) is None


def test_a_damaged_note_of_nothing_is_told_with_the_command_that_helps(installed: Place) -> None:
    (installed.state / "process.json").write_text("{")
    said = installed.run("status", code=1)
    assert "process.json is damaged" in said
    assert "ps -axo pid,command | grep searx.webapp" in said
    installed.run("down")
    assert "damaged" not in installed.run("status", code=1)
