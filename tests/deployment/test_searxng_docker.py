"""SearXNG with Docker Compose. Tests have no engine, so a program stands in for docker."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.deployment.commands import Place
from tests.loopback import LoopbackServer, replies
from tests.searxng.programs import free_port

STANDIN = Path(__file__).with_name("docker_standin.py")


class Docker:
    """The program that stands in, first on the place's PATH."""

    def __init__(self, place: Place, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.program = folder / "docker"
        text = STANDIN.read_text()
        self.program.write_text(f"#!{sys.executable}\n{text}")
        self.program.chmod(0o755)
        place.env["PATH"] = f"{folder}:{place.env['PATH']}"

    @property
    def calls(self) -> list[str]:
        """The commands that were run, without the questions."""
        lines = (self.folder / "calls").read_text().splitlines()
        done = ("compose up", "compose down", "compose restart")
        return [line for line in lines if line.startswith(done)]

    def says(self, script: str) -> None:
        """Let it be another program from now on."""
        self.program.write_text(f"#!/bin/sh\n{script}\n")


@pytest.fixture
def docker(place: Place, tmp_path: Path) -> Iterator[Docker]:
    docker = Docker(place, tmp_path / "bin")
    yield docker
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
    assert "runs already (docker)" in place.run("up", "--native", "--yes")
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
    assert docker.calls == []


def test_the_port_of_docker_stands_in_its_file(place: Place, docker: Docker) -> None:
    place.run("init")
    assert "docker-compose.yml, under ports" in place.run("up", "--port", "18080", code=2)


def test_a_command_of_compose_that_fails_is_a_failure(place: Place, docker: Docker) -> None:
    place.run("init", "--port", str(free_port()))
    text = docker.program.read_text()
    docker.program.write_text(text.replace('case ["compose", "up", "-d"]', 'case ["never"]'))
    assert "docker compose up -d failed (exit code 1)" in place.run("up", code=3)
