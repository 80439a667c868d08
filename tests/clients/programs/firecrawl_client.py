"""Firecrawl's own client in both versions, with another address and the token of this server."""

import json
import os
from importlib.metadata import version

from firecrawl import Firecrawl
from firecrawl.v1 import V1FirecrawlApp

base = {"api_key": os.environ["TOKEN"], "api_url": os.environ["CITESEEK"]}
page = os.environ["PAGE"]
second = Firecrawl(**base)
found = second.search("tea", limit=2)
scraped = second.scrape(page, formats=["markdown"])
try:
    second.scrape(page, formats=["html"])
except Exception as error:  # noqa: BLE001 - each kind of failure has its own there
    refused = str(error)
first = V1FirecrawlApp(**base)
old_found = first.search("tea", limit=2)
old_scraped = first.scrape_url(page, formats=["markdown"])
print(
    json.dumps(
        {
            "versions": {"firecrawl-py": version("firecrawl-py")},
            "found": [[each.title, each.url, each.description] for each in found.web],
            "markdown": scraped.markdown,
            "title": scraped.metadata.title,
            "refused": refused,
            "old_found": [[each["title"], each["url"]] for each in old_found.data],
            "old_markdown": old_scraped.markdown,
        }
    )
)
