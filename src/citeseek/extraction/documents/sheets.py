"""The cells of spreadsheets (XLSX, XLS), sheet by sheet, by calamine."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

from citeseek.extraction.documents import archive
from citeseek.extraction.documents.document_reader import (
    DocumentPart,
    DocumentReader,
    DocumentReading,
)
from citeseek.extraction.documents.html_parts import heading, refuse_entities, table
from citeseek.extraction.documents.office import OLE_SIGNATURE, facts_of
from citeseek.extraction.documents.visible_cells import (
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_ROWS,
    is_sheet,
    keep_visible,
    styles_of,
)
from citeseek.locators import Locator
from citeseek.models import Page

MAX_SHEETS = 100
_MAIN = "xl/workbook.xml"
_STYLES = "xl/styles.xml"
_OLD = "Workbook".encode("utf-16-le")


def read(page: Page) -> DocumentReading:
    """Return the sheets in their order, those without cells left out."""
    import python_calamine  # noqa: PLC0415 - for spreadsheets alone

    body = page.body
    parts: dict[str, bytes] = {}
    left = MAX_CELLS
    is_cut = False
    if body.startswith(archive.SIGNATURE):
        parts = archive.parts(body, lambda name: name.endswith((".xml", ".rels")))
        for part in parts.values():
            refuse_entities(part)
        styles = styles_of(parts[_STYLES]) if _STYLES in parts else []
        for name in filter(lambda name: is_sheet(name, parts[name]), parts):
            parts[name], count, is_short = keep_visible(parts[name], styles, left)
            left -= count
            is_cut |= is_short
    book = python_calamine.CalamineWorkbook.from_filelike(
        archive.pack(parts) if parts else io.BytesIO(body)
    )
    seen = [
        (number, sheet.name)
        for number, sheet in enumerate(book.sheets_metadata, 1)
        if sheet.visible == python_calamine.SheetVisibleEnum.Visible
    ]
    is_cut |= len(seen) > MAX_SHEETS
    found: list[DocumentPart] = []
    left = MAX_CELLS
    for number, name in seen[:MAX_SHEETS]:
        rows: list[list[str]] = []
        cells = 0
        for row in book.get_sheet_by_name(name).iter_rows():
            if len(rows) >= MAX_ROWS or cells > left:
                is_cut = True
                break
            written = [_written(cell) for cell in row]
            is_cut |= any(written[MAX_COLUMNS:])
            written = written[:MAX_COLUMNS]
            if any(written):
                rows.append(written)
                cells += sum(map(bool, written))
        left -= cells
        if rows:
            html = heading(name, 2) + table(_without_empty(rows))
            found.append(DocumentPart(html, Locator("sheet", number, name[:60])))
    return DocumentReading(parts=tuple(found), is_cut=is_cut, **facts_of(parts))


def _without_empty(rows: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield ``rows`` without the columns in which nothing stands."""
    used = [at for at in range(max(map(len, rows))) if any(any(row[at : at + 1]) for row in rows)]
    for row in rows:
        yield [row[at] if at < len(row) else "" for at in used]


def _written(cell: Any) -> str:  # noqa: PLR0911 - one for each kind
    match cell:
        case bool():
            return str(cell).upper()
        case float() if cell.is_integer():
            return str(int(cell))
        case float():
            return f"{cell:.10g}"
        case datetime() if cell.time() == time():
            return cell.date().isoformat()
        case datetime():
            return cell.isoformat(" ", "minutes")
        case date() | time():
            return cell.isoformat()
        case _:
            return " ".join(str(cell).split())


READER = DocumentReader(
    kind="sheets",
    types={
        ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ".xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
        ".xls": "application/vnd.ms-excel",
    },
    read=read,
    is_one=lambda body: (
        _MAIN in archive.names(body) or (body.startswith(OLE_SIGNATURE) and _OLD in body)
    ),
    libraries=("python-calamine", "lxml"),
)
