"""Code on a page: one ``pre`` for a block, with its line breaks and without line numbers."""

from __future__ import annotations

import re
from html import escape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.markup import BLOCKS

# Columns and signs of line numbers, by the names that highlighters give them.
_NUMBERS = (
    "td.gutter, td.linenos, td.line-numbers, td.rouge-gutter, td.blob-num, td.hljs-ln-numbers,"
    " td[class*=lineno], .linenodiv, pre .line-numbers-rows, pre .line-number, pre .gutter,"
    " pre [class*=lineno], pre [class*=linenumber], pre .ln, pre .lnt"
)
_IN_TABLE = "pre, td.code, td.blob-code, td.hljs-ln-code, td.rouge-code"
_BREAKING = "br, div, p, li, tr, [style*=display]"
# How a highlighter makes a line of an element that is none.
_LINE_STYLE = re.compile(r"(?i)(?:^|;)\s*display\s*:\s*(?:block|flex|grid|table-row|list-item)\b")
_MOST = 2_000


def tidy_code(document: LexborHTMLParser) -> None:
    """Make every block of code in ``document`` one ``pre`` of plain text."""
    for node in document.css(_NUMBERS)[:_MOST]:
        if _is_of_numbers(node):
            node.decompose()
    for table in document.css("table")[:_MOST]:
        code = _listing(table) if table.css_first(_IN_TABLE) is not None else None
        if code is not None:
            _replace(table, code)
    for block in document.css("pre")[:_MOST]:
        if block.css_first(_BREAKING) is not None:
            _replace(block, code_of(block))


def code_of(node: LexborNode) -> str:
    """Return the text of a block of code; what breaks lines on the page breaks them here."""
    parts: list[str] = []
    for child in node.iter(include_text=True):
        if child.is_text_node:
            parts.append(child.text_content or "")
        elif child.tag == "br":
            parts.append("\n")
        elif child.tag in BLOCKS or _LINE_STYLE.search(child.attributes.get("style") or ""):
            if parts and not parts[-1].endswith("\n"):
                parts.append("\n")
            parts.append(code_of(child).removesuffix("\n") + "\n")
        elif not child.is_comment_node:
            parts.append(code_of(child))
    return "".join(part for part in parts if part)


def _listing(table: LexborNode) -> str | None:
    """Return the code in a table that holds nothing else, None for another table."""
    lines = []
    for row in table.css("tr"):
        cells = [cell for cell in row.iter() if cell.tag in ("td", "th") and cell.text().strip()]
        if len(cells) > 1 and _is_of_numbers(cells[0]):
            del cells[0]
        if len(cells) > 1 or row.css_first("table") is not None:
            return None
        lines.append(code_of(cells[0]).strip("\n") if cells else "")
    return "\n".join(lines)


def _is_of_numbers(node: LexborNode) -> bool:
    return re.fullmatch(r"[\d\s]*", node.text(separator=" ")) is not None


def _replace(node: LexborNode, code: str) -> None:
    inner = node.css_first("code[class*=lang]") or node
    named = escape(inner.attributes.get("class") or "")
    # The parser drops one line break after the tag.
    markup = f'<pre><code class="{named}">\n{escape(code)}</code></pre>'
    block = LexborHTMLParser(markup).css_first("pre")
    if block is not None:
        node.replace_with(block)
