"""LiteLLM, which speaks to every model in one way: completion, responses, functions."""

import json
import os
from importlib.metadata import version

import litellm

base = {"api_base": os.environ["CITESEEK"] + "/v1", "api_key": os.environ["TOKEN"]}
messages = [{"role": "user", "content": "tea"}]
chat = litellm.completion(model="openai/citeseek-chat", messages=messages, **base)
stream = litellm.completion(
    model="openai/citeseek-chat",
    messages=messages,
    stream=True,
    stream_options={"include_usage": True},
    **base,
)
chunks = list(stream)
whole = litellm.stream_chunk_builder(chunks, messages=messages)
response = litellm.responses(model="openai/citeseek-chat", input="tea", **base)
function = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
}
called = litellm.completion(
    model="openai/citeseek-agent",
    messages=[{"role": "user", "content": "weather?"}],
    tools=[function],
    tool_choice="auto",
    **base,
)
print(
    json.dumps(
        {
            "versions": {"litellm": version("litellm")},
            "chat": chat.choices[0].message.content,
            "usage": chat.usage.total_tokens,
            "streamed": whole.choices[0].message.content,
            "response": [
                content.text
                for item in response.output
                if item.type == "message"
                for content in item.content
            ],
            "called": [call.function.name for call in called.choices[0].message.tool_calls],
        }
    )
)
