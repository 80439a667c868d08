"""Documents that are no pages of HTML: how they are known, and their text with its pages.

A format is one file here, and one name in READERS.
"""

from __future__ import annotations

import logging
import re
import warnings

from selectolax.lexbor import LexborHTMLParser

from citeseek.errors import CiteseekError, WebParseError
from citeseek.extraction.article_region import Region
from citeseek.extraction.document import Document, Form
from citeseek.extraction.documents import (
    epub,
    feed,
    message,
    office,
    pdf,
    rtf,
    sheets,
    slides,
    subtitles,
    word,
)
from citeseek.extraction.documents.document_reader import (
    DocumentFault,
    DocumentReader,
    DocumentReading,
    Unreadable,
)
from citeseek.extraction.facts import language_of
from citeseek.extraction.markup import readable
from citeseek.extraction.writing import write_text
from citeseek.extras import Fault, fault
from citeseek.locators import PageStart
from citeseek.models import Page
from citeseek.text import encodable, plain_line, without_controls

READERS: tuple[DocumentReader, ...] = (
    pdf.READER,
    word.READER,
    slides.READER,
    sheets.READER,
    epub.READER,
    rtf.READER,
    feed.READER,
    subtitles.READER,
    message.READER,
)
TYPES = {ending: media_type for reader in READERS for ending, media_type in reader.types.items()}

MAX_CHARS = 5_000_000
_BETWEEN = "\n\n"
_BY_TYPE = {media_type: reader for reader in READERS for media_type in reader.types.values()}
_CODES: dict[DocumentFault, str] = {
    "locked": "encrypted_document",
    "scanned": "document_without_text",
    "broken": "broken_document",
    "too_complex": "too_complex",
}
_OF_PDF = {
    "locked": "encrypted_pdf",
    "scanned": "pdf_without_text",
    "broken": "broken_pdf",
    "too_complex": "too_complex",
}
# What programs call a document that nobody gave a title: theirs, or the name of its file.
_NO_TITLE = re.compile(
    r"untitled.{0,20}|no title|\(?anonymous\)?|unknown|document ?\d*|doc\d+|presentation ?\d*"
    r"|powerpoint presentation|slide 1|無題|无标题.{0,8}|未命名|sans titre|ohne titel|sin título"
    r"|microsoft (?:word|powerpoint|excel) - .*"
    r"|\S+\.(?:docx?|indd|pptx?|xlsx?|dvi|tex|pdf|qxd|fm|rtf|odt|pages)",
    re.IGNORECASE,
)
_FIRST_PARTS = 2
_LONGEST_TITLE = 200
_SENTENCES: dict[DocumentFault, str] = {
    "locked": "is encrypted and asks for a password",
    "scanned": "holds no text",
    "broken": "is broken and cannot be read",
    "too_complex": "is too complex to be read",
}


def sniff(body: bytes) -> DocumentReader | None:
    """Return the reader for what the bytes prove to be a document."""
    if office.is_locked(body):
        return word.READER
    return next((reader for reader in READERS if reader.is_one(body)), None)


def reader_for(media_type: str) -> DocumentReader | None:
    """Return the reader of documents of this media type."""
    return _BY_TYPE.get(media_type)


def read(page: Page, reader: DocumentReader, media_type: str, form: Form) -> Document:
    """Return the text of a document, its parts apart by an empty line, and where they begin.

    Raise WebParseError: ``encrypted_…`` needs a password, ``…_without_text`` holds pictures of
    pages, ``broken_…`` cannot be read, ``too_complex`` would take too long, ``not_installed`` is
    for want of a library, which is named.
    """
    wrong = [one for library in reader.libraries if (one := fault(library))]
    for library in wrong:
        if library.state != "old":
            raise _not_installed(library, reader, page)
    try:
        reading = _read(reader, page)
        text, starts, is_cut = _write(reading, form, page.url)
    except Unreadable as unreadable:
        raise _error(unreadable.fault, reader, page) from None
    if not text:
        raise _error("scanned", reader, page)
    return Document(
        text=text,
        pages=starts,
        method=reader.kind,
        media_type=media_type,
        title=_title(reading),
        author=reading.author or None,
        published_at=reading.published_at,
        published_in="meta" if reading.published_at else None,
        updated_at=reading.updated_at,
        updated_in="meta" if reading.updated_at else None,
        language=language_of(text),
        is_cut=reading.is_cut or is_cut,
        degraded=tuple(wrong),
    )


def _title(reading: DocumentReading) -> str:
    """Return the title of a document; where its program made it up, its first heading."""
    if reading.title and not _NO_TITLE.fullmatch(reading.title):
        return reading.title
    for part in reading.parts[:_FIRST_PARTS]:
        heading = LexborHTMLParser(part.html).css_first("h1, h2, h3")
        if heading is not None and (line := plain_line(encodable(heading.text(separator=" ")))):
            return line[:_LONGEST_TITLE]
    return ""


def _read(reader: DocumentReader, page: Page) -> DocumentReading:
    if office.is_locked(page.body):
        raise Unreadable("locked")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return reader.read(page)
    except (Unreadable, CiteseekError, MemoryError):
        raise
    except RecursionError:
        raise Unreadable("too_complex") from None
    # Whatever a broken file brings up in a library, it is a broken file.
    except Exception as error:  # noqa: BLE001
        logging.getLogger(__name__).debug("a %s cannot be read: %r", reader.kind, error)
        raise Unreadable("broken") from None


def _write(
    reading: DocumentReading, form: Form, url: str
) -> tuple[str, tuple[PageStart, ...], bool]:
    """Return the text, where each of its parts begins, and whether some were left out."""
    texts: list[str] = []
    starts: list[PageStart] = []
    at = 0
    for part in reading.parts:
        if at > MAX_CHARS:
            return _BETWEEN.join(texts), tuple(starts), True
        document = LexborHTMLParser(part.html)
        readable(document)
        written = (
            write_text(Region(document.body), form, url, has_all_pictures=True)
            if document.body
            else ""
        )
        # What is taken out later would move the beginnings.
        text = without_controls(encodable(written)).strip()
        if text:
            if part.locator:
                starts.append(PageStart(at, part.locator))
            texts.append(text)
            at += len(text) + len(_BETWEEN)
    return _BETWEEN.join(texts), tuple(starts), False


def _error(code: DocumentFault, reader: DocumentReader, page: Page) -> WebParseError:
    is_pdf = reader.kind == "pdf"
    said = (
        "holds pictures of pages and no text" if is_pdf and code == "scanned" else _SENTENCES[code]
    )
    return WebParseError(
        f"The {'PDF' if is_pdf else 'document'} {said}.",
        detail_code=(_OF_PDF if is_pdf else _CODES)[code],
        page=page,
        values={"case": "pdf" if is_pdf else "document"},
    )


def _not_installed(library: Fault, reader: DocumentReader, page: Page) -> WebParseError:
    return WebParseError(
        f"The {'PDF' if reader.kind == 'pdf' else 'document'} cannot be read: {library}.",
        hint=f"Mend it: {library.repair}",
        detail_code="not_installed",
        page=page,
        values={"case": "library", "library": library.library, "repair": library.repair},
    )
