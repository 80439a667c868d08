"""An agent of LangChain: ``python langchain_agent.py MODEL QUESTION``, such as openai:gpt-5-mini.

The key is that of the model's own variable, such as OPENAI_API_KEY.
"""

import argparse
import asyncio

from langchain.agents import create_agent

from citeseek import Client
from citeseek.tools.langchain import langchain_tools
from citeseek.tools.toolset import Toolset


async def main(model: str, question: str) -> None:
    """Print the answer and the pages that its numbers stand for."""
    async with Client() as client:
        toolset = Toolset(client, named_in=[question])
        agent = create_agent(model, langchain_tools(toolset))
        told = await agent.ainvoke({"messages": [{"role": "user", "content": question}]})
        print(told["messages"][-1].text)
        for source in toolset.registry:
            print(f"[{source.number}] {source.title} <{source.url}>")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("question")
    asyncio.run(main(**vars(parser.parse_args())))
