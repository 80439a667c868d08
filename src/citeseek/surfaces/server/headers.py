"""Headers on every answer, which keep a browser from doing more with it than we mean."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

STATIC = "/static/"

# Nothing is loaded from elsewhere, no script and no style stands in a page, nobody frames one.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
ALWAYS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # No other site ever hears of an address here. With no-referrer browsers would send
    # `Origin: null` with our own forms, which is what a foreign page's look like.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


class SafeHeaders:
    """Sets the headers on whatever is answered, and never lets another origin read it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and complete its answer."""
        is_static = scope["path"].startswith(STATIC)

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(ALWAYS)
                # What is kept is asked for again with its ETag.
                headers["Cache-Control"] = "no-cache" if is_static else "no-store"
                for name in [name for name in headers if name.startswith("access-control-")]:
                    del headers[name]
            await send(message)

        await self._app(scope, receive, complete)
