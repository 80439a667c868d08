"""A transport whose requests are seen by watchers, or answered by a replay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from citeseek import observing, trace
from citeseek.errors import WebParseError
from citeseek.models import REDIRECTS, Page, Request
from citeseek.observing.operation import Operation, host_of


class Hooked:
    """The transport ``via``, of either kind, which ``open_`` opens when something is sent."""

    def __init__(self, via: str, open_: Callable[[], Any]) -> None:
        self._via = via
        self._open = open_

    async def send(self, request: Request, **limits: Any) -> Page:
        """Send ``request``, within the ``limits`` that the transport knows and those of budgets.

        At a replay nothing is sent: the answer is the recorded one. Raise BudgetSpent, and as the
        transport does.
        """
        with observing.leaf("request", self._via, asked=request) as operation:
            if operation is None:
                return cast("Page", await self._open().send(request, **limits))
            _note_request(operation, request)
            observing.admit(operation)
            most = limits["max_bytes"]
            limits["max_bytes"] = granted = observing.grant(operation, most)
            track = trace.current()
            try:
                if track and track.recording.plays:
                    page = await track.receive(request)
                else:
                    page = await self._open().send(request, **limits)
            except WebParseError as error:
                if error.detail_code == "too_large" and granted < most:
                    raise observing.bytes_spent() from None
                raise
            note_page(operation, page)
            if page.truncated and granted < most:
                # Half a page would be kept for those who have more to spend.
                raise observing.bytes_spent()
            return page

    async def end_session(self, session: str) -> None:
        """Forget what was kept for ``session``."""
        await self._open().end_session(session)

    async def close(self) -> None:
        """Do nothing: what was opened is closed by those who keep it."""


def _note_request(operation: Operation, request: Request) -> None:
    url = request.address
    operation.method, operation.via, operation.host = request.method, operation.name, host_of(url)
    named = sum(len(name) + len(value) for name, value in request.headers.items())
    operation.sent_bytes = len(url.encode()) + named + len(request.body or b"")


def note_page(operation: Operation, page: Page) -> None:
    """Say in ``operation`` what came."""
    operation.result = page
    operation.status = page.status
    operation.received_bytes = len(page.body)
    operation.is_redirect = page.status in REDIRECTS and "location" in page.headers
