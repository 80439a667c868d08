"""OpenAI's responses, through its own package, and as its published types have them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.types.responses import Response
from tests.assistant.chatting import found, result
from tests.completions.openai_schema import EVENT, RESPONSE, check
from tests.loopback import Reply, replies
from tests.loopback.models import CUT, HANG
from tests.rest.serving import Served, served

FOUND = found(result(1), result(2))
LINK = "[[1]](https://site1.example/page)"
CHAT = "citeseek-chat"
SOURCES = "web_search_call.action.sources"


@pytest.fixture
def at() -> Iterator[Served]:
    with served(FOUND) as running:
        yield running


def client(at: Served) -> OpenAI:
    return OpenAI(base_url=f"{at.http.base_url}/v1", api_key="unused", max_retries=0, timeout=30)


def asked(at: Served, given: Any = "tea", **how: Any) -> Response:
    """Return a whole response, which is as OpenAI publishes it."""
    body = {"model": CHAT, "input": given, **how}
    answer = at.http("POST", "/v1/responses", body)
    assert answer.status == 200, answer.text
    response: Response = check(RESPONSE, answer.text)
    return response


def streamed(at: Served, given: Any = "tea", **how: Any) -> list[Any]:
    """Return the events of a response, each as OpenAI publishes it."""
    body = {"model": CHAT, "input": given, "stream": True, **how}
    with at.http.opened("POST", "/v1/responses", body) as response:
        assert response.headers["Content-Type"].startswith("text/event-stream")
        lines = response.read().decode().split("\n\n")
    assert lines.pop() == ""
    events = []
    for place, line in enumerate(lines):
        kind, data = line.split("\n")
        event = check(EVENT, data.removeprefix("data: "))
        assert kind == f"event: {event.type}"
        assert event.sequence_number == place
        events.append(event)
    return events


WRITING = frozenset({"output_text.delta", "output_text.annotation.added"})


def kinds(events: list[Any]) -> list[str]:
    """Return the kinds of events; how a text comes in pieces is up to the network."""
    found = [event.type.removeprefix("response.") for event in events]
    named = ["writing" if kind in WRITING else kind for kind in found]
    return [kind for kind, _ in itertools.groupby(named)]


def text_of(response: Response) -> Any:
    """Return the text of the last message."""
    (text,) = [item for item in response.output if item.type == "message"][-1].content
    return text


def test_a_search_and_citations_are_what_openai_s_are(at: Served) -> None:
    at.model.says("茶 🍵 is a leaf [1]. It is green [2][1].")
    response = asked(at, include=[SOURCES], metadata={"of": "a test"}, user="somebody")
    search, message = response.output
    assert (search.type, search.status) == ("web_search_call", "completed")
    assert search.action.query == "tea"
    pages = [page.url for page in search.action.sources]
    assert pages == ["https://site1.example/page", "https://site2.example/page"]
    assert message.type == "message"
    text = text_of(response)
    assert text.text.startswith(f"茶 🍵 is a leaf {LINK}. It is green [[2]](")
    assert [each.title for each in text.annotations] == ["Title 1", "Title 2", "Title 1"]
    for each in text.annotations:
        number = each.title.removeprefix("Title ")
        assert text.text[each.start_index : each.end_index] == f"[[{number}]]({each.url})"
    assert response.status == "completed"
    assert (response.usage.input_tokens, response.usage.output_tokens) == (7, 5)
    assert (response.metadata, response.user) == ({"of": "a test"}, "somebody")
    assert response.model_extra["egress"]["requests"] == 1
    # As it came from the package, and as it is kept.
    with client(at) as ai:
        assert ai.responses.retrieve(response.id).output == response.output


def test_the_events_come_in_their_order(at: Served) -> None:
    at.model.says("Tea [1] is a leaf [2].", chunk=3)
    events = streamed(at)
    assert kinds(events) == [
        "created",
        "in_progress",
        "output_item.added",
        "web_search_call.in_progress",
        "web_search_call.searching",
        "web_search_call.completed",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "writing",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    whole = events[-1].response
    text = text_of(whole)
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert "".join(deltas) == text.text
    told = [event.annotation for event in events if event.type.endswith("annotation.added")]
    assert [each.model_dump() for each in told] == [each.model_dump() for each in text.annotations]
    so_far = ""
    for event in events:
        if event.type == "response.output_text.delta":
            so_far += event.delta
        if event.type.endswith("annotation.added"):
            # What is cited has been written.
            assert so_far[: event.annotation.end_index].endswith(")")
    done = [event.item for event in events if event.type == "response.output_item.done"]
    assert done == whole.output
    assert events[0].response.status == "in_progress"
    assert events[0].response.output == []
    assert {event.response.id for event in (*events[:2], events[-1])} == {whole.id}


def test_an_agent_s_remark_is_a_message_of_its_own(at: Served) -> None:
    for is_streamed in (False, True):
        at.model.calls("web_search", {"query": "green tea"}, text="Let me look.")
        at.model.says("Tea is a leaf [1].")
        if is_streamed:
            response = streamed(at, model="citeseek-agent")[-1].response
        else:
            response = asked(at, model="citeseek-agent")
        remark, search, answer = response.output
        assert (remark.phase, remark.content[0].text) == ("commentary", "Let me look.")
        assert (search.type, search.action.query) == ("web_search_call", "green tea")
        assert answer.phase == "final_answer"
        (annotation,) = answer.content[0].annotations
        text = answer.content[0].text
        assert text[annotation.start_index : annotation.end_index] == LINK
        assert response.usage.total_tokens == 24


def test_a_page_that_was_read_is_an_action_too(at: Served) -> None:
    with served(FOUND, WEB_FETCH_ALLOW="127.0.0.0/8") as reading:
        reading.engine.on("/page", replies.html(f"<p>{'Tea is a leaf. ' * 40}</p>"))
        page = reading.engine.url("/page")
        reading.model.calls("web_fetch", {"url": page})
        reading.model.says("It is a leaf [1].")
        response = asked(reading, f"Read {page}", model="citeseek-agent")
    opened = response.output[0]
    assert (opened.type, opened.status) == ("web_search_call", "completed")
    assert (opened.action.type, opened.action.url) == ("open_page", page)
    (annotation,) = text_of(response).annotations
    assert annotation.model_extra == {"was_read": True}


def test_a_failed_search_is_a_failed_item_and_no_failed_response() -> None:
    with served(Reply(500, {}, b"Traceback: secret of the upstream")) as at:
        at.model.says("From memory.", always=True)
        for response in (asked(at), streamed(at)[-1].response):
            search, _ = response.output
            assert search.status == "failed"
            assert response.status == "completed"
            text = text_of(response).text
            assert text.startswith("> ⚠️ ")
            assert text.endswith("\n\nFrom memory.")
            assert "Traceback" not in text


def test_an_answer_goes_on_behind_the_one_before(at: Served) -> None:
    at.model.says("Green tea [2].")
    first = asked(at, [{"role": "developer", "content": "Be brief."}, user("tea")])
    at.model.says("As I said.")
    second = asked(at, "what?", previous_response_id=first.id, instructions="Be a pirate.")
    told = at.model.requests[-1]
    assert [message["content"] for message in told.messages[1:3]] == ["tea", "Green tea ."]
    assert told.system.endswith("Be brief.\n\nBe a pirate.")
    assert (second.previous_response_id, second.instructions) == (first.id, "Be a pirate.")
    # Instructions are for one answer, messages of the input stay.
    at.model.says("Third.")
    asked(at, "and?", previous_response_id=second.id)
    assert at.model.requests[-1].system.endswith("Be brief.")
    # All of it is one conversation, as the page has it.
    (session,) = at.call("GET", "/sessions").json()["sessions"]
    assert (session["title"], session["turns"]) == ("tea", 3)
    shown = at.call("GET", f"/sessions/{session['id']}").json()["turns"]
    assert [turn["message"] for turn in shown] == ["tea", "what?", "and?"]
    assert "response" not in shown[0]


def test_two_answers_behind_one_are_two_versions(at: Served) -> None:
    at.model.says("First [1].")
    first = asked(at)
    for text in ("this way", "that way"):
        at.model.says(f"Gone {text}.")
        asked(at, text, previous_response_id=first.id)
    assert [message["content"] for message in at.model.requests[-1].messages[1:3]] == [
        "tea",
        "First .",
    ]
    (session,) = at.call("GET", "/sessions").json()["sessions"]
    shown = at.call("GET", f"/sessions/{session['id']}").json()["turns"]
    assert [turn["message"] for turn in shown] == ["tea", "that way"]
    assert len(shown[-1]["versions"]) == 2
    # One that is not shown any more is there, and can be gone on with.
    (hidden,) = set(shown[-1]["versions"]) - {shown[-1]["id"]}
    kept = check(RESPONSE, at.http("GET", f"/v1/responses/{hidden}").text)
    assert text_of(kept).text == "Gone this way."
    at.model.says("Further.")
    asked(at, "on", previous_response_id=hidden)
    told = [message["content"] for message in at.model.requests[-1].messages[1:5]]
    assert told == ["tea", "First .", "this way", "Gone this way."]


def test_two_answers_at_one_time_are_two_conversations(at: Served) -> None:
    at.model.says("First.")
    first = asked(at)
    with client(at) as ai:
        at.model.says("Slow", HANG)
        stream = ai.responses.create(
            model=CHAT, input="slowly", previous_response_id=first.id, stream=True
        )
        for event in stream:
            if event.type == "response.output_text.delta":
                break
        at.model.says("Fast.")
        fast = ai.responses.create(model=CHAT, input="fast", previous_response_id=first.id)
        assert fast.output_text == "Fast."
        stream.close()
    told = [message["content"] for message in at.model.requests[-1].messages[1:3]]
    assert told == ["tea", "First."]
    assert fast.id[:37] != first.id[:37]


def test_what_stood_behind_a_forgotten_response_stays(at: Served) -> None:
    ids = []
    for text in ("One.", "Two.", "Three."):
        at.model.says(text)
        behind = {"previous_response_id": ids[-1]} if ids else {}
        ids.append(asked(at, text.lower(), **behind).id)
    assert at.http("DELETE", f"/v1/responses/{ids[1]}").status == 200
    (session,) = at.call("GET", "/sessions").json()["sessions"]
    shown = at.call("GET", f"/sessions/{session['id']}").json()["turns"]
    assert [turn["message"] for turn in shown] == ["one.", "three."]
    assert at.http("DELETE", f"/v1/responses/{ids[2]}").status == 200
    shown = at.call("GET", f"/sessions/{session['id']}").json()["turns"]
    assert [turn["message"] for turn in shown] == ["one."]


def test_nothing_is_kept_unless_it_is_to_be(at: Served) -> None:
    at.model.says("Kept.")
    first = asked(at)
    at.model.says("Not kept.")
    second = asked(at, "and?", store=False, previous_response_id=first.id)
    assert at.model.requests[-1].messages[2]["content"] == "Kept."
    with client(at) as ai:
        with pytest.raises(openai.NotFoundError) as unknown:
            ai.responses.retrieve(second.id)
        assert (unknown.value.code, unknown.value.type) == (
            "response_not_found",
            "invalid_request_error",
        )
    (session,) = at.call("GET", "/sessions").json()["sessions"]
    assert session["turns"] == 1


def test_a_response_is_forgotten_for_good(at: Served) -> None:
    at.model.says("One.")
    first = asked(at)
    at.model.says("Two.")
    second = asked(at, "and?", previous_response_id=first.id)
    with client(at) as ai:
        ai.responses.delete(first.id)
        for gone in (first.id, "resp_0", f"resp_{'0' * 48}"):
            with pytest.raises(openai.NotFoundError, match="no response"):
                ai.responses.retrieve(gone)
            with pytest.raises(openai.NotFoundError):
                ai.responses.delete(gone)
        assert ai.responses.retrieve(second.id).output_text == "Two."
        (session,) = at.call("GET", "/sessions").json()["sessions"]
        assert session["turns"] == 1
        # What was said behind it can be gone on with, and knows nothing of it.
        at.model.says("Three.")
        asked(at, "so?", previous_response_id=second.id)
        assert [each["content"] for each in at.model.requests[-1].messages[1:3]] == ["and?", "Two."]
        with pytest.raises(openai.BadRequestError) as refused:
            ai.responses.create(model=CHAT, input="x", previous_response_id=first.id)
        assert refused.value.param == "previous_response_id"
    alone = at.http("DELETE", f"/v1/responses/{second.id}").json()
    assert alone == {"id": second.id, "object": "response", "deleted": True}


def test_the_last_response_takes_its_conversation_along(at: Served) -> None:
    at.model.says("One.")
    at.http("DELETE", f"/v1/responses/{asked(at).id}")
    assert at.call("GET", "/sessions").json()["sessions"] == []


def test_a_history_may_come_as_input(at: Served) -> None:
    at.model.says("Third.")
    first = {"type": "output_text", "text": f"Tea {LINK}.", "annotations": []}
    asked(
        at,
        [
            {"role": "system", "content": [{"type": "input_text", "text": "Be brief."}]},
            user("tea"),
            {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {}},
            {"type": "message", "role": "assistant", "id": "msg_1", "content": [first]},
            {"role": "user", "content": [{"type": "input_text", "text": "and?"}]},
        ],
    )
    told = at.model.requests[-1]
    assert told.system.endswith("Be brief.")
    assert [message["content"] for message in told.messages[1:3]] == ["tea", "Tea ."]
    (session,) = at.call("GET", "/sessions").json()["sessions"]
    assert session["turns"] == 2


def test_an_answer_that_is_cut_is_incomplete(at: Served) -> None:
    for is_streamed in (False, True):
        at.model.says("Tea [1] is HALT green.", chunk=3)
        if is_streamed:
            events = streamed(at, max_output_tokens=3)
            assert events[-1].type == "response.incomplete"
            response = events[-1].response
        else:
            response = asked(at, max_output_tokens=3)
        assert (response.status, response.incomplete_details.reason) == (
            "incomplete",
            "max_output_tokens",
        )
        text = text_of(response)
        assert text.text == f"Tea {LINK} is "
        assert [text.text[each.start_index : each.end_index] for each in text.annotations] == [LINK]
        assert response.output[-1].status == "incomplete"
        kept = at.http("GET", f"/v1/responses/{response.id}")
        assert check(RESPONSE, kept.text) == response


def test_a_model_that_fails_is_a_failed_response(at: Served) -> None:
    at.model.fails(401)
    events = streamed(at)
    assert kinds(events)[-1] == "failed"
    failed = events[-1].response
    assert (failed.status, failed.error.code) == ("failed", "server_error")
    assert failed.error.model_extra["detail_code"] == "auth"
    at.model.says("Tea is a ", CUT)
    at.model.says("Tea is a ", CUT)
    broken = streamed(at)[-1].response
    assert (broken.status, broken.output[-1].status) == ("failed", "incomplete")
    assert text_of(broken).text == "Tea is a "
    assert broken.error.model_extra["detail_code"] == "cut"
    kept = at.http("GET", f"/v1/responses/{broken.id}")
    assert check(RESPONSE, kept.text) == broken
    at.model.fails(401)
    with client(at) as ai, pytest.raises(openai.InternalServerError) as whole:
        ai.responses.create(model=CHAT, input="tea")
    assert (whole.value.status_code, whole.value.code) == (502, "ModelFailed")


def test_whoever_goes_away_stops_the_answer_and_it_is_kept_so_far(at: Served) -> None:
    at.model.says("Tea is a leaf", HANG)
    with client(at) as ai:
        stream = ai.responses.create(model=CHAT, input="tea", stream=True)
        for event in stream:
            if event.type == "response.created":
                created = event.response
            if event.type == "response.output_text.delta":
                seen = event.delta
                break
        stream.close()
        at.model.says("Next.")
        # What is asked in the same conversation waits until the answer before it was kept.
        conversation = created.id.removeprefix("resp_")[:32]
        at.ask(f"/sessions/{conversation}", "and?")
        kept = ai.responses.retrieve(created.id)
    assert seen
    assert text_of(kept).text.startswith(seen)
    assert (kept.status, kept.output[-1].status) == ("incomplete", "incomplete")
    question, answer = at.model.requests[-1].messages[1:3]
    assert question["content"] == "tea"
    assert answer["content"].startswith(text_of(kept).text)


def test_without_tools_nothing_is_searched(at: Served) -> None:
    for model in (CHAT, "citeseek-agent"):
        at.model.says("From memory.")
        response = asked(at, model=model, tool_choice="none")
        assert [item.type for item in response.output] == ["message"]
        assert at.model.requests[-1].tools == []
    assert not at.engine.requests


@pytest.mark.release
def test_what_cannot_be_obeyed_is_refused_by_its_name(at: Served) -> None:
    function = {"type": "function", "name": "f", "parameters": {}}
    image = {"type": "input_image", "image_url": "https://a.example/x.png"}
    asks: list[tuple[dict[str, Any], str]] = [
        ({"background": True}, "background"),
        ({"conversation": "conv_1"}, "conversation"),
        ({"prompt": {"id": "p"}}, "prompt"),
        ({"reasoning": {"effort": "high"}}, "reasoning"),
        ({"max_tool_calls": 3}, "max_tool_calls"),
        ({"top_logprobs": 3}, "top_logprobs"),
        ({"truncation": "disabled"}, "truncation"),
        ({"service_tier": "flex"}, "service_tier"),
        ({"unheard_of": 1}, "unheard_of"),
        ({"include": ["reasoning.encrypted_content"]}, "include"),
        ({"text": {"format": {"type": "json_object"}}}, "text"),
        ({"text": {"verbosity": "low"}}, "text"),
        ({"tools": [function]}, "tools"),
        ({"tools": [{"type": "file_search"}]}, "tools"),
        ({"tools": [{"type": "web_search", "filters": {"allowed_domains": ["a"]}}]}, "tools"),
        ({"tools": [{"type": "web_search", "user_location": {"country": "FR"}}]}, "tools"),
        ({"tool_choice": {"type": "function", "name": "f"}}, "tool_choice"),
        ({"tool_choice": {"type": "mcp"}}, "tool_choice"),
        ({"max_output_tokens": 0}, "max_output_tokens"),
        ({"temperature": -1}, "temperature"),
        ({"metadata": {"a": "x" * 513}}, "metadata"),
        ({"input": []}, "input"),
        ({"input": [{"role": "user", "content": [image]}]}, "input"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "input"),
        ({"input": [{"role": "assistant", "content": "x"}]}, "input"),
        ({"input": [{"type": "function_call_output", "call_id": "1", "output": ""}]}, "input"),
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"input": None}, "input"),
    ]
    for how, param in asks:
        answer = at.http("POST", "/v1/responses", {"model": CHAT, "input": "tea", **how})
        error = answer.json()["error"]
        assert (answer.status, error["param"], error["type"]) == (
            400,
            param,
            "invalid_request_error",
        ), how
    missing = at.http("POST", "/v1/responses", {"model": CHAT}).json()["error"]
    assert missing["param"] == "input"
    unknown = at.http("POST", "/v1/responses", {"model": "gpt-5", "input": "tea"})
    assert (unknown.status, unknown.json()["error"]["code"]) == (404, "model_not_found")
    nowhere = at.http("GET", "/v1/responses/x/input_items")
    assert (nowhere.status, nowhere.json()["error"]["type"]) == (404, "invalid_request_error")
    assert at.http("GET", "/v1/responses").headers["Allow"] == "POST"
    assert not at.engine.requests
    assert at.call("GET", "/sessions").json()["sessions"] == []


def test_what_changes_nothing_is_taken(at: Served) -> None:
    at.model.says("Tea.")
    nulls = {"filters": None, "user_location": None}
    response = asked(
        at,
        temperature=0.2,
        top_p=0.5,
        tools=[{"type": "web_search", "search_context_size": "low", **nulls}],
        background=False,
        service_tier="auto",
        reasoning=None,
        truncation="auto",
        prompt_cache_key="x",
        text={"format": {"type": "text"}},
        stream_options={"include_obfuscation": False},
    )
    sent = at.model.requests[-1].body
    assert (sent["temperature"], sent["top_p"]) == (0.2, 0.5)
    assert (response.temperature, response.top_p) == (0.2, 0.5)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_a_message_is_no_command(at: Served) -> None:
    at.model.says("A slash.", always=True)
    first = asked(at, "/clear")
    assert text_of(asked(at, "/clear", previous_response_id=first.id)).text == "A slash."
    (session,) = at.call("GET", "/sessions").json()["sessions"]
    assert session["turns"] == 2
    assert json.loads(at.http("GET", f"/v1/responses/{first.id}").text)["status"] == "completed"
