"""The ``web_search`` tool of an agent whose online search is enabled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from citeseek.citations import CitationRegistry
from citeseek.client import Client
from citeseek.engine import AnyEngine
from citeseek.errors import InvalidInput
from citeseek.extras import missing
from citeseek.faces import AGENT
from citeseek.searching.engine_registry import Registry
from citeseek.settings import Settings
from citeseek.tools.definitions import CONFIGURED_WEB_SEARCH
from citeseek.tools.search_options import (
    Options,
    deadline,
    fitting,
    is_enabled,
    limit_count,
    over,
    resolve,
)
from citeseek.tools.web_search import WHOLE_SUMMARY, WebSearch

if TYPE_CHECKING:
    from citeseek.tools.langchain import WebSearchTool


def create_web_search_tool(
    options: Options | None,
    *,
    client: Client | None = None,
    settings: Settings | None = None,
    registry: CitationRegistry | None = None,
    engines: Iterable[AnyEngine] = (),
    **choices: Any,
) -> WebSearchTool | None:
    """Return the tool, or None when ``options`` do not enable it: then add nothing to the agent.

    ``options`` are :class:`WebSearchOptions` or a mapping with the same names in camelCase; they
    go before ``settings``, which default to those of ``client``, else to the files and the
    environment. What is chosen here stays for the life of the tool.

    ``client`` does the searching, so that tools share its connections, its cache and its limits
    of calls per minute. Without one, or with another key or time to live than its own, the tool
    opens a client (with ``engines`` beside the built-in ones) and must be closed:
    ``tool.close()`` or ``await tool.aclose()``. ``registry`` numbers the results of the session,
    ``choices`` are further ones of :class:`~citeseek.tools.web_search.WebSearch`. Raise
    InvalidInput when LangChain (the extra ``agent``) is not installed.
    """
    if options is None or not is_enabled(options):
        return None
    try:
        from citeseek.tools.langchain import WebSearchTool  # noqa: PLC0415 - not for all agents
    except ModuleNotFoundError:
        raise InvalidInput(
            "The tool needs LangChain, which is not installed.", hint=missing("agent")
        ) from None

    engines = tuple(engines)
    if settings is None:
        settings = client.settings if client else Settings.load()
    known = client.registry if client else Registry(engines)
    settings = over(settings, options, known)
    chosen = resolve(settings.face(AGENT), settings, known)
    provider, seconds = str(chosen.provider), float(chosen.timeout_seconds or AGENT.seconds)
    service = fitting(client, settings, provider, engines)
    search = WebSearch(
        service,
        CONFIGURED_WEB_SEARCH,
        registry=registry,
        **{
            "max_results": AGENT.counts.high,
            # The summaries are the engine's own.
            "summary_chars": WHOLE_SUMMARY,
            "face": limit_count(AGENT, chosen.max_results),
            "engine": provider,
            "seconds": deadline(settings, known.get(provider), seconds),
            "count": chosen.max_results,
            **choices,
        },
    )
    return WebSearchTool(search, owned=None if service is client else service)
