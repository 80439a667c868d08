"""LlamaIndex with our search and pages: ``python llama_index_agent.py MODEL QUESTION``."""

import asyncio
import os
import sys

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike

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

        llm = OpenAILike(
            model=model,
            api_base=os.environ["OPENAI_BASE_URL"],
            api_key=os.environ["OPENAI_API_KEY"],
            is_chat_model=True,
            is_function_calling_model=True,
        )
        agent = FunctionAgent(tools=[web_search, web_fetch], llm=llm)
        print(await agent.run(question))
        for source in toolset.registry:
            print(f"[{source.number}] {source.title} <{source.url}>")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
