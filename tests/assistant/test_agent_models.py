"""Agent mode with models as they are: broken calls, thinking, long conversations, no sources."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from tests.assistant.agent_runs import Bench, address, bench, heard
from tests.conftest import settings
from tests.loopback import replies

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import Aside, Notice, Thinking
from citeseek.language_model import model_options
from citeseek.language_model.model import load_model
from citeseek.observing.operation import host_of

DONE = b"data: [DONE]\n\n"


def event(reason: str | None = None, **delta: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return b"data: %b\n\n" % json.dumps({"choices": [choice]}).encode()


def called(*pieces: dict[str, Any]) -> bytes:
    """Return a stream that calls a tool in ``pieces``."""
    sent = [event(tool_calls=[piece]) for piece in pieces]
    return b"".join([*sent, event("tool_calls"), DONE])


async def asked(at: Bench, *messages: str) -> Any:
    async with Assistant(at.load) as assistant:
        conversation = await assistant.open(mode="agent")
        for message in messages:
            answer = await heard(conversation.stream(message))
        return answer, conversation


@pytest.mark.parametrize(
    "pieces",
    [
        [{"index": 0, "function": {"name": "web_search", "arguments": '{"query": "green tea"}'}}],
        [{"id": "a", "function": {"name": "web_search", "arguments": {"query": "green tea"}}}],
        [
            {"id": "a", "function": {"name": "web_search", "arguments": '{"query": "green'}},
            {"function": {"name": "web_search", "arguments": ' tea"}'}},
        ],
        [
            {"index": 0, "id": "a", "function": {"name": "web_search", "arguments": ""}},
            {"index": 0, "function": {"name": "web_search", "arguments": '{"query": "green'}},
            {"index": 0, "function": {"name": "web_search", "arguments": ' tea"}'}},
        ],
    ],
)
async def test_a_call_in_any_form_searches(pieces: list[dict[str, Any]]) -> None:
    with bench() as at:
        at.model.sends(called(*pieces))
        at.model.says("Green [1].")
        answer, _ = await asked(at, "tea?")
    assert at.queries == ["green tea"]
    assert answer.done.outcome == "answered"
    call, result = at.model.requests[1].messages[-2:]
    assert call["tool_calls"][0]["id"] == result["tool_call_id"] != ""


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (" web_search ", '{"query": "green tea"}'),
        ("functions.web_search:0", '{"query": "green tea"}'),
        ("default_api.Web_Search", '{"query": "green tea"}'),
        ("web_search<|channel|>commentary", '{"query": "green tea"}'),
        ("brave_search", '{"query": "green tea"}'),
        ("browser.search", '{"query": "green tea"}'),
        ("web_search", '"{\\"query\\": \\"green tea\\"}"'),
        ("web_search", "{'query': 'green tea'}"),
        ("web_search", '```json\n{"query": "green tea"}\n```'),
        ("web_search", '{"query": "green tea",}'),
        ("web_search", '[{"query": "green tea"}]'),
    ],
)
async def test_a_call_goes_to_the_tool_that_it_means(name: str, arguments: str) -> None:
    with bench() as at:
        function = {"name": name, "arguments": arguments}
        at.model.sends(called({"index": 0, "id": "a", "function": function}))
        at.model.says("Green [1].")
        answer, _ = await asked(at, "tea?")
    assert at.queries == ["green tea"]
    assert answer.done.outcome == "answered"
    (call,) = at.model.requests[1].messages[-2]["tool_calls"]
    assert call["function"]["name"] == "web_search"
    assert json.loads(call["function"]["arguments"]) == {"query": "green tea"}


async def test_a_name_that_no_tool_has_is_told_to_the_model() -> None:
    with bench() as at:
        at.model.calls("web_searcher", {"query": "tea"})
        at.model.says("From what I know.")
        answer, _ = await asked(at, "tea?")
    assert (at.queries, answer.done.outcome) == ([], "answered")
    assert "web_searcher is not a valid tool" in at.told(1)[0]


async def test_half_a_character_in_arguments_is_replaced() -> None:
    with bench() as at:
        arguments = '{"query": "tea \\ud83d x"}'
        function = {"name": "web_search", "arguments": arguments}
        at.model.sends(called({"index": 0, "id": "a", "function": function}))
        at.model.says("Green.")
        answer, _ = await asked(at, "tea?")
    assert answer.done.outcome == "answered"
    assert at.queries == ["tea \ufffd x"]


@pytest.mark.parametrize("opening", ["<think>", ""])
async def test_thinking_is_told_apart_and_never_told_again(opening: str) -> None:
    with bench() as at:
        at.model.calls("web_search", {"query": "a"}, text=f"{opening}Look it up.</think>")
        at.model.says(f"{opening}I could cite [2].</think>Steamed [1].", chunk=3)
        at.model.says("More.")
        answer, conversation = await asked(at, "tea?", "and?")
        (first, _) = conversation.session.record.turns
    assert first.answer == f"Steamed [[1]]({address('a', 1)})."
    assert (first.cited, first.thinking) == ((1,), "Look it up.I could cite [2].")
    told = json.dumps([request.body for request in at.model.requests])
    assert "Look it up" not in told
    assert "could cite" not in told
    assert answer.done.outcome == "answered"


async def test_thinking_is_an_event_of_its_own() -> None:
    with bench() as at:
        at.model.says("I could.</think>Tea.", chunk=4)
        answer, _ = await asked(at, "tea?")
    assert "".join(each.text for each in answer.of(Thinking)) == "I could."
    assert [each.kind for each in answer.of(Aside)] == ["thinking"]
    assert (answer.done.answer, answer.done.thinking) == ("Tea.", "I could.")


async def test_what_is_replayed_pleases_strict_servers() -> None:
    with bench() as at:
        at.env["CITESEEK_CONVERSATION_TOKENS"] = "1000"
        long = "tea " * 400
        for query in "abc":
            at.model.calls("web_search", {"query": query})
            at.model.says("So [1]. " + long)
        answer, _ = await asked(at, "one", "two", "three")
    assert answer.done.outcome == "answered"
    for request in at.model.requests:
        roles = [message["role"] for message in request.messages if message["role"] != "tool"]
        assert all(now != then for now, then in pairwise(roles) if now == "user")
        assert roles[:2] == ["system", "user"]


async def test_ids_of_replayed_calls_are_nine_letters_or_digits() -> None:
    with bench() as at:
        at.model.calls("web_search", {"query": "a"})
        at.model.says("So [1].", always=True)
        await asked(at, "one", "two")
    (call,) = [m for m in at.model.requests[-1].messages if m.get("tool_calls")]
    call_id = call["tool_calls"][0]["id"]
    assert len(call_id) == 9
    assert call_id.isalnum()


async def test_its_own_list_of_sources_is_left_out_for_ours() -> None:
    with bench() as at:
        at.model.calls("web_search", {"query": "a"})
        at.model.says("Tea [1].\n\n## References\n\n1. a 1\n2. a 2\n", chunk=3)
        answer, conversation = await asked(at, "tea?")
    assert answer.done.answer == f"Tea [[1]]({address('a', 1)}).\n\n"
    assert answer.text.count("## References") == 1
    assert conversation.session.record.turns[0].cited == (1,)


async def test_without_a_citation_its_list_stays() -> None:
    written = "Tea.\n\n## References\n\n1. a 1\n"
    with bench() as at:
        at.model.calls("web_search", {"query": "a"})
        at.model.says(written, chunk=3)
        answer, _ = await asked(at, "tea?")
    assert answer.text.startswith("Tea.\n\n## References")


async def test_searches_that_all_fail_are_told() -> None:
    with bench() as at:
        at.replies["a"] = replies.as_json({}, 500)
        at.model.calls("web_search", {"query": "a"})
        at.model.says("From what I know.")
        answer, _ = await asked(at, "tea?")
    (notice,) = answer.of(Notice)
    assert (notice.code, notice.values["engine"]) == ("unavailable", "searxng")
    assert "搜索服务不可用" in notice.text


async def test_a_search_that_fails_beside_one_that_works_is_only_a_step() -> None:
    with bench() as at:
        at.replies["a"] = replies.as_json({}, 500)
        at.model.calls("web_search", {"query": "a"}, {"query": "b"})
        at.model.says("Tea [1].")
        answer, _ = await asked(at, "tea?")
    assert answer.notices == []


async def test_citing_without_any_source_is_told() -> None:
    with bench() as at:
        at.model.says("Tea is steamed [1][2], array[0].")
        answer, _ = await asked(at, "tea?")
    assert answer.done.answer == "Tea is steamed [1][2], array[0]."
    (notice,) = [each for each in answer.of(Notice) if each.code == "unknown_sources"]
    assert notice.values == {"numbers": "[1][2]"}


GREEN = {"index": 0, "id": "a", "function": {"name": "web_search", "arguments": '{"query": "a"}'}}


@pytest.mark.parametrize(("wants", "thoughts"), [(True, ["First a.", "", ""]), (False, [None] * 3)])
async def test_who_wants_it_is_told_what_was_thought_before_a_call(
    monkeypatch: pytest.MonkeyPatch,
    wants: bool,  # noqa: FBT001 - a parameter of the test
    thoughts: list[str | None],
) -> None:
    with bench() as at:
        asked_at = {host_of(at.model.base_url)} if wants else set()
        monkeypatch.setattr(model_options, "_WANT_THINKING", frozenset(asked_at))
        at.model.sends(event(reasoning_content="First a.") + called(GREEN))
        at.model.calls("web_search", {"query": "b"})
        at.model.says("Green [1].")
        at.model.says("Yes.")
        await asked(at, "tea?", "really?")
    in_answer, in_next = (at.model.requests[place].messages for place in (2, 3))
    told = [*in_answer, *(each for each in in_next if each.get("tool_calls"))][: len(in_answer) + 1]
    assert [each.get("reasoning_content") for each in told if each.get("tool_calls")] == thoughts
    assert not any(each.get("reasoning_content") for each in told if not each.get("tool_calls"))


@pytest.mark.parametrize(
    ("address", "wants"),
    [("https://api.deepseek.com/v1", True), ("https://deepseek.example/v1", False)],
)
def test_deepseek_wants_it(address: str, wants: bool) -> None:  # noqa: FBT001 - likewise
    env = {"CITESEEK_MODEL": "openai:deepseek-flash", "CITESEEK_MODEL_BASE_URL": address}
    model = load_model(settings(env={**env, "CITESEEK_MODEL_API_KEY": "a key"}))
    assert getattr(model.chat, "wants_thinking") is wants  # noqa: B009 - of one class alone
