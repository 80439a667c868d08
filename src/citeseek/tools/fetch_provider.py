"""``web.fetch``, the tool of the provider contract: one name, one input, one output."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from citeseek.client import Client
from citeseek.errors import InvalidInput, ToolNotFound, WebParseError
from citeseek.fetching import formats
from citeseek.guard import read
from citeseek.query import whole_number
from citeseek.settings import Settings
from citeseek.tools.definitions import CONTRACT_WEB_FETCH, Definition
from citeseek.tools.search_provider import OverClient

# The backend that reads the web; any other gives the example.
WEB = "httpx"
MIN_MS, MAX_MS = 1_000, 120_000
_EXAMPLE = "示例网页：这里没有访问网络。(An example page: the network was not used.)"


class WebFetchProvider(OverClient):
    """Answers ``web.fetch``; ``id`` is the ``backend``, by default that of ``web.fetch.backend``.

    ``stub`` gives a fixed page without the network. ``client`` does the reading; without one a
    client is opened over ``settings`` and closed with the provider.
    """

    def __init__(
        self,
        client: Client | None = None,
        *,
        settings: Settings | None = None,
        backend: str | None = None,
    ) -> None:
        super().__init__(client, settings)
        self.id: str = backend or self._client.settings.web_fetch.backend

    def tools(self) -> tuple[Definition, ...]:
        """Return what this provider answers to."""
        return (CONTRACT_WEB_FETCH,)

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Read the page at ``url`` within ``timeout_ms``; fields that are not known are ignored.

        The output is that of docs/tools.md; the text of what is no text is empty. Raise
        ToolNotFound, InvalidInput or SearchFailed.
        """
        if name != CONTRACT_WEB_FETCH.name:
            raise ToolNotFound(f"There is no tool {name!r:.60} here, only web.fetch.")
        url = arguments.get("url")
        if not isinstance(url, str) or not re.match(r"\s*https?://", url, re.IGNORECASE):
            raise InvalidInput("url must be an http or https address.")
        limit = arguments.get("timeout_ms")
        if limit is not None:
            whole_number("timeout_ms", limit, MIN_MS, MAX_MS)
        if self.id != WEB:
            return _example(url)
        seconds = None if limit is None else limit / 1000
        try:
            return formats.contract(await self._client.fetch(url, seconds=seconds))
        except WebParseError as error:
            if error.detail_code != "unsupported_media" or error.page is None:
                raise
            return {
                "url": url,
                "status_code": error.page.status,
                "content_type": error.page.headers.get("content-type", ""),
                "text": "",
                "truncated": False,
                "final_url": error.page.url,
                "cache_hit": False,
            }


def _example(url: str) -> dict[str, Any]:
    target = read(url)
    return {
        "url": url,
        "status_code": 200,
        "content_type": "text/plain; charset=utf-8",
        "text": _EXAMPLE,
        "truncated": False,
        "final_url": target.url,
        "title": "示例网页",
        "extracted_text": _EXAMPLE,
        "cache_hit": False,
    }
