"""What nobody expected: told in one sentence, with the rest in the log."""

from __future__ import annotations

import logging
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeseek.surfaces.server.refusal import refusal

log = logging.getLogger(__name__)


class Failures:
    """Answers for the application when it breaks.

    A stream that breaks in the middle is cut off, so that nobody takes it for whole.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; raise what broke an answer that has begun."""
        has_begun = False
        # Starlette answers for itself before it raises; then this is not sent.
        held: list[Message] = []

        async def watched(message: Message) -> None:
            nonlocal has_begun
            if held or message.get("status") == HTTPStatus.INTERNAL_SERVER_ERROR:
                held.append(message)
                return
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception:
            if has_begun:
                raise
            log.exception("%s %r failed.", scope["method"], scope["path"])
            detail = "Something went wrong in the server; its log says what."
            answer = refusal(scope, HTTPStatus.INTERNAL_SERVER_ERROR, detail)
            await answer(scope, receive, send)
        else:
            for message in held:
                await send(message)
