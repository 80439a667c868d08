"""A broken settings file, for each command: one line with the place and what mends it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.command import run_citeseek

from citeseek.surfaces.cli import COMMANDS

COMMAND_LINES = {
    "search": ["search", "x"],
    "fetch": ["fetch", "http://127.0.0.1:9/"],
    "ask": ["ask", "x"],
    "research": ["research", "x"],
    "verify": ["verify", "x"],
    "watch": ["watch", "x"],
    "serve": ["serve", "--port", "0"],
    "worker": ["worker"],
    "mcp": ["mcp"],
    "database": ["database", "upgrade"],
    "people": ["people"],
    "programs": ["programs"],
    "engines": ["engines"],
    "settings": ["settings"],
}
# These work all the same: one looks for what is wrong, the others need none of our settings.
WORK_WITHOUT = {"doctor", "searxng", "replay", "bundle", "tools"}


def run(*args: str, home: Path) -> subprocess.CompletedProcess[str]:
    return run_citeseek(*args, env={**os.environ, "CITESEEK_HOME": str(home)})


def test_every_command_is_tried() -> None:
    assert COMMAND_LINES.keys() | WORK_WITHOUT == set(COMMANDS)


@pytest.mark.parametrize("command", COMMAND_LINES)
def test_one_line_says_where_and_what_mends_it(command: str, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{\n  "chat": {"results": NaN}\n}')
    done = run(*COMMAND_LINES[command], home=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"citeseek: {config} 从第 2 行第 23 列起不是 JSON：JSON 没有 NaN 这个值。 "
        "修正它：citeseek doctor config\n"
    )


def test_the_command_of_the_line_finds_the_same(tmp_path: Path) -> None:
    config = tmp_path / "own settings.json"
    config.write_text("[1, ]")
    done = run("settings", "--config", str(config), home=tmp_path)
    hint = f"修正它：citeseek doctor config --config '{config}'\n"
    assert done.stderr.endswith(hint)
    doctor = run("doctor", "config", "--config", str(config), home=tmp_path)
    assert doctor.returncode == 3
    assert f"{config} 从第 1 行第 3 列起不是 JSON" in doctor.stdout


@pytest.mark.parametrize("verbose", [[], ["-v"]])
def test_a_file_that_is_missing_or_a_folder_is_one_line_too(
    verbose: list[str], tmp_path: Path
) -> None:
    missing = run(*verbose, "settings", "--config", str(tmp_path / "none.json"), home=tmp_path)
    assert missing.stderr.startswith(f"citeseek: 没有设置文件 {tmp_path}/none.json。 ")
    folder = run(*verbose, "settings", "--agents", str(tmp_path), home=tmp_path)
    assert folder.stderr.startswith(f"citeseek: 无法读取 {tmp_path}：是目录。 ")
    for done in (missing, folder):
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1


def test_what_is_not_understood_comes_with_what_mends_it_once(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"chat": {"count": 3}}')
    warning = "citeseek: config.json chat.count 不是已知的设置。\n"
    done = run("search", "x", "--engine", "stub", "--format", "json", home=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith(f"{warning}citeseek: 修正设置：citeseek doctor config\n")
    done = run("--config", str(config), "settings", home=tmp_path)
    command = f"citeseek doctor config --config {config}"
    assert done.stderr == f"{warning}citeseek: 修正设置：{command}\n"
    english = {**os.environ, "CITESEEK_HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    done = run_citeseek("settings", env=english)
    assert done.stderr.startswith("citeseek: config.json: chat.count is an unknown key.\n")
    config.write_text('{"chat": {"results": 3}}')
    assert run("settings", home=tmp_path).stderr == ""


def test_a_file_of_another_name_goes_by_its_own(tmp_path: Path) -> None:
    config = tmp_path / "team.json"
    config.write_text('{"search": {"count": "many"},\n "server": {"token": "$NOPE"}}')
    english = {**os.environ, "CITESEEK_HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    doctor = run_citeseek("--config", str(config), "doctor", "config", env=english).stdout
    assert "    team.json, line 1 search.count: 'many' is not a number; it counts as" in doctor
    assert "    team.json, line 2 server.token: the variable NOPE is not set" in doctor
    told = run_citeseek("--config", str(config), "settings", env=english).stderr
    assert (
        "citeseek: team.json: search.count: 'many' is not a number; it counts as not set." in told
    )
    assert "config.json:" not in doctor + told
