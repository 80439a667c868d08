"""Tavily's own client, with another address and the token of this server."""

import json
import os
from importlib.metadata import version

from tavily import BadRequestError, InvalidAPIKeyError, TavilyClient

client = TavilyClient(api_key=os.environ["TOKEN"], api_base_url=os.environ["CITESEEK"])
page = os.environ["PAGE"]
found = client.search("tea", max_results=2, search_depth="advanced", time_range="week")
extracted = client.extract([page, "http://nowhere.invalid/"])
try:
    client.search("tea", include_answer=True)
except BadRequestError as error:
    refused = str(error)
try:
    TavilyClient(api_key="wrong-0123456789", api_base_url=os.environ["CITESEEK"]).search("tea")
except InvalidAPIKeyError as error:
    unknown = str(error)
print(
    json.dumps(
        {
            "versions": {"tavily-python": version("tavily-python")},
            "found": found,
            "extracted": extracted,
            "refused": refused,
            "unknown": unknown,
        }
    )
)
