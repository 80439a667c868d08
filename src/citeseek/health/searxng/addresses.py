"""The address of a SearXNG as it may be shown, and as it is copied into commands."""

from __future__ import annotations

import shlex
from urllib.parse import quote, urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PROXY_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
# Stands where a name and a password have to be written.
LOGIN = "USER:PASSWORD"


def bare(url: str) -> str:
    """Return ``url`` as it may be shown and copied into commands.

    It has no name and password, and nothing in it means something to a shell.
    """
    parts = urlsplit(url)
    without = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    return quote(without.geturl(), safe="/:%[]@,+=~")


def with_login(url: str) -> str:
    """Return ``url`` as :func:`bare` does, with a place for name and password."""
    scheme, _, rest = bare(url).partition("://")
    return f"{scheme}://{LOGIN}@{rest}"


def has_login(url: str) -> bool:
    """Whether there are a name and a password in ``url``."""
    return "@" in urlsplit(url).netloc


def port_of(url: str) -> int:
    """Return the port that ``url`` leads to."""
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)


def proxy_port(url: str) -> int:
    """Return the port of the proxy at ``url``."""
    parts = urlsplit(url)
    return parts.port or _PROXY_PORTS[parts.scheme]


def bypass(old: str | None, *hosts: str) -> str:
    """Return NO_PROXY as it is written in a shell: ``old``, this machine and ``hosts``."""
    named = [name for name in map(str.strip, (old or "").split(",")) if name]
    return shlex.quote(",".join(dict.fromkeys((*named, *hosts, *LOOPBACK))))
