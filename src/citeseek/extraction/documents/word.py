"""The text of Word documents (DOCX), by mammoth: headings, lists, tables and notes."""

from __future__ import annotations

from typing import Any

from citeseek.extraction.documents import archive
from citeseek.extraction.documents.document_reader import (
    DocumentPart,
    DocumentReader,
    DocumentReading,
)
from citeseek.extraction.documents.html_parts import parse_xml, refuse_entities
from citeseek.extraction.documents.office import facts_of
from citeseek.models import Page

_MAIN = "word/document.xml"
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def read(page: Page) -> DocumentReading:
    """Return the document as one part: only a layout would tell where its pages begin."""
    import mammoth  # type: ignore[import-untyped] # noqa: PLC0415 - 300 ms

    parts = archive.parts(page.body, _is_wanted)
    for name, part in parts.items():
        refuse_entities(part)
        parts[name] = _as_shown(part)
    # Of pictures there is their description alone.
    pictures = mammoth.images.img_element(lambda _: {"src": ""})
    html = mammoth.convert_to_html(archive.pack(parts), convert_image=pictures).value
    return DocumentReading(parts=(DocumentPart(html),), **facts_of(parts))


def _as_shown(part: bytes) -> bytes:
    """Return a part of a document without hidden words; struck out twice is struck out.

    Of a formula there are its signs, one after the other.
    """
    if not any(mark in part for mark in (b":vanish", b":dstrike", b":oMath")):
        return part
    from lxml import etree  # type: ignore[import-untyped] # noqa: PLC0415 - 50 ms

    root = parse_xml(part)
    for mark in list(root.iter("{*}vanish", "{*}dstrike")):
        space, _, name = mark.tag.rpartition("}")
        if mark.get(f"{space}}}val", "true") in ("0", "false", "off"):
            continue
        if name == "dstrike":
            mark.tag = f"{space}}}strike"
            continue
        run = mark.getparent().getparent()
        if run is not None and run.tag == f"{space}}}r":
            run.getparent().remove(run)
    for formula in list(root.iter(f"{_MATH}oMath")):
        run = etree.Element(f"{_WORD}r")
        etree.SubElement(run, f"{_WORD}t").text = " ".join(_signs(formula))
        formula.getparent().replace(formula, run)
    for paragraph in list(root.iter(f"{_MATH}oMathPara")):
        # Its runs stand in the paragraph around it then.
        around = paragraph.getparent()
        for run in reversed(paragraph.findall(f"{_WORD}r")):
            around.insert(around.index(paragraph) + 1, run)
        around.remove(paragraph)
    return bytes(etree.tostring(root))


def _signs(formula: Any) -> list[str]:
    return [sign for part in formula.iter(f"{_MATH}t") if (sign := (part.text or "").strip())]


def _is_wanted(name: str) -> bool:
    return name.endswith((".xml", ".rels"))


READER = DocumentReader(
    kind="word",
    types={
        ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ".docm": "application/vnd.ms-word.document.macroenabled.12",
    },
    read=read,
    is_one=lambda body: _MAIN in archive.names(body),
    libraries=("mammoth", "lxml"),
)
