"""The text of a PDF, by pypdf, within limits of pages, bytes and work."""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Iterable
from typing import Any

from citeseek.errors import WebParseError
from citeseek.extraction.document import Document
from citeseek.extraction.facts import language_of
from citeseek.extras import Fault, fault
from citeseek.models import Page
from citeseek.parsing.iso_dates import parse_date
from citeseek.text import encodable, plain_line, without_invisible

# A line this much of the widest ones was ended by the margin, unless a sentence ends there.
FULL = 0.75
# Narrower columns are lists and tables. Chinese signs are twice as wide as letters.
MIN_WIDTH = 40

_WIDE = re.compile(r"[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")
_ENDS = re.compile(r"[.!?:;。！？：；…][\"'”’」』）)\]]*$")
_ITEM = re.compile(r"[-*•·▪–]\s|\(?(?:\d{1,3}|[a-z])[.)]\s|[（(]?[一二三四五六七八九十]+[、）)]")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-$")


def join_broken_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines of one sheet of paper with the broken ones joined.

    A line is broken when it is as wide as the column and no sentence ends with it, and the next is
    no item of a list. A word that was parted by a hyphen is made whole.
    """
    given = [line for line in lines if line]
    widths = sorted(map(_width, given))
    column = widths[len(widths) * 9 // 10] if widths else 0
    joined: list[str] = []
    is_broken = False
    for line in given:
        if is_broken and not _ITEM.match(line):
            joined[-1] = _with(joined[-1], line)
        else:
            joined.append(line)
        is_full = column >= MIN_WIDTH and _width(line) >= FULL * column
        is_broken = is_full and not _ENDS.search(line)
    return joined


def _with(before: str, line: str) -> str:
    if _HYPHEN.search(before) and line[0].islower():
        return before[:-1] + line
    is_tight = _WIDE.match(before[-1]) and _WIDE.match(line[0])
    return f"{before}{'' if is_tight else ' '}{line}"


def _width(line: str) -> int:
    return len(line) + len(_WIDE.findall(line))


MAX_PAGES = 300
MAX_LETTERS = 2_000_000
# Operations of all pages together; a page of print has some thousand.
MAX_OPERATIONS = 1_000_000
# One page's drawing, and all of them, decompressed.
MAX_PAGE_BYTES = 4_000_000
MAX_BYTES = 30_000_000

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PDF_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)")


class _TooMuch(Exception):
    """The work that may be spent on one document is spent."""


def document(page: Page, media_type: str) -> Document:
    """Return the text of a PDF, its pages apart by an empty line.

    Raise WebParseError: ``encrypted_pdf`` needs a password, ``pdf_without_text`` holds pictures
    of pages, ``broken_pdf`` cannot be read, ``too_complex`` would take too long,
    ``not_installed`` is for want of a library, which is named.
    """
    of_reader = fault("pypdf")
    if of_reader and of_reader.state != "old":
        raise _unreadable(of_reader, page)
    import pypdf  # noqa: PLC0415 - 200 ms, for PDFs alone

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)

    # Whatever a broken file brings up in there, it is a broken file.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader = pypdf.PdfReader(io.BytesIO(page.body), strict=False)
            is_locked = reader.is_encrypted and not reader.decrypt("")
            text, is_cut, has_pictures = ("", False, False) if is_locked else _pages(reader)
            facts = {} if is_locked else _facts(reader)
    except _TooMuch:
        raise _error("too_complex", page) from None
    except pypdf.errors.DependencyError:
        # Whether it has a password, only its cipher could tell.
        of_cipher = fault("cryptography")
        raise _unreadable(of_cipher, page) if of_cipher else _error("broken_pdf", page) from None
    except Exception as error:
        raise _error("broken_pdf", page) from error
    if is_locked:
        raise _error("encrypted_pdf", page)
    if not text:
        raise _error("pdf_without_text" if has_pictures else "broken_pdf", page)
    return Document(
        text=text,
        method="pdf",
        media_type=media_type,
        language=language_of(text),
        is_cut=is_cut,
        degraded=(of_reader,) if of_reader else (),
        **facts,
    )


def _pages(reader: Any) -> tuple[str, bool, bool]:
    """Return the text, whether it was cut, and whether there is anything but text."""
    texts: list[str] = []
    size = operations = letters = 0
    has_pages = False

    def count(*_: Any) -> None:
        nonlocal operations
        operations += 1
        if operations > MAX_OPERATIONS:
            raise _TooMuch

    for number, sheet in enumerate(reader.pages):
        if number >= MAX_PAGES or letters > MAX_LETTERS:
            return "\n\n".join(texts), True, has_pages
        has_pages = True
        contents = sheet.get_contents()
        drawn = len(contents.get_data()) if contents is not None else 0
        size += drawn
        try:
            _allow(drawn, size)
            text = _clean(sheet.extract_text(visitor_operand_before=count))
        except _TooMuch:
            if not texts:
                raise
            return "\n\n".join(texts), True, has_pages
        if text:
            letters += len(text)
            texts.append(text)
    return "\n\n".join(texts), False, has_pages


def _allow(drawn: int, size: int) -> None:
    if drawn > MAX_PAGE_BYTES or size > MAX_BYTES:
        raise _TooMuch


def _clean(text: str) -> str:
    # At the end of a line a soft hyphen is one that was printed.
    text = re.sub(r"\xad(?=\s*\n)", "-", text)
    lines = (
        " ".join(line.split())
        for line in _CONTROLS.sub("", without_invisible(encodable(text))).split("\n")
    )
    return "\n".join(join_broken_lines(lines))


def _facts(reader: Any) -> dict[str, Any]:
    information = reader.metadata or {}
    title = plain_line(encodable(str(information.get("/Title") or "")))[:500]
    match = _PDF_DATE.match(str(information.get("/CreationDate") or ""))
    day = parse_date("-".join(match.groups())) if match else None
    return {"title": title, "published_at": day, "published_in": "meta" if day else None}


def _error(detail_code: str, page: Page) -> WebParseError:
    sentence = {
        "encrypted_pdf": "The PDF is encrypted and asks for a password.",
        "pdf_without_text": "The PDF holds pictures of pages and no text.",
        "broken_pdf": "The PDF is broken and cannot be read.",
        "too_complex": "The PDF is too complex to be read.",
    }[detail_code]
    return WebParseError(sentence, detail_code=detail_code, page=page, values={"case": "pdf"})


def _unreadable(library: Fault, page: Page) -> WebParseError:
    return WebParseError(
        f"The PDF cannot be read: {library}.",
        hint=f"Mend it: {library.repair}",
        detail_code="not_installed",
        page=page,
    )
