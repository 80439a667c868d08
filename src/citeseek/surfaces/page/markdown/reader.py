"""The Markdown parser, and what it is told about an answer."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from citeseek.citations import Source, Span
from citeseek.surfaces.markdown_dialect import (
    add_citations,
    add_cjk_emphasis,
    find_block_ends,
    limit_work,
    replace_links,
)
from citeseek.surfaces.page.markdown import formulas, inline_html
from citeseek.surfaces.page.markdown.allowed import sanitize
from citeseek.surfaces.page.markdown.definitions import Definitions
from citeseek.surfaces.page.markdown.elements import Elements
from citeseek.surfaces.page.markdown.links import addresses, notes
from citeseek.text import encodable

# Levels of headings that the page has for itself.
HEADINGS_ABOVE = 2
_DEEPEST_HEADING = 6

# A paragraph inside of one of these takes its direction from it: a child with a direction of its
# own would not count for that of its parent.
_DIRECTED = {"heading_open", "list_item_open", "blockquote_open", "td_open", "th_open"}


def dress(state: StateCore) -> None:
    """Lower the headings, find tasks and the direction of blocks, take styles out of tables."""
    for at, token in enumerate(state.tokens):
        if token.type in {"heading_open", "heading_close"}:
            level = int(token.tag[1:]) + state.env["manner"].headings_above
            token.tag = f"h{min(level, _DEEPEST_HEADING)}"
        elif token.type in {"th_open", "td_open"}:
            _dress_cell(token, state.tokens[at + 1], state.tokens[at + 2])
        elif token.type == "list_item_open":
            _find_task(state.tokens[at + 1 : at + 3])
        if token.type in _DIRECTED or (token.type == "paragraph_open" and token.level == 0):
            token.attrSet("dir", "auto")


def keep_citations_to_words(state: StateCore) -> None:
    """Give each citation the space before it, which is then neither shown nor broken at."""
    for block in state.tokens:
        before: Token | None = None
        for token in block.children or ():
            if token.type == "citation" and before is not None:
                _take_gap(token, before)
            before = token


def _take_gap(citation: Token, before: Token) -> None:
    if before.type == "softbreak":
        before.type, before.tag, before.content = "text", "", ""
        citation.meta["gap"] = " "
    elif before.type == "text" and before.content.endswith(" "):
        before.content = before.content.rstrip(" ")
        citation.meta["gap"] = " "


def _dress_cell(opening: Token, content: Token, closing: Token) -> None:
    alignment = str(opening.attrs.pop("style", "")).removeprefix("text-align:")
    if alignment:
        opening.attrSet("class", alignment)
    if opening.type == "th_open" and content.content:
        opening.attrSet("scope", "col")
    elif opening.type == "th_open":
        # A header that says nothing is none.
        opening.tag = closing.tag = "td"


def _find_task(tokens: list[Token]) -> None:
    """Put a box in the place of the sign with which the text of a list item begins."""
    is_text = [token.type for token in tokens] == ["paragraph_open", "inline"]
    children = tokens[1].children if is_text else None
    if not children or children[0].type != "text":
        return
    if sign := _TASK.match(children[0].content):
        children[0].content = children[0].content[sign.end() :]
        box = Token("task", "", 0)
        box.meta["is_done"] = sign[1] != " "
        children.insert(0, box)


_log = logging.getLogger(__name__)

_TASK = re.compile(r"\[([ xX])\] ")
_LINE_END = re.compile(r"\r\n?")
# Twenty lists in each other. What is nested deeper is left out: time and stack have an end.
_MAX_NESTING = 40


@dataclass(frozen=True, slots=True)
class Labels:
    """What those are told who do not see it: of a table, of a page that was not read, of tasks."""

    table: str = "Table"
    found: str = ""
    done: str = "done"
    to_do: str = "to do"


PLAIN = Labels()


@dataclass(frozen=True, slots=True)
class Manner:
    """How text is read: where its numbers lead and what the page calls its parts.

    ``notes`` are what is said of numbers, ``growing`` says that more of the text is to come. Of the
    levels of headings the page has ``headings_above`` for itself.
    """

    addresses: Mapping[int, str]
    labels: Labels = PLAIN
    growing: bool = False
    notes: Mapping[int, str] = field(default_factory=dict)
    headings_above: int = HEADINGS_ABOVE


class _MarkdownParser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - the name is the library's
        """Let every address pass: a link that may not lead anywhere is made text later."""
        return True


def plain_lines(text: str) -> str:
    """Return ``text`` as the parser wants it: encodable, with line feeds and without NUL."""
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    return encodable(text).replace("\0", "\ufffd")


def read(text: str, manner: Manner, definitions: Definitions) -> list[str]:
    """Return the HTML of each top-level block of ``text``, which is as :func:`plain_lines` gives.

    Links may use ``definitions``; those that ``text`` makes are added to them.
    """
    parser = _parser()
    env: dict[str, Any] = {"references": definitions, "manner": manner}
    env["growing"] = manner.growing
    try:
        tokens = parser.parse(text, env)
        return [
            sanitize(parser.renderer.render(block, parser.options, env).strip())
            for block in _blocks(tokens)
        ]
    except Exception:  # noqa: BLE001 - a fault of a parser costs the layout, not the answer
        _log.exception("Markdown could not be read")
        return [sanitize(f'<p dir="auto">{escape(text)}</p>')]


def block_ends(text: str, *, all_of_it: bool) -> list[int]:
    """Return after how many lines of ``text`` its top-level blocks end.

    Unless ``text`` is ``all_of_it``, the last block is left out if a further line can belong to it.
    """
    env = {"references": Definitions()}
    try:
        return find_block_ends(_parser(), text, env, all_of_it=all_of_it)
    except Exception:  # noqa: BLE001 - read() will do without the layout
        _log.exception("Markdown could not be taken apart")
        return []


@cache
def _parser() -> MarkdownIt:
    options = {"html": False, "xhtmlOut": False, "maxNesting": _MAX_NESTING}
    parser = _MarkdownParser("commonmark", options, renderer_cls=Elements)
    parser.enable(["table", "strikethrough"])
    limit_work(parser)
    add_cjk_emphasis(parser)
    formulas.add(parser)
    inline_html.add(parser)
    add_citations(parser)
    parser.core.ruler.push("dress", dress)
    parser.core.ruler.push("keep_citations_to_words", keep_citations_to_words)
    # It puts its rules in order when it first needs them, which two threads must not do at once.
    parser.parse("a", {"manner": Manner({})})
    return parser


def _blocks(tokens: list[Token]) -> list[list[Token]]:
    blocks: list[list[Token]] = []
    level = 0
    for token in tokens:
        if level == 0:
            blocks.append([])
        blocks[-1].append(token)
        level += token.nesting
    return blocks


def render(
    markdown: str,
    sources: Iterable[Source],
    spans: Iterable[Span] = (),
    *,
    labels: Labels = PLAIN,
    headings_above: int = HEADINGS_ABOVE,
) -> str:
    """Return ``markdown`` as HTML in which citations of ``sources`` are superscript links.

    ``spans`` are their places in it. Every other link shows the host that it leads to.
    ``labels`` are said to those who cannot see it. Its first headings are below ``headings_above``
    others. Never raises.
    """
    return "\n".join(_read(markdown, tuple(sources), spans, labels, headings_above))


def blocks_of(
    markdown: str,
    sources: Iterable[Source],
    spans: Iterable[Span] = (),
    *,
    labels: Labels = PLAIN,
) -> list[str]:
    """Return what :func:`render` gives as elements, one for each top-level block."""
    return [block(html) for html in _read(markdown, tuple(sources), spans, labels)]


def _read(
    markdown: str,
    sources: tuple[Source, ...],
    spans: Iterable[Span],
    labels: Labels,
    headings_above: int = HEADINGS_ABOVE,
) -> list[str]:
    text = plain_lines(replace_links(markdown, spans))
    said = notes(sources, labels.found)
    manner = Manner(addresses(sources), labels, notes=said, headings_above=headings_above)
    return read(text, manner, Definitions())


def block(html: str) -> str:
    """Return the element of the page around the HTML of one top-level block."""
    return f'<div class="block">{html}</div>'
