"""smolagents with our search and pages: ``python smolagents_agent.py MODEL QUESTION``."""

import os
import sys

from smolagents import LogLevel, OpenAIModel, ToolCallingAgent, tool

from citeseek import Client
from citeseek.tools.toolset import Toolset


def main(model: str, question: str) -> None:
    """Print the answer and the pages that its numbers stand for."""
    client = Client()
    toolset = Toolset(client, named_in=[question])

    @tool
    def web_search(query: str) -> str:
        """Search the web; cite results by their [number].

        Args:
            query: Precise words to search for.
        """
        return toolset.answer_sync("web_search", {"query": query}).text

    @tool
    def web_fetch(url: str) -> str:
        """Read a page.

        Args:
            url: Its address, or the [number] of a result.
        """
        return toolset.answer_sync("web_fetch", {"url": url}).text

    llm = OpenAIModel(
        model_id=model,
        api_base=os.environ.get("OPENAI_BASE_URL"),
        api_key=os.environ["OPENAI_API_KEY"],
    )
    agent = ToolCallingAgent([web_search, web_fetch], llm, verbosity_level=LogLevel.OFF)
    print(agent.run(question))
    for source in toolset.registry:
        print(f"[{source.number}] {source.title} <{source.url}>")


if __name__ == "__main__":
    main(*sys.argv[1:])
