"""``web_search`` of the browser face: one query, and the results as JSON."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, Unpack

import msgspec

from citeseek.browser import find_chrome
from citeseek.browser.failures import playwright_missing
from citeseek.client import Client
from citeseek.concurrency import portal
from citeseek.errors import CiteseekError, SearchFailed, WebProviderError
from citeseek.extras import fault
from citeseek.faces import BROWSER
from citeseek.i18n import Catalogue, catalogue, language_of
from citeseek.models import SearchResponse
from citeseek.searching.planning import SearchFields
from citeseek.tools import search_formats
from citeseek.tools.arguments import read
from citeseek.tools.tool_definitions import BROWSER_WEB_SEARCH, Language, translate
from citeseek.tools.tool_language import tool_language
from citeseek.tools.web_search import SearchService

log = logging.getLogger(__name__)


class Found(msgspec.Struct, frozen=True):
    """What a model is given, and the same as a structure; None when the search failed."""

    text: str
    artifact: dict[str, Any] | None = None


class BrowserSearch:
    """Searches with the engine of the browser face, Google in headless Chrome by default.

    ``service`` does the searching, ``asked`` are choices for it beside the query (``engine``,
    ``session``, …). The model says the query alone; further arguments are ignored. That there is no
    browser for it is logged when the tool is made; nothing is started before the first search. The
    tool is described in ``lang``, by default in :func:`tool_language`, and tells a model of
    failures in it, by default in the language of the query.
    """

    def __init__(
        self,
        service: SearchService,
        *,
        lang: Language | None = None,
        **asked: Unpack[SearchFields],
    ) -> None:
        self.definition = translate(lang or tool_language(), BROWSER_WEB_SEARCH)
        self._lang = lang
        self._service = service
        self._asked: SearchFields = {"face": BROWSER, **asked}
        if isinstance(service, Client):
            _look_for_browser(service, self._asked)

    async def run(self, arguments: Mapping[str, Any]) -> Found:
        """Return ``{"query", "results"}`` as JSON; every failure but cancellation becomes text."""
        try:
            query, asked = read(arguments, self.definition, self._asked)
            return _as_found(query, await self._service.search(query, **asked))
        except Exception as error:  # noqa: BLE001 - a failure is told, the conversation goes on
            lang = self._lang or language_of(str(arguments.get("query") or ""))
            return _as_failed(error, catalogue(lang))

    def run_sync(self, arguments: Mapping[str, Any]) -> Found:
        """Do the same for a caller that is not asynchronous."""
        return portal.call(self.run(arguments))


def _look_for_browser(client: Client, asked: SearchFields) -> None:
    """Log what is missing if the engine needs a browser; nothing is started."""
    settings = client.settings
    named = (
        asked.get("engine") or settings.face(BROWSER, agent_id=asked.get("agent_id")).engine.value
    )
    engine = client.registry.find(named)
    if getattr(engine, "via", None) != "browser" or settings.browser.cdp_url:
        return
    try:
        if fault("playwright", imports=False):
            raise playwright_missing()
        find_chrome(settings.browser.executable)
    except SearchFailed as error:
        log.warning("%s cannot search: %s", named, error)


def _as_found(query: str, response: SearchResponse) -> Found:
    shown = search_formats.results(response, query)
    return Found(json.dumps(shown, ensure_ascii=False), shown)


def _as_failed(error: Exception, say: Catalogue) -> Found:
    if not isinstance(error, CiteseekError):
        log.error("web_search failed: %r", error, exc_info=error)
        error = WebProviderError(
            "The search broke off unexpectedly.",
            detail_code="internal",
            values={"case": "search"},
        )
    return Found(search_formats.failure_text(error, say))
