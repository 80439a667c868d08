"""AutoGen with our search and pages: ``python autogen_agent.py MODEL QUESTION``."""

import asyncio
import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ModelFamily
from autogen_ext.models.openai import OpenAIChatCompletionClient

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

        llm = OpenAIChatCompletionClient(
            model=model,
            model_info={
                "vision": False,
                "function_calling": True,
                "json_output": False,
                "structured_output": False,
                "family": ModelFamily.UNKNOWN,
            },
        )
        agent = AssistantAgent(
            "researcher", llm, tools=[web_search, web_fetch], max_tool_iterations=5
        )
        answer = await agent.run(task=question)
        print(answer.messages[-1].content)
        for source in toolset.registry:
            print(f"[{source.number}] {source.title} <{source.url}>")
        await llm.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
