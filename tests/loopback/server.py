"""An HTTP/1.1 server whose every answer is scripted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from .listener import Listener
from .messages import Reply, Request

if TYPE_CHECKING:
    from .wire import Wire

Answer: TypeAlias = Reply | Callable[[Request], Reply]

NOT_FOUND = Reply(404, {"Content-Type": "text/plain"}, "nothing is scripted for this path")


class LoopbackServer(Listener):
    """Answers on 127.0.0.1 as told by :meth:`on`; everything else is 404.

    ::

        with LoopbackServer() as server:
            server.on("/search", Reply(503), replies.as_json({"results": []}))
            fetch(server.url("/search?q=tea"))  # 503, and 200 from the second call on
            assert server.requests[0].param("q") == "tea"
    """

    def __init__(self, *, host: str = "127.0.0.1", port: int = 0) -> None:
        super().__init__(host=host, port=port)
        self._lock = threading.Lock()
        self._routes: dict[str, list[Answer]] = {}
        self._otherwise: Answer = NOT_FOUND

    def on(self, path: str, *answers: Answer) -> None:
        """Answer requests for ``path`` with ``answers`` one after the other, the last for ever.

        An answer is a :class:`Reply` or a function from the :class:`Request` to one. Scripting a
        path again replaces what it had.
        """
        if not answers:
            raise ValueError(f"no answer given for {path}")
        with self._lock:
            self._routes[path] = list(answers)

    def otherwise(self, answer: Answer) -> None:
        """Answer every path that is not scripted with ``answer`` instead of 404."""
        self._otherwise = answer

    def url(self, path: str) -> str:
        """The full address of ``path``."""
        return self.base_url + path

    async def converse(self, wire: Wire) -> None:
        """Serve one request after the other until either side ends the connection."""
        staying = True
        while staying and chr(await wire.peek()).isalpha():  # anything else is TLS or noise
            request = await Request.read(wire)
            self.requests.record(request)
            try:
                staying = await _send(self._reply_to(request), request, wire)
            except asyncio.CancelledError:
                request.closed.set()
                raise
            request.closed.set(False)

    def _reply_to(self, request: Request) -> Reply:
        with self._lock:
            answers = self._routes.get(request.path, [self._otherwise])
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        return answer if isinstance(answer, Reply) else answer(request)


async def _send(reply: Reply, request: Request, wire: Wire) -> bool:
    """Put ``reply`` on the wire and tell whether the connection stays open."""
    if reply.delay:
        await asyncio.sleep(reply.delay)
    if reply.script:
        await reply.script(wire)
        return False
    if request.method == "HEAD":
        await wire.send(reply.head())
    else:
        first, *rest = reply.pieces()
        await wire.send(reply.head() + first)
        for piece in rest:
            await wire.send(piece)
    wishes = (request.headers, {name.lower(): value for name, value in reply.headers.items()})
    return not any(wish.get("connection", "").lower() == "close" for wish in wishes)
