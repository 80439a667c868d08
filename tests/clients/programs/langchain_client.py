"""LangChain's chat model over both interfaces, with a function, and its wrapper for SearXNG."""

import json
import os
from importlib.metadata import version

from langchain_community.utilities import SearxSearchWrapper
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

base = {"base_url": os.environ["CITESEEK"] + "/v1", "api_key": os.environ["TOKEN"]}
chat = ChatOpenAI(model="citeseek-chat", **base)
told = chat.invoke("tea")
pieces = "".join(str(piece.content) for piece in chat.stream("tea"))
responses = ChatOpenAI(model="citeseek-chat", use_responses_api=True, **base)
response = responses.invoke("tea")
streamed = "".join(piece.text for piece in responses.stream("tea"))


@tool
def weather(city: str) -> str:
    """Return the weather in a city."""
    return f"Sunny in {city}."


agent = ChatOpenAI(model="citeseek-agent", **base).bind_tools([weather])
question = HumanMessage("weather?")
calling = agent.invoke([question])
(call,) = calling.tool_calls
answer = agent.invoke(
    [question, calling, ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"])]
)
searx = SearxSearchWrapper(
    searx_host=os.environ["CITESEEK"],
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
)
print(
    json.dumps(
        {
            "versions": {
                name: version(name) for name in ("langchain-openai", "langchain-community")
            },
            "chat": told.content,
            "usage": told.usage_metadata["total_tokens"],
            "pieces": pieces,
            "response": response.text,
            "annotations": [
                annotation["url"]
                for block in response.content
                if isinstance(block, dict)
                for annotation in block.get("annotations", [])
            ],
            "streamed": streamed,
            "call": [call["name"], call["args"]],
            "answer": answer.content,
            "searched": searx.run("tea"),
            "results": [each["link"] for each in searx.results("tea", num_results=2)],
        }
    )
)
