"""From the elements of an article to text or Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from selectolax.lexbor import LexborNode

from citeseek.extraction.article_region import Region
from citeseek.extraction.code_blocks import code_of
from citeseek.extraction.document import Form
from citeseek.extraction.inline_marks import (
    code_span,
    put_around,
    split_space,
    write_subscript,
    write_superscript,
)
from citeseek.extraction.markup import BLOCKS, HEADINGS, LISTS
from citeseek.text import without_invisible
from citeseek.urls import join_url, without_user

UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
SILENT = frozenset(
    "script style template noscript head iframe object svg canvas audio video select option"
    " textarea button input".split()
)
_EMPHASIS = {"strong": "**", "b": "**", "em": "*", "i": "*"}
_STRUCK = "del, s, strike, [style*='line-through']"
# What Markdown takes for marks; an underscore within a word and an ampersand by itself are none.
_MARKS = re.compile(r"([\\`*\[\]<~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w{1,40};))")
# What it takes for the beginning of a heading, a quotation or an item, or for a line below one.
_LEADING = re.compile(
    r"(?m)^(\s*(?:\d{1,9}(?=[.)](?:\s|$)))?)"
    r"((?<!\d)(?:#{1,6}(?=\s|$)|>|[+-](?=\s|$)|(?:-+|=+)(?=\s*$))|(?<=\d)[.)](?=\s|$))"
)
# A picture with so short a description that is no word of ASCII is a sign in its line.
_LONGEST_SIGN = 12
_SPACE = re.compile(r"[ \t\r\f\v\n]+")
_SPACES = re.compile(" {2,}")
# A table with a longer cell arranges the page and holds no figures.
_LONGEST_CELL = 400
# Cells span no columns beyond this.
_WIDEST = 40


def write_text(part: Region, form: Form, url: str, *, has_all_pictures: bool = False) -> str:
    """Return the text of ``part``; ``url`` is what its links are relative to.

    ``has_all_pictures`` writes the description of each, else that of signs (an emoji) alone.
    """
    writer = _Writer(part, form, url, has_all_pictures=has_all_pictures)
    text = "\n\n".join(writer.blocks(part.root))
    return without_invisible(UNSEEN.sub("", text)).strip()


class _Writer:
    def __init__(self, part: Region, form: Form, url: str, *, has_all_pictures: bool) -> None:
        self._without = part.without
        self._has_all_pictures = has_all_pictures
        # What is struck out is no longer said: only Markdown can tell, within a paragraph.
        self._struck = frozenset(node.mem_id for node in part.root.css(_STRUCK))
        self._is_markdown = form == "markdown"
        self._url = url

    def blocks(self, parent: LexborNode) -> Iterator[str]:
        """Yield the blocks of ``parent``; what stands between them is a paragraph."""
        run: list[str] = []
        for child in parent.iter(include_text=True):
            if child.is_text_node:
                run.append(self._words(child))
                continue
            tag = child.tag or ""
            if child.mem_id in self._without or tag in SILENT or child.is_comment_node:
                continue
            is_block = tag in BLOCKS
            if not is_block and (tag == "br" or not _holds_blocks(child)):
                self._append(run, child)
                continue
            yield from self._paragraph(run)
            run = []
            if child.mem_id not in self._struck:
                # A link around blocks is written as what it holds.
                yield from self._block(child) if is_block else self.blocks(child)
        yield from self._paragraph(run)

    def _paragraph(self, run: list[str]) -> Iterator[str]:
        # White space between two blocks is most of what stands there.
        if run and run != [" "] and (text := _tidy("".join(run))):
            yield _LEADING.sub(r"\1\\\2", text) if self._is_markdown else text

    def _words(self, node: LexborNode) -> str:
        """Return what a text node says."""
        text = node.text_content or ""
        # Line breaks and tabs are not printable.
        if not text.isprintable() or "  " in text:
            text = _SPACE.sub(" ", text)
        return _MARKS.sub(r"\\\1", text) if self._is_markdown else text

    def _block(self, node: LexborNode) -> Iterator[str]:
        tag = node.tag or ""
        if level := HEADINGS.get(tag):
            if text := " ".join(self._line(node).split()):
                yield f"{'#' * level} {text}" if self._is_markdown else text
        elif tag == "pre":
            yield from self._code(node)
        elif tag in LISTS:
            yield from self._list(node)
        elif tag == "table":
            yield from self._table(node)
        elif tag == "blockquote" and self._is_markdown:
            text = "\n\n".join(self.blocks(node))
            if text:
                yield "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
        else:
            yield from self.blocks(node)

    def _code(self, node: LexborNode) -> Iterator[str]:
        code = code_of(node).strip("\n").rstrip()
        if not code.strip() or not self._is_markdown:
            yield from [code] if code.strip() else []
            return
        inner = node.css_first("code") or node
        language = re.search(r"lang(?:uage)?-([\w+#-]+)", inner.attributes.get("class") or "")
        longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
        fence = "`" * max(3, longest + 1)
        yield f"{fence}{language[1] if language else ''}\n{code}\n{fence}"

    def _list(self, node: LexborNode) -> Iterator[str]:
        lines = []
        number = _integer(node, "start", 1)
        for item in (child for child in node.iter() if child.tag not in SILENT):
            if item.mem_id in self._struck:
                continue
            number = _integer(item, "value", number)
            mark = f"{number}. " if node.tag == "ol" else f"- {_box(item)}"
            number += 1
            if item.tag in LISTS:  # a list directly in a list: written so by many editors
                nested, mark = list(self._list(item)), "  "
            else:
                nested = list(self.blocks(item))
            if nested:
                text = "\n".join(nested)
                lines.append(mark + text.replace("\n", "\n" + " " * len(mark)))
        if lines:
            yield "\n".join(lines)

    def _table(self, node: LexborNode) -> Iterator[str]:
        rows = [row for row in self._rows(node) if any(row)]
        width = max(map(len, rows), default=0)
        if (
            width < 2  # noqa: PLR2004 - one column is a list
            or any(len(cell) > _LONGEST_CELL for row in rows for cell in row)
            or len(node.css("table")) > 1
        ):
            yield from self.blocks(node)
            return
        caption = node.css_first("caption")
        if caption is not None:
            yield from self._paragraph([self._line(caption)])
        cells = [[cell.replace("\n", " ") for cell in row] for row in rows]
        if not self._is_markdown:
            yield "\n".join(" | ".join(row).rstrip(" |") for row in cells)
            return
        lines = [
            "| "
            + " | ".join(cell.replace("|", r"\|") for cell in row + [""] * (width - len(row)))
            + " |"
            for row in cells
        ]
        yield "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])

    def _rows(self, table: LexborNode) -> Iterator[list[str]]:
        """Yield the cells of each row; what a cell spans beside and below it is empty."""
        if table.css_first("[colspan], [rowspan]") is None:
            for row in table.css("tr"):
                yield [self._line(cell) for cell in row.iter() if cell.tag in ("td", "th")]
            return
        spanned: dict[int, int] = {}
        for row in table.css("tr"):
            cells: list[str] = []
            left = {at: rows for at, rows in spanned.items() if rows}
            spanned = {at: rows - 1 for at, rows in left.items()}
            for cell in row.iter():
                if cell.tag not in ("td", "th"):
                    continue
                while len(cells) in left:
                    cells.append("")
                columns = max(min(_integer(cell, "colspan", 1), _WIDEST - len(cells)), 1)
                for at in range(len(cells), min(len(cells) + columns, _WIDEST)):
                    spanned[at] = max(_integer(cell, "rowspan", 1) - 1, spanned.get(at, 0))
                cells += [self._line(cell), *[""] * (columns - 1)]
            yield cells

    def _line(self, node: LexborNode) -> str:
        """Return everything in ``node`` as one run of words."""
        return "" if node.mem_id in self._struck else _tidy(self._inside(node))

    def _inside(self, node: LexborNode) -> str:
        run: list[str] = []
        for child in node.iter(include_text=True):
            if child.is_text_node:
                run.append(self._words(child))
            else:
                self._append(run, child)
        return "".join(run)

    def _append(self, run: list[str], node: LexborNode) -> None:
        tag = node.tag or ""
        text = self._inline(node, tag)
        if tag == "a" and text.startswith("[") and run and run[-1].endswith("!"):
            # Together they would be a picture.
            run[-1] = f"{run[-1][:-1]}\\!"
        if tag in ("sup", "sub") and run and text.strip():
            text = (
                write_superscript(node, run[-1], text)
                if tag == "sup"
                else write_subscript(run[-1], text)
            )
        run.append(text)

    def _inline(self, node: LexborNode, tag: str) -> str:  # noqa: PLR0911 - one for each kind
        is_struck = node.mem_id in self._struck
        if tag in SILENT or node.is_comment_node or (is_struck and not self._is_markdown):
            return ""
        if tag == "br":
            return "\n"
        if tag == "img":
            return self._description(node)
        if tag == "math":
            formula = " ".join(node.text().split())
            return f"${formula}$" if self._is_markdown and formula else formula
        inside = self._inside(node)
        if tag in BLOCKS:
            return f" {inside} "
        if tag == "q" and inside.strip():
            return f"“{inside}”"
        if not self._is_markdown or not inside.strip():
            return inside
        if tag == "code":
            return code_span(node.text())
        if tag == "a":
            return self._link(node, inside)
        mark = "~~" if is_struck else _EMPHASIS.get(tag)
        return put_around(mark, inside) if mark else inside

    def _description(self, picture: LexborNode) -> str:
        """Return what the page says of ``picture``, empty where it is not written."""
        said = " ".join((picture.attributes.get("alt") or "").split())
        if not said:
            return ""
        is_sign = len(said) <= _LONGEST_SIGN and not re.search("[A-Za-z0-9]", said)
        if not (is_sign or self._has_all_pictures):
            return ""
        return _MARKS.sub(r"\\\1", said) if self._is_markdown else said

    def _link(self, node: LexborNode, inside: str) -> str:
        href = (node.attributes.get("href") or "").strip()
        url = join_url(self._url, href) if href and not href.startswith("#") else None
        if not url or not url.startswith(("http://", "https://")):
            return inside
        address = quote(without_user(url), safe="!#$%&'*+,/:;=?@[]~-._")
        before, words, after = split_space(inside)
        return f"{before}[{words}]({address}){after}"


def _integer(node: LexborNode, name: str, default: int) -> int:
    value = (node.attributes.get(name) or "").strip()
    return int(value) if re.fullmatch(r"[1-9][0-9]{0,5}", value) else default


def _box(item: LexborNode) -> str:
    """Return the mark of a task, for one that is done or not; empty for another item."""
    box = item.css_first("input[type=checkbox]")
    if box is None:
        return ""
    return "[x] " if "checked" in box.attributes else "[ ] "


def _holds_blocks(node: LexborNode) -> bool:
    return any(
        child.tag in BLOCKS or _holds_blocks(child)
        for child in node.iter()
        if child.tag not in SILENT
    )


def _tidy(text: str) -> str:
    """Return the lines of ``text``, in which all white space is spaces or ends a line."""
    if "  " in text:
        text = _SPACES.sub(" ", text)
    if "\n" not in text:
        return text.strip()
    return "\n".join(stripped for line in text.split("\n") if (stripped := line.strip()))
