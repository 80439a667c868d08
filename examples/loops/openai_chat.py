"""A loop over OpenAI's chat completions: ``python openai_chat.py MODEL QUESTION``.

OPENAI_API_KEY is the key; OPENAI_BASE_URL may name any server that speaks the same protocol.
"""

import argparse
import asyncio
from typing import Any

from openai import AsyncOpenAI

from citeseek import Client
from citeseek.tools.toolset import Toolset

MAX_ROUNDS = 5


async def answer(model: str, question: str, toolset: Toolset) -> str:
    """Let ``model`` search and read until it answers."""
    messages: list[Any] = [{"role": "user", "content": question}]
    tools: Any = toolset.schemas("openai")
    async with AsyncOpenAI() as openai:
        for left in reversed(range(MAX_ROUNDS)):
            reply = await openai.chat.completions.create(
                model=model, messages=messages, tools=tools, tool_choice="auto" if left else "none"
            )
            message = reply.choices[0].message
            if not message.tool_calls:
                break
            messages.append(message)
            for call in message.tool_calls:
                if call.type == "function":
                    done = await toolset.answer(call.function.name, call.function.arguments)
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": done.text})
    return message.content or ""


async def main(model: str, question: str) -> None:
    """Print the answer and the pages that its numbers stand for."""
    async with Client() as client:
        toolset = Toolset(client, named_in=[question])
        print(await answer(model, question, toolset))
        for source in toolset.registry:
            print(f"[{source.number}] {source.title} <{source.url}>")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("question")
    asyncio.run(main(**vars(parser.parse_args())))
