"""What a host sends is held to the schema that it was shown, and a model learns what is wrong."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from tests.conftest import settings

from citeseek import Client
from citeseek.concurrency.admission import Places
from citeseek.errors import InvalidInput
from citeseek.surfaces.mcp import calls
from citeseek.surfaces.mcp.host_arguments import fitting
from citeseek.surfaces.mcp.offered import (
    REPORT,
    START_REPORT,
    TOOLS,
    VERIFY_CITATIONS,
    WEB_READ,
    WEB_SEARCH,
)
from citeseek.surfaces.mcp.report_shelf import ReportShelf

PAGE = {"url": "https://example.com/"}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("web_search", {"query": "tea", "count": 0}, "count must be a whole number from 1 to 10"),
    ("web_search", {"query": "tea", "count": "11"}, "from 1 to 10, not 11"),
    ("web_search", {"query": "tea", "count": 2.5}, "from 1 to 10, not 2.5"),
    ("web_search", {"query": "tea", "limit": 3}, "web_search takes no 'limit'."),
    ("web_fetch", {**PAGE, "max_chars": 100}, "from 200 to 20000, not 100"),
    ("web_fetch", {**PAGE, "max_chars": True}, "max_chars must be a whole number"),
    ("web_fetch", {**PAGE, "raw": True}, "web_fetch takes no 'raw'."),
    (
        "research_report",
        {"question": "tea", "depth": 9},
        "depth must be a whole number from 1 to 3",
    ),
    ("web_search", {"query": 5}, "query must be text, not 5"),
    ("research_report", {"question": "tea", "pages": 3}, "research_report takes no 'pages'."),
    ("verify_citations", {"text": "x" * 50_001}, "text has 50,001 characters; the limit is 50,000"),
    ("verify_citations", {"text": "x", "sources": [1]}, "sources must be a list of texts, not [1]"),
    ("verify_citations", {"text": "x", "sources": {"1": "y"}}, "sources must be a list of texts"),
    ("verify_citations", {"text": "x", "sources": ["y"] * 41}, "has 41 entries; the limit is 40"),
]


@pytest.mark.parametrize(("name", "arguments", "sentence"), REFUSED)
async def test_what_the_schema_does_not_allow_is_refused_by_name(
    name: str, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        fitting(arguments, TOOLS[name])
    assert sentence in caught.value.message
    # "11" is read as a number, which the schema need not know.
    sent = {key: 11 if value == "11" else value for key, value in arguments.items()}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(sent, TOOLS[name].parameters)


def test_a_number_may_come_as_text_or_with_a_point_and_nothing_as_null() -> None:
    assert fitting({"query": "tea", "count": "5"}, WEB_SEARCH)["count"] == 5
    assert fitting({"query": "tea", "count": 5.0}, WEB_SEARCH)["count"] == 5
    assert fitting({"query": "tea", "count": None}, WEB_SEARCH)["count"] is None


def test_addresses_may_come_as_one_text_or_as_nothing() -> None:
    sent = {"text": "x", "sources": "https://one.example/ https://two.example/"}
    assert fitting(sent, VERIFY_CITATIONS)["sources"] == sent["sources"].split()
    assert fitting({"text": "x", "sources": None}, VERIFY_CITATIONS)["sources"] is None


async def test_a_refusal_is_a_result_that_says_so_and_nobody_is_asked() -> None:
    async def untold(*_: Any) -> None: ...

    reports = Places(1, "report", "server.max_reports")
    async with Client(settings({"tools": {"webSearch": {"engine": "stub"}}})) as client:
        kept = ReportShelf(client)
        for result in (
            await calls.call(client, WEB_SEARCH, {"query": ""}, untold, reports, kept=kept),
            await calls.call(client, WEB_READ, {"url": " "}, untold, reports, kept=kept),
            await calls.call(client, REPORT, {"question": ""}, untold, reports, kept=kept),
            await calls.call(client, START_REPORT, {"question": ""}, untold, reports, kept=kept),
            calls.refusal_result(InvalidInput("web_search takes no 'limit'.")),
        ):
            assert result.is_error
            assert result.structured_content is not None
            assert result.structured_content["error"]["error_code"] == "InvalidInput"


async def test_an_engine_of_the_settings_that_there_is_not_is_no_argument_of_the_model() -> None:
    async def untold(*_: Any) -> None: ...

    reports = Places(1, "report", "server.max_reports")
    async with Client(settings(env={"CITESEEK_ENGINE": "nope"})) as client:
        kept = ReportShelf(client)
        asked = {"query": "tea leaves"}
        result = await calls.call(client, WEB_SEARCH, asked, untold, reports, kept=kept)
    assert result.is_error
    (content,) = result.content
    assert content.type == "text"
    assert content.text.startswith("Search failed, this does not mean that nothing exists: ")
    assert "There is no engine 'nope'" in content.text


@pytest.mark.parametrize(
    "name",
    [
        "toolCallId",
        "tool_call_id",
        "sessionId",
        "chatInput",
        "action",
        "tool",
        "_meta",
        "requestID",
        "task_progress",
        "security_risk",
    ],
)
def test_what_a_host_adds_about_the_call_is_no_word_of_the_model(name: str) -> None:
    assert fitting({"query": "tea", name: "x"}, WEB_SEARCH) == {"query": "tea"}
