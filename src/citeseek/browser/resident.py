"""The browser for searches of any event loop: it lives on one loop that never ends."""

from __future__ import annotations

from citeseek.browser.options import BrowserOptions
from citeseek.browser.transport import BrowserTransport
from citeseek.models import Page, Request
from citeseek.portal import KEEPER


class ResidentBrowser:
    """A :class:`BrowserTransport` that is used, and closed, from whichever loop.

    One that lived on its first caller's loop could be closed neither after that loop's end nor
    while it stands still, and each other loop would need a browser and cookies of its own.
    """

    def __init__(self, options: BrowserOptions | None = None) -> None:
        self._transport = BrowserTransport(options)

    async def send(
        self, request: Request, *, seconds: float, max_bytes: int, session: str = ""
    ) -> Page:
        """Do what :meth:`BrowserTransport.send` does."""
        return await KEEPER.reach(
            self._transport.send(request, seconds=seconds, max_bytes=max_bytes, session=session)
        )

    async def end_session(self, session: str) -> None:
        """Do what :meth:`BrowserTransport.end_session` does."""
        await KEEPER.reach(self._transport.end_session(session))

    async def close(self) -> None:
        """Do what :meth:`BrowserTransport.close` does."""
        await KEEPER.reach(self._transport.close())
