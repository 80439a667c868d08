"""A reverse proxy before a real SearXNG, as badly set up as a test wants it."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.loopback import LoopbackServer, Reply, Request

# What the proxy does with a request before it passes it on; a reply of its own ends it there.
Rule = Callable[[Request], Reply | str]

_HOP_BY_HOP = {
    "connection",
    "keep-alive",
    "transfer-encoding",
    "content-length",
    "content-encoding",
}


@contextmanager
def before(port: int, rule: Rule) -> Iterator[LoopbackServer]:
    """Pass requests on to ``port`` as ``rule`` says: the target to ask for, or the answer."""

    def forwarded(request: Request) -> Reply:
        ruled = rule(request)
        if isinstance(ruled, Reply):
            return ruled
        return _asked(port, request.method, ruled, request.headers)

    with LoopbackServer() as proxy:
        proxy.otherwise(forwarded)
        yield proxy


def only_below(path: str, *, keep: bool = False) -> Rule:
    """Pass on what lies below ``path``, without it unless told to ``keep`` it."""

    def rule(request: Request) -> Reply | str:
        if not request.target.startswith(f"{path}/"):
            return Reply(404, {"Content-Type": "text/html"}, "<h1>no such page</h1>")
        return request.target if keep else request.target.removeprefix(path)

    return rule


def without(parameter: str) -> Rule:
    """Pass everything on but ``parameter``."""

    def rule(request: Request) -> str:
        parts = urlsplit(request.target)
        query = [pair for pair in parse_qsl(parts.query) if pair[0] != parameter]
        return parts._replace(query=urlencode(query)).geturl()

    return rule


def _asked(port: int, method: str, target: str, headers: Mapping[str, str]) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        passed = {name: value for name, value in headers.items() if name not in _HOP_BY_HOP}
        connection.request(method, target, headers={**passed, "Accept-Encoding": "identity"})
        answer = connection.getresponse()
        kept = {k: v for k, v in answer.getheaders() if k.lower() not in _HOP_BY_HOP}
        return Reply(answer.status, kept, answer.read())
    finally:
        connection.close()
