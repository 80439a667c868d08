"""Replies that are sound HTTP and say something unwelcome, or just something."""

from __future__ import annotations

import json
from datetime import datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from .messages import Reply, Request

if TYPE_CHECKING:
    from .signals import Signal
    from .wire import Wire

HTML = "text/html; charset=utf-8"
JSON = "application/json"


def html(body: str | bytes, status: int = 200) -> Reply:
    """Answer with an HTML page in UTF-8."""
    return Reply(status, {"Content-Type": HTML}, body)


def as_json(value: Any, status: int = 200) -> Reply:
    """Answer with ``value`` as JSON."""
    return Reply(status, {"Content-Type": JSON}, json.dumps(value, ensure_ascii=False))


def status(code: int, body: str = "", *, retry_after: int | datetime | None = None) -> Reply:
    """Answer with a status and ``body`` as its HTML.

    ``retry_after`` is a number of seconds, or an aware UTC time that goes out as an HTTP date.
    """
    headers = {"Content-Type": HTML}
    if isinstance(retry_after, datetime):
        headers["Retry-After"] = format_datetime(retry_after, usegmt=True)
    elif retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return Reply(code, headers, body)


def challenge(body: str | bytes, code: int = 200) -> Reply:
    """Answer with the page of a site that asks for proof of a person."""
    return html(body, code)


def empty() -> Reply:
    """Answer 200 with no body at all."""
    return html("")


def redirect(location: str, code: int = 302) -> Reply:
    """Send the client to ``location``, on this host or another."""
    return Reply(code, {"Location": location})


def redirect_loop(request: Request) -> Reply:
    """Send the client to the same path for ever, each time under a new address."""
    hop = int(parse_qs(urlsplit(request.target).query).get("hop", ["0"])[0]) + 1
    return redirect(f"{request.path}?hop={hop}")


def oversized(limit: int, *, declared: bool = True) -> Reply:
    """Answer with a body of one byte more than ``limit``.

    Not ``declared`` means chunked: the client learns the size only by counting.
    """
    return Reply(200, {"Content-Type": "text/plain"}, b"x" * (limit + 1), chunked=not declared)


def held(reply: Reply, until: Signal) -> Reply:
    """Hold ``reply`` back until the test sets the signal ``until``; then the connection ends."""

    async def script(wire: Wire) -> None:
        await until
        await wire.send(reply.head() + b"".join(reply.pieces()))

    return Reply(script=script)


JUNK_JSON = {
    "object": Reply(200, {"Content-Type": JSON}, "{}"),
    "null": Reply(200, {"Content-Type": JSON}, "null"),
    "list": Reply(200, {"Content-Type": JSON}, "[]"),
    "cut": Reply(200, {"Content-Type": JSON}, '{"results": [{"title": "half a t'),
    "html": html("<!DOCTYPE html><title>Sign in</title><form><input name=user></form>"),
    "empty": Reply(200, {"Content-Type": JSON}, ""),
}
"""What an API may send instead of its JSON, by name."""
