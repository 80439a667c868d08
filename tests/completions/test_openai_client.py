"""The cited assistant through the client that everybody has: the official ``openai`` package."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam
from tests.assistant.chatting import found, result
from tests.loopback import Reply
from tests.loopback.models import HANG
from tests.rest.serving import Served, served

FOUND = found(result(1), result(2))
LINK = "[[1]](https://site1.example/page)"


@pytest.fixture
def at() -> Iterator[Served]:
    with served(FOUND) as running:
        yield running


def client(at: Served) -> OpenAI:
    return OpenAI(base_url=f"{at.http.base_url}/v1", api_key="unused", max_retries=0, timeout=30)


def user(text: str) -> ChatCompletionMessageParam:
    return {"role": "user", "content": text}


def test_the_models_are_listed(at: Served) -> None:
    with client(at) as ai:
        assert [model.id for model in ai.models.list()] == ["citeseek-chat", "citeseek-agent"]
        assert ai.models.retrieve("citeseek-agent").owned_by == "citeseek"
        with pytest.raises(openai.NotFoundError, match="no model 'gpt-5'"):
            ai.models.retrieve("gpt-5")


@pytest.mark.release
def test_an_answer_has_its_sources_as_annotations(at: Served) -> None:
    at.model.says("茶 🍵 is a leaf [1]. It is green [2][1].")
    with client(at) as ai:
        done = ai.chat.completions.create(model="citeseek-chat", messages=[user("tea")])
    (choice,) = done.choices
    content = choice.message.content or ""
    assert choice.finish_reason == "stop"
    assert content.startswith(f"茶 🍵 is a leaf {LINK}. It is green [[2]](")
    assert "## References" in content
    cited = [each.url_citation for each in choice.message.annotations or []]
    assert [each.title for each in cited] == ["Title 1", "Title 2", "Title 1"]
    for each in cited:
        number = each.title.removeprefix("Title ")
        assert content[each.start_index : each.end_index] == f"[[{number}]]({each.url})"
    assert done.usage is not None
    assert (done.usage.prompt_tokens, done.usage.completion_tokens) == (7, 5)
    assert done.model == "citeseek-chat"
    assert at.call("GET", "/sessions").json()["sessions"] == []


@pytest.mark.parametrize("tells_usage", [True, False])
def test_a_stream_is_the_same_answer_in_pieces(at: Served, *, tells_usage: bool) -> None:
    at.model.says("Tea is a leaf [1].", chunk=3)
    with client(at) as ai:
        stream = ai.chat.completions.create(
            model="citeseek-chat",
            messages=[user("tea")],
            stream=True,
            stream_options={"include_usage": tells_usage},
        )
        pieces = list(stream)
    choices = [piece.choices[0] for piece in pieces if piece.choices]
    content = "".join(choice.delta.content or "" for choice in choices)
    assert len(choices) >= 4
    assert choices[0].delta.role == "assistant"
    assert content.startswith(f"Tea is a leaf {LINK}.")
    assert [choice.finish_reason for choice in choices[-2:]] == [None, "stop"]
    (annotation,) = choices[-1].delta.model_extra["annotations"]
    cited = annotation["url_citation"]
    assert content[cited["start_index"] : cited["end_index"]] == LINK
    assert len({piece.id for piece in pieces}) == 1
    usages = [piece.usage for piece in pieces if piece.usage]
    assert [usage.total_tokens for usage in usages] == [12] * tells_usage


def test_the_wire_ends_with_done(at: Served) -> None:
    at.model.says("Tea.")
    body = {"model": "citeseek-chat", "messages": [user("tea")], "stream": True}
    with at.http.opened("POST", "/v1/chat/completions", body) as response:
        assert response.headers["Content-Type"].startswith("text/event-stream")
        lines = response.read().decode().split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    assert all(line.startswith("data: {") for line in lines[:-2])


def test_an_agent_searches_by_itself_and_says_so_on_the_way(at: Served) -> None:
    for streamed in (False, True):
        at.model.calls("web_search", {"query": "green tea"}, text="Let me look.")
        at.model.says("Tea is a leaf [1].")
        with client(at) as ai:
            if not streamed:
                done = ai.chat.completions.create(model="citeseek-agent", messages=[user("tea?")])
                content = done.choices[0].message.content or ""
                (annotation,) = done.choices[0].message.annotations or []
                start, end = annotation.url_citation.start_index, annotation.url_citation.end_index
                assert content.startswith("Tea is a leaf ")
                assert done.usage is not None
                assert done.usage.total_tokens == 24
            else:
                pieces = list(
                    ai.chat.completions.create(
                        model="citeseek-agent", messages=[user("tea?")], stream=True
                    )
                )
                content = "".join(each.choices[0].delta.content or "" for each in pieces)
                (told,) = pieces[-1].choices[0].delta.model_extra["annotations"]
                start, end = (told["url_citation"][f"{at}_index"] for at in ("start", "end"))
                assert content.startswith("Let me look.\n\nTea is a leaf ")
        assert content[start:end] == LINK
        assert at.engine.requests[-1].param("q") == "green tea"


def test_the_history_comes_with_every_request(at: Served) -> None:
    at.model.says("Green tea [2].")
    at.model.says("As I said.")
    with client(at) as ai:
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": "Answer like a pirate."},
            user("tea"),
        ]
        first = ai.chat.completions.create(model="citeseek-chat", messages=messages)
        said = first.choices[0].message.content or ""
        messages += [{"role": "assistant", "content": said}, user("what did you say?")]
        ai.chat.completions.create(model="citeseek-chat", messages=messages)
    asked = at.model.requests[-1]
    assert asked.system.endswith("Answer like a pirate.")
    assert [message["role"] for message in asked.messages] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    # Without the number and the references, which mean nothing for other results.
    assert [message["content"] for message in asked.messages[1:3]] == ["tea", "Green tea ."]
    assert at.engine.requests[-1].param("q") == "what did you say?"


def test_an_agent_hears_the_system_messages_behind_our_own(at: Served) -> None:
    at.model.says("Arr.")
    messages: list[ChatCompletionMessageParam] = [
        {"role": "developer", "content": "Answer like a pirate."},
        {"role": "system", "content": "Be short."},
        user("tea?"),
    ]
    with client(at) as ai:
        done = ai.chat.completions.create(model="citeseek-agent", messages=messages)
    asked = at.model.requests[-1]
    assert asked.system.endswith("Answer like a pirate.\n\nBe short.")
    assert "web_search" in asked.tools
    # What is said beside the answer comes behind it.
    assert (done.choices[0].message.content or "").startswith("Arr.\n\n> ⚠️ ")


@pytest.mark.release
def test_a_failed_search_is_told_in_the_content_and_no_part_of_the_next_history() -> None:
    with served(Reply(500, {}, b"Traceback: secret of the upstream")) as at, client(at) as ai:
        at.model.says("From memory.", always=True)
        for streamed in (False, True):
            done = ai.chat.completions.create(
                model="citeseek-chat", messages=[user("tea")], stream=streamed
            )
            if isinstance(done, openai.Stream):
                content = "".join(each.choices[0].delta.content or "" for each in done)
            else:
                content = done.choices[0].message.content or ""
            assert content.startswith("> ⚠️ The search service is unavailable")
            assert content.endswith("\n\nFrom memory.")
            assert "Traceback" not in content
        again: list[ChatCompletionMessageParam] = [
            user("tea"),
            {"role": "assistant", "content": content},
            user("more"),
        ]
        ai.chat.completions.create(model="citeseek-chat", messages=again)
        assert at.model.requests[-1].messages[2]["content"] == "From memory."


def test_a_model_that_fails_is_an_error_of_the_client(at: Served) -> None:
    at.model.fails(401, always=True)
    with client(at) as ai:
        with pytest.raises(openai.InternalServerError) as failed:
            ai.chat.completions.create(model="citeseek-chat", messages=[user("tea")])
        assert (failed.value.status_code, failed.value.code) == (502, "ModelFailed")
        assert failed.value.body == {
            **failed.value.body,  # type: ignore[dict-item]
            "type": "server_error",
            "detail_code": "auth",
        }
        stream = ai.chat.completions.create(
            model="citeseek-chat", messages=[user("tea")], stream=True
        )
        with pytest.raises(openai.APIError) as broken:
            list(stream)
        assert broken.value.code == "ModelFailed"


@pytest.mark.release
def test_wrong_requests_are_bad_requests_before_anything_is_sent(at: Served) -> None:
    asks: list[tuple[dict[str, object], str, str | None]] = [
        ({"messages": []}, "messages", "messages"),
        ({"messages": [{"role": "system", "content": "x"}]}, "last message", "messages"),
        ({"messages": [user("a"), {"role": "assistant", "content": "b"}]}, "last", "messages"),
        ({"messages": [user(" ")]}, "消息是空的", None),
        ({"messages": [user("x" * 32_001)]}, "32,001", None),
        ({"messages": [{"role": "tool", "content": "x", "tool_call_id": "1"}]}, "tool", "messages"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "only", "messages"),
        ({"n": 2}, "n is 1", "n"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "no functions", "tools"),
        ({"tools": [{"type": "custom", "custom": {}}]}, "'custom'", "tools"),
        ({"response_format": {"type": "json_object"}}, "Markdown", "response_format"),
        ({"logprobs": True}, "logprobs", "logprobs"),
        ({"top_logprobs": 3}, "logprobs", "top_logprobs"),
        ({"logit_bias": {"50256": -100}}, "logit_bias", "logit_bias"),
        ({"tool_choice": "required"}, "no tools", "tool_choice"),
        ({"modalities": ["text", "audio"]}, "modalities", "modalities"),
        ({"max_tokens": 0}, "max_tokens", "max_tokens"),
        ({"stop": ""}, "stop", "stop"),
        ({"stop": list("abcde")}, "stop", "stop"),
        ({"temperature": 3}, "temperature", "temperature"),
        ({"seed": 1}, "seed", "seed"),
        ({"stream_options": {"include_usage": True}}, "stream", "stream_options"),
        ({"web_search_options": {"user_location": {}}}, "user_location", "web_search_options"),
        ({"extra_body": {"unheard_of": 1}}, "no parameter 'unheard_of'", "unheard_of"),
    ]
    with client(at) as ai:
        for asked, told, param in asks:
            with pytest.raises(openai.BadRequestError) as refused:
                ai.chat.completions.create(
                    **{"model": "citeseek-chat", "messages": [user("tea")], **asked}  # type: ignore[call-overload]
                )
            assert told in str(refused.value), told
            assert (refused.value.code, refused.value.param) == ("InvalidInput", param), told
        with pytest.raises(openai.NotFoundError) as unknown:
            ai.chat.completions.create(model="gpt-5", messages=[user("tea")])
        assert (unknown.value.code, unknown.value.param) == ("model_not_found", "model")
    assert not at.engine.requests
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        nowhere = at.http(method, "/v1/embeddings")
        assert (nowhere.status, nowhere.json()["error"]["code"]) == (404, "HttpError")
    assert at.http("GET", "/v1/chat/completions").headers["Allow"] == "POST"
    deep = b'{"model": "citeseek-chat", "messages": [], "tools": ' + b"[" * 100_000
    nested = at.http("POST", "/v1/chat/completions", deep, {"Content-Type": "application/json"})
    assert (nested.status, nested.json()["error"]["type"]) == (400, "invalid_request_error")
    broken = at.http("POST", "/v1/chat/completions", b"{", {"Content-Type": "application/json"})
    assert (broken.status, broken.json()["error"]["type"]) == (400, "invalid_request_error")


@pytest.mark.release
def test_parts_of_text_and_what_changes_nothing_are_taken(at: Served) -> None:
    at.model.says("Tea.")
    with client(at) as ai:
        done = ai.chat.completions.create(
            model="citeseek-chat",
            messages=[
                {"role": "assistant", "content": "Hello, what would you like to know?"},
                {"role": "user", "content": [{"type": "text", "text": "tea"}]},
            ],
            temperature=0.3,
            top_p=0.9,
            max_tokens=50,
            user="somebody",
            frequency_penalty=0,
            n=1,
            response_format={"type": "text"},
            logprobs=False,
            extra_body={"web_search_options": {}, "seed": None},
        )
    assert done.choices[0].message.content == "Tea."
    assert at.engine.requests[-1].param("q") == "tea"
    asked = at.model.requests[-1].body
    assert (asked["temperature"], asked["top_p"]) == (0.3, 0.9)


@pytest.mark.parametrize(("size", "shown"), [("low", 3), ("high", 5)])
def test_how_much_is_searched_is_the_program_s_to_say(size: str, shown: int) -> None:
    with served(found(*map(result, range(1, 8)))) as at, client(at) as ai:
        at.model.says("Tea.")
        asked = {"model": "citeseek-chat", "messages": [user("tea")]}
        ai.chat.completions.create(**asked, web_search_options={"search_context_size": size})  # type: ignore[call-overload]
    assert at.model.requests[-1].prompt.count("Summary:") == shown


def test_an_answer_that_was_cut_says_why(at: Served) -> None:
    at.model.says("Tea is", finish_reason="length")
    with client(at) as ai:
        done = ai.chat.completions.create(model="citeseek-chat", messages=[user("tea")])
    assert done.choices[0].finish_reason == "length"
    assert (done.choices[0].message.content or "").startswith("Tea is\n\n> ⚠️ ")


@pytest.mark.sample(2)
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("how", "shown", "reason"),
    [
        ({"stop": "HALT"}, f"Tea {LINK} is ", "stop"),
        ({"stop": ["nowhere"]}, None, "stop"),
        ({"max_tokens": 3}, f"Tea {LINK} is ", "length"),
        ({"max_completion_tokens": 1_000, "max_tokens": 3}, f"Tea {LINK} is ", "length"),
    ],
)
def test_an_answer_ends_where_its_client_wants(
    at: Served, *, how: dict[str, object], shown: str | None, reason: str, streamed: bool
) -> None:
    at.model.says("Tea [1] is HALT green.", chunk=3)
    asked = {"model": "citeseek-chat", "messages": [user("tea")], "stream": streamed, **how}
    with client(at) as ai:
        answer = ai.chat.completions.create(**asked)  # type: ignore[call-overload]
        choices = [each.choices[0] for each in answer] if streamed else answer.choices
    parts = [each.delta if streamed else each.message for each in choices]
    content = "".join(part.content or "" for part in parts)
    assert choices[-1].finish_reason == reason
    if shown is None:
        assert content.startswith(f"Tea {LINK} is HALT green.")
        assert "## References" in content
    else:
        assert content == shown
    last = parts[-1]
    found = last.annotations if not streamed else last.model_extra["annotations"]
    (cited,) = [each if streamed else each.model_dump() for each in found]
    place = cited["url_citation"]
    assert content[place["start_index"] : place["end_index"]] == LINK


@pytest.mark.parametrize("streamed", [False, True])
def test_tokens_are_estimated_where_the_server_tells_none(*, streamed: bool) -> None:
    usage = {"stream_options": {"include_usage": True}} if streamed else {}
    with served(FOUND, CITESEEK_MODEL="extractive") as at, client(at) as ai:
        asked = {"model": "citeseek-chat", "messages": [user("tea" * 4)], "stream": streamed}
        answer = ai.chat.completions.create(**asked, **usage)  # type: ignore[call-overload]
        told = [*answer][-1].usage if streamed else answer.usage
    assert told is not None
    assert (told.prompt_tokens, told.completion_tokens > 0) == (3, True)
    assert told.total_tokens == 3 + told.completion_tokens


@pytest.mark.parametrize("streamed", [False, True])
def test_a_client_that_goes_away_stops_the_answer_and_makes_room(*, streamed: bool) -> None:
    with served(FOUND, CITESEEK_MAX_ANSWERS="1") as at:
        at.model.says("Tea", HANG)
        at.model.says("Tea.", always=True)
        body = {"model": "citeseek-chat", "messages": [user("tea")], "stream": streamed}
        with client(at) as ai:
            with at.http.left("POST", "/v1/chat/completions", body):
                at.model.reach(1).wait()
                with pytest.raises(openai.InternalServerError) as busy:
                    ai.chat.completions.create(model="citeseek-chat", messages=[user("tea")])
                assert (busy.value.status_code, busy.value.code) == (503, "Busy")
                assert busy.value.response.headers["Retry-After"] == "5"
            assert at.model.requests[0].http.closed.wait()
            tries = (answered(ai) for _ in range(1_000))
            assert next(content for content in tries if content is not None) == "Tea."


def answered(ai: OpenAI) -> str | None:
    """Return an answer, None when there is no room."""
    try:
        done = ai.chat.completions.create(model="citeseek-chat", messages=[user("tea")])
    except openai.InternalServerError:
        return None
    return done.choices[0].message.content
