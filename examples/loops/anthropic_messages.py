"""A loop over Anthropic's messages: ``python anthropic_messages.py MODEL QUESTION``.

ANTHROPIC_API_KEY is the key, ANTHROPIC_BASE_URL another server. It is written over plain
HTTP; with the package ``anthropic`` the bodies are the same.
"""

import argparse
import asyncio
import os
from typing import Any

import httpx

from citeseek import Client
from citeseek.tools.toolset import Toolset

MAX_ROUNDS = 5
ADDRESS = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com")


async def answer(model: str, question: str, toolset: Toolset) -> str:
    """Let ``model`` search and read until it answers."""
    messages: list[Any] = [{"role": "user", "content": question}]
    asked = {"model": model, "max_tokens": 4_096, "tools": toolset.schemas("anthropic")}
    headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
    async with httpx.AsyncClient(base_url=ADDRESS, headers=headers, timeout=300) as http:
        for left in reversed(range(MAX_ROUNDS)):
            choice = {"tool_choice": {"type": "auto" if left else "none"}}
            reply = await http.post("/v1/messages", json={**asked, **choice, "messages": messages})
            content = reply.raise_for_status().json()["content"]
            calls = [block for block in content if block["type"] == "tool_use"]
            if not calls:
                break
            messages.append({"role": "assistant", "content": content})
            results = []
            for call in calls:
                done = await toolset.answer(call["name"], call["input"])
                told = {"content": done.text, "is_error": done.error is not None}
                results.append({"type": "tool_result", "tool_use_id": call["id"], **told})
            messages.append({"role": "user", "content": results})
    return "".join(block["text"] for block in content if block["type"] == "text")


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
