"""The seam through which pages of strangers are read: connected to checked addresses alone."""

from __future__ import annotations

from typing import Protocol

from citeseek.models import Page, Request


class PageTransport(Protocol):
    """Asks for one address. Redirects are not followed, and no cookies are kept."""

    async def send(
        self,
        request: Request,
        *,
        host: str,
        addresses: tuple[str, ...],
        seconds: float,
        max_bytes: int,
    ) -> Page:
        """Return the answer to ``request``, a GET, with at most ``max_bytes`` of its body.

        ``addresses`` are those of ``host``, tried in turn, and no other is connected to; with none
        the proxy looks the name up. The body of a redirect is not read, and one that is longer
        after decompression makes the page ``truncated``. Raise Timeout, NetworkError or, when the
        answer is not HTTP or cannot be decompressed, WebParseError.
        """
        ...

    async def close(self) -> None:
        """Give back the connections."""
        ...
