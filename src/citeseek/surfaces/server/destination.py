"""Where somebody goes after the login: to a path of this server, nowhere else."""

from __future__ import annotations

import re
from urllib.parse import quote

from starlette.types import Scope

HOME = "/"
# Two slashes begin a host, browsers read \ as /, and they leave tabs and line ends out.
_LOCAL = re.compile(r"/(?!/)[!-\[\]-~]{0,2000}")


def local(path: str) -> str:
    """Return ``path`` if it is surely a path of this server, else the first page."""
    return path if _LOCAL.fullmatch(path) else HOME


def login_for(scope: Scope) -> str:
    """Return the address of the login that leads back to what was asked for."""
    path = quote(scope["path"], safe="/:@!$&'()*+,;=~")
    query = scope["query_string"].decode("latin-1")
    wanted = local(f"{path}?{query}" if query else path)
    return "/login" if wanted == HOME else f"/login?next={quote(wanted, safe='/')}"
