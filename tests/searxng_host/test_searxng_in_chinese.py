"""What goes wrong below ``citeseek searxng`` is told in the language of the terminal."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.one_language import english_words
from tests.searxng.programs import free_port
from tests.searxng_host.commands import Place

from citeseek.i18n import catalogue, languages
from citeseek.searxng_host import DeploymentFailed, address, failures_of_files, files
from citeseek.searxng_host.docker import Docker
from citeseek.searxng_host.native import _require_same
from citeseek.searxng_host.searxng_process import Running
from citeseek.searxng_host.searxng_program import PACKAGE, VERSION

NAMES = frozenset(
    "env searxng docker compose pip pypi native mb agpl or later server yaml utf".split()
)


def arranged(place: Place, what: Callable[[Path], object]) -> str:
    place.run("init")
    (place.files / "settings.yml").unlink()
    what(place.files / "settings.yml")
    place.env["LC_ALL"] = "zh_CN.UTF-8"
    return place.run("up", "--native", code=2)


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (lambda path: path.mkdir(), "是目录，不是文件"),
        (lambda path: path.symlink_to("nowhere"), "是指向 nowhere 的链接"),
        (os.mkfifo, "是管道或设备"),
        (lambda path: path.write_text("- server\n"), "应当是 `server:` 这样的条目"),
        (lambda path: path.write_bytes(b"\xff"), "第 1 行第 1 列：不是 UTF-8"),
        (lambda path: path.write_text("a: 1\na: 2\n"), "a (1, 2)"),
        (lambda _: None, "没有文件 "),
    ],
)
def test_settings_that_searxng_cannot_take(
    place: Place, what: Callable[[Path], object], told: str
) -> None:
    said = arranged(place, what)
    assert told in said
    assert not english_words(said, NAMES | {"nowhere"}), said


def test_what_is_there_and_what_is_missing(place: Place) -> None:
    place.run("init")
    place.env |= {"LC_ALL": "zh_CN.UTF-8", "PATH": ""}
    for arguments, code, told in (
        (("init",), 2, "什么都没有写"),
        (("up",), 2, "Docker"),
        (("up", "--native"), 2, "AGPL-3.0-or-later"),
        (("up", "nowhere"), 2, "没有文件 nowhere/docker-compose.yml"),
    ):
        said = place.run(*arguments, code=code)
        assert told in said
        assert not english_words(said, NAMES), said


def test_each_failure_has_a_sentence_in_each_language(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind((address.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        errors: list[Exception | None] = [
            address.taken_error(port, hint="--port takes another one.", hint_case="another_port"),
            Docker(tmp_path, {"PATH": ""}).missing(),
        ]
    running = Running(pid=1, mark="", port=free_port(), settings="/a", since="now")
    for settings, other in ((None, 1), (Path("/b"), None), (Path("/b"), 1)):
        with pytest.raises(Exception, match="runs already") as caught:
            _require_same(running, settings, other)
        errors.append(caught.value)
    with pytest.raises(DeploymentFailed) as broken, failures_of_files():
        (tmp_path / "none").read_text()
    errors.append(broken.value)
    for lang in set(languages()) - {"en"}:
        for error in errors:
            assert isinstance(error, (DeploymentFailed, files.InvalidInput))
            message, hint = catalogue(lang).explain(error)
            assert message != error.message
            assert (hint != error.hint) is bool(error.hint)
    assert catalogue("zh").explain(broken.value)[0] == f"{tmp_path}/none：没有这个文件或目录。"


def test_what_would_be_installed_is_told_in_each_language() -> None:
    for lang in languages():
        terms = catalogue(lang)("cli.searxng.terms", folder="/f", package=PACKAGE, version=VERSION)
        assert all(each in terms for each in ("/f", PACKAGE, VERSION, "AGPL-3.0-or-later"))
