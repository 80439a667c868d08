"""One state of a SearXNG as a finding, with its address in the commands that mend it."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from citeseek.health.finding import Finding
from citeseek.health.searxng.addresses import bare, has_login, port_of, with_login
from citeseek.health.searxng.hosting import Place
from citeseek.health.texts import tell
from citeseek.searxng_host.files import PORT

# Who listens on a port, in the words of each system.
_LISTENING = {"darwin": "lsof -nP -iTCP:{} -sTCP:LISTEN", "win32": "netstat -ano | findstr :{}"}
_LINUX = "ss -ltnp 'sport = :{}'"
_OTHER_PORTS = range(8081, 8100)
_AS_BEARER = 'curl -sS -H "Authorization: Bearer $SEARXNG_API_KEY"'


def state(
    code: str,
    base_url: str,
    place: Place,
    *,
    has_key: bool = False,
    more: tuple[str, ...] = (),
    **values: Any,
) -> Finding:
    """Return the finding for a state of the instance at ``base_url``, which runs at ``place``.

    ``found`` among the ``values`` is an address where it is or may be, ``asked`` one that was
    asked. They take precedence over what is known of the instance. A login of ``base_url`` is
    told of in no finding; commands have a place for it.
    """
    port = port_of(base_url)
    copied = with_login if has_login(base_url) else bare
    if "found" in values:
        values["right"] = copied(values["found"])
        values["found"] = bare(values["found"])
    if "asked" in values:
        values["asked"] = bare(values["asked"])
    known = {
        "address": bare(base_url),
        "url": copied(base_url),
        "login_url": with_login(base_url),
        "curl": _AS_BEARER if has_key else "curl -sS",
        "host": urlsplit(base_url).hostname,
        "port": port,
        "port_option": "" if port == PORT else f" --port {port}",
        "other_port": _free_port(port),
        "listening": _LISTENING.get(sys.platform, _LINUX).format(port),
        **{name: getattr(place, name) for name in place.__struct_fields__ if name != "way"},
    }
    return tell("searxng", code, way=place.way, more=more, **{**known, **values})


def _free_port(port: int) -> int:
    """Return another port than ``port`` on which nobody of this machine listens, if there is one.

    Listening is tried, for an instant: connecting would be noticed by who is there.
    """
    others = [other for other in _OTHER_PORTS if other != port]
    return next((other for other in others if _is_free(other)), others[0])


def _is_free(port: int) -> bool:
    with suppress(OSError), socket.socket() as trying:
        # What was closed a moment ago is free; where somebody listens this fails all the same.
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trying.bind(("127.0.0.1", port))
        return True
    return False
