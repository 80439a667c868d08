"""The text of an e-mail (EML): who wrote when about what, and the body in its plainest form."""

from __future__ import annotations

import re
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from html import escape

from citeseek.extraction.documents.document_reader import (
    DocumentPart,
    DocumentReader,
    DocumentReading,
    Unreadable,
)
from citeseek.extraction.documents.html_parts import heading, paragraph
from citeseek.models import Page
from citeseek.parsing import bounds
from citeseek.parsing.charset import utf8
from citeseek.text import encodable, plain_line

MAX_PARTS = 200
_SHOWN = ("From", "To", "Cc", "Date")
_START = 8_000
_SENDER = re.compile(rb"(?mi)^From:")
_HEAD = re.compile(
    rb"(?:(?:Received|Return-Path|Delivered-To|Message-ID|MIME-Version|DKIM-Signature|X-[\w-]+"
    rb"|From|To|Cc|Subject|Date):[^\r\n]*+(?:\r?\n[ \t][^\r\n]*+)*+\r?\n){3}"
)


def read(page: Page) -> DocumentReading:
    """Return the message without its attachments; of HTML there is the text."""
    message = BytesParser(policy=policy.default).parsebytes(page.body)
    if sum(1 for _ in message.walk()) > MAX_PARTS:
        raise Unreadable("too_complex")
    subject = _read_field(message, "Subject")
    lines = [f"{name}: {said}" for name in _SHOWN if (said := _read_field(message, name))]
    html = heading(subject, 1) + paragraph(lines) + _text(message)
    return DocumentReading(
        parts=(DocumentPart(html),),
        title=subject,
        author=_read_field(message, "From"),
        published_at=_day(_read_field(message, "Date")),
    )


def _text(message: EmailMessage) -> str:
    found = message.get_body(("plain", "html"))
    if found is None:
        return ""
    payload = found.get_payload(decode=True)
    charset = found.get_content_charset() or ""
    kind = found.get_content_type()
    content_type = f"{kind}; charset={charset}" if charset else kind
    text = utf8(
        Page(
            url="",
            headers={"content-type": content_type},
            body=payload if isinstance(payload, bytes) else b"",
        )
    )
    if kind == "text/html":
        bounds.check(text)
        return text.decode("utf-8", "replace")
    paragraphs = re.split(r"\n[ \t]*\n", text.decode("utf-8", "replace").replace("\r\n", "\n"))
    return "".join(f"<p>{escape(one).replace(chr(10), '<br>')}</p>" for one in paragraphs)


def _read_field(message: EmailMessage, name: str) -> str:
    return plain_line(encodable(str(message.get(name) or "")))[:500]


def _day(said: str) -> str | None:
    try:
        return parsedate_to_datetime(said).date().isoformat()
    except ValueError:
        return None


READER = DocumentReader(
    kind="email",
    types={".eml": "message/rfc822"},
    read=read,
    is_one=lambda body: bool(_HEAD.match(body) and _SENDER.search(body[:_START])),
)
