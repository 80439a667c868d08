"""The text of a page as it may be shown anywhere."""

from __future__ import annotations

from msgspec import structs

from citeseek.extraction import LIBRARIES, extract
from citeseek.extraction.document import Document, Form
from citeseek.models import Page
from citeseek.text import encodable, without_controls

__all__ = ["LIBRARIES", "read"]

# A longer one is no address that anybody goes to.
MAX_ADDRESS = 4_000


def read(page: Page, form: Form) -> Document:
    """Return what :func:`citeseek.extraction.extract` does, without characters that are orders."""
    document = extract(page, form=form)
    text = without_controls(encodable(document.text)).strip()
    canonical = document.canonical_url
    if canonical and len(canonical) > MAX_ADDRESS:
        canonical = None
    return structs.replace(document, text=text, canonical_url=canonical)
