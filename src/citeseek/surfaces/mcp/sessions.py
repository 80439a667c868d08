"""Sessions of hosts that never end them, of which there is a limit."""

from __future__ import annotations

from collections import Counter, OrderedDict

import msgspec
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeseek.surfaces.server.tokens import address_of

_ID = "mcp-session-id"


class _McpSession(msgspec.Struct):
    """Whose session it is, and how many requests of it are being answered."""

    caller: str
    open: int = 0


class McpSessions:
    """Keeps ``most`` sessions of ``app``; for more the one that was quiet for longest is ended.

    It is one of the caller who has most. Nobody is kept out by sessions that others left behind,
    and a host whose session was ended begins another, as the protocol says.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        # The one that was used last stands last.
        self._sessions: OrderedDict[str, _McpSession] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and see which session it begins, uses or ends."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        named = Headers(scope=scope).get(_ID, "")
        session = self._sessions.get(named)
        begun = ""

        async def seen(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start" and not named:
                begun = Headers(raw=message["headers"]).get(_ID, "")
                if begun:
                    self._sessions[begun] = _McpSession(_caller(scope), 1)
            await send(message)

        if session is not None:
            session.open += 1
        try:
            await self._app(scope, receive, seen)
        finally:
            if session is not None and scope["method"] == "DELETE":
                self._sessions.pop(named, None)
            if used := self._sessions.get(named or begun):
                used.open -= 1
                self._sessions.move_to_end(named or begun)
        if begun and len(self._sessions) > self._most:
            await self._end_quiet(scope)

    async def _end_quiet(self, scope: Scope) -> None:
        """End a session as its host would."""
        quiet = [(id_, each) for id_, each in self._sessions.items() if not each.open]
        if not quiet:
            return
        has = Counter(each.caller for each in self._sessions.values())
        id_, _ = max(quiet, key=lambda pair: has[pair[1].caller])
        del self._sessions[id_]
        headers = [(b"host", b"localhost"), (_ID.encode(), id_.encode())]
        await self._app({**scope, "method": "DELETE", "headers": headers}, _nothing, _nowhere)


def _caller(scope: Scope) -> str:
    return scope.get("state", {}).get("caller") or address_of(scope)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _nowhere(_: Message) -> None:
    pass
