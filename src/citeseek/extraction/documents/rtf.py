"""The text of RTF documents, by striprtf."""

from __future__ import annotations

import re

from citeseek.extraction.documents.document_reader import (
    DocumentPart,
    DocumentReader,
    DocumentReading,
    Unreadable,
)
from citeseek.extraction.documents.html_parts import paragraph
from citeseek.models import Page
from citeseek.text import encodable, plain_line

# Pictures are written in hexadecimal digits, which are passed over in one step.
_PICTURES = re.compile(rb"[0-9a-fA-F\s]{200,}+")
MAX_BYTES = 8_000_000
# Text that is not shown: a group of its own, or up to where it is turned off.
_HIDDEN = re.compile(r"\{\\v(?![a-z0-9])[^{}]{0,10000}\}|\\v(?![a-z0-9])[^{}]{0,10000}?\\v0 ?")
_TITLE = re.compile(r"\{\\title ([^{}\\]{1,500})\}")


def read(page: Page) -> DocumentReading:
    """Return the document as one part, its lines as paragraphs."""
    from striprtf.striprtf import rtf_to_text  # noqa: PLC0415 - for RTF alone

    body = _PICTURES.sub(b" ", page.body)
    if len(body) > MAX_BYTES:
        raise Unreadable("too_complex")
    # Every sign that is not of ASCII is written in ASCII.
    source = _HIDDEN.sub("", body.decode("latin-1"))
    text = encodable(rtf_to_text(source, errors="replace"))  # type: ignore[no-untyped-call]
    title = _TITLE.search(source)
    html = "".join(paragraph([line]) for line in text.splitlines())
    return DocumentReading(parts=(DocumentPart(html),), title=plain_line(title[1]) if title else "")


READER = DocumentReader(
    kind="rtf",
    types={".rtf": "application/rtf", ".rtx": "text/rtf"},
    read=read,
    is_one=lambda body: body.startswith(b"{\\rtf"),
    libraries=("striprtf",),
    is_text=True,
)
