"""The seam through which pages of strangers are read: connected to checked addresses alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from citeseek.models import Page


class Answer(msgspec.Struct, frozen=True):
    """A page; ``is_cut`` says that its body went on after the limit of bytes."""

    page: Page
    is_cut: bool = False


class PageTransport(Protocol):
    """Asks for one address. Redirects are not followed, and no cookies are kept."""

    async def get(
        self,
        url: str,
        *,
        host: str,
        addresses: tuple[str, ...],
        headers: Mapping[str, str],
        seconds: float,
        max_bytes: int,
    ) -> Answer:
        """Return the answer of ``url`` with at most ``max_bytes`` of its decompressed body.

        ``addresses`` are those of ``host``, tried in turn, and no other is connected to; with none
        the proxy looks the name up. The body of a redirect is not read. Raise Timeout,
        NetworkError or, when the answer is not HTTP or cannot be decompressed, WebParseError.
        """
        ...

    async def close(self) -> None:
        """Give back the connections."""
        ...
