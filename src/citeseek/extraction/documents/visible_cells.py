"""The sheets of an XLSX as a reader sees them, close together and within limits.

A library that reads a sheet makes room for all cells between the first and the last, which may be
17 billion apart: it is given the used rows and columns alone, without gaps.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from html import escape
from typing import Any

import msgspec

from citeseek.extraction.documents.html_parts import parse_xml

MAX_ROWS = 20_000
MAX_CELLS = 400_000
# Further to the right stand no figures that a reader looks at.
MAX_COLUMNS = 100
_LAST_COLUMN = 16_384
_REFERENCE = re.compile(rb"\br=[\"']([A-Z]{1,3})[0-9]+[\"']")
_SET = frozenset(("1", "true"))
_PERCENTS = {9: "0%", 10: "0.00%"}
# The widths of signs and what fills a cell; `[$€-407]` is a currency, `[Red]` none.
_LAYOUT = re.compile(r"_.|\*.|\[(?!\$)[^\]]*\]")
_CURRENCY = re.compile(r"\[\$([^\]-]*)[^\]]*\]")
_FORMAT = re.compile(r"([^#0?]*?)([#0?,]*[#0?])(?:\.([#0?]+))?([^#0?,]*)")


class CellStyle(msgspec.Struct, frozen=True):
    """How a cell is shown: the format of its number, and whether it is struck out."""

    number: str = ""
    is_struck: bool = False


def styles_of(part: bytes) -> list[CellStyle]:
    """Return the styles of ``part``, ``xl/styles.xml``, which cells name by their places."""
    root = parse_xml(part)
    formats = _PERCENTS | {
        int(node.get("numFmtId")): node.get("formatCode", "") for node in root.iter("{*}numFmt")
    }
    struck = [_is_struck(font) for font in root.iterfind("{*}fonts/{*}font")]
    found = []
    for node in root.iterfind("{*}cellXfs/{*}xf"):
        font = int(node.get("fontId", 0))
        number = formats.get(int(node.get("numFmtId", 0)), "")
        found.append(CellStyle(number, font < len(struck) and struck[font]))
    return found


def keep_visible(
    part: bytes, styles: Sequence[CellStyle], most: int = MAX_CELLS
) -> tuple[bytes, int, bool]:
    """Return a sheet with ``most`` cells, how many it has, and whether some were cut off.

    Rows and columns that are hidden, and cells that are struck out, are left out.
    """
    used = sorted({_column(letters) for letters in set(_REFERENCE.findall(part))})
    columns = used or range(1, _LAST_COLUMN + 1)
    places = {column: _letters(at) for at, column in enumerate(columns[:MAX_COLUMNS], 1)}
    hidden: set[int] = set()
    rows: list[bytes] = []
    count = 0
    is_cut = False
    for node in _nodes(part):
        if node.tag.endswith("}col"):
            hidden |= _hidden(node)
            continue
        if node.get("hidden") in _SET:
            continue
        cells: list[bytes] = []
        column = 0
        for cell in node.iterfind("{*}c"):
            named = re.match(r"[A-Z]{1,3}", cell.get("r", ""))
            column = _column(named[0].encode()) if named else column + 1
            if not len(cell) or column in hidden:
                continue
            if column not in places:
                is_cut = True
            elif written := _cell(cell, f"{places[column]}{len(rows) + 1}", styles):
                cells.append(written)
        if cells and (len(rows) >= MAX_ROWS or count >= most):
            is_cut = True
            break
        if cells:
            rows.append(b'<row r="%d">%b</row>' % (len(rows) + 1, b"".join(cells)))
            count += len(cells)
    sheet = b"<worksheet><sheetData>%b</sheetData></worksheet>" % b"".join(rows)
    return sheet, count, is_cut


def show_number(value: str, code: str) -> str:
    """Return ``value`` as a percentage or an amount of money in the format ``code``.

    Empty for other formats, of which the number is what matters.
    """
    code = _CURRENCY.sub(r"\1", _LAYOUT.sub("", code.partition(";")[0])).replace("\\", "")
    match = _FORMAT.fullmatch(code.replace('"', ""))
    if match is None:
        return ""
    before, whole, fraction, after = match.groups(default="")
    is_percent = "%" in before + after
    if not is_percent and all(unicodedata.category(sign) != "Sc" for sign in before + after):
        return ""
    number = Decimal(value) * (100 if is_percent else 1)
    number = number.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP)
    text = f"{abs(number):,f}" if "," in whole else f"{abs(number):f}"
    return f"{'-' if number < 0 else ''}{before.lstrip('-')}{text}{after}".strip()


def is_sheet(name: str, part: bytes) -> bool:
    """Whether a part of a workbook is a sheet with cells."""
    return name.endswith(".xml") and b"sheetData" in part[:100_000]


def _nodes(part: bytes) -> Iterator[Any]:
    """Yield the columns and rows of a sheet, each gone when the next is there."""
    from lxml import etree  # type: ignore[import-untyped] # noqa: PLC0415 - 50 ms

    for _, node in etree.iterparse(
        io.BytesIO(part),
        tag=("{*}col", "{*}row"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
    ):
        yield node
        node.clear()
        while node.getprevious() is not None:
            del node.getparent()[0]


def _cell(cell: Any, at: str, styles: Sequence[CellStyle]) -> bytes:
    """Return ``cell`` at another place, empty for one that is struck out."""
    from lxml import etree  # noqa: PLC0415

    place = int(cell.get("s", 0))
    style = styles[place] if place < len(styles) else CellStyle()
    if style.is_struck:
        return b""
    value = cell.findtext("{*}v") if style.number and cell.get("t", "n") == "n" else None
    if shown := show_number(value, style.number) if value else "":
        text = escape(shown).encode()
        return b'<c r="%b" t="inlineStr"><is><t>%b</t></is></c>' % (at.encode(), text)
    cell.set("r", at)
    return bytes(etree.tostring(cell, with_tail=False))


def _hidden(column: Any) -> set[int]:
    if column.get("hidden") not in _SET:
        return set()
    return set(range(int(column.get("min")), min(int(column.get("max")), _LAST_COLUMN) + 1))


def _is_struck(font: Any) -> bool:
    mark = font.find("{*}strike")
    return mark is not None and mark.get("val", "1") in _SET


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _letters(column: int) -> str:
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
