"""Several pages read at one time, for programs that want the text of what was found."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from citeseek.client import Client
from citeseek.errors import CiteseekError
from citeseek.fetching.response import FetchResponse

# So many are read at one time for one request.
AT_ONCE = 5


async def read_together(
    client: Client, urls: Sequence[str], **asked: Any
) -> list[FetchResponse | CiteseekError]:
    """Return each page, or why it could not be read; ``asked`` are options of a fetch."""
    places = asyncio.Semaphore(AT_ONCE)

    async def read(url: str) -> FetchResponse | CiteseekError:
        async with places:
            try:
                return await client.fetch(url, **asked)
            except CiteseekError as error:
                return error

    return list(await asyncio.gather(*map(read, urls)))
