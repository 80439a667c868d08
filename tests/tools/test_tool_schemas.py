"""The tools in the form of each API, from one definition, as the clients of the APIs take them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from langchain_core.utils.function_calling import convert_to_openai_tool
from openai.types.chat import ChatCompletionFunctionToolParam
from openai.types.responses import FunctionToolParam
from pydantic import TypeAdapter
from tests.conftest import settings
from tests.test_cli import run

from citeseek import Client
from citeseek.errors import InvalidInput
from citeseek.surfaces.cli import tools as command
from citeseek.surfaces.mcp.offered import list_tools
from citeseek.tools import schemas
from citeseek.tools.langchain import langchain_tools
from citeseek.tools.tool_definitions import (
    FILTERED_WEB_SEARCH,
    LANGUAGES,
    WEB_FETCH,
    Language,
    translate,
)
from citeseek.tools.toolset import Toolset

NAMES = ["web_search", "web_fetch"]
# What a name and a description may be at the stricter of OpenAI and Anthropic.
NAME, MOST_CHARS = re.compile(r"[A-Za-z0-9_-]{1,64}"), 1_024


HAN = re.compile("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")


def printed(*args: str) -> Any:
    done = run("tools", *args)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_every_form_tells_the_same() -> None:
    chat = [tool["function"] for tool in schemas.offer_tools("openai")]
    responses, anthropic = schemas.offer_tools("responses"), schemas.offer_tools("anthropic")
    assert [tool["name"] for tool in chat] == NAMES
    for one, other, third in zip(chat, responses, anthropic, strict=True):
        assert one["name"] == other["name"] == third["name"]
        assert one["description"] == other["description"] == third["description"]
        assert one["parameters"] == other["parameters"] == third["input_schema"]


@pytest.mark.parametrize(
    ("form", "kind"),
    [("openai", ChatCompletionFunctionToolParam), ("responses", FunctionToolParam)],
)
def test_openai_takes_them(form: str, kind: Any) -> None:
    strict = TypeAdapter(kind)
    for tool in schemas.offer_tools(form):
        strict.validate_python(tool)
        assert tool.keys() <= kind.__annotations__.keys()


def test_anthropic_takes_them() -> None:
    for tool in schemas.offer_tools("anthropic"):
        assert tool.keys() == {"name", "description", "input_schema"}
        assert tool["input_schema"]["type"] == "object"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_names_descriptions_and_schemas_are_within_the_limits_of_the_apis(lang: Language) -> None:
    for tool in schemas.offer_tools("anthropic", lang):
        assert NAME.fullmatch(tool["name"])
        assert len(tool["description"]) <= MOST_CHARS
        Draft202012Validator.check_schema(tool["input_schema"])


async def test_langchain_tells_a_model_the_same() -> None:
    async with Client(settings()) as client:
        tools = langchain_tools(Toolset(client))
        assert [convert_to_openai_tool(tool) for tool in tools] == schemas.offer_tools("openai")


def test_the_contract_has_its_own_names_and_says_what_comes_out() -> None:
    tools = schemas.offer_tools("contract")
    assert [tool["name"] for tool in tools] == ["web.search", "web.fetch"]
    for tool in tools:
        Draft202012Validator.check_schema(tool["parameters"])
        Draft202012Validator.check_schema(tool["output"])


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(InvalidInput, match="openai, responses, anthropic, contract"):
        schemas.offer_tools("gemini")


@pytest.mark.parametrize("form", schemas.FORMS)
def test_the_command_prints_each_form(form: str) -> None:
    assert printed("--form", form) == schemas.offer_tools(form)


def test_the_command_prints_openai_by_default_and_knows_every_form() -> None:
    assert printed() == schemas.offer_tools("openai")
    assert (*schemas.FORMS, command.MCP) == command.FORMS


def test_the_command_prints_what_a_host_of_mcp_is_told() -> None:
    tools = printed("--form", "mcp")
    assert [tool["name"] for tool in tools] == [tool.name for tool in list_tools()]
    for tool in tools:
        assert {"description", "inputSchema", "outputSchema"} <= tool.keys()


def test_a_form_that_there_is_not_is_bad_input() -> None:
    done = run("tools", "--form", "gemini")
    assert done.returncode == 2
    assert "anthropic" in done.stderr


@pytest.mark.parametrize("tool", [FILTERED_WEB_SEARCH, WEB_FETCH], ids=lambda tool: tool.name)
def test_the_languages_differ_in_words_alone(tool: Any) -> None:
    english = translate("en", tool)
    assert translate("zh", tool) is tool
    assert HAN.search(tool.description)
    assert not HAN.search(json.dumps([english.description, english.parameters], ensure_ascii=False))
    assert english.name == tool.name
    assert english.parameters["required"] == tool.parameters["required"]
    ours, theirs = english.parameters["properties"], tool.parameters["properties"]
    assert list(ours) == list(theirs)
    for name, about in theirs.items():
        assert ours[name]["description"] != about["description"]
        kept = about.keys() - {"description", "examples"}
        assert {key: ours[name][key] for key in kept} == {key: about[key] for key in kept}


@pytest.mark.parametrize("form", ["openai", "responses", "anthropic"])
def test_the_command_prints_english_where_it_is_asked_for(form: str) -> None:
    shown = printed("--form", form, "--lang", "en")
    assert shown == schemas.offer_tools(form, "en") != schemas.offer_tools(form)
    assert "Use this tool for recent events" in json.dumps(shown)
    assert printed("--form", form, "--lang", "zh") == schemas.offer_tools(form)


@pytest.mark.parametrize(
    ("locale", "lang"),
    [("C.UTF-8", "zh"), ("fr_FR.UTF-8", "zh"), ("en_GB.UTF-8", "en"), ("ja_JP.UTF-8", "ja")],
)
@pytest.mark.requirement("S1-163")
def test_tools_are_told_of_in_the_language_of_the_locale_else_in_chinese(
    locale: str, lang: Language
) -> None:
    assert json.loads(run("tools", LC_ALL=locale).stdout) == schemas.offer_tools("openai", lang)


async def test_a_toolset_speaks_english_to_models_and_to_langchain() -> None:
    async with Client(settings()) as client:
        toolset = Toolset(client, lang="en", engine="stub")
        assert toolset.schemas("openai") == schemas.offer_tools("openai", "en")
        tools = langchain_tools(toolset)
        assert [convert_to_openai_tool(tool) for tool in tools] == schemas.offer_tools(
            "openai", "en"
        )
        assert (await toolset.answer("web_search", {"query": "tea", "count": 2})).error is None


def test_the_contract_is_in_english_alone_and_an_unknown_language_is_refused() -> None:
    assert schemas.offer_tools("contract", "zh") == schemas.offer_tools("contract", "en")
    with pytest.raises(InvalidInput, match="zh, en, ja"):
        schemas.offer_tools("openai", "de")  # type: ignore[arg-type]
    done = run("tools", "--lang", "de")
    assert done.returncode == 2
    assert "zh" in done.stderr
    assert command.LANGUAGES == LANGUAGES
