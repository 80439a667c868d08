"""The data from which scripts build a page: where they hold its text, no script need run.

Next, Nuxt, SvelteKit, Redux and others write them into the page as JSON, in ``<script>`` or as what
is assigned to a global name. They hold all sorts of texts: only that of an object which names this
page, by its title or its address, is the page's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser

from citeseek.extraction.markup import letters
from citeseek.text import plain_line

_DATA_SCRIPTS = "script[type='application/json' i], script#__NEXT_DATA__, script#__NUXT_DATA__"
_ASSIGNED = re.compile(
    r"(?:window|self|globalThis)\s*(?:\.\s*|\[\s*[\"'])[\w$]{3,60}(?:[\"']\s*\])?\s*=\s*"
    r"(?P<parse>JSON\.parse\(\s*)?(?=[\[{\"'])"
)
_MAX_LETTERS = 4_000_000
_MAX_OBJECTS = 50_000
_MAX_DEPTH = 60
# A text shorter than this is a summary.
_LEAST = 250
_BODIES = (
    "articleBody", "body", "content", "contents", "html", "bodyHtml", "body_html", "contentHtml",
    "content_html", "bodyText", "body_text", "text", "markdown", "rendered", "richText",
    "rich_text", "document", "json", "paragraphs", "blocks", "sections", "story",
)  # fmt: skip
_TITLES = ("headline", "title", "name", "heading")
_PLACES = ("slug", "url", "canonicalUrl", "canonical", "path", "href", "permalink", "id", "uuid")
# The text within the nodes of rich text, whoever's they are.
_WITHIN = ("text", "value", "content", "children", "html", "data", "paragraphs", "items", "nodes")
# A number in an address may stand for anything; a longer one is the name of one thing.
_SHORTEST_NAME = 4
# A page's title that is shorter may stand in any other one.
_LONG_TITLE = 12


class StateArticle(msgspec.Struct, frozen=True):
    """A text that a page holds as data, which may be HTML, and its title."""

    body: str = ""
    title: str = ""


def state_scripts(document: LexborHTMLParser) -> list[str]:
    """Return the scripts of ``document`` that hold data, as they are."""
    found = [node.text() for node in document.css(_DATA_SCRIPTS)]
    found += [
        source
        for node in document.css("script:not([src]):not([type*=json i])")
        if _ASSIGNED.search(source := node.text())
    ]
    return [source for source in found if len(source) <= _MAX_LETTERS]


def article_in(scripts: list[str], url: str, title: str) -> StateArticle:
    """Return the longest text in ``scripts`` whose object names the page; empty without one.

    ``title`` is the page's, as far as it has one.
    """
    path = unquote(urlsplit(url).path).casefold()
    named = [
        StateArticle(body, _title(item))
        for item in _objects(scripts)
        if _is_of_page(item, path, title) and letters(body := _body(item)) >= _LEAST
    ]
    return max(named, key=lambda one: letters(one.body), default=StateArticle())


def _objects(scripts: list[str]) -> Iterator[dict[str, Any]]:
    left = _MAX_OBJECTS
    for source in scripts:
        stack = [(value, 0) for value in _values(source)]
        while stack and left:
            value, depth = stack.pop()
            if depth > _MAX_DEPTH:
                continue
            if isinstance(value, dict):
                left -= 1
                yield value
                stack += [(one, depth + 1) for one in value.values()]
            elif isinstance(value, list):
                stack += [(one, depth + 1) for one in value]


def _values(source: str) -> Iterator[Any]:
    """Yield what ``source`` holds as JSON: all of it, or what it assigns to global names."""
    decoder = json.JSONDecoder()
    try:
        whole = decoder.decode(source)
    except (ValueError, RecursionError):
        whole = None
    if whole is not None:
        yield _unflatten(whole)
        return
    at = 0
    while found := _ASSIGNED.search(source, at):
        at = found.end()
        try:
            value, at = decoder.raw_decode(source, at)
            if found["parse"] and isinstance(value, str):
                value = decoder.decode(value)
        except (ValueError, RecursionError):
            continue
        yield value


def _unflatten(value: Any) -> Any:
    """Return what Nuxt writes as one list, in which numbers stand for its other items."""
    is_flat = (
        isinstance(value, list)
        and len(value) > 1
        and isinstance(value[0], list | dict)
        and all(isinstance(one, int | str) for one in value[0])
    )
    if not is_flat:
        return value

    def item(at: Any) -> Any:
        return value[at] if type(at) is int and 0 <= at < len(value) else at

    def items(at: Any) -> Any:
        one = item(at)
        return list(map(item, one)) if isinstance(one, list) else one

    return [
        {key: items(at) for key, at in one.items()} if isinstance(one, dict) else one
        for one in value
    ]


def _is_of_page(item: dict[str, Any], path: str, title: str) -> bool:
    own = plain_line(_title(item)).casefold()
    whole = plain_line(title).casefold()
    if len(own) >= _SHORTEST_NAME and (
        own in whole or (len(whole) >= _LONG_TITLE and whole in own)
    ):
        return True
    last = path.rstrip("/").rpartition("/")[2]
    for key in _PLACES:
        place = item.get(key)
        name = str(place).casefold().rstrip("/").rpartition("/")[2] if place else ""
        name = name.partition("?")[0]
        if len(name) >= _SHORTEST_NAME and last and (name == last or last.startswith(f"{name}-")):
            return True
    return False


def _title(item: dict[str, Any]) -> str:
    for key in _TITLES:
        value = item.get(key)
        if isinstance(value, dict):
            value = value.get("rendered")
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _body(item: dict[str, Any]) -> str:
    return max((_text(item[key], 0) for key in _BODIES if key in item), key=letters, default="")


def _text(value: Any, depth: int) -> str:
    """Return the text of a string, of a list of paragraphs, or of a tree of rich text."""
    if isinstance(value, str):
        return value
    if depth > _MAX_DEPTH:
        return ""
    if isinstance(value, list):
        parts = [(_text(one, depth + 1), _is_inline(one)) for one in value]
        return "".join(f"{text}" if inline else f"{text}\n\n" for text, inline in parts if text)
    if isinstance(value, dict):
        for key in ("rendered", *_WITHIN):
            if text := _text(value.get(key), depth + 1):
                return text
    return ""


def _is_inline(node: Any) -> bool:
    """Whether ``node`` is a part of a paragraph: the leaf of a tree of rich text."""
    if not isinstance(node, dict):
        return False
    kind = str(node.get("type") or node.get("nodeType") or node.get("_type") or "")
    if kind:
        return kind in ("text", "span", "link", "a", "hyperlink", "strong", "em", "code")
    return isinstance(node.get("text"), str) and not node.get("children")
