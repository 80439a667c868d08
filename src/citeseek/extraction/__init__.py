"""From a page, as it came over the wire, to its text. No network, no clock.

:func:`extract` tells HTML, PDF, JSON and plain text apart, decodes, takes the article out of an
HTML page (by trafilatura, or by a plain reading of our own), and recognises the pages that stand
in front of a page. It takes time in proportion to the page: call it in a thread.
"""

from __future__ import annotations

import re
from typing import cast

from msgspec import structs
from selectolax.lexbor import LexborHTMLParser

from citeseek.charset import decoded
from citeseek.errors import WebBlocked, WebParseError
from citeseek.extraction import bounds, media, pdf, walls
from citeseek.extraction.article import MAX_ELEMENTS, MAX_LETTERS, article, faults
from citeseek.extraction.document import Document, Form, Method
from citeseek.extraction.facts import facts, language_of
from citeseek.extraction.markup import letters, main_part, readable, removed
from citeseek.extraction.writing import written
from citeseek.models import Page
from citeseek.text import encodable

__all__ = ["LIBRARIES", "Document", "Form", "Method", "extract", "wall_of"]

# What takes long to import, and is only imported when the first page is read.
LIBRARIES = ("citeseek.extraction", "trafilatura")

# Of a text shorter than this trafilatura takes the whole page rather than too little.
_SHORT = 600
_LEAST = 40
# So many times the article is no longer the rest of it, but all that stands around it.
_MUCH_MORE = 4
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")


def extract(page: Page, *, form: Form = "text") -> Document:
    """Return the text of ``page`` and what it says of itself.

    Its status is not looked at. An empty page is a Document with an empty text. Raise
    WebParseError: ``unsupported_media`` (images and other binary, named by type), ``too_deep``,
    ``too_complex``, ``encrypted_pdf``, ``pdf_without_text``, ``broken_pdf``,
    ``not_installed``. Raise WebBlocked for
    a page in front of the page: ``captcha_required``, ``access_denied``, ``consent_required``,
    ``login_required``, ``javascript_required``.
    """
    if not page.body.strip():
        return Document(text="", method="none", media_type=_named_type(page))
    kind, media_type = media.kind_of(page)
    if kind == "pdf":
        return pdf.document(page, media_type)
    body, charset = decoded(page)
    if kind == "html":
        document = _html(page, body, form)
        return structs.replace(document, media_type=media_type, charset=charset)
    text = _plain(body)
    return Document(
        text=text,
        method=kind if text else "none",
        media_type=media_type,
        language=language_of(text) if kind == "text" else None,
        charset=charset,
    )


def wall_of(page: Page) -> WebBlocked | None:
    """Return what stands in front of ``page``, None when nothing is recognised.

    For answers whose status is a refusal, whose body may say more than the status.
    """
    try:
        extract(page)
    except WebBlocked as blocked:
        return blocked
    except WebParseError:
        return None
    return None


def _html(page: Page, body: bytes, form: Form) -> Document:
    bounds.check(body)
    document = LexborHTMLParser(body)
    signs = walls.Signs.of(document)
    said = facts(document, page.url)
    removed(readable(document), walls.CONSENT_BOXES) if signs.consent else readable(document)
    try:
        text, method = _read(document, page.url, form)
    except RecursionError:
        raise WebParseError(
            "The page is too deeply nested to be read.", detail_code="too_deep", page=page
        ) from None
    if detail_code := walls.wall(signs, text, page.url):
        raise walls.blocked(detail_code, page)
    return Document(
        text=text,
        method=method,
        media_type="text/html",
        title=encodable(said.title),
        site_name=said.site_name,
        published_at=said.published_at,
        language=language_of(text, said.language) if text else said.language,
        canonical_url=said.canonical_url,
        degraded=faults(),
    )


def _read(document: LexborHTMLParser, url: str, form: Form) -> tuple[str, Method]:
    """Return the article in ``form`` and how it was found; both forms hold the same part."""
    html = document.html or ""
    found = None
    if html.count("<") <= 2 * MAX_ELEMENTS and len(html) <= MAX_LETTERS:
        found = article(html, url)
    text = _seen(written(found, "text", url)) if found is not None else ""
    chosen, method = found, "trafilatura"
    if (said := letters(text)) < _SHORT:
        rest = main_part(document)
        plainly = _seen(written(rest, "text", url)) if rest is not None else ""
        if not said or (_LEAST <= letters(plainly) < _MUCH_MORE * said):
            chosen, method, text = rest, "plain", plainly
    if not text or chosen is None:
        return "", "none"
    return text if form == "text" else _seen(written(chosen, form, url)), cast("Method", method)


def _seen(text: str) -> str:
    return _UNSEEN.sub("", text).strip()


def _plain(body: bytes) -> str:
    text = body.decode("utf-8", "replace").replace("\r\n", "\n")
    return _UNSEEN.sub("", text)


def _named_type(page: Page) -> str:
    return page.headers.get("content-type", "").partition(";")[0].strip().lower()
