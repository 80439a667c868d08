"""``citeseek doctor`` as a user runs it: a list for people, JSON for programs, exit codes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.command import CITESEEK
from tests.health.examining import doctor, findings, nowhere_else
from tests.loopback import LoopbackServer, faults, replies
from tests.loopback.models import ModelServer

from citeseek.health import examination
from citeseek.health.examination import examine
from citeseek.health.finding import PARTS, Part
from citeseek.health.settings.readable_files import read_files
from citeseek.i18n import catalogue
from citeseek.surfaces.cli import doctor as command
from citeseek.surfaces.cli.line_breaks import cell_len


def test_the_command_knows_every_part() -> None:
    assert command.PARTS == PARTS


@pytest.mark.requirement("S1-89")
def test_a_list_for_people_says_in_words_how_each_part_is(server: LoopbackServer) -> None:
    # Not a port that refuses: then another SearXNG of this machine may be what is told.
    server.otherwise(replies.html("<h1>It works</h1>"))
    done = doctor("searxng", "config", SEARXNG_BASE_URL=server.base_url, PATH="/no/docker")
    assert done.returncode == 3
    assert done.stderr == ""
    assert "✗ 错误  searxng: not_searxng" in done.stdout
    assert "      citeseek searxng status  #" in done.stdout
    assert "docker" not in done.stdout.partition("searxng: not_searxng")[2].partition("文档")[0]
    assert "文档：docs/searxng.md#port" in done.stdout
    assert "✓ 正常  config\n" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 错误, 1 正常"


def test_commands_and_lines_of_a_file_stand_apart(server: LoopbackServer, tmp_path: Path) -> None:
    (tmp_path / "docker").write_text("#!/bin/sh\necho permission denied >&2; exit 1\n")
    (tmp_path / "docker").chmod(0o755)
    done = doctor("searxng", SEARXNG_BASE_URL=server.base_url, PATH=f"{tmp_path}:/bin")
    told = done.stdout.splitlines()
    start = next(number for number, line in enumerate(told) if "# docker-compose.yml" in line)
    assert told[start - 1] == ""
    assert "已有的这一行" in told[start + 1]
    assert told[start + 2].startswith('            - "127.0.0.1:')
    assert told[start + 3] == ""
    assert told[start + 4] == "      docker compose up -d"


def test_a_narrow_terminal_has_whole_commands_below_their_remarks(server: LoopbackServer) -> None:
    server.otherwise(replies.html("<h1>It works</h1>"))
    env = {"TTY_COMPATIBLE": "1", "NO_COLOR": "1", "TERM": "dumb", "PATH": "/no/docker"}
    piped = doctor("searxng", "config", SEARXNG_BASE_URL=server.base_url, PATH="/no/docker")
    done = doctor("searxng", "config", SEARXNG_BASE_URL=server.base_url, COLUMNS="40", **env)
    told = done.stdout.splitlines()
    start = next(number for number, line in enumerate(told) if line.startswith("      "))
    sentences, repair = told[1:start], told[start:-2]
    assert all(line.startswith("    ") and cell_len(line) <= 40 for line in sentences)
    commands = [line for line in repair if line.startswith("      ") and line[6] != "#"]
    unbroken = [line.partition("  # ")[0] for line in piped.stdout.splitlines()]
    assert {line.partition("  # ")[0] for line in commands} <= set(unbroken)
    remarks = [line for line in repair if line.startswith("      #")]
    assert remarks
    assert all(cell_len(line) <= 40 for line in remarks)
    assert told[-2:] == ["✓ 正常  config", "1 错误, 1 正常"]


async def test_a_part_with_a_warning_is_not_among_those_that_are_well(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text('{"search": {"nope": 1}}')
    files = read_files(env={"CITESEEK_HOME": str(tmp_path)})
    found = await examine(files, ("config", "valkey"))
    command._print(found, catalogue("en"))
    told = capsys.readouterr().out.splitlines()
    assert told[-2:] == ["✓ ok  valkey", "1 warning, 1 ok"]
    command._print(found, catalogue("en"), verbose=True)
    assert capsys.readouterr().out.splitlines()[-1] == "1 warning, 2 ok"


@pytest.mark.requirement("S1-92")
def test_json_has_the_status_the_code_and_the_repair_of_each(server: LoopbackServer) -> None:
    done = doctor("searxng", "--json", SEARXNG_BASE_URL=server.base_url)
    assert done.returncode == 3
    found = findings(done)["searxng not_searxng"]
    assert found["status"] == "error"
    assert all(isinstance(line, str) for line in found["repair"])
    assert {"part", "code", "status", "seen", "why", "repair", "docs"} == found.keys()


def test_all_parts_are_looked_at_unless_some_are_named(server: LoopbackServer) -> None:
    env = {**nowhere_else(server), "CHROME_PATH": "/no/such/browser"}
    found = findings(doctor("--json", **env))
    assert {name.split()[0] for name in found} == set(PARTS)
    (chrome,) = (one for name, one in found.items() if name.startswith("chrome "))
    assert (chrome["code"], chrome["status"]) in [("missing", "warning"), ("wrong_path", "warning")]
    found = findings(doctor("engines", "model", "--json"))
    assert {name.split()[0] for name in found} == {"engines", "model"}


def test_nothing_wrong_is_exit_code_0(server: LoopbackServer) -> None:
    done = doctor("config", "engines", "model", "network", **nowhere_else(server))
    assert done.returncode == 0
    assert "✗" not in done.stdout


def test_a_broken_file_hides_nothing_else(tmp_path: Path, server: LoopbackServer) -> None:
    (tmp_path / "config.json").write_text("{\n oops")
    done = doctor(
        "--json", "config", "searxng", CITESEEK_HOME=str(tmp_path), **nowhere_else(server)
    )
    assert findings(done).keys() == {
        "searxng not_searxng",
        "config not_json",
        "config files",
    }
    named = doctor("config", "--config", str(tmp_path / "none.json"))
    assert named.returncode == 3
    assert "none.json" in named.stdout


@pytest.mark.parametrize("part", [part for part in PARTS if part != "config"])
async def test_each_part_says_that_it_was_looked_at_without_a_broken_file(
    part: Part, tmp_path: Path, server: LoopbackServer
) -> None:
    (tmp_path / "config.json").write_text('{"engines": {"searxng": {"base_url": "http://a:1",}}}')
    env = {"CITESEEK_HOME": str(tmp_path), "CHROME_PATH": "/no/chrome", **nowhere_else(server)}
    first, *others = await examine(read_files(env=env), (part,))
    assert (first.part, first.code, first.status) == ("config", "not_json", "error")
    assert "以下所见不含这个文件的设置" in first.why
    assert {one.part for one in others} == {part}
    # Said once, where the file is looked at itself.
    both = await examine(read_files(env=env), (part, "config"))
    assert [one.code for one in both].count("not_json") == 1


def test_only_a_part_that_is_named_sends_the_model_something() -> None:
    with ModelServer() as model:
        model.says("ready")
        found = findings(doctor("model", "--json", **model.env))
        assert "model ok" in found
        assert len(model.requests) == 1


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_reader_that_has_seen_enough_does_not_make_it_well(
    form: tuple[str, ...], server: LoopbackServer
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    env = {**os.environ, "SEARXNG_BASE_URL": server.base_url, "PATH": "/no/docker"}
    try:
        done = subprocess.run(
            [*CITESEEK, "doctor", "searxng", *form],
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=50,
            check=False,
            env=env,
        )
    finally:
        os.close(writing)
    assert done.returncode == 3
    assert done.stderr == b""


def test_an_unknown_part_is_bad_input() -> None:
    done = doctor("serxng")
    assert done.returncode == 2
    assert "searxng, chrome" in done.stderr


async def test_a_part_that_takes_too_long_is_a_finding(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.otherwise(faults.hang())
    env = {"SEARXNG_BASE_URL": server.base_url, "CITESEEK_HOME": str(tmp_path)}
    began = time.monotonic()
    found = await examine(read_files(env=env), ("searxng", "config"), seconds=0.3)
    assert time.monotonic() - began < 8
    assert [(f.part, f.code) for f in found] == [("searxng", "too_slow"), ("config", "files")]


async def test_a_look_that_fails_is_a_finding(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def broken(_: object) -> list:
        raise RuntimeError("marked-text")

    monkeypatch.setitem(examination._CHECKS, "chrome", broken)
    files = read_files(env={"CITESEEK_HOME": str(tmp_path)})
    (found,) = await examine(files, ("chrome",))
    assert (found.code, found.status) == ("broken", "error")
    assert "RuntimeError" in found.seen
    assert "marked-text" not in repr(found)


def test_ctrl_c_ends_it_while_the_driver_of_chrome_starts(
    server: LoopbackServer, tmp_path: Path
) -> None:
    begun, driver = tmp_path / "begun", tmp_path / "node"
    os.mkfifo(begun)
    # It says nothing, as one does that is slow to start, and ends with its standard input.
    driver.write_text(f"#!/bin/sh\necho begun > {begun}\nexec cat > {tmp_path / 'said'}\n")
    for program in (driver, tmp_path / "chrome"):
        program.touch()
        program.chmod(0o755)
    env = {
        "CHROME_PATH": str(tmp_path / "chrome"),
        "PLAYWRIGHT_NODEJS_PATH": str(driver),
        **nowhere_else(server),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "citeseek", "doctor", "config", "chrome"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, **env},
    ) as looking:
        assert begun.read_text() == "begun\n"
        looking.send_signal(signal.SIGINT)
        _, told = looking.communicate(timeout=30)
    assert (looking.returncode, told) == (130, b"")
