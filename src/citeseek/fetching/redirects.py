"""From an address to a page: redirects one by one, each checked before it is asked."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

from msgspec import structs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek import observing
from citeseek.concurrency.clock import Deadline
from citeseek.errors import InvalidInput, NetworkError, WebParseError
from citeseek.fetching.options import FetchOptions
from citeseek.fetching.politeness import Politeness
from citeseek.guard import Guard, Target, read
from citeseek.guard.target import refusal
from citeseek.http.page_transport import PageTransport
from citeseek.models import REDIRECTS, Page, Request
from citeseek.parsing import bounds
from citeseek.parsing.html import tree
from citeseek.urls import join_url

MAX_REDIRECTS = 10
ACCEPT = (
    "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,"
    "application/json;q=0.8,*/*;q=0.5"
)

log = logging.getLogger(__name__)
# A page that is to be read stays longer than this.
MAX_REFRESH_SECONDS = 3
_HEAD_BYTES = 16_384
_WITH_A_PAGE = range(200, 300)
_REFRESH_HINT = re.compile(rb"http-equiv\s*+=\s*+[\"']?\s*+refresh", re.IGNORECASE)
_REFRESH_CONTENT = re.compile(
    r"\s*+(?P<seconds>\d{1,9})(?:\.\d*+)?\s*+[;,]\s*+(?:url\s*+=\s*+)?+(?P<url>.+)", re.IGNORECASE
)


class Journey:
    """Goes from page to page; ``pages`` gives the transport that goes through a proxy or none.

    ``accept`` is what is wanted, as the header of that name says it.
    """

    def __init__(
        self,
        options: FetchOptions,
        guard: Guard,
        pages: Callable[[str | None], PageTransport],
        politeness: Politeness,
        *,
        accept: str = ACCEPT,
    ) -> None:
        self._options = options
        self._guard = guard
        self._pages = pages
        self._politeness = politeness
        self._accept = accept

    async def ask(
        self, target: Target, deadline: Deadline, *, max_bytes: int, politely: bool = True
    ) -> Page:
        """Return the answer of ``target`` alone, a second time after a connection error.

        Raise BudgetSpent or WebBlocked (``ssrf_blocked``) before anything is sent, or SearchFailed.
        """
        # Before the name is looked up, which may hold what nobody is to learn.
        observing.check_page(target.url)
        proxy = self._options.proxies.for_url(target.url)
        checked = await self._guard.check(target, by_proxy=proxy is not None)
        if politely:
            await self._politeness.turn(target.host)
        transport = self._pages(proxy)
        headers = {"User-Agent": self._options.user_agent, "Accept": self._accept}
        request = Request(url=target.url, headers=headers)

        async def once() -> Page:
            with self._options.proxies.naming(target.url):
                return await transport.send(
                    request,
                    host=target.host,
                    addresses=checked.addresses,
                    seconds=deadline.left(),
                    max_bytes=max_bytes,
                )

        try:
            return await once()
        except NetworkError as error:
            log.info("asked again: %s", error)
            return await once()


def next_target(page: Page) -> Target | None:
    """Return where ``page`` redirects to, None when it is one to read.

    Raise WebBlocked (``ssrf_blocked``) for what is no web address, WebParseError for a redirect
    that cannot be read.
    """
    location = page.headers.get("location") if page.status in REDIRECTS else refresh_target(page)
    if location is None:
        return None
    url = join_url(page.url, location) if location else None
    if url is None:
        raise WebParseError(
            "The site redirects to what is no address.",
            detail_code="redirect",
            page=page,
            values={"case": "no_address"},
        )
    try:
        return read(url)
    except InvalidInput:
        raise refusal("the site redirects to what is no web address", "redirect") from None


def check_road(road: list[Target], ahead: Target, *, is_by_script: bool = False) -> None:
    """Raise WebParseError when ``ahead`` is a step too many after ``road``, or a circle.

    A script that leads to its own page with another query (a time, a number) may do so once.
    """
    own = sum(_without_query(ahead) == _without_query(seen) for seen in road)
    if any(ahead.url == seen.url for seen in road) or (is_by_script and own > 1):
        raise WebParseError(
            "The site redirects in a circle.",
            hint="Sites that want a cookie do so; none are kept.",
            detail_code="redirect",
            values={"case": "circle"},
        )
    if len(road) > MAX_REDIRECTS:
        raise WebParseError(
            f"The site redirects more than {MAX_REDIRECTS} times.",
            detail_code="redirect",
            values={"case": "too_many", "most": str(MAX_REDIRECTS)},
        )


def _without_query(target: Target) -> str:
    return target.url.partition("?")[0]


def refresh_target(page: Page) -> str | None:
    """Return the address to which the HTML page sends its reader at once, None when it stays.

    A page that only loads itself again stays. What is for browsers without scripts counts where
    there is no page for others.
    """
    if page.status not in _WITH_A_PAGE:
        return None
    head = page.body[:_HEAD_BYTES]
    if "html" not in page.headers.get("content-type", "html").lower() or not _REFRESH_HINT.search(
        head
    ):
        return None
    try:
        bounds.check(head)
    except WebParseError:
        # To read it takes more than it may; whoever reads the page says so.
        return None
    document = tree(structs.replace(page, body=head))
    for meta in document.css("meta[http-equiv][content]"):
        named = (meta.attributes.get("http-equiv") or "").strip().lower()
        if named != "refresh" or (_is_in_noscript(meta) and _has_more(page, document)):
            continue
        found = _REFRESH_CONTENT.fullmatch(meta.attributes.get("content") or "")
        if found and int(found["seconds"]) <= MAX_REFRESH_SECONDS:
            url = found["url"].strip().strip("\"'").strip()
            return url if url and join_url(page.url, url) != page.url else None
    return None


def _is_in_noscript(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None and parent.tag != "noscript":
        parent = parent.parent
    return parent is not None


def _has_more(page: Page, document: LexborHTMLParser) -> bool:
    """Whether the page shows anything, or scripts have a place to show it."""
    if len(page.body) > _HEAD_BYTES or document.body is None:
        return len(page.body) > _HEAD_BYTES
    document.strip_tags(["script", "style", "noscript"])
    return bool(document.css("body > *")) or bool(document.body.text().strip())
