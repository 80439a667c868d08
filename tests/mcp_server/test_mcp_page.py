"""The snippets of docs/mcp.md: hosts that copy them get a server that answers."""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.command import forked_citeseek
from tests.conftest import settings
from tests.mcp_server.hosting import check_fits

from citeseek.settings.server_settings import LEAST_TOKEN
from citeseek.settings.table import SETTINGS
from citeseek.settings.web_settings import ENGINE_SETTINGS
from citeseek.surfaces.cli import main
from citeseek.surfaces.cli.mcp import PORT
from citeseek.surfaces.mcp.http import PATH
from citeseek.surfaces.mcp.offered import TOOLS, list_tools
from citeseek.surfaces.mcp.server import TEMPLATES
from citeseek.surfaces.mcp.traces import MAX_BYTES
from citeseek.surfaces.mcp.traces import PAGE as TRACES

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text()
BLOCK = re.compile(r"```(json|toml|console)\n(.*?)```", re.DOTALL)
# Where hosts keep the servers that they know.
KEYS = ("mcpServers", "servers", "context_servers", "mcp_servers")
ADDRESS = f"http://127.0.0.1:{PORT}{PATH}"


def blocks(kind: str) -> list[str]:
    return [text for found, text in BLOCK.findall(PAGE) if found == kind]


def entries() -> Iterator[Mapping[str, Any]]:
    read = [*map(json.loads, blocks("json")), *map(tomllib.loads, blocks("toml"))]
    for block in read:
        for key in KEYS:
            yield from block.get(key, {}).values()


STARTED = [entry for entry in entries() if "command" in entry]
CALLED = [entry for entry in entries() if "command" not in entry]


def test_there_are_snippets_of_both_kinds() -> None:
    assert len(STARTED) == 5
    assert len(CALLED) == 3


@pytest.mark.parametrize("entry", STARTED, ids=str)
def test_a_snippet_names_settings_that_exist(entry: Mapping[str, Any]) -> None:
    known = {name for setting in (*SETTINGS, *ENGINE_SETTINGS) for name in setting.env}
    known |= {name.replace("{ID}", "SEARXNG") for name in known}
    env = entry.get("env", {})
    assert env.keys() <= known
    assert not settings(env=env).warnings


@pytest.mark.parametrize("entry", STARTED, ids=str)
async def test_a_snippet_starts_a_server(entry: Mapping[str, Any]) -> None:
    assert entry["command"] == "citeseek"
    command, *args = forked_citeseek()
    program = StdioServerParameters(
        command=command,
        args=[*args, *entry["args"]],
        env={"CITESEEK_HOME": os.environ["CITESEEK_HOME"], **entry.get("env", {})},
    )
    async with Client(program) as client:
        assert len((await client.list_tools()).tools) == len(TOOLS)


@pytest.mark.parametrize("entry", CALLED, ids=str)
def test_an_address_is_that_of_the_command(entry: Mapping[str, Any]) -> None:
    assert entry.get("url", entry.get("httpUrl")) == ADDRESS
    assert entry["headers"]["Authorization"].startswith("Bearer ")


def test_console_lines_are_commands_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks("console"):
        command, *printed = block.splitlines()
        words = shlex.split(command.removeprefix("$ "))
        if words[0] != "citeseek" and "--transport" in words:
            assert words[-1] == ADDRESS
            continue
        ours = words[words.index("citeseek", words.index("--") if "--" in words else 0) :]
        assert main([*ours[1:], "--help"]) == 0
        assert "用法：citeseek mcp" in capsys.readouterr().out
        assert printed in ([], [f"Citeseek MCP: {ADDRESS}"])


def test_the_failure_shown_is_one_of_the_schema() -> None:
    failure = next(told for told in map(json.loads, blocks("json")) if "error" in told)
    for tool in list_tools():
        assert tool.output_schema is not None
        check_fits(failure, tool.output_schema)


def test_every_tool_and_parameter_is_named() -> None:
    for tool in list_tools():
        assert f"`{tool.name}`" in PAGE
        for parameter in tool.input_schema["properties"]:
            assert f"`{parameter}`" in PAGE
    assert f"at least {LEAST_TOKEN} characters" in PAGE


def test_the_resources_and_their_limits_are_named() -> None:
    for template in TEMPLATES:
        assert f"`{template.uri_template}`" in PAGE
    assert f"more than {MAX_BYTES >> 20} MiB" in PAGE
    assert f"{TRACES} at a time" in PAGE
