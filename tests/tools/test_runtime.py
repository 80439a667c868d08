"""The runtime of a run: who answers, what is written down, and what is not let through."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from citeseek.errors import NetworkError, ToolNotFound, WebParseError, WebProviderError
from citeseek.tools.contract import StubProvider
from citeseek.tools.runtime import Runtime, Step
from citeseek.tools.tool_definitions import Definition

ITEM = {"title": "Tea", "url": "https://a.example/", "snippet": "", "provider": "p", "rank": 1}


class Provider:
    """Gives or raises ``outcome`` for every tool in ``names``; awaits an event."""

    def __init__(self, outcome: Any, *names: str, provider_id: str = "p") -> None:
        self.id = provider_id
        self.began = asyncio.Event()
        self._outcome = outcome
        self._names = names or ("web.search", "web.fetch")

    def tools(self) -> tuple[Definition, ...]:
        return tuple(Definition(name=name, description="", parameters={}) for name in self._names)

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> Any:
        self.began.set()
        if isinstance(self._outcome, asyncio.Event):
            await self._outcome.wait()
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    async def aclose(self) -> None:
        pass


async def test_a_call_is_a_step() -> None:
    async with StubProvider() as provider:
        runtime = Runtime(provider)
        found = await runtime.invoke("web.search", {"query": "茶", "max_results": 2})
        await runtime.invoke("web.fetch", {"url": "https://example.com/"})
    search, fetch = runtime.steps
    assert (search.name, fetch.name) == ("tool.web.search", "tool.web.fetch")
    assert (search.ok, search.error_code) == (True, "")
    assert isinstance(search.duration_ms, int)
    assert search.meta.keys() == {"tool_name", "provider_id", "args_preview", "result_preview"}
    assert search.meta["tool_name"] == "web.search"
    assert search.meta["provider_id"] == "stub"
    assert json.loads(search.meta["args_preview"]) == {"query": "茶", "max_results": 2}
    assert len(search.meta["result_preview"]) == 200
    assert found["items"][0]["title"] in search.meta["result_preview"]
    assert int(runtime.trace_id, 16) >= 0


async def test_a_failure_is_a_step_and_is_raised() -> None:
    failed = NetworkError("No answer.", detail_code="refused")
    runtime = Runtime(Provider(failed))
    with pytest.raises(NetworkError) as caught:
        await runtime.invoke("web.search", {"query": "tea"})
    assert caught.value is failed
    (step,) = runtime.steps
    assert (step.ok, step.error_code, step.meta["detail_code"]) == (
        False,
        "NetworkError",
        "refused",
    )
    assert step.meta["result_preview"] == ""


async def test_what_is_cut_off_is_a_step() -> None:
    provider = Provider(asyncio.Event())
    runtime = Runtime(provider)
    task = asyncio.create_task(runtime.invoke("web.search", {"query": "tea"}))
    await provider.began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (step,) = runtime.steps
    assert (step.name, step.ok, step.error_code) == ("tool.web.search", False, "Cancelled")


async def test_an_exception_of_somebody_elses_code_is_a_provider_error() -> None:
    runtime = Runtime(Provider(RuntimeError("key sk-secret-1")))
    with pytest.raises(WebProviderError, match="RuntimeError") as caught:
        await runtime.invoke("web.fetch", {"url": "https://a.example/"})
    assert "sk-secret-1" not in str(caught.value)
    assert runtime.steps[0].error_code == "WebProviderError"
    assert "sk-secret-1" not in str(runtime.steps)


@pytest.mark.parametrize(
    ("result", "says"),
    [
        ({"items": "x"}, "items is no list but str"),
        ({}, "items is no list but dict"),
        ("x", "items is no list but str"),
        (None, "items is no list but NoneType"),
        ({"items": ["x"]}, r"\$\.items\[0\]"),
        ({"items": [{**ITEM, "title": None}]}, r"\$\.items\[0\]\.title"),
        ({"items": [{**ITEM, "rank": "1"}]}, r"\$\.items\[0\]\.rank"),
        ({"items": [{"url": "https://a.example/"}]}, "missing required field"),
    ],
)
@pytest.mark.requirement("S3-9")
async def test_what_is_no_output_of_the_tool_is_a_clear_error(result: Any, says: str) -> None:
    runtime = Runtime(Provider(result))
    with pytest.raises(WebParseError, match=says) as caught:
        await runtime.invoke("web.search", {"query": "tea"})
    assert caught.value.detail_code == "bad_output"
    assert caught.value.engine == "p"
    assert runtime.steps[0].error_code == "WebParseError"


@pytest.mark.parametrize("result", [[], "x", {}, {"url": "https://a.example/", "text": 5}])
async def test_the_output_of_a_fetch_is_checked_as_well(result: Any) -> None:
    with pytest.raises(WebParseError):
        await Runtime(Provider(result)).invoke("web.fetch", {"url": "https://a.example/"})


@pytest.mark.requirement("S3-8")
async def test_the_bare_list_of_an_old_provider_is_wrapped_and_told_of() -> None:
    with pytest.warns(DeprecationWarning, match="bare list"):
        found = await Runtime(Provider([ITEM])).invoke("web.search", {"query": "tea"})
    assert found == {"items": [ITEM]}


async def test_a_tool_that_nobody_has_is_named() -> None:
    runtime = Runtime(Provider({}, "web.search"))
    with pytest.raises(ToolNotFound, match=r"'web_search'.*Known: web\.search\."):
        await runtime.invoke("web_search", {"query": "tea"})
    assert runtime.steps[0].meta["provider_id"] == ""


async def test_the_first_provider_of_a_tool_answers_and_other_tools_give_any_object() -> None:
    first = Provider({"n": 1}, "add", provider_id="first")
    second = Provider({"n": 2}, "add", "take", provider_id="second")
    runtime = Runtime(first, second)
    assert await runtime.invoke("add", {}) == {"n": 1}
    assert await runtime.invoke("take", {}) == {"n": 2}
    assert [step.meta["provider_id"] for step in runtime.steps] == ["first", "second"]


def test_other_steps_say_what_they_did() -> None:
    runtime = Runtime()
    with runtime.step("extract") as meta:
        meta["passages"] = 3
    with pytest.raises(ValueError, match="no"), runtime.step("write_report"):
        raise ValueError("no")
    done, failed = runtime.steps
    assert done == Step(name="extract", ok=True, duration_ms=done.duration_ms, meta={"passages": 3})
    assert (failed.ok, failed.error_code) == (False, "ValueError")


async def test_a_preview_is_one_line_without_the_password_of_an_address() -> None:
    runtime = Runtime(Provider(NetworkError("No.")))
    address = "https://me:hunter2@a.example/\npage"
    with pytest.raises(NetworkError):
        await runtime.invoke("web.fetch", {"url": address})
    preview = runtime.steps[0].meta["args_preview"]
    assert "hunter2" not in preview
    assert "\n" not in preview
