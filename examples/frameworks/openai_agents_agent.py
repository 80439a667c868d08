"""OpenAI's Agents SDK with our tools: ``python openai_agents_agent.py MODEL QUESTION``."""

import asyncio
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

from citeseek import Client
from citeseek.tools.toolset import Toolset

# Traces would be sent to OpenAI, whichever server the model has.
set_tracing_disabled(disabled=True)


async def main(model: str, question: str) -> None:
    """Print the answer and the pages that its numbers stand for."""
    async with Client() as client:
        toolset = Toolset(client, named_in=[question])

        @function_tool
        async def web_search(query: str) -> str:
            """Search the web; cite results by their [number]."""
            return (await toolset.answer("web_search", {"query": query})).text

        @function_tool
        async def web_fetch(url: str) -> str:
            """Read a page, named by its address or by the [number] of a result."""
            return (await toolset.answer("web_fetch", {"url": url})).text

        agent = Agent(
            name="researcher",
            tools=[web_search, web_fetch],
            model=OpenAIChatCompletionsModel(model=model, openai_client=AsyncOpenAI()),
        )
        print((await Runner.run(agent, question)).final_output)
        for source in toolset.registry:
            print(f"[{source.number}] {source.title} <{source.url}>")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
