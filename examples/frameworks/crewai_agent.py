"""CrewAI with the search and pages of a served Citeseek: ``python crewai_agent.py MODEL QUESTION``.

CrewAI pins an older version of a library that Citeseek needs, so it asks over the REST API:
CITESEEK_URL is the address of ``citeseek serve``, CITESEEK_TOKEN its token.
"""

import os
import sys

import httpx
from crewai import LLM, Agent
from crewai.tools import tool

token = os.environ.get("CITESEEK_TOKEN")
citeseek = httpx.Client(
    base_url=os.environ.get("CITESEEK_URL", "http://localhost:8000") + "/api/v1",
    headers={"Authorization": f"Bearer {token}"} if token else {},
    timeout=60,
)
# The pages that were found, by their numbers.
found: list[str] = []


@tool("web_search")
def web_search(query: str) -> str:
    """Search the web; cite results by their [number]."""
    answer = citeseek.get("/search", params={"q": query, "count": 5})
    if answer.is_error:
        return f"The search failed: {answer.json()['detail']}"
    lines = []
    for item in answer.json()["items"]:
        if item["url"] not in found:
            found.append(item["url"])
        number = found.index(item["url"]) + 1
        lines.append(f"[{number}] {item['title']} <{item['url']}>\n{item['snippet']}")
    return "\n".join(lines) or "Nothing was found."


@tool("web_fetch")
def web_fetch(url: str) -> str:
    """Read the page at an address that was found."""
    answer = citeseek.post("/fetch", json={"url": url, "form": "markdown"})
    told = answer.json()
    return f"The page was not read: {told['detail']}" if answer.is_error else told["text"]


def main(model: str, question: str) -> None:
    """Print the answer and the pages that its numbers stand for."""
    agent = Agent(
        role="Researcher",
        goal="Answer from what was found, citing each source as [number]",
        backstory="You look things up before you answer.",
        tools=[web_search, web_fetch],
        llm=LLM(model=f"openai/{model}", base_url=os.environ.get("OPENAI_BASE_URL")),
    )
    print(agent.kickoff(question).raw)
    for number, url in enumerate(found, 1):
        print(f"[{number}] <{url}>")


if __name__ == "__main__":
    main(*sys.argv[1:])
