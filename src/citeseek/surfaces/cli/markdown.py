"""Markdown that a language model wrote, for a terminal. Nothing in it is trusted."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderableType, RenderResult
from rich.rule import Rule
from rich.style import Style
from rich.text import Text

from citeseek.citations import Source, link_target
from citeseek.surfaces.cli.text_layout import Hanging, Rows, Wrapped
from citeseek.surfaces.markdown_dialect import (
    add_citations,
    add_cjk_emphasis,
    find_block_ends,
    limit_work,
    restore_numbers,
)
from citeseek.text import without_controls

_STYLES = {"strong": "bold", "em": "italic", "s": "strike", "code_inline": "cyan"}
_HEADINGS = {"h1": "bold underline", **dict.fromkeys(("h2", "h3", "h4", "h5", "h6"), "bold")}
_JUSTIFY: Mapping[str, JustifyMethod] = {
    "text-align:right": "right",
    "text-align:center": "center",
}
# Twenty lists in each other.
_MAX_NESTING = 40
# Where each number leads.
_Links: TypeAlias = Mapping[int, str]
_CJK_FROM = "\u2e80"

log = logging.getLogger(__name__)


class Markdown:
    """``text`` as headings, lists, tables and code; its citations of ``sources`` are links.

    They are signs, as :func:`citation.signed` makes them.
    """

    def __init__(self, text: str, sources: Iterable[Source] = ()) -> None:
        self._text = text
        self._links = {each.number: each.url for each in sources if link_target(each.url)}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        try:
            tree = SyntaxTreeNode(_parser().parse(self._text, {"references": {}}))
            shown = list(_blocks(tree.children, self._links))
        except Exception:
            # A fault of a parser costs the layout, not the answer.
            log.exception("Markdown could not be read")
            shown = [Wrapped(Text(without_controls(restore_numbers(self._text))))]
        yield from shown


def find_settled_end(text: str) -> int:
    """Return up to where ``text``, of which more is to come, consists of finished blocks."""
    ends = find_block_ends(_parser(), text, {"references": {}}, all_of_it=False)
    lines = text.split("\n")[: ends[-1]] if ends else []
    return sum(len(line) + 1 for line in lines)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _MAX_NESTING})
    parser.enable(["table", "strikethrough"])
    # A line that defines a link would vanish, and lead citations elsewhere.
    parser.disable("reference")
    limit_work(parser)
    add_cjk_emphasis(parser)
    add_citations(parser)
    return parser


def _blocks(nodes: Sequence[SyntaxTreeNode], links: _Links) -> Iterator[RenderableType]:
    """Yield each of ``nodes``, with a blank line between those that are no list items close by."""
    for place, node in enumerate(nodes):
        if place and not _is_close(nodes[place - 1], node):
            yield ""
        yield _block(node, links)


def _is_close(before: SyntaxTreeNode, after: SyntaxTreeNode) -> bool:
    """Whether no blank line stands between two blocks: inside a tight list there is none."""
    if after.type == "list_item":
        return not any(_is_loose(node) for node in (before, after))
    return before.type == "paragraph" and before.hidden


def _is_loose(item: SyntaxTreeNode) -> bool:
    return any(child.type == "paragraph" and not child.hidden for child in item.children)


def _block(node: SyntaxTreeNode, links: _Links) -> RenderableType:
    shown: RenderableType
    match node.type:
        case "bullet_list" | "ordered_list":
            shown = Group(*_items(node, links))
        case "blockquote":
            shown = Hanging("│ ", *_blocks(node.children, links), rest="│ ", style="dim")
        case "fence" | "code_block":
            code = Text(without_controls(restore_numbers(node.content.rstrip("\n"))), style="cyan")
            shown = Hanging("    ", Wrapped(code))
        case "hr":
            shown = Rule(style="dim")
        case "table":
            shown = _table(node, links)
        case _:
            shown = Wrapped(_inline(node, links, _HEADINGS.get(node.tag, "")))
    return shown


def _items(node: SyntaxTreeNode, links: _Links) -> Iterator[RenderableType]:
    items = node.children
    start = int(node.attrs.get("start", 1))
    width = len(str(start + len(items) - 1))
    for place, item in enumerate(items):
        if place and not _is_close(items[place - 1], item):
            yield ""
        is_numbered = node.type == "ordered_list"
        marker = f"{start + place:>{width}}. " if is_numbered else "• "
        yield Hanging(marker, *_blocks(item.children, links))


def _table(node: SyntaxTreeNode, links: _Links) -> Rows:
    head, *rows = (row.children for part in node.children for row in part.children)
    return Rows(
        [_inline(cell, links) for cell in head],
        [[_inline(cell, links) for cell in row] for row in rows],
        [_JUSTIFY.get(str(cell.attrs.get("style")), "left") for cell in head],
    )


def _inline(node: SyntaxTreeNode, links: _Links, style: str | Style = "") -> Text:
    """Return the text of ``node`` with its emphasis, its code and its links."""
    text = Text()
    _write(text, node, links, Style.parse(style) if isinstance(style, str) else style)
    return text


def _write(text: Text, node: SyntaxTreeNode, links: _Links, style: Style) -> None:
    match node.type:
        case "text" | "code_inline":
            text.append(
                without_controls(restore_numbers(node.content)),
                style + Style.parse(_STYLES.get(node.type, "")),
            )
        case "softbreak":
            text.append("" if _is_within_cjk(text, node) else " ", style)
        case "hardbreak":
            text.append("\n")
        case "citation":
            address = links.get(node.meta["number"])
            link = Style(link=without_controls(address)) if address else Style()
            text.append(node.content, style + link)
        case "link" | "image":
            _write_foreign(text, node, links, style)
        case _:
            inner = style + Style.parse(_STYLES.get(node.type, ""))
            for child in node.children:
                _write(text, child, links, inner)


def _write_foreign(text: Text, node: SyntaxTreeNode, links: _Links, style: Style) -> None:
    """Write a link or picture that is no citation: what it says, and in words where it leads."""
    for child in node.children:
        _write(text, child, links, style)
    address = without_controls(str(node.attrs.get("href") or node.attrs.get("src") or ""))
    if address and address != without_controls(_plain(node)):
        text.append(f" ({address})" if _plain(node) else address, style)


def _plain(node: SyntaxTreeNode) -> str:
    return "".join(child.content or _plain(child) for child in node.children)


def _is_within_cjk(text: Text, node: SyntaxTreeNode) -> bool:
    """Whether the line break ``node`` stands between two characters of a script without spaces."""
    following = node.next_sibling
    after = following.content or _plain(following) if following else ""
    return text.plain[-1:] >= _CJK_FROM and after[:1] >= _CJK_FROM
