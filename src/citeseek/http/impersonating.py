"""The transport for html engines that refuse clients without a browser's TLS: primp."""

from __future__ import annotations

import primp

from citeseek.errors import NetworkError, Timeout, WebParseError, WebProviderError
from citeseek.http.exchange import Exchange
from citeseek.http.transport_errors import BROKEN_BODY, Renaming, invalid_proxy, translate_error
from citeseek.models import Page, Request

BROWSER = "chrome"
BROWSER_OS = "linux"

# First match wins: a timeout is also a RequestError.
RENAMED: Renaming = (
    (primp.TimeoutError, Timeout, "No complete answer from {host} in time."),
    (primp.RequestError, NetworkError, "No connection to {host}, or it was cut."),
    (primp.BodyError, WebParseError, BROKEN_BODY),
    (primp.DecodeError, WebParseError, BROKEN_BODY),
    (primp.PrimpError, WebProviderError, "The HTTP client failed."),
)


class PrimpTransport:
    """One pooled client that keeps no cookies."""

    def __init__(self, proxy: str | None = None) -> None:
        self._by_proxy = proxy is not None
        try:
            self._client = primp.AsyncClient(
                impersonate=BROWSER,
                impersonate_os=BROWSER_OS,
                cookie_store=False,
                referer=False,
                follow_redirects=False,
                proxy=proxy,
            )
        except primp.PrimpError:
            raise invalid_proxy() from None

    async def send(
        self,
        request: Request,
        *,
        seconds: float,
        max_bytes: int,
        session: str = "",  # noqa: ARG002 - the seam's shape; no cookies are kept
    ) -> Page:
        """Send ``request``; see :class:`citeseek.http.Transport`."""
        url = request.address
        headers = dict(request.headers)
        if (content := request.body) is not None:
            headers["content-type"] = request.content_type
        exchange = Exchange(url, max_bytes)
        try:
            return await exchange.run(
                lambda: self._client.request(
                    request.method,
                    url,
                    headers=headers,
                    content=content,
                    timeout=seconds,
                    stream=True,
                )
            )
        except primp.PrimpError as error:
            # Without the cause: it names the address, which may hold a key.
            raise translate_error(
                error, RENAMED, url, got_headers=exchange.got_headers, by_proxy=self._by_proxy
            ) from None

    async def end_session(self, session: str) -> None:
        """Do nothing: nothing is kept."""

    async def close(self) -> None:
        """Let the client go; it has no explicit end."""
        del self._client
