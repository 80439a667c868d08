"""The snippets of every page: Python runs, JSON, YAML and TOML are what they configure."""

from __future__ import annotations

import ast
import inspect
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.conftest import settings
from tests.documentation.blocks import ROOT, Block, all_blocks, blocks, pages
from tests.documentation.surroundings import Web, at_home, small_web
from tests.searxng_host.compose_rules import faults

from citeseek import Client, Engine
from citeseek.engines import mojeek
from citeseek.language_model.extractive_model import ExtractiveModel
from citeseek.settings.table import SETTINGS

PROGRAMS = [path for path in pages() if any(b.language == "python" for b in blocks(path))]
LANGUAGES = {"console", "sh", "python", "json", "yaml", "toml", ""}
# Where hosts of MCP keep their servers: tests/mcp_server starts them.
OF_HOSTS = {"mcpServers", "servers", "context_servers", "error"}
SECTIONS = {path.split(".")[0] for setting in SETTINGS for path in setting.config} | {"engines"}


def at(found: list[Block]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("block", found, ids=str)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with small_web() as found:
        yield found


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_each_block_is_in_a_language_that_is_tested(path: Path) -> None:
    assert {block.language for block in blocks(path)} <= LANGUAGES


@pytest.mark.parametrize("path", PROGRAMS, ids=name_of)
async def test_the_python_of_a_page_runs_from_the_first_line_to_the_last(
    path: Path, web: Web, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in {**web.environment, **at_home(tmp_path / "home")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENAI_API_KEY", "a key that is never sent")
    monkeypatch.chdir(tmp_path)
    async with Client() as client:
        response = await client.search("tea", engine="stub")
    # What a page takes for granted in a snippet.
    names: dict[str, Any] = {
        "model": ExtractiveModel(),
        "response": response,
        "Engine": Engine,
        "request": mojeek.request,
        "parse": mojeek.parse,
        "MARKERS": mojeek.MARKERS,
    }
    for block in blocks(path):
        if block.language == "python":
            text = web.in_place_of_the_web(block.text)
            code = compile(text, str(block), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            ended = eval(code, names)  # noqa: S307 - our own pages
            if inspect.isawaitable(ended):
                await ended


@at([block for block in all_blocks("json") if block.name != "agents.json"])
def test_json_is_a_configuration_without_a_fault(block: Block) -> None:
    content = json.loads(block.text)
    if block.name == "config.json" or content.keys() & SECTIONS:
        assert content.keys() <= SECTIONS
        assert not settings(content, env={"BRAVE_API_KEY": "key"}).warnings
    else:
        assert content.keys() <= OF_HOSTS


@at(all_blocks("yaml"))
def test_yaml_parses_and_compose_files_keep_the_rules(block: Block) -> None:
    content = yaml.safe_load(block.text)
    # Lines that belong inside a part of a file may be entries of its list.
    assert isinstance(content, dict | list)
    if "services" in content:
        assert faults(content) == []


@at(all_blocks("toml"))
def test_toml_parses(block: Block) -> None:
    assert tomllib.loads(block.text)
