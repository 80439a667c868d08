"""What documents of office programs say of themselves, and how they are locked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citeseek.extraction.documents.html_parts import parse_xml
from citeseek.parsing.iso_dates import parse_date
from citeseek.text import encodable, plain_line

_FACTS = "docProps/core.xml"
# A container of older programs; one of newer ones that is locked is packed in it.
OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = "EncryptedPackage".encode("utf-16-le")


def facts_of(parts: Mapping[str, bytes]) -> dict[str, Any]:
    """Return title, author and dates as :class:`~.document_reader.DocumentReading` has them."""
    if _FACTS not in parts:
        return {}
    said: dict[str, str] = {}
    for node in parse_xml(parts[_FACTS]):
        if isinstance(node.tag, str):
            said[node.tag.rpartition("}")[2]] = plain_line(encodable(node.text or ""))[:500]
    return {
        "title": said.get("title", ""),
        "author": said.get("creator", ""),
        "published_at": parse_date(said.get("created", "")[:10]),
        "updated_at": parse_date(said.get("modified", "")[:10]),
    }


def is_locked(body: bytes) -> bool:
    """Whether ``body`` is a document of an office program that asks for a password."""
    return body.startswith(OLE_SIGNATURE) and _LOCKED in body
