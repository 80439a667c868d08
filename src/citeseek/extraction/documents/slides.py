"""The text of presentations (PPTX), slide by slide, with their tables and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from citeseek.extraction.documents import archive
from citeseek.extraction.documents.document_reader import (
    DocumentPart,
    DocumentReader,
    DocumentReading,
)
from citeseek.extraction.documents.html_parts import heading, paragraph, parse_xml, table
from citeseek.extraction.documents.office import facts_of
from citeseek.locators import Locator
from citeseek.models import Page

MAX_SLIDES = 1_000
_MAIN = "ppt/presentation.xml"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
# A slide that is left out when the presentation is shown.
_HIDDEN = frozenset({"0", "false"})
_TITLES = frozenset({"title", "ctrTitle"})
# What stands on every slide.
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "sldImg"})


def read(page: Page) -> DocumentReading:
    """Return the slides in their order, each with its number; hidden ones are left out."""
    parts = archive.parts(page.body, lambda name: name.endswith((".xml", ".rels")))
    related = _relations(parts, _MAIN)
    listed = parse_xml(parts[_MAIN]).iter(f"{_P}sldId")
    slides = [related[node.get(_ID)][1] for node in listed if node.get(_ID) in related]
    return DocumentReading(
        parts=tuple(
            DocumentPart("".join(_slide(parts, name)), Locator("slide", number))
            for number, name in enumerate(slides[:MAX_SLIDES], 1)
            if name in parts and parse_xml(parts[name]).get("show") not in _HIDDEN
        ),
        is_cut=len(slides) > MAX_SLIDES,
        **facts_of(parts),
    )


def _slide(parts: Mapping[str, bytes], name: str) -> Iterator[str]:
    yield from _shapes(parse_xml(parts[name]))
    for kind, target in _relations(parts, name).values():
        if kind.endswith("/notesSlide") and target in parts:
            yield from _shapes(parse_xml(parts[target]))


def _relations(parts: Mapping[str, bytes], name: str) -> dict[str, tuple[str, str]]:
    """Return the kind and the name of the parts that ``name`` refers to, by its ids for them."""
    folder, _, file = name.rpartition("/")
    found = parts.get(f"{folder}/_rels/{file}.rels")
    if found is None:
        return {}
    return {
        node.get("Id", ""): (node.get("Type", ""), archive.resolve(name, node.get("Target", "")))
        for node in parse_xml(found)
        if node.get("TargetMode") != "External"
    }


def _shapes(root: Any) -> Iterator[str]:
    for node in root.iter(f"{_P}sp", f"{_P}graphicFrame", f"{_P}pic"):
        kind = next((one.get("type", "") for one in node.iter(f"{_P}ph")), "")
        if kind in _FURNITURE:
            continue
        if node.tag == f"{_P}pic":
            said = next(node.iter(f"{_P}cNvPr"), None)
            yield paragraph([said.get("descr", "") if said is not None else ""])
        elif node.tag == f"{_P}graphicFrame":
            for found in node.iter(f"{_A}tbl"):
                rows = found.iter(f"{_A}tr")
                yield table(
                    [" ".join(_lines(cell)) for cell in row.iter(f"{_A}tc")] for row in rows
                )
        else:
            lines = _lines(node)
            yield heading(" ".join(lines), 2) if kind in _TITLES else paragraph(lines)


def _lines(node: Any) -> list[str]:
    """Return the paragraphs in ``node``, each on one line."""
    found = []
    for one in node.iter(f"{_A}p"):
        words = "".join(
            (part.text or "") if part.tag == f"{_A}t" else " "
            for part in one.iter(f"{_A}t", f"{_A}br")
        )
        if line := " ".join(words.split()):
            found.append(line)
    return found


READER = DocumentReader(
    kind="slides",
    types={
        ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ".pptm": "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        ".ppsx": "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
    },
    read=read,
    is_one=lambda body: _MAIN in archive.names(body),
    libraries=("lxml",),
)
