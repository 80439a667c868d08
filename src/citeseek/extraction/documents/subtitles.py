"""What is said in subtitles (WebVTT, SRT), by the minute."""

from __future__ import annotations

import re
from html import unescape

from citeseek.extraction.documents.document_reader import (
    DocumentPart,
    DocumentReader,
    DocumentReading,
)
from citeseek.extraction.documents.html_parts import paragraph
from citeseek.locators import Locator
from citeseek.models import Page
from citeseek.parsing.charset import utf8

MAX_CUES = 50_000
# Cues that begin within so many seconds are one part.
SECONDS = 60
_TIME = r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]?\d)[.,]\d{1,3}"
_CUE = re.compile(rf"[ \t]*+{_TIME}[ \t]*+-->[ \t]*+{_TIME}")
_FIRST = re.compile(rf"\s*+\d{{1,6}}[ \t]*+\r?\n{_TIME} *+-->".encode())
_STYLE = re.compile(r"<[^<>]{0,200}+>|\{\\[^{}]{0,100}+\}")


def read(page: Page) -> DocumentReading:
    """Return what is said, each minute a part; lines that are shown again are left out."""
    text = utf8(page).decode("utf-8", "replace").replace("\r\n", "\n")
    minutes: dict[int, list[str]] = {}
    cues = 0
    at: int | None = None
    last = ""
    for line in text.split("\n"):
        if cue := _CUE.match(line):
            cues += 1
            if cues > MAX_CUES:
                break
            at = int(cue[1] or 0) * 3600 + int(cue[2]) * 60 + int(cue[3])
        elif not line.strip():
            at = None
        elif at is not None:
            said = " ".join(unescape(_STYLE.sub("", line)).split())
            if said and said != last:
                minutes.setdefault(at - at % SECONDS, []).append(said)
                last = said
    return DocumentReading(
        parts=tuple(
            DocumentPart(paragraph([" ".join(lines)]), Locator("time", start, _clock(start)))
            for start, lines in sorted(minutes.items())
        ),
        is_cut=cues > MAX_CUES,
    )


def _clock(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


READER = DocumentReader(
    kind="subtitles",
    types={".vtt": "text/vtt", ".srt": "application/x-subrip"},
    read=read,
    is_one=lambda body: (
        body.removeprefix(b"\xef\xbb\xbf").startswith(b"WEBVTT")
        or _FIRST.match(body.removeprefix(b"\xef\xbb\xbf")) is not None
    ),
    is_text=True,
)
