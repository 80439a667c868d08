"""What mkdocs is told about our pages, which are written to be read as they are (see mkdocs.yml).

They follow CommonMark, as code hosts show them; mkdocs renders with Python-Markdown, which wants
four spaces in a list where CommonMark wants as many as the marker has. Links that leave ``docs``
have no place in the site and become the path of the file. A browser shows the end of a line as a
space, which Chinese does not have behind its punctuation. The navigation of mkdocs is one for all
pages; a reader of one language wants none of the other's.
"""

from __future__ import annotations

import re
from typing import Any, Protocol

from markdown_it import MarkdownIt
from mkdocs.structure.nav import Navigation

INDENT = 4
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+((?!\.\.)[\w./-]+)(?:#[\w-]+)?\)")
NAMED_FENCE = re.compile(r"^( *```\w+) ([\w.]+)$", re.MULTILINE)
CHINESE_LINE_END = re.compile(r"(?<=[，。；：、！？）])\n *(?=[\u4e00-\u9fff“（`\[A-Z])(?!```)")
CHINESE_SECTION = "中文"
LISTS = MarkdownIt("commonmark").enable("table")


class Source(Protocol):
    """The file of a page."""

    src_uri: str


class Page(Protocol):
    """A page, as mkdocs gives it to its hooks."""

    file: Source


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Return the text of a page as Python-Markdown reads it."""
    depth = page.file.src_uri.count("/") + 1
    markdown = OUTSIDE.sub(lambda link: _outside(link, depth), markdown)
    if is_chinese(page.file.src_uri):
        markdown = CHINESE_LINE_END.sub("", markdown)
    return NAMED_FENCE.sub(r'\1 title="\2"', with_wide_lists(markdown))


def on_post_page(output: str, *, page: Page, **_: object) -> str:
    """Return a Chinese page with its language, which decides on fonts and voices."""
    if is_chinese(page.file.src_uri):
        return output.replace('<html lang="en"', '<html lang="zh-CN"', 1)
    return output


def on_nav(nav: Navigation, **_: object) -> Navigation:
    """Return ``nav`` in which no page leads on to one of the other language."""
    for page in nav.pages:
        for side in ("previous_page", "next_page"):
            if (beside := getattr(page, side)) and _differ(page, beside):
                setattr(page, side, None)
    return nav


def on_page_context(
    context: dict[str, Any], *, page: Any, nav: Navigation, **_: object
) -> dict[str, Any]:
    """Return the ``context`` of a page with the navigation of its language alone."""
    (chinese,) = (item for item in nav.items if item.title == CHINESE_SECTION)
    is_other = is_chinese(page.file.src_uri)
    items = chinese.children if is_other else [item for item in nav.items if item is not chinese]
    own = Navigation(items, [each for each in nav.pages if not _differ(each, page)])
    own.homepage = own.pages[0]
    return {**context, "nav": own}


def _differ(page: Any, other: Any) -> bool:
    return is_chinese(page.file.src_uri) != is_chinese(other.file.src_uri)


def is_chinese(path: str) -> bool:
    """Whether the page at ``path`` is written in Chinese."""
    return path.startswith("zh/") or path.endswith(".zh.md")


def with_wide_lists(markdown: str) -> str:
    """Return ``markdown`` with four spaces for each level of a list, and a line before each."""
    lines = markdown.split("\n")
    added = [0] * len(lines)
    begins: set[int] = set()
    for token in LISTS.parse(markdown):
        if token.map is None:
            continue
        first, end = token.map
        if token.type == "list_item_open":
            marker = len(token.info + token.markup) + 1
            for place in range(first + 1, end):
                added[place] += INDENT - marker
        elif token.type in ("bullet_list_open", "ordered_list_open") and token.level == 0:
            begins.add(first)
    wide = [" " * more + line if line else line for more, line in zip(added, lines, strict=True)]
    for place in sorted(begins, reverse=True):
        if place and lines[place - 1]:
            wide.insert(place, "")
    return "\n".join(wide)


def _outside(link: re.Match[str], depth: int) -> str:
    """Return a link out of ``docs`` as the path from the root; others as they are."""
    ups = link[0].count("../")
    if ups < depth:
        return link[0]
    text, path = link[1], link[2].rstrip("/")
    return text if text.strip("`") == path else f"{text} (`{path}`)"
