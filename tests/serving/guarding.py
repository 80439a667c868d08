"""A guarded application that says what reached it, and requests that no decent client sends."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp
from tests.serving.running import Answered, Caller, running

from citeseek.surfaces.server.app import guard_app
from citeseek.surfaces.server.rules import Rules

ANY = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
# It stands in no file of ours and in no answer: a test would find it anywhere.
MARKED = "marked-inside-41c7"


async def _told(request: Request) -> Response:
    body = (await request.body()).decode()
    return JSONResponse({"path": request.url.path, "method": request.method, "body": body})


async def _broken(request: Request) -> Response:
    raise RuntimeError(MARKED)


async def _broken_in_the_middle(request: Request) -> Response:
    async def pieces() -> Any:
        yield b"begun"
        raise RuntimeError(MARKED)

    return StreamingResponse(pieces())


async def _careless(request: Request) -> Response:
    return PlainTextResponse(
        "ok",
        headers={
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Allow-Credentials": "true",
            "Content-Security-Policy": "default-src *",
            "Cache-Control": "public, max-age=3600",
        },
    )


def application() -> Starlette:
    """Return an application that answers every path."""
    return Starlette(
        routes=[
            Route("/broken", _broken),
            Route("/api/v1/broken", _broken, methods=ANY),
            Route("/half", _broken_in_the_middle),
            Route("/careless", _careless),
            Route("/{path:path}", _told, methods=ANY),
        ]
    )


class Guarded:
    """A running guarded application."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.host = urlsplit(base_url).netloc
        self.call = Caller(base_url)

    def raw(self, *lines: str, body: bytes = b"", ends: bool = False) -> Answered:
        """Send lines as they are; with ``ends`` nothing more is sent, ever."""
        host, _, port = self.host.partition(":")
        with socket.create_connection((host, int(port)), timeout=30) as wire:
            head = "".join(f"{line}\r\n" for line in (*lines, "Connection: close"))
            wire.sendall(head.encode("latin-1") + b"\r\n" + body)
            if ends:
                wire.shutdown(socket.SHUT_WR)
            response = HTTPResponse(wire)
            response.begin()
            return Answered(response.status, response.headers, response.read())


@contextmanager
def guarding(
    rules: Rules | None = None, *, app: ASGIApp | None = None, **how: Any
) -> Iterator[Guarded]:
    """Serve ``app``, by default the one that says what reached it, behind the guard."""
    with running(
        guard_app(app or application(), rules=rules or Rules(), **how),
        http="h11",
        proxy_headers=False,
    ) as base_url:
        yield Guarded(base_url)
