"""XML of documents: parsed without entities, and written as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from citeseek.extraction.documents.document_reader import Unreadable

# Entities are declared in a document type, which parts of office documents never have.
_DECLARED = (
    b"<!DOCTYPE",
    b"<!ENTITY",
    "<!DOCTYPE".encode("utf-16-le"),
    "<!ENTITY".encode("utf-16-le"),
)


def refuse_entities(part: bytes) -> None:
    """Raise Unreadable (``broken``) for XML that declares a document type."""
    if any(mark in part for mark in _DECLARED):
        raise Unreadable("broken")


def parse_xml(part: bytes) -> Any:
    """Return the root of ``part``; nothing outside of it is loaded."""
    from lxml import etree  # type: ignore[import-untyped] # noqa: PLC0415 - 50 ms

    refuse_entities(part)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    return etree.fromstring(part, parser)


def paragraph(lines: Iterable[str]) -> str:
    """Return ``lines`` as one paragraph."""
    text = "<br>".join(escape(line) for line in lines if line.strip())
    return f"<p>{text}</p>" if text else ""


def heading(text: str, level: int) -> str:
    """Return ``text`` as a heading."""
    return f"<h{level}>{escape(text)}</h{level}>" if text.strip() else ""


def table(rows: Iterable[Sequence[str]]) -> str:
    """Return ``rows`` of cells as a table."""
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
