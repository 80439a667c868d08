"""One state of a SearXNG as a finding, with its address in the commands that mend it."""

from __future__ import annotations

import sys
from typing import Any
from urllib.parse import quote, urlsplit

from citeseek.health.finding import Finding
from citeseek.health.telling import tell

# Who listens on a port, in the words of each system.
_LISTENING = {"darwin": "lsof -nP -iTCP:{} -sTCP:LISTEN", "win32": "netstat -ano | findstr :{}"}
_LINUX = "ss -ltnp 'sport = :{}'"


def state(code: str, base_url: str, *, more: tuple[str, ...] = (), **values: Any) -> Finding:
    """Return the finding for a state of the instance at ``base_url``."""
    port = port_of(base_url)
    return tell(
        "searxng",
        code,
        more=more,
        address=bare(base_url),
        host=urlsplit(base_url).hostname,
        port=port,
        listening=_LISTENING.get(sys.platform, _LINUX).format(port),
        **values,
    )


def bare(url: str) -> str:
    """Return ``url`` as it may be shown and copied into commands.

    It has no name and password, and nothing in it means something to a shell.
    """
    parts = urlsplit(url)
    without = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    return quote(without.geturl(), safe="/:%[]@,+=~")


def port_of(url: str) -> int:
    """Return the port that ``url`` leads to."""
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)
