"""Citeseek: web search for language models, with the sources for the people who read the answers.

Names are imported when they are first used, so that ``import citeseek`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module

from citeseek.version import VERSION

# Type checkers take this name for true; importing it from typing would cost 8 ms.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from citeseek.assistant.assistant import Assistant
    from citeseek.citations import CitationProcessor
    from citeseek.client import Client, fetch, search
    from citeseek.engine import Engine, EngineOptions, SearchEngine
    from citeseek.errors import (
        AuthError,
        BadGateway,
        CiteseekError,
        InvalidInput,
        NetworkError,
        SearchFailed,
        Timeout,
        ToolNotFound,
        WebBlocked,
        WebParseError,
        WebProviderError,
    )
    from citeseek.fetching.response import FetchResponse
    from citeseek.models import SearchItem, SearchResponse
    from citeseek.query import Query
    from citeseek.settings import Settings
    from citeseek.tools.configured_search import create_web_search_tool, get_web_search_provider
    from citeseek.tools.search_options import load_agent_config

__version__ = VERSION

_HOME = {
    "Assistant": "assistant.assistant",
    "CitationProcessor": "citations",
    "Client": "client",
    "fetch": "client",
    "search": "client",
    "Engine": "engine",
    "EngineOptions": "engine",
    "SearchEngine": "engine",
    "AuthError": "errors",
    "BadGateway": "errors",
    "CiteseekError": "errors",
    "InvalidInput": "errors",
    "NetworkError": "errors",
    "SearchFailed": "errors",
    "Timeout": "errors",
    "ToolNotFound": "errors",
    "WebBlocked": "errors",
    "WebParseError": "errors",
    "WebProviderError": "errors",
    "FetchResponse": "fetching.response",
    "SearchItem": "models",
    "SearchResponse": "models",
    "Query": "query",
    "Settings": "settings",
    "create_web_search_tool": "tools.configured_search",
    "get_web_search_provider": "tools.configured_search",
    "load_agent_config": "tools.search_options",
}

__all__ = [
    "Assistant",
    "AuthError",
    "BadGateway",
    "CitationProcessor",
    "CiteseekError",
    "Client",
    "Engine",
    "EngineOptions",
    "FetchResponse",
    "InvalidInput",
    "NetworkError",
    "Query",
    "SearchEngine",
    "SearchFailed",
    "SearchItem",
    "SearchResponse",
    "Settings",
    "Timeout",
    "ToolNotFound",
    "WebBlocked",
    "WebParseError",
    "WebProviderError",
    "__version__",
    "create_web_search_tool",
    "fetch",
    "get_web_search_provider",
    "load_agent_config",
    "search",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
