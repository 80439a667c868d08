"""The text of a page as it may be shown anywhere."""

from __future__ import annotations

import re

from msgspec import structs

from citeseek.extraction import LIBRARIES, extract
from citeseek.extraction.document import Document, Form
from citeseek.models import Page
from citeseek.text import encodable

__all__ = ["LIBRARIES", "read"]

# A longer one is no address that anybody goes to.
MAX_ADDRESS = 4_000

# What is no text: a terminal would obey them, and directions turn the text around them.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)


def read(page: Page, form: Form) -> Document:
    """Return what :func:`citeseek.extraction.extract` does, without characters that are orders."""
    document = extract(page, form=form)
    text = _CONTROLS.sub("", encodable(document.text)).strip()
    canonical = document.canonical_url
    if canonical and len(canonical) > MAX_ADDRESS:
        canonical = None
    return structs.replace(document, text=text, canonical_url=canonical)
