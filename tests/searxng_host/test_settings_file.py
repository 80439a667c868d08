"""A settings.yml is read before anything is stopped for it; faults are told with their place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.searxng.programs import PROJECT, free_port
from tests.searxng_host.commands import Place

from citeseek.errors import InvalidInput
from citeseek.i18n import catalogue
from citeseek.searxng_host import files, settings_file
from citeseek.searxng_host.settings_check import NO_YAML


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"server: [", "line 1, column 10: while parsing a flow node"),
        (b"server:\n  port: 8080\n limiter: false\n", "line 3, column 2: "),
        (b"server:\n\tport: 1\n", "line 2, column 1: "),
        ("# 中文\nname: 'x\n".encode(), "line 3, column 1: "),
        ('名: "a" b\n'.encode(), "line 1, column 8: "),
        (b"a: b\nname: \xff\n", "line 2, column 7: it is not UTF-8"),
        (b"a: b\nc: \x00\n", "line 2, column 4: the character U+0000 is not allowed"),
        (b"- server\n", "line 1, column 1: it has to hold entries such as `server:`"),
        (b"a: *none\n", "line 1, column 4: found undefined alias"),
        (b"a: !!python/object:x {}\n", "line 1, column 4: could not determine a constructor"),
    ],
)
def test_what_is_no_yaml_is_told_with_line_and_column(
    tmp_path: Path, text: bytes, place: str
) -> None:
    path = tmp_path / "settings.yml"
    path.write_bytes(text)
    with pytest.raises(InvalidInput) as raised:
        settings_file.check(path, runs=True)
    assert raised.value.message.startswith(f"{path}, {place}")
    assert raised.value.hint == "What runs was left running."
    chinese = catalogue("zh").sentence(raised.value)
    assert chinese.startswith(f"{path}，第 ")
    assert chinese.endswith("正在运行的没有动。")


TWO = "than once, and SearXNG would take only the last; put the lines of all under the first."


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            "server:\n  secret_key: a\nsearch: {}\nserver:\n  limiter: false\n",
            f"line 4, column 1: `server` (lines 1 and 4) is there more {TWO}",
        ),
        (
            "server:\n  port: 1\n  limiter: true\n  'port': 2\n",
            f"line 4, column 3: `port` (lines 2 and 4) is there more {TWO}",
        ),
        (
            "engines:\n  - name: bing\n    disabled: true\n    disabled: false\n",
            f"line 4, column 5: `disabled` (lines 3 and 4) is there more {TWO}",
        ),
        (
            "a: {b: 1}\nc: 1\na: {}\nc: 2\n",
            f"line 3, column 1: `a` (lines 1 and 3) and `c` (lines 2 and 4) are there more {TWO}",
        ),
        ("yes: 1\ntrue: 2\n", "line 2, column 1: `true` (lines 1 and 2) is there more"),
        ("a: 1\na: 2\na: 3\n", "line 2, column 1: `a` (lines 1 and 2) and `a` (lines 1 and 3)"),
    ],
)
def test_what_is_there_twice_is_told_with_the_lines_of_both(
    tmp_path: Path, text: str, place: str
) -> None:
    path = tmp_path / "settings.yml"
    path.write_text(text)
    with pytest.raises(InvalidInput) as raised:
        settings_file.check(path)
    assert raised.value.message.startswith(f"{path}, {place}")


def test_a_block_that_is_appended_to_the_generated_file_is_refused(tmp_path: Path) -> None:
    files.write(tmp_path)
    path = tmp_path / "settings.yml"
    assert settings_file.check(path)
    lines = path.read_text().splitlines()
    for block in ("server:\n  limiter: false\n", "engines:\n  - name: bing\n", "search: {}\n"):
        name = block.partition(":")[0]
        path.write_text("\n".join([*lines, block]))
        first, second = lines.index(f"{name}:") + 1, len(lines) + 1
        with pytest.raises(InvalidInput, match=rf"`{name}` \(lines {first} and {second}\)"):
            settings_file.check(path)


def test_a_restart_refuses_what_would_forget_the_secret(installed: Place) -> None:
    settings = installed.files / "settings.yml"
    installed.run("up", "--native", "--port", str(free_port()))
    before = installed.status()
    settings.write_text(f"{settings.read_text()}\nserver:\n  limiter: false\n")
    said = installed.run("restart", code=2)
    assert "`server` (lines " in said
    assert "What runs was left running." in said
    assert installed.status() == before
    installed.run("down")
    assert "`server` (lines " in installed.run("up", "--native", code=2)


MERGED = "a: &a {x: 1}\nb: &b {y: 1}\nc:\n  <<: *a\n  <<: *b\n  x: 2\n"
FINE = [
    "",
    "# nothing\n",
    "server:\n  port: 8080\n",
    "\ufeffa: 1\n",
    MERGED,
    "a: {x: 1}\nb: {x: 1}\n",
]


@pytest.mark.parametrize("text", FINE)
def test_what_is_yaml_passes(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.yml"
    path.write_text(text)
    assert settings_file.check(path)


@pytest.mark.searxng
def test_a_python_without_yaml_leaves_it_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.yml"
    path.write_text("server: [")
    # -I and a folder without packages: a Python that has nothing but what it came with.
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    python = str(bare / "bin" / "python")
    done = settings_file.with_python(python)(b"")
    assert done
    assert done.returncode == NO_YAML
    monkeypatch.setattr(sys, "executable", python)
    assert settings_file.check(path) is False
    assert settings_file.check(path, [settings_file.with_python("/nowhere/python")]) is False
    other = settings_file.with_python(str(PROJECT / ".venv-searxng" / "bin" / "python"))
    with pytest.raises(InvalidInput, match="line 1, column 10"):
        settings_file.check(path, [other])


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("server:\n  limiter: [\n", 2, "settings.yml, line 3, column 1: "),
        ("use_default_settings: true\nsearch: {safe_search: 7}\n", 3, "Invalid settings.yml"),
        ("use_default_settings: true\n", 3, "server.secret_key is not changed"),
        (None, 2, "There is no "),
    ],
    ids=["no YAML", "another type", "no secret", "no file"],
)
def test_a_restart_leaves_what_runs_alone_when_the_new_settings_are_broken(
    installed: Place, text: str | None, code: int, words: str
) -> None:
    settings = installed.files / "settings.yml"
    good = settings.read_text()
    installed.run("up", "--native", "--port", str(free_port()))
    before = installed.status()
    settings.unlink() if text is None else settings.write_text(text)
    said = installed.run("restart", code=code)
    assert words in said
    assert installed.status() == before
    settings.write_text(good)
    assert "Health:          OK" in installed.run("restart")
    after = installed.status()
    assert (after["port"], after["settings"]) == (before["port"], before["settings"])
    assert after["pid"] != before["pid"]


def test_a_restart_with_another_folder_reads_that_first(installed: Place) -> None:
    installed.run("up", "--native", "--port", str(free_port()))
    before = installed.status()
    other = installed.folder / "other"
    other.mkdir()
    (other / "settings.yml").write_text("[")
    assert "other/settings.yml, line 1, column 2" in installed.run("restart", "other", code=2)
    assert "`citeseek searxng init none` writes it" in installed.run("restart", "none", code=2)
    assert installed.status() == before
    (other / "settings.yml").write_text((installed.files / "settings.yml").read_text())
    installed.run("restart", "other")
    after = installed.status()
    assert after["settings"] == str(other / "settings.yml")
    assert after["port"] == before["port"]
    # Until another is named, it is the one.
    installed.run("restart")
    assert installed.status()["settings"] == str(other / "settings.yml")


def test_one_whose_program_is_gone_is_not_stopped(installed: Place) -> None:
    installed.run("up", "--native", "--port", str(free_port()))
    before = installed.status()
    (installed.state / "env.installed").unlink()
    said = installed.run("restart", code=3)
    assert "nothing was stopped" in said
    assert installed.status() == before
