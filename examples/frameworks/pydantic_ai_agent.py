"""Pydantic AI with our search and pages: ``python pydantic_ai_agent.py MODEL QUESTION``."""

import asyncio
import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

from citeseek import Client
from citeseek.tools.toolset import Toolset


async def main(model: str, question: str) -> None:
    """Print the answer and the pages that its numbers stand for."""
    async with Client() as client:
        toolset = Toolset(client, named_in=[question])

        async def web_search(query: str) -> str:
            """Search the web; cite results by their [number]."""
            return (await toolset.answer("web_search", {"query": query})).text

        async def web_fetch(url: str) -> str:
            """Read a page, named by its address or by the [number] of a result."""
            return (await toolset.answer("web_fetch", {"url": url})).text

        agent = Agent(OpenAIChatModel(model), tools=[web_search, web_fetch])
        print((await agent.run(question)).output)
        for source in toolset.registry:
            print(f"[{source.number}] {source.title} <{source.url}>")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
