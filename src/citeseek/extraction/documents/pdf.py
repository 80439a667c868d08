"""The text of a PDF, by PDFium: pages with headings, columns and tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from statistics import median
from typing import Any

from citeseek.extraction.documents.document_reader import (
    DocumentPart,
    DocumentReader,
    DocumentReading,
    Unreadable,
)
from citeseek.extraction.documents.page_lines import join_broken_lines, without_running_heads
from citeseek.extraction.documents.paper import (
    Item,
    PaperLine,
    PaperTable,
    Word,
    items,
)
from citeseek.locators import Locator
from citeseek.models import Page
from citeseek.parsing.iso_dates import parse_date
from citeseek.text import encodable, plain_line, without_invisible

MAX_PAGES = 300
MAX_LETTERS = 2_000_000
MAX_PAGE_LETTERS = 200_000
# How much larger than the text a heading is, and how long at most.
LARGER = 1.15
HEADING_CHARS = 200
LEVELS = 4
# Lines this much further apart than others begin a paragraph.
FURTHER = 1.3
BOLD = 600
# Readers of PDF allow some bytes before the signature.
_START = 1024

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PDF_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
# What PDFium gives for a hyphen at the end of a line, and for what has no letter.
_HYPHEN, _NO_LETTERS = "\x02", frozenset("\ufffe\uffff\ufffd")


def read(page: Page) -> DocumentReading:
    """Return the pages of a PDF."""
    import pypdfium2  # type: ignore[import-untyped] # noqa: PLC0415 - 200 ms, for PDFs alone
    from pypdfium2 import raw  # noqa: PLC0415

    try:
        document = pypdfium2.PdfDocument(page.body)
    except pypdfium2.PdfiumError as error:
        is_locked = error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        raise Unreadable("locked" if is_locked else "broken") from None
    try:
        sheets, is_cut, has_pages = _sheets(document, raw)
        if not any(sheets):
            raise Unreadable("scanned" if has_pages else "broken")
        about = document.get_metadata_dict()
    finally:
        document.close()
    sheets = without_running_heads(sheets)
    sizes = _sizes(sheets)
    return DocumentReading(
        parts=tuple(
            DocumentPart("".join(_blocks(list(items(words)), sizes)), Locator("page", number))
            for number, words in enumerate(sheets, 1)
            if words
        ),
        title=plain_line(encodable(about.get("Title", "")))[:500],
        author=plain_line(encodable(about.get("Author", "")))[:500],
        published_at=_day(about.get("CreationDate", "")),
        updated_at=_day(about.get("ModDate", "")),
        is_cut=is_cut,
    )


def _sheets(document: Any, raw: Any) -> tuple[list[list[Word]], bool, bool]:
    """Return the words of each page, whether there are more, and whether there are any."""
    sheets: list[list[Word]] = []
    letters = 0
    has_pages = False
    for number in range(len(document)):
        if number >= MAX_PAGES or letters > MAX_LETTERS:
            return sheets, True, has_pages
        page = document[number]
        try:
            words = list(_words(page, raw))
        finally:
            page.close()
        has_pages = True
        letters += sum(len(word.text) for word in words)
        sheets.append(words)
    return sheets, False, has_pages


def _words(page: Any, raw: Any) -> Iterator[Word]:
    text = page.get_textpage()
    try:
        count = raw.FPDFText_CountChars(text)
        if count > MAX_PAGE_LETTERS:
            raise Unreadable("too_complex")
        upright = _upright(page)
        letters: list[str] = []
        for at in range(count + 1):
            letter = chr(raw.FPDFText_GetUnicode(text, at)) if at < count else " "
            # PDFium puts spaces where letters are apart and the file has none, and no break behind
            # the hyphen that ends a line.
            if not letter.isspace():
                letters.append("-" if letter == _HYPHEN else letter)
            if letters and (letter.isspace() or letter == _HYPHEN):
                if word := _word(
                    text, at + (letter == _HYPHEN) - len(letters), letters, raw, upright
                ):
                    yield word
                letters = []
    finally:
        text.close()


def _upright(page: Any) -> tuple[int, float, float]:
    """Return how the page is turned, and its width and height as they stand in the file."""
    width, height = page.get_size()
    turned = page.get_rotation()
    return (turned, height, width) if turned in (90, 270) else (turned, width, height)


def _box(text: Any, at: int, raw: Any, upright: tuple[int, float, float]) -> list[float]:
    """Return left, right, top and bottom of a letter, from the upper left corner of the page."""
    found = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(text, at, found)
    turned, width, height = upright
    left, right = sorted((found.left, found.right))
    low, high = sorted((found.bottom, found.top))
    match turned:
        case 90:
            return [low, high, left, right]
        case 180:
            return [width - right, width - left, low, high]
        case 270:
            return [height - high, height - low, width - right, width - left]
        case _:
            return [left, right, height - high, height - low]


def _word(
    text: Any, at: int, letters: list[str], raw: Any, upright: tuple[int, float, float]
) -> Word | None:
    written = "".join(sign for sign in letters if sign not in _NO_LETTERS)
    # At the end of a line a soft hyphen is one that was printed.
    written = re.sub("\xad$", "-", written)
    written = _CONTROLS.sub("", without_invisible(encodable(written)))
    if not written:
        return None
    first, last = (_box(text, place, raw, upright) for place in (at, at + len(letters) - 1))
    left, right = min(first[0], last[0]), max(first[1], last[1])
    top, bottom = min(first[2], last[2]), max(first[3], last[3])
    size = min(first[3] - first[2], raw.FPDFText_GetFontSize(text, at))
    is_bold = raw.FPDFText_GetFontWeight(text, at) >= BOLD
    return Word(written, left, right, top, bottom, max(size, 1.0), is_bold)


def _sizes(sheets: Iterable[Iterable[Word]]) -> list[float]:
    """Return the size of the text, and behind it those of headings, the largest first."""
    counted: Counter[float] = Counter()
    for words in sheets:
        for word in words:
            counted[round(word.size)] += len(word.text)
    body = counted.most_common(1)[0][0]
    larger = sorted((size for size in counted if size > LARGER * body), reverse=True)
    return [body, *larger[:LEVELS]]


def _blocks(found: Sequence[Item], sizes: Sequence[float]) -> Iterator[str]:
    """Yield the items of a page as HTML."""
    lines: list[PaperLine] = []
    steps = [
        other.words[0].bottom - one.words[0].bottom
        for one, other in pairwise(found)
        if isinstance(one, PaperLine) and isinstance(other, PaperLine) and one.left == other.left
    ]
    step = median([one for one in steps if one > 0] or [0])
    for item in found:
        if isinstance(item, PaperTable):
            yield from _paragraph(lines, sizes)
            lines = []
            yield _table(item)
            continue
        if lines and _begins(lines[-1], item, step, sizes):
            yield from _paragraph(lines, sizes)
            lines = []
        lines.append(item)
    yield from _paragraph(lines, sizes)


def _begins(above: PaperLine, line: PaperLine, step: float, sizes: Sequence[float]) -> bool:
    """Whether ``line`` begins another paragraph than that of the line above it."""
    if above.left != line.left or _level(above, sizes) != _level(line, sizes):
        return True
    distance = line.words[0].bottom - above.words[0].bottom
    return distance < 0 or distance > FURTHER * max(step, line.words[0].size)


def _paragraph(lines: Sequence[PaperLine], sizes: Sequence[float]) -> Iterator[str]:
    if not lines:
        return
    if level := _level(lines[0], sizes):
        yield f"<h{level}>{escape(' '.join(line.text for line in lines))}</h{level}>"
        return
    texts = join_broken_lines((line.text for line in lines), _is_full(lines))
    yield f"<p>{'<br>'.join(map(escape, texts))}</p>"


def _is_full(lines: Sequence[PaperLine]) -> list[bool]:
    return [line.words[-1].right - line.left >= 0.75 * line.width for line in lines]


def _level(line: PaperLine, sizes: Sequence[float]) -> int:
    """Return the level of the heading that ``line`` is, 0 for one of the text."""
    body, *larger = sizes
    size = max(round(word.size) for word in line.words)
    if len(line.text) > HEADING_CHARS or not any(sign.isalpha() for sign in line.text):
        return 0
    if size > LARGER * body:
        return larger.index(size) + 1 if size in larger else LEVELS
    is_short = line.words[-1].right - line.left < 0.75 * line.width
    return len(larger) + 1 if is_short and all(word.is_bold for word in line.words) else 0


def _table(table: PaperTable) -> str:
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in table.rows)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _day(moment: str) -> str | None:
    match = _PDF_DATE.match(moment)
    return parse_date("-".join(match.groups())) if match else None


READER = DocumentReader(
    kind="pdf",
    types={".pdf": "application/pdf"},
    read=read,
    is_one=lambda body: b"%PDF-" in body[:_START],
    libraries=("pypdfium2",),
)
