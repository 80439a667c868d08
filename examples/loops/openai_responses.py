"""A loop over OpenAI's responses: ``python openai_responses.py MODEL QUESTION``.

OPENAI_API_KEY is the key.
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
    asked: list[Any] = [{"role": "user", "content": question}]
    tools: Any = toolset.schemas("responses")
    async with AsyncOpenAI() as openai:
        for left in reversed(range(MAX_ROUNDS)):
            reply = await openai.responses.create(
                model=model, input=asked, tools=tools, tool_choice="auto" if left else "none"
            )
            asked += reply.output
            calls = [item for item in reply.output if item.type == "function_call"]
            if not calls:
                break
            for call in calls:
                done = await toolset.answer(call.name, call.arguments)
                output = {"call_id": call.call_id, "output": done.text}
                asked.append({"type": "function_call_output", **output})
    return reply.output_text


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
