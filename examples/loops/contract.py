"""The tool contract without any model: ``python contract.py QUERY``.

It finds pages and prints how each begins. Unless WEB_SEARCH_BACKEND and WEB_FETCH_BACKEND are set,
both tools give examples and stay offline.
"""

import argparse
import asyncio

from citeseek.errors import SearchFailed
from citeseek.tools.contract import BuiltinProvider
from citeseek.tools.runtime import Runtime

SHOWN_CHARS = 200


async def main(query: str) -> None:
    """Print results, pages, and each step."""
    async with BuiltinProvider() as provider:
        runtime = Runtime(provider)
        found = await runtime.invoke("web.search", {"query": query, "max_results": 3})
        for item in found["items"]:
            print(f"{item['rank']}. {item['title']} <{item['url']}>")
            try:
                page = await runtime.invoke("web.fetch", {"url": item["url"]})
                print(f"   {page['text'][:SHOWN_CHARS]}")
            except SearchFailed as error:
                print(f"   not read: {error.error_code} {error.detail_code}")
    for step in runtime.steps:
        print(step.name, "ok" if step.ok else step.error_code)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("query")
    asyncio.run(main(**vars(parser.parse_args())))
