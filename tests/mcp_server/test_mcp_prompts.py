"""The prompts as a host lists and fills them."""

from __future__ import annotations

import re

import pytest
from mcp import MCPError
from tests.mcp_server.hosting import WAYS, hosted

from citeseek.surfaces.mcp.offered import TOOLS

STUB = {"CITESEEK_ENGINE": "stub"}
ARGUMENTS = {"ask": "question", "research": "question", "fact-check": "text"}

pytestmark = pytest.mark.parametrize("way", WAYS)


async def test_each_prompt_leads_to_tools_that_there_are(way: str) -> None:
    async with hosted(way, STUB) as client:
        prompts = (await client.list_prompts()).prompts
        assert {prompt.name: prompt.arguments[0].name for prompt in prompts} == ARGUMENTS
        for prompt in prompts:
            assert prompt.title
            assert prompt.description
            (argument,) = prompt.arguments
            assert argument.required
            got = await client.get_prompt(prompt.name, {argument.name: " Is tea a leaf? "})
            (message,) = got.messages
            assert message.role == "user"
            assert message.content.text.endswith("\n\nIs tea a leaf?")
            named = set(re.findall(r"\b[a-z]+_[a-z]+\b", message.content.text))
            assert named
            assert named <= TOOLS.keys()


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("asks", {"question": "tea"}, "Known: ask, research, fact-check"),
        ("ask", {}, "question is missing"),
        ("fact-check", {"text": "  "}, "text is missing"),
    ],
)
async def test_what_cannot_be_filled_is_a_fault_of_the_caller(
    way: str, name: str, arguments: dict[str, str], said: str
) -> None:
    async with hosted(way, STUB) as client:
        with pytest.raises(MCPError, match=said):
            await client.get_prompt(name, arguments)
