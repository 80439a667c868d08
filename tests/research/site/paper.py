"""PDFs as offices print them: lines of one width, in a font that knows the language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.extraction.raw_pdf import drawn

_LATIN = (
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "cp1252",
    # Up to so many letters, and then a space.
    re.compile(r"\S.{0,83}(?!\S)"),
)
_SONG = (
    "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H"
    " /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light"
    " /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>] >>"
)
_CHINESE = (
    _SONG,
    "utf-16-be",
    # Anywhere but in a number.
    re.compile(r".{1,34}(?![\d.])"),
)


def paper(title: str, paragraphs: Sequence[str], *, english: bool) -> bytes:
    """Return a PDF of one page whose paragraphs are broken into lines."""
    font, encoding, line_of = _LATIN if english else _CHINESE
    lines = [line for text in paragraphs for line in line_of.findall(text)]
    shown = " ".join(f"<{line.encode(encoding).hex()}> Tj T*" for line in lines)
    # A literal string: what is no letter of ours is written in octal.
    name = "".join(f"\\{byte:03o}" for byte in b"\xfe\xff" + title.encode("utf-16-be"))
    return drawn(f"BT /F1 11 Tf 15 TL 72 720 Td {shown} ET", title=name, font=font)
