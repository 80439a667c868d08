"""What a status without a page means."""

from __future__ import annotations

from collections.abc import Mapping

from citeseek.errors import BadGateway, SearchFailed, WebBlocked, WebProviderError
from citeseek.models import Page
from citeseek.searching.judge import CLIENT_ERRORS, SERVER_ERRORS, retry_after

# 401 and 407 ask for a login, 451 is refused for legal reasons.
_REFUSED: Mapping[int, str] = {
    401: "The site asks for a login",
    403: "The site refuses access (访问被拒绝)",
    407: "The proxy asks for a login",
    429: "The site asks to wait (请求过于频繁)",
    451: "The site refuses access for legal reasons",
}
_GONE = frozenset({404, 410})
# No standard has a status from here on; sites that refuse programs have made some up (999).
_MADE_UP = 600


def refusal(page: Page) -> SearchFailed | None:
    """Return the error that the status of ``page`` is, None when it comes with a page."""
    status, code = page.status, f"http_{page.status}"
    sentence = _REFUSED.get(status)
    if sentence is None and status >= _MADE_UP:
        sentence = "The site refuses the request with a status that no standard has"
    if sentence:
        return WebBlocked(
            f"{sentence} (HTTP {status}).",
            detail_code=code,
            retry_after=retry_after(page),
            page=page,
        )
    if status in SERVER_ERRORS:
        return BadGateway(
            f"The site failed (HTTP {status}).",
            detail_code=code,
            retry_after=retry_after(page),
            page=page,
        )
    if status in _GONE:
        return WebProviderError(
            f"There is no such page (页面不存在, HTTP {status}).", detail_code=code, page=page
        )
    if status in CLIENT_ERRORS:
        return WebProviderError(
            f"The site refused the request (HTTP {status}).", detail_code=code, page=page
        )
    return None
