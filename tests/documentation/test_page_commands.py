"""Every command of every page is one that there is, with options and settings that there are."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import settings
from tests.documentation.blocks import ROOT, Block, Command, all_blocks, commands, pages

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.settings.table import SETTINGS
from citeseek.settings.web_settings import ENGINE_SETTINGS
from citeseek.surfaces.cli import _parser
from citeseek.surfaces.server.app import create_app

BLOCKS = all_blocks("console", "sh")
COMMANDS = [command for block in BLOCKS for command in commands(block) if command.words]
OURS = ("citeseek", ".venv/bin/citeseek")
PYTHON = ("python", "python3", ".venv/bin/python")
# Programs of others: that they are spelt well is for whoever writes the page.
FOREIGN = set(
    "cd cp source grep ss echo printf docker kubectl claude uvx createuser createdb pg_dump "
    "pg_restore ollama vllm llama-server".split()
)
FOREIGN |= {"session=VALUE", "report=VALUE", "batch=VALUE"}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
NAMES = re.compile(
    "|".join(
        re.escape(name).replace(r"\{ID\}", "[A-Z_]+")
        for setting in (*SETTINGS, *ENGINE_SETTINGS)
        for name in setting.env
    )
    + "|CITESEEK_HOME|OPENAI_API_KEY|CITESEEK_LOG_FORMAT|OLLAMA_CONTEXT_LENGTH"
)
INLINE = re.compile(r"`(citeseek [a-z][^`\n]*)`")
# What a reader has to fill in, or may choose from.
SHAPE = re.compile(r"[\[\]|…<>]| &&")
ADDRESS = re.compile(r"(?:http://)?(?:localhost|127\.0\.0\.1):8000(/[^?]*)?(?:\?.*)?")


def named(found: list[Command]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("command", found, ids=lambda one: f"{one.block} {one}"[:90])


def ours(command: Command) -> bool:
    return command.words[0] in OURS


def parses(words: list[str]) -> bool:
    try:
        _parser().parse_args(words)
    except (SystemExit, argparse.ArgumentError) as end:
        return isinstance(end, SystemExit) and end.code == 0
    return True


@named([command for command in COMMANDS if ours(command)])
def test_a_command_of_ours_exists_as_it_is_written(command: Command) -> None:
    assert parses(list(command.words[1:]))


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_within_a_sentence_exist(path: Path) -> None:
    for line in INLINE.findall(path.read_text(encoding="utf-8")):
        words = line.replace('"', "").split()[1:]
        # A sentence may name a command without its arguments: then the command has to be there.
        assert SHAPE.search(line) or parses(words) or parses([*words, "--help"]), line


def test_every_other_command_is_one_that_is_looked_at() -> None:
    looked_at = {*OURS, *PYTHON, *FOREIGN, "make", "pip", "curl", "export"}
    assert {command.words[0] for command in COMMANDS} <= looked_at


@named([command for command in COMMANDS if command.words[0] == "make"])
def test_a_target_exists(command: Command) -> None:
    targets = [word for word in command.words[1:] if "=" not in word]
    assert targets
    assert set(targets) <= TARGETS


@named([command for command in COMMANDS if command.words[0] == "pip"])
def test_what_pip_installs_is_there(command: Command) -> None:
    install, *what = command.words[1:]
    assert install == "install"
    for requirement in what:
        place, _, extras = requirement.rstrip("]").partition("[")
        assert (ROOT / place / "pyproject.toml").exists()
        assert set(filter(None, extras.split(","))) <= EXTRAS.keys()


@named([command for command in COMMANDS if command.words[0] in PYTHON])
def test_a_line_of_python_is_python(command: Command) -> None:
    option, what = command.words[1:3]
    assert option in ("-c", "-m")
    if option == "-c":
        ast.parse(what)
    else:
        assert importlib.util.find_spec(what)


def assigned() -> Iterator[tuple[Block, str]]:
    for block in BLOCKS:
        for command in commands(block):
            words = command.words[1:] if command.words[:1] == ("export",) else ()
            for text in (*command.settings, *words):
                yield block, text


def test_what_is_set_is_a_setting_with_a_value_that_counts() -> None:
    for block, text in assigned():
        name, _, value = text.partition("=")
        assert NAMES.fullmatch(name) or block.page.startswith("docs/searxng"), f"{block} {name}"
        assert not settings(env={name: value.replace("VALUE", "v" * 16)}).warnings, (
            f"{block} {name}"
        )


def routes() -> list[tuple[str, set[str]]]:
    app = create_app(settings, store=MemoryStore(), looks=False)
    found = [
        (re.sub(r"\{\w+(:path)?\}", "[^/]+", route.path), set(route.methods or ()))
        for route in app.routes
        if hasattr(route, "methods")
    ]
    described = app.openapi()["paths"]
    for path, methods in described.items():
        found.append((re.sub(r"\{\w+\}", "[^/]+", path), {name.upper() for name in methods}))
    return found


def method_of(words: tuple[str, ...]) -> str:
    """Return the method with which curl asks."""
    if "-X" in words:
        return words[words.index("-X") + 1]
    gets = {"-G", "--get"} & set(words)
    sends = {"-d", "--data", "--json", "--data-urlencode"} & set(words)
    return "POST" if sends and not gets else "GET"


def test_addresses_of_the_api_that_curl_asks_exist() -> None:
    known = routes()
    for command in COMMANDS:
        for word in command.words if command.words[0] == "curl" else ():
            if address := ADDRESS.fullmatch(word):
                path = (address[1] or "/").replace("$session", "1")
                fits = [methods for pattern, methods in known if re.fullmatch(pattern, path)]
                assert any(method_of(command.words) in methods for methods in fits), str(command)
