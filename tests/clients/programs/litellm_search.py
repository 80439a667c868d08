"""LiteLLM's one interface to searches, through three of its providers."""

import json
import os
from importlib.metadata import version

import litellm

base, key = os.environ["CITESEEK"], os.environ["TOKEN"]
asked = {
    "searxng": base,
    "tavily": base,
    "firecrawl": f"{base}/v2",
}
found = {
    name: litellm.search(
        query="tea", search_provider=name, max_results=2, api_base=address, api_key=key
    )
    for name, address in asked.items()
}
print(
    json.dumps(
        {
            "versions": {"litellm": version("litellm")},
            **{
                name: [[each.title, each.url, each.snippet] for each in answer.results]
                for name, answer in found.items()
            },
        }
    )
)
