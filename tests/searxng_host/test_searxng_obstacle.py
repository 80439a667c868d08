"""What stands where a file has to be is told with commands that, as they are told, mend it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.searxng.programs import free_port
from tests.searxng_host.commands import Place
from tests.searxng_host.test_searxng_docker import Docker
from tests.searxng_host.test_searxng_docker import docker as docker  # noqa: PLC0414 - a fixture


def empty(path: Path) -> None:
    path.mkdir()


def full(path: Path) -> None:
    path.mkdir()
    (path / "mine").write_text("mine")


def nowhere(path: Path) -> None:
    path.symlink_to("../nowhere.yml")


def to_a_folder(path: Path) -> None:
    path.symlink_to("..")


def pipe(path: Path) -> None:
    os.mkfifo(path)


KINDS = {
    empty: ("is a folder, as Docker makes one where a file is missing", "rmdir"),
    full: ("is a folder, and no file", "mv"),
    nowhere: ("is a link to ../nowhere.yml, which is not there", "rm"),
    to_a_folder: ("is a link to .., which is not there or no file", "rm"),
    pipe: ("is a pipe or a device", "rm"),
}


def mended(place: Place, said: str) -> None:
    """Run the commands that were told, the way a person does."""
    remove, init = re.findall(r"`([^`]+)`", said)
    subprocess.run(["sh", "-c", remove], cwd=place.folder, check=True)
    place.run(*init.removeprefix("citeseek searxng ").split())
    assert (place.files / "settings.yml").is_file()


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_init_and_up_tell_of_it_and_the_commands_mend_it(
    place: Place, kind: Callable[[Path], None]
) -> None:
    words, command = KINDS[kind]
    place.run("init")
    (place.files / "settings.yml").unlink()
    kind(place.files / "settings.yml")
    for action in (("init",), ("up", "--native", "--yes")):
        said = place.run(*action, code=2)
        assert f"searxng/settings.yml {words}" in said
        assert f"`{command} searxng/settings.yml" in said
    mended(place, said)


@pytest.mark.release
@pytest.mark.parametrize("name", ["settings.yml", "limiter.toml"])
def test_docker_is_not_started_where_it_would_make_a_folder(
    place: Place, docker: Docker, name: str
) -> None:
    place.run("init", "--port", str(free_port()))
    (place.files / name).unlink()
    said = place.run("up", code=2)
    assert f"There is no searxng/{name}. `citeseek searxng init` writes it." in said
    (place.files / name).mkdir()
    said = place.run("up", code=2)
    assert f"searxng/{name} is a folder, as Docker makes one" in said
    assert docker.calls == []
    mended(place, said)
    assert "Health:          OK" in place.run("up")
    (place.files / name).unlink()
    assert f"There is no searxng/{name}." in place.run("restart", code=2)
    assert docker.calls == ["compose up -d"]


@pytest.mark.release
def test_docker_starts_a_compose_file_that_has_other_mounts(place: Place, docker: Docker) -> None:
    place.run("init", "--port", str(free_port()))
    compose = place.files / "docker-compose.yml"
    compose.write_text(compose.read_text().replace("- ./", "# - ./"))
    (place.files / "settings.yml").unlink()
    (place.files / "limiter.toml").unlink()
    assert "Health:          OK" in place.run("up")
    assert docker.calls == ["compose up -d"]


@pytest.mark.parametrize("path", ["/nowhere", "/usr/bin"])
def test_missing_files_are_told_before_a_missing_docker(place: Place, path: str) -> None:
    place.env["PATH"] = path
    said = place.run("up", "none", code=2)
    assert "There is no none/docker-compose.yml. `citeseek searxng init none` writes it." in said
    assert "Docker is" not in said


def test_a_folder_that_was_moved_is_not_made_anew(installed: Place) -> None:
    installed.run("up", "--native", "--port", str(free_port()))
    before = installed.status()
    installed.files.rename(installed.folder / "moved")
    said = installed.run("restart", code=2)
    assert f"{installed.files}/settings.yml is gone, with which it was started" in said
    assert "nothing was stopped" in said
    assert "searxng init" not in said
    assert installed.status() == before
    # The command that was told.
    assert "`citeseek searxng restart DIR`" in said
    assert "Health:          OK" in installed.run("restart", "moved")
    after = installed.status()
    assert after["settings"] == str(installed.folder / "moved" / "settings.yml")
    assert after["port"] == before["port"]
