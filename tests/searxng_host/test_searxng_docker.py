"""SearXNG with Docker Compose. Tests have no engine, so a program stands in for docker."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.loopback import LoopbackServer, replies
from tests.searxng.programs import free_port
from tests.searxng_host.commands import Place

pytestmark = pytest.mark.release

STANDIN = Path(__file__).with_name("docker_standin.py")


class Docker:
    """The program that stands in, first on the place's PATH."""

    def __init__(self, place: Place, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.program = folder / "docker"
        text = STANDIN.read_text()
        # It is run many times, and starts in half the time without what is installed.
        self.program.write_text(f"#!{sys.executable} -IS\n{text}")
        self.program.chmod(0o755)
        place.env["PATH"] = f"{folder}:{place.env['PATH']}"

    @property
    def calls(self) -> list[str]:
        """The commands that were run, without the questions."""
        lines = (self.folder / "calls").read_text().splitlines()
        done = ("compose up", "compose down", "compose restart", "compose unpause")
        return [line for line in lines if line.startswith(done)]

    def state(self, state: str) -> None:
        """Let the container be in this state from now on."""
        (self.folder / "state").write_text(state)

    def prints(self, question: str, text: str) -> None:
        """Let it print ``text`` when it is asked for ``ps`` or ``config``."""
        (self.folder / f"printed-{question}").write_text(text)

    def prints_as_before(self) -> None:
        for printed in self.folder.glob("printed-*"):
            printed.unlink()

    def says(self, script: str) -> None:
        """Let it be another program from now on."""
        self.program.write_text(f"#!/bin/sh\n{script}\n")


@pytest.fixture
def docker(place: Place, tmp_path: Path) -> Iterator[Docker]:
    docker = Docker(place, tmp_path / "bin")
    yield docker
    docker.prints_as_before()
    if (docker.folder / "container").exists():
        place.run("down")


def test_without_docker_both_ways_are_told(place: Place, tmp_path: Path) -> None:
    place.run("init")
    place.env["PATH"] = str(tmp_path)
    said = place.run("up", code=2)
    assert "Docker is not installed." in said
    assert "with Docker" in said
    assert "citeseek searxng up --native" in said
    assert "docs/searxng.md#native" in said


def test_an_engine_that_does_not_answer_is_told_in_docker_s_own_words(
    place: Place, docker: Docker
) -> None:
    docker.says("echo 'Cannot connect to the Docker daemon.' >&2; exit 1")
    place.run("init")
    said = place.run("up", code=2)
    assert "its engine does not answer (Cannot connect to the Docker daemon.)" in said
    assert "up --native" in said


def test_docker_without_compose_is_told(place: Place, docker: Docker) -> None:
    docker.says('[ "$1" = version ] && exit 0; echo "unknown command" >&2; exit 1')
    place.run("init")
    assert "without Compose (package docker-compose-plugin)" in place.run("up", code=2)


@pytest.mark.skipif(not shutil.which("docker"), reason="there is no docker")
def test_a_real_docker_without_its_engine_is_told(place: Place) -> None:
    place.run("init")
    assert "its engine does not answer" in place.run("up", code=2)


def test_up_status_logs_restart_and_down_go_through_compose(place: Place, docker: Docker) -> None:
    port = free_port()
    place.run("init", "--port", str(port))
    said = place.run("up")
    assert f"SearXNG runs at http://localhost:{port} (docker, since Up 2 seconds (healthy))" in said
    assert "Health:          OK" in said
    status = place.status()
    assert (status["how"], status["port"], status["healthy"]) == ("docker", port, True)
    assert place.run("logs", "-n", "2") == "searxng-1  | line 0\nsearxng-1  | line 1\n"
    assert "Health:          OK" in place.run("restart")
    said = place.run("up", "--native", "--yes", code=2)
    assert "runs already (docker, Up 2 seconds (healthy))" in said
    assert "Stop it first: citeseek searxng down" in said
    assert "was stopped (docker)" in place.run("down")
    assert place.status(code=1) == {"running": False}
    assert docker.calls == ["compose up -d", "compose restart searxng", "compose down"]


def test_a_port_in_use_is_told_before_docker_starts_anything(
    place: Place, docker: Docker, server: LoopbackServer
) -> None:
    server.otherwise(replies.html("Hello."))
    port = server.base_url.rpartition(":")[2]
    place.run("init", "--port", port)
    said = place.run("up", code=2)
    assert f"Port {port} of this machine is in use by another program" in said
    assert "docker-compose.yml" in said
    assert docker.calls == []


def test_without_the_files_nothing_is_started(place: Place, docker: Docker) -> None:
    assert "There is no searxng/docker-compose.yml" in place.run("up", code=2)
    # It was not even asked.
    assert not (docker.folder / "calls").exists()


def test_the_port_of_docker_stands_in_its_file(place: Place, docker: Docker) -> None:
    place.run("init")
    assert "in docker-compose.yml, under ports" in place.run("up", "--port", "18080", code=2)


def test_a_command_of_compose_that_fails_is_a_failure(place: Place, docker: Docker) -> None:
    place.run("init", "--port", str(free_port()))
    text = docker.program.read_text()
    docker.program.write_text(text.replace('case ["compose", "up", "-d"]', 'case ["never"]'))
    assert "docker compose up -d failed (exit code 1)" in place.run("up", code=3)


@pytest.fixture
def up(place: Place, docker: Docker) -> Docker:
    """Give a Docker that runs the place's SearXNG."""
    place.run("init", "--port", str(free_port()))
    place.run("up")
    (docker.folder / "calls").unlink()
    return docker


@pytest.mark.parametrize(
    ("state", "words", "code"),
    [
        ("paused", "Up 2 hours (Paused)", 3),
        ("restarting", "Restarting (1) 5 seconds ago", 3),
        ("created", "Created", 1),
        ("exited", "Exited (1) 3 minutes ago", 1),
    ],
)
def test_a_container_that_does_not_run_is_told_of_and_can_be_stopped(
    place: Place, up: Docker, state: str, words: str, code: int
) -> None:
    up.state(state)
    said = place.run("status", code=code)
    assert f"SearXNG does not serve: its container is {state} ({words})." in said
    assert "searxng-1  | line 9" in said
    assert "citeseek searxng restart" in said
    status = place.status(code=code)
    assert (status["running"], status["state"], status["healthy"]) == (False, state, False)
    assert place.run("logs", "-n", "1") == "searxng-1  | line 0\n"
    assert "was stopped (docker)" in place.run("down")
    assert up.calls[-1] == "compose down"
    assert place.status(code=1) == {"running": False}


@pytest.mark.parametrize(
    ("state", "calls"),
    [
        ("paused", ["compose unpause searxng", "compose restart searxng"]),
        ("restarting", ["compose restart searxng"]),
        ("created", ["compose up -d"]),
        ("exited", ["compose up -d"]),
    ],
)
def test_restart_brings_a_container_back_from_each_state(
    place: Place, up: Docker, state: str, calls: list[str]
) -> None:
    up.state(state)
    assert "Health:          OK" in place.run("restart")
    assert up.calls == calls


def test_up_wakes_a_container_that_is_paused(place: Place, up: Docker) -> None:
    up.state("paused")
    assert "Health:          OK" in place.run("up")
    assert up.calls == ["compose unpause searxng", "compose up -d"]


def test_down_removes_what_only_another_service_left(place: Place, up: Docker) -> None:
    up.prints("ps", '{"Service": "valkey", "State": "running", "Status": "Up"}')
    assert "was stopped (docker)" in place.run("down")
    assert up.calls == ["compose down"]


def test_native_is_not_started_beside_one_that_will_be_back(place: Place, up: Docker) -> None:
    up.state("restarting")
    assert "(docker, Restarting" in place.run("up", "--native", "--yes", code=2)


@pytest.mark.parametrize(
    "shape",
    [
        '[{"Service": "searxng", "State": "running", "Status": "Up"}]',
        '{"Service": "searxng", "State": "running", "Status": "Up"}\n',
        '{"Service":"valkey","State":"exited"}\n{"Service":"searxng","State":"Running"}\n',
        '[\n {"Service": "searxng",\n  "State": "running"}\n]',
    ],
    ids=["list", "line", "lines", "list over lines"],
)
def test_each_shape_of_compose_ps_is_read(place: Place, up: Docker, shape: str) -> None:
    up.prints("ps", shape)
    assert place.status()["running"] is True


@pytest.mark.parametrize("shape", ["", "[]", "null", "\n"])
def test_compose_ps_may_know_of_no_container(place: Place, up: Docker, shape: str) -> None:
    up.prints("ps", shape)
    assert place.status(code=1) == {"running": False}


ODD = ["NAME  STATUS", '"running"', "[1]", "{}", '{"State": 1, "Service": "searxng"}', "{" * 9_999]


@pytest.mark.parametrize(
    ("action", "odd"),
    [*(("status", odd) for odd in ODD), *((each, ODD[0]) for each in ("down", "restart", "up"))],
)
def test_what_compose_ps_prints_otherwise_is_a_failure_that_is_told(
    place: Place, up: Docker, action: str, odd: str
) -> None:
    up.prints("ps", odd)
    said = place.run(action, code=3)
    assert "docker compose ps printed what is not understood" in said
    assert up.calls == []


def test_what_compose_ps_prints_does_not_keep_anybody_from_going_without_docker(
    place: Place, up: Docker
) -> None:
    up.prints("ps", "NAME  STATUS")
    said = place.run("up", "--native", "--port", str(free_port()), code=2)
    assert "warning: docker compose ps printed" in said
    assert "Nothing was installed" in said


@pytest.mark.parametrize(
    "config", ["", "services:", "[]", "null", '{"services": null}', '{"services": {}}']
)
def test_what_compose_config_prints_otherwise_is_a_failure_that_is_told(
    place: Place, docker: Docker, config: str
) -> None:
    place.run("init")
    docker.prints("config", config)
    said = place.run("up", code=3)
    assert "docker compose config printed what is not understood" in said
    assert docker.calls == []


def test_compose_that_fails_is_not_taken_for_nothing_running(place: Place, up: Docker) -> None:
    text = up.program.read_text()
    up.program.write_text(text.replace('case ["compose", "ps"', 'case ["never"'))
    said = place.run("status", code=3)
    assert "docker compose ps failed in searxng (unknown command)" in said
    up.program.write_text(text)


def test_an_engine_that_cannot_be_asked_is_not_taken_for_nothing_running(
    place: Place, docker: Docker
) -> None:
    place.run("init")
    docker.says("echo 'permission denied: docker.sock' >&2; exit 1")
    said = place.run("status", code=1)
    assert "its engine does not answer (permission denied: docker.sock)" in said


def test_a_restart_reads_the_settings_before_it_stops_anything(place: Place, up: Docker) -> None:
    (place.files / "settings.yml").write_text("server:\n  port: 8080\n limiter: [\n")
    said = place.run("restart", code=2)
    assert "searxng/settings.yml, line 3, column 2: " in said
    assert "What runs was left running." in said
    assert up.calls == []
    assert place.status()["healthy"] is True


def test_the_folder_that_docker_was_started_with_is_remembered(
    place: Place, docker: Docker
) -> None:
    place.run("init", "mine", "--port", str(free_port()))
    said = place.run("up", "mine")
    assert "citeseek searxng logs mine" in said
    status = place.status()
    assert status["settings"] == str(place.folder / "mine" / "settings.yml")
    assert "Health:          OK" in place.run("restart")
    assert "was stopped (docker)" in place.run("down")
    assert place.status(code=1) == {"running": False}
