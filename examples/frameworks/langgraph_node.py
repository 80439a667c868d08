"""A node of LangGraph that searches, without any model: ``python langgraph_node.py QUESTION``."""

import asyncio
import sys
from typing import TypedDict

from langgraph.graph import END, START, StateGraph

from citeseek import Client
from citeseek.tools.toolset import Toolset


class State(TypedDict, total=False):
    """What the nodes hand on: ``found`` is text for a model, ``sources`` are its numbers."""

    question: str
    found: str
    sources: list[tuple[int, str, str]]


async def main(question: str) -> None:
    """Print what the node found."""
    async with Client() as client:

        async def search(state: State) -> State:
            toolset = Toolset(client)
            found = await toolset.answer("web_search", {"query": state["question"]})
            sources = [(each.number, each.title, each.url) for each in found.sources]
            return {"found": found.text, "sources": sources}

        graph = StateGraph(State)
        graph.add_node("search", search)
        graph.add_edge(START, "search")
        graph.add_edge("search", END)
        done = await graph.compile().ainvoke({"question": question})
        print(done["found"])
        for number, title, url in done["sources"]:
            print(f"[{number}] {title} <{url}>")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
