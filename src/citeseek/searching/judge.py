"""What a page is: results, an honest "nothing found", a refusal, or something unknown.

Parse first, suspect later: results on the page win over words that also occur on challenge pages.
"""

from __future__ import annotations

from itertools import islice
from urllib.parse import urlsplit

from citeseek.engine import Engine
from citeseek.errors import (
    AuthError,
    BadGateway,
    SearchFailed,
    WebBlocked,
    WebParseError,
    WebProviderError,
)
from citeseek.models import MAX_HITS, REDIRECTS, Hit, Page
from citeseek.parsing.html import text, tree
from citeseek.query import MAX_PAGE, Category
from citeseek.urls import domain, is_web, join_url, may_share_secret

CLIENT_ERRORS = range(400, 500)
SERVER_ERRORS = range(500, 600)
_LONGEST_WAIT = 24 * 3600.0  # seconds


def read(
    engine: Engine,
    page: Page,
    *,
    asked_page: int = 1,
    category: Category = "web",
    most: int = MAX_HITS,
) -> list[Hit]:
    """Return the first ``most`` hits of ``page``; none says that the engine found nothing.

    It is read as the engine reads an answer of ``category``.

    A page that shows a smaller number than ``asked_page`` is past the end of the results. Raise
    WebBlocked, AuthError, BadGateway or WebParseError, with the page as evidence.
    """
    try:
        if page.status >= CLIENT_ERRORS.start:
            raise _refusal(engine, page)
        if asked_page > 1 and _shown_page(engine, page) < asked_page:
            return []
        found = _parse(engine, page, category, most)
    except SearchFailed as error:
        error.engine = engine.id
        error.page = error.page or page
        raise
    return found


def redirect_target(engine: Engine, page: Page, *, has_secret: bool = False) -> str | None:
    """Return the address that ``page`` redirects to, None when it is no redirect.

    Raise WebBlocked when the site sends us to its challenge, WebParseError when it sends us to
    another host, since results come from the host that was asked, or from TLS to none. A request
    that ``has_secret``, such as a key in a header, stays at the very same host and port.
    """
    location = page.headers.get("location")
    if page.status not in REDIRECTS or not location:
        return None
    url = join_url(page.url, location) or ""
    host = urlsplit(url).hostname or ""
    if detail_code := _blocked_place(engine, url):
        raise _block_error(engine, detail_code, page=page)
    # www.example.com may send us to cn.example.com, and nowhere else.
    own = domain(page.url)
    if not is_web(url):
        raise _astray(engine, page, "to no web address")
    if host != own and not host.endswith(f".{own}"):
        raise _astray(engine, page, f"to another host ({host})")
    if urlsplit(page.url).scheme == "https" and urlsplit(url).scheme != "https":
        raise _astray(engine, page, "from https to http, where everybody on the way can read along")
    if has_secret and not may_share_secret(page.url, url):
        raise _astray(engine, page, f"to another server ({host}), which must not see the key")
    return url


def _astray(engine: Engine, page: Page, where: str) -> WebParseError:
    return WebParseError(
        f"The site redirects {where}; it was not followed.",
        hint=f"Set the address that it should be asked at: CITESEEK_{engine.id.upper()}_URL.",
        engine=engine.id,
        detail_code="redirect",
        page=page,
        values={"case": "astray", "ID": str(engine.id.upper())},
    )


def retry_after(page: Page) -> float | None:
    """Return the seconds that the site asks to wait (RFC 9110, section 10.2.3).

    A date is compared with the answer's own ``Date``, so no clock of ours is needed. A site may
    name any number; more than a day is a day.
    """
    value = page.headers.get("retry-after", "").strip()
    if value.isdecimal() or not value:
        return min(float(value), _LONGEST_WAIT) if value else None
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - 3 ms, for a date alone

    try:
        until = parsedate_to_datetime(value)
        now = parsedate_to_datetime(page.headers.get("date", ""))
        return min(max(0.0, (until - now).total_seconds()), _LONGEST_WAIT)
    except (ValueError, TypeError):
        return None


