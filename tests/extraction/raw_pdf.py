"""PDFs of a few lines, written by hand."""

from __future__ import annotations

import zlib

HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def pdf(*pages: str, title: str = "", extra: str = "", packed: bool = False) -> bytes:
    """Return a PDF with a line of text on each page."""
    contents = [f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else "" for text in pages]
    return drawn(*contents, title=title, extra=extra, packed=packed)


def drawn(
    *contents: str, title: str = "", extra: str = "", packed: bool = False, font: str = HELVETICA
) -> bytes:
    """Return a PDF whose pages are drawn by ``contents`` in ``font``, which is their F1.

    ``extra`` goes into the trailer.
    """
    count = len(contents)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        font.encode(),
    ]
    for number, content in enumerate(contents):
        data = zlib.compress(content.encode()) if packed else content.encode()
        name = " /Filter /FlateDecode" if packed else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(
            f"<< /Length {len(data)}{name} >>\nstream\n".encode() + data + b"\nendstream"
        )
    # In UTF-16, as other signs than those of PDF's own charset stand in a string.
    named = f"({title})" if title.isascii() else f"<feff{title.encode('utf-16-be').hex()}>"
    objects.append(f"<< /Title {named} /CreationDate (D:20260314090000Z) >>".encode())
    body, places = b"%PDF-1.4\n", []
    for number, value in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n".encode() + value + b"\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        body
        + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n"
            f"<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R {extra}>>\n"
            f"startxref\n{len(body)}\n%%EOF\n"
        ).encode()
    )
