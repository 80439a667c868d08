"""From a page, as it came over the wire, to its text. No network, no clock.

:func:`extract` tells HTML, documents, JSON and plain text apart, decodes, takes the article out
of an HTML page (by trafilatura, or by a plain reading of our own), and recognises the pages that
stand in front of a page. It takes time in proportion to the page: call it in a thread.
"""

from __future__ import annotations

from msgspec import structs
from selectolax.lexbor import LexborHTMLParser

from citeseek.errors import WebBlocked, WebParseError
from citeseek.extraction import documents, media, walls
from citeseek.extraction.article_region import Region
from citeseek.extraction.code_blocks import tidy_code
from citeseek.extraction.dates import Source
from citeseek.extraction.document import Document, Form, Method, join_subtitles
from citeseek.extraction.documents.document_reader import DocumentReader
from citeseek.extraction.embedded_state import StateArticle, article_in, state_scripts
from citeseek.extraction.facts import Facts, base_of, facts, language_of, subtitles_of
from citeseek.extraction.licence import LicenceSource
from citeseek.extraction.markup import letters, readable, remove
from citeseek.extraction.readings import SHORT, choose, faults
from citeseek.extraction.script_shell import awaits_scripts
from citeseek.extraction.shadow_roots import unfold_shadow_roots
from citeseek.extraction.tex_formulas import mark_tex, tidy_formulas
from citeseek.extraction.writing import UNSEEN, write_text
from citeseek.models import Page
from citeseek.parsing import bounds
from citeseek.parsing.charset import decode
from citeseek.parsing.iso_dates import read_sent_at
from citeseek.text import encodable, without_controls, without_invisible

__all__ = [
    "LIBRARIES",
    "Document",
    "Form",
    "LicenceSource",
    "Method",
    "Source",
    "extract",
    "extract_legible",
    "join_subtitles",
    "wall_of",
]

# A longer one is no address that anybody goes to.
MAX_ADDRESS = 4_000

# What takes long to import, and is only imported when the first page is read.
LIBRARIES = ("trafilatura",)

# Of so many times what is seen, the text for machines is the page.
_MUCH_MORE = 4


def extract(page: Page, *, form: Form = "text") -> Document:
    """Return the text of ``page`` and what it says of itself.

    Its status is not looked at. An empty page is a Document with an empty text. Raise
    WebParseError: ``unsupported_media`` (images and other binary, named by type), ``too_deep``,
    ``too_complex``, those of documents (:func:`citeseek.extraction.documents.read`)
    and ``not_installed``. Raise WebBlocked for
    a page in front of the page: ``captcha_required``, ``access_denied``, ``consent_required``,
    ``login_required``, ``javascript_required``.
    """
    if not page.body.strip():
        return Document(text="", method="none", media_type=_named_type(page))
    kind, media_type = media.kind_of(page)
    if isinstance(kind, DocumentReader):
        return documents.read(page, kind, media_type, form)
    body, charset = decode(page)
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
    if b"shadowroot" in body:
        unfold_shadow_roots(document)
    consent = walls.consent(document)
    said = facts(document, page.url, read_sent_at(page))
    base = base_of(document, page.url)
    subtitles = subtitles_of(document, base)
    tidy_formulas(document)
    readable(document)
    mark_tex(document)
    tidy_code(document)
    if consent:
        remove(document, walls.CONSENT_BOXES)
    try:
        text, method = _read(document, base, form)
        length = letters(text)
        signs, stated = walls.Signs(), StateArticle()
        if length <= walls.LONGEST:
            # Few pages need what was taken out on the way.
            whole = LexborHTMLParser(body)
            signs = walls.Signs.of(whole, consent)
            if length < SHORT:
                stated = _stated(said, whole, page.url)
        is_stated = length < letters(stated.body) / _MUCH_MORE
        if is_stated:
            text, method = _of_machines(stated.body, base, form), "plain"
            length = letters(text)
    except RecursionError:
        raise WebParseError(
            "The page is too deeply nested to be read.",
            detail_code="too_deep",
            page=page,
            values={"case": "page"},
        ) from None
    if detail_code := walls.wall(signs, text, length, page.url):
        raise walls.wall_error(detail_code, page)
    published, updated = said.dates.published, said.dates.updated
    return Document(
        text=text,
        method=method,
        media_type="text/html",
        subtitles=subtitles,
        title=without_invisible(encodable(said.title or stated.title)),
        site_name=said.site_name,
        author=said.author,
        published_at=published.value if published else None,
        published_in=published.source if published else None,
        updated_at=updated.value if updated else None,
        updated_in=updated.source if updated else None,
        license=said.licence.value if said.licence else None,
        license_in=said.licence.source if said.licence else None,
        language=language_of(text, said.language) if text else said.language,
        canonical_url=said.canonical_url,
        awaits_scripts=not is_stated and awaits_scripts(signs.scripts, text, length),
        degraded=faults(),
    )


def _read(document: LexborHTMLParser, url: str, form: Form) -> tuple[str, Method]:
    """Return the article in ``form`` and how it was found; both forms hold the same part."""
    reading = choose(document, url)
    if reading is None:
        return "", "none"
    if form == "text":
        return reading.text, reading.method
    return write_text(reading.part, form, url), reading.method


def _stated(said: Facts, document: LexborHTMLParser, url: str) -> StateArticle:
    """Return the text that the page gives to machines alone."""
    linked = StateArticle(said.article_body)
    found = article_in(state_scripts(document), url, said.title)
    return max(linked, found, key=lambda one: letters(one.body))


def _of_machines(body: str, url: str, form: Form) -> str:
    """Return the text that a page gives to machines alone, which may hold markup."""
    bounds.check(body.encode("utf-8", "replace"))
    lines = LexborHTMLParser(body if "<" in body else body.replace("\n", "<br>")).body
    return write_text(Region(lines), form, url) if lines is not None else ""


def _plain(body: bytes) -> str:
    text = body.decode("utf-8", "replace").replace("\r\n", "\n")
    return without_invisible(UNSEEN.sub("", text))


def _named_type(page: Page) -> str:
    return page.headers.get("content-type", "").partition(";")[0].strip().lower()


def extract_legible(page: Page, form: Form) -> Document:
    """Return what :func:`extract` does, without characters that are orders."""
    document = extract(page, form=form)
    text = without_controls(encodable(document.text)).strip()
    canonical = document.canonical_url
    if canonical and len(canonical) > MAX_ADDRESS:
        canonical = None
    return structs.replace(document, text=text, canonical_url=canonical)
