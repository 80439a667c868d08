"""Makes text of a page that came, in a process of its own: no page holds anybody else up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from citeseek import extraction
from citeseek.concurrency.clock import Deadline
from citeseek.errors import BadGateway, SearchFailed, WebBlocked, WebParseError, WebProviderError
from citeseek.extraction import Document, extract
from citeseek.fetching.options import Form
from citeseek.http.content_coding import WHOLE_OR_NOTHING
from citeseek.models import Page
from citeseek.sandbox import Sandbox
from citeseek.searching.judge import CLIENT_ERRORS, SERVER_ERRORS, retry_after

# A challenge may come with a status of failure: it is looked for there as well.
_MAYBE_CHALLENGE = frozenset({401, 403, 429, 503})
# 401 and 407 ask for a login, 451 is refused for legal reasons.
_REFUSED: Mapping[int, str] = {
    401: "The site asks for a login",
    403: "The site refuses access",
    407: "The proxy asks for a login",
    429: "The site asks to wait",
    451: "The site refuses access for legal reasons",
}
_GONE = frozenset({404, 410})
# No standard has a status from here on; sites that refuse programs have made some up (999).
_MADE_UP = 600


class Reader:
    """Reads pages in ``sandbox``, which is its owner's to close."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def warm(self) -> None:
        """Get ready while a page is on its way."""
        self._sandbox.warm(extraction.extract_legible)

    async def read(self, page: Page, form: Form, deadline: Deadline, *, max_bytes: int) -> Document:
        """Return the text of ``page``, of which at most ``max_bytes`` were received.

        Raise SearchFailed with the page: what its status says, or the challenge that it shows,
        which is looked for during half of the time that is left; or that it cannot be read.
        """
        if refusal := status_refusal(page):
            if page.status in _MAYBE_CHALLENGE:
                refusal = await self.challenge(page, seconds=deadline.left() / 2) or refusal
            raise refusal
        if not page.body:
            raise WebParseError(
                f"The page is empty (HTTP {page.status}).",
                detail_code="no_content",
                page=page,
                values={"case": "page", "status": str(page.status)},
            )
        if page.truncated and _is_whole_or_nothing(page):
            raise WebParseError(
                f"The file is larger than {max_bytes:,} bytes.",
                detail_code="too_large",
                page=page,
                values={"case": "file", "most": f"{max_bytes:,}"},
            )
        try:
            return await self.text(page, form)
        except SearchFailed as error:
            error.page = error.page or page
            raise

    async def text(self, page: Page, form: Form) -> Document:
        """Return the text of a page that may be read."""
        return await self._sandbox.run(extraction.extract_legible, page=page, form=form)

    async def challenge(self, page: Page, *, seconds: float) -> WebBlocked | None:
        """Return the challenge that a page of failure shows, if any is seen within ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                await self._sandbox.run(extract, page=page)
        except WebBlocked as error:
            error.page = page
            return error
        except (SearchFailed, TimeoutError):
            return None
        return None

    def size(self, page: Page) -> int:
        """Return the bytes of the body of ``page``, as they were received."""
        return len(page.body)


def _is_whole_or_nothing(page: Page) -> bool:
    """Whether a part of the file is worth nothing."""
    return page.body.startswith(WHOLE_OR_NOTHING)


def status_refusal(page: Page) -> SearchFailed | None:
    """Return the error that the status of ``page`` is, None when it comes with a page."""
    status, code = page.status, f"http_{page.status}"
    values = {"case": "status", "status": str(status)}
    sentence = _REFUSED.get(status)
    if sentence is None and status >= _MADE_UP:
        sentence = "The site refuses the request with a status that no standard has"
    if sentence:
        return WebBlocked(
            f"{sentence} (HTTP {status}).",
            detail_code=code,
            retry_after=retry_after(page),
            page=page,
            values=values,
        )
    if status in SERVER_ERRORS:
        return BadGateway(
            f"The site failed (HTTP {status}).",
            detail_code=code,
            retry_after=retry_after(page),
            page=page,
            values=values,
        )
    if status in _GONE:
        return WebProviderError(
            f"There is no such page (HTTP {status}).",
            detail_code=code,
            page=page,
            values={**values, "case": "gone"},
        )
    if status in CLIENT_ERRORS:
        return WebProviderError(
            f"The site refused the request (HTTP {status}).",
            detail_code=code,
            page=page,
            values=values,
        )
    return None