def _refusal(engine: Engine, page: Page) -> SearchFailed:
    status = page.status
    if error := _own_refusal(engine, page) or _challenge(engine, page):
        error.retry_after = error.retry_after or retry_after(page)
        return error
    if status in SERVER_ERRORS:
        return BadGateway(
            f"The engine failed (HTTP {status}).",
            detail_code=f"http_{status}",
            retry_after=retry_after(page),
            values={"case": "engine_status", "status": str(status)},
        )
    if status == 429 or (status == 403 and engine.kind == "html"):  # noqa: PLR2004 - HTTP's numbers
        return _block_error(engine, f"http_{status}", retry_after=retry_after(page))
    if status in (401, 403):
        return AuthError(
            f"The engine does not accept the key (HTTP {status}).",
            detail_code=f"http_{status}",
            hint=f"Check {engine.key_env}." if engine.key else "",
            values={
                "case": "engine_key" if engine.key else "engine_login",
                "status": str(status),
                "variable": engine.key_env,
            },
        )
    return WebProviderError(
        f"The engine refused the request (HTTP {status}).",
        detail_code=f"http_{status}",
        values={"case": "engine_status", "status": str(status)},
    )


def _own_refusal(engine: Engine, page: Page) -> SearchFailed | None:
    """Return what the engine makes of a refusal; a body that it cannot read says nothing."""
    try:
        return engine.refusal(page) if engine.refusal else None
    except WebParseError:
        return None


def _shown_page(engine: Engine, page: Page) -> int:
    """Return the number of the page that is shown, a large one when the page does not say."""
    marker = engine.markers.current_page
    shown = text(tree(page).css_first(marker)) if marker else ""
    return int(shown) if shown.isdecimal() else MAX_PAGE


def _parse(engine: Engine, page: Page, category: Category, most: int) -> list[Hit]:
    try:
        found = list(islice(engine.categories.get(category, engine.parse)(page), most))
    except WebParseError:
        if challenge := _challenge(engine, page):
            raise challenge from None
        raise
    if found or engine.is_api(category):
        return found
    if challenge := _challenge(engine, page):
        raise challenge
    document = tree(page)
    if any(document.css_first(selector) is not None for selector in engine.markers.empty):
        return []
    raise WebParseError(
        f"The page ({len(page.body):,} bytes, HTTP {page.status}) holds neither results nor a "
        '"nothing found" note.',
        hint="The site may have changed its pages; another engine can answer meanwhile.",
        detail_code="drift",
        values={
            "case": "no_results_no_note",
            "bytes": f"{len(page.body):,}",
            "status": str(page.status),
        },
    )


def _challenge(engine: Engine, page: Page) -> WebBlocked | None:
    """Return the refusal that the address or the structure of ``page`` proves.

    The address counts because a browser follows redirects on its own.
    """
    markers = engine.markers
    if detail_code := _blocked_place(engine, page.url):
        return _block_error(engine, detail_code)
    document = tree(page)
    for selector, detail_code in markers.blocked.items():
        if document.css_first(selector) is not None:
            return _block_error(engine, detail_code)
    return None


def _blocked_place(engine: Engine, url: str) -> str | None:
    """Return the ``detail_code`` of the refusal that stands at ``url``, None when none does."""
    parts = urlsplit(url)
    place = f"{parts.hostname or ''}{parts.path}/"
    codes = engine.markers.blocked_redirects.items()
    return next((code for start, code in codes if place.startswith(f"{start}/")), None)


# {ID} stands for the engine's id in capitals, as in the names of settings.
OTHERWISE = (
    "or set a proxy (CITESEEK_{ID}_PROXY), another address (CITESEEK_{ID}_URL) or another engine."
)
BLOCKED = {
    "captcha_required": (
        "The site asks for a CAPTCHA.",
        f"A person must solve it in a browser, {OTHERWISE}",
    ),
    "consent_required": (
        "The site asks for consent to its cookies.",
        f"A person must answer it in a browser, {OTHERWISE}",
    ),
    "javascript_required": (
        "The site wants a browser that runs its scripts.",
        f"A person must open it in a browser, {OTHERWISE}",
    ),
    "http_403": (
        "The site refuses this client (HTTP 403).",
        "Set a proxy or another engine.",
    ),
    "http_429": (
        "Too many requests for the site (HTTP 429).",
        "Wait, search less often, or set another engine.",
    ),
}


def _block_error(
    engine: Engine,
    detail_code: str,
    *,
    page: Page | None = None,
    retry_after: float | None = None,
) -> WebBlocked:
    message, hint = BLOCKED[detail_code]
    setting = engine.id.upper()
    return WebBlocked(
        message,
        hint=hint.format(ID=setting),
        engine=engine.id,
        detail_code=detail_code,
        page=page,
        retry_after=retry_after,
        values={"case": "search", "ID": setting},
    )
