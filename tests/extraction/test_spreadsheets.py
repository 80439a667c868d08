"""Spreadsheets as they are seen: what is hidden or struck out, far cells, and formats."""

from __future__ import annotations

import io
import zipfile

import pytest
from tests.extraction import raw_documents as raw

from citeseek.extraction import Document, extract_legible
from citeseek.extraction.documents import visible_cells
from citeseek.models import Page

STYLES = (
    "<styleSheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><numFmts>"
    "<numFmt numFmtId='164' formatCode='0.0%'/>"
    "<numFmt numFmtId='165' formatCode='&quot;$&quot;#,##0.00'/></numFmts>"
    "<fonts><font/><font><strike/></font></fonts><cellXfs><xf numFmtId='0'/><xf numFmtId='164'/>"
    "<xf numFmtId='165'/><xf numFmtId='0' fontId='1'/></cellXfs></styleSheet>"
)


def read(rows: str, *, before: str = "", state: str = "visible") -> Document:
    """Return what is read of a workbook whose first sheet has these ``rows``."""
    with zipfile.ZipFile(io.BytesIO(raw.xlsx())) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    parts["xl/worksheets/sheet1.xml"] = (
        f"<worksheet xmlns='{main}'>{before}<sheetData>{rows}</sheetData></worksheet>"
    )
    parts["xl/styles.xml"] = STYLES
    book = parts["xl/workbook.xml"]
    assert isinstance(book, bytes)
    parts["xl/workbook.xml"] = book.replace(b'sheetId="1"', f'sheetId="1" state="{state}"'.encode())
    page = Page(url="file:a.xlsx", headers={}, body=raw.packed(parts))
    return extract_legible(page, "text")


def cell(at: str, value: str, style: int = 0) -> str:
    return f'<c r="{at}" s="{style}" t="inlineStr"><is><t>{value}</t></is></c>'


def number(at: str, value: str, style: int) -> str:
    return f'<c r="{at}" s="{style}"><v>{value}</v></c>'


def row(at: int, *cells: str, marks: str = "") -> str:
    return f'<row r="{at}"{marks}>{"".join(cells)}</row>'


def test_a_cell_that_is_far_away_is_read_without_the_room_between() -> None:
    document = read(row(1, cell("A1", "near")) + row(1048576, cell("XFD1048576", "far")))
    assert "near" in document.text
    assert "far" in document.text
    assert not document.is_cut


@pytest.mark.parametrize("limit", ["MAX_ROWS", "MAX_COLUMNS"])
def test_what_is_cut_off_is_said(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visible_cells, limit, 2)
    grid = [row(at, *(cell(f"{name}{at}", f"{name}-{at}") for name in "ABC")) for at in (1, 2, 3)]
    document = read("".join(grid))
    assert document.is_cut
    assert ("A-3" in document.text, "C-1" in document.text) == (
        limit == "MAX_COLUMNS",
        limit == "MAX_ROWS",
    )


def test_shares_and_money_are_read_as_they_are_shown() -> None:
    text = read(row(1, number("A1", "0.125", 1), number("B1", "-1234.5", 2))).text
    assert "12.5% | -$1,234.50" in text


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        ("0.125", "0%", "13%"),
        ("99.5", "#,##0.00\\ [$€-407]", "99.50 €"),
        ("1234567.891", '_("$"* #,##0.00_)', "$1,234,567.89"),
        ("1.5", "0.00", ""),
        ("43831", "yyyy-mm-dd", ""),
        ("7", "General", ""),
    ],
)
def test_the_format_of_a_number(value: str, code: str, shown: str) -> None:
    assert visible_cells.show_number(value, code) == shown


def test_what_is_hidden_or_struck_out_is_not_read() -> None:
    document = read(
        row(1, cell("A1", "seen"), cell("B1", "secret column"), cell("C1", "old price", 3))
        + row(2, cell("A2", "secret row"), marks=' hidden="1"'),
        before='<cols><col min="2" max="2" hidden="1"/></cols>',
    )
    assert document.text.splitlines()[:3] == ["Ships", "", "seen"]
    hidden = read(row(1, cell("A1", "secret")), state="hidden")
    assert (hidden.text.splitlines()[0], "secret" in hidden.text) == ("Costs", False)
    assert [one.locator.number for one in hidden.pages] == [2]
