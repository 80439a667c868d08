"""Which requests cost something, decided for every face in one place.

Whatever is not named here counts: a route that is new does until somebody says that it is free.
"""

from __future__ import annotations

import re

from starlette.datastructures import QueryParams
from starlette.types import Scope

_READ = frozenset({"GET", "HEAD"})
# What the server knows already: its pages, their files, and what happens in a conversation.
_PAGES = re.compile(r"/|/c/[^/]+(/events)?|/guide|/static/.+")
# The end of a session gives something back.
_MCP = "/mcp"
# A look at the search service is kept for so long; how old a look may be where nobody says it.
_KEPT_SECONDS = 60.0
_LOOKS = {"/api/v1/health": _KEPT_SECONDS, "/report": 0.0}


def is_free(scope: Scope) -> bool:
    """Whether a request asks nothing of an engine, a model or a site."""
    method, path = scope["method"], scope["path"]
    if path == _MCP:
        return bool(method == "DELETE")
    if method not in _READ:
        return False
    if path in _LOOKS:
        return _max_age(scope, _LOOKS[path]) >= _KEPT_SECONDS
    return path == "/healthz" or _PAGES.fullmatch(path) is not None


def _max_age(scope: Scope, usual: float) -> float:
    named = QueryParams(scope["query_string"]).getlist("max_age")
    try:
        return min((float(each) for each in named), default=usual)
    except ValueError:
        return 0.0
