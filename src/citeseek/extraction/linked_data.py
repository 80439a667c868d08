"""The JSON-LD of a page: what it says of its article to machines."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from citeseek.text import plain_line

# Types of a page that is a text, those that say the most first.
_ARTICLES = (
    "Article", "Posting", "Report", "Recipe", "HowTo", "Question", "Review", "Page", "CreativeWork",
    "Thesis", "Dataset", "Episode", "VideoObject", "AudioObject", "Book",
)  # fmt: skip
_PEOPLE = ("author", "publisher")
_MAX_LETTERS = 400_000
_MAX_SCRIPTS = 50
# Comments and sections that keep old programs from reading it, and what no JSON holds.
_WRAPPING = re.compile(r"^\s*(?://\s*)?(?:<!--|<!\[CDATA\[)|(?://\s*)?(?:-->|\]\]>)\s*;?\s*$")
_CONTROLS = re.compile(r"[\x00-\x1f]")


def linked_articles(
    objects: list[dict[str, Any]], document: LexborHTMLParser, url: str
) -> list[dict[str, Any]]:
    """Return those that tell of a text, the page's article before what it is part of.

    One that names the address of another page than ``url`` is none of this page's.
    """
    found = [(rank, item) for item in objects for rank in [_rank(item)] if rank is not None]
    own = {_path(url)} | {
        _path(node.attributes.get("href") or "") for node in document.css("link[rel=canonical]")
    }
    placed = [(not own & _addresses(item), rank, item) for rank, item in found]
    # Where none names this page, all of them may be wrong about it.
    is_named = any(not is_strange for is_strange, _, _ in placed)
    kept = [one for one in placed if not (is_named and one[0] and _addresses(one[2]))]
    return [item for _, _, item in sorted(kept, key=lambda one: one[:2])]


def site_named_in(objects: list[dict[str, Any]]) -> str | None:
    """Return the name that ``objects`` give to the site, None without one."""
    sites = (one for one in objects if "WebSite" in str(one.get("@type", "")))
    return next(filter(None, (plain_line(text_in(one, "name")) for one in sites)), None)


def names_in(item: dict[str, Any], key: str) -> list[str]:
    """Return the names of the people under ``key``."""
    value = item.get(key)
    people = value if isinstance(value, list) else [value]
    names = (one.get("name") if isinstance(one, dict) else one for one in people)
    return [name for name in names if isinstance(name, str) and name]


def text_in(item: dict[str, Any], key: str) -> str:
    """Return the text under ``key``, empty when there is none."""
    value = item.get(key)
    if isinstance(value, list):
        value = next(iter(value), None)
    return value if isinstance(value, str) else ""


def _addresses(item: dict[str, Any]) -> set[str]:
    """Return the addresses of the page that ``item`` is about, as far as it names them."""
    entity = item.get("mainEntityOfPage")
    named = (
        item.get("url"),
        item.get("@id"),
        entity.get("@id") if isinstance(entity, dict) else entity,
    )
    return {_path(one) for one in named if isinstance(one, str) and one.startswith("http")}


def _path(url: str) -> str:
    """Return what of ``url`` is the same however its site is reached."""
    return re.sub(r"^https?://(?:www\.|m\.|amp\.)?[^/]*|[?#].*$|/$", "", url.strip())


def linked_objects(document: LexborHTMLParser) -> list[dict[str, Any]]:
    """Return the objects in the JSON-LD of a page; people and publishers are put where named."""
    found: list[dict[str, Any]] = []
    for script in document.css("script[type^='application/ld+json' i]")[:_MAX_SCRIPTS]:
        source = script.text()
        if len(source) > _MAX_LETTERS:
            continue
        try:
            value = msgspec.json.decode(_CONTROLS.sub(" ", _WRAPPING.sub("", source)).strip())
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            continue
        for entry in value if isinstance(value, list) else [value]:
            graph = entry.get("@graph") if isinstance(entry, dict) else None
            items = graph if isinstance(graph, list) else [entry]
            found += [item for item in items if isinstance(item, dict)]
            found += [
                main
                for item in items
                if isinstance(item, dict) and isinstance(main := item.get("mainEntity"), dict)
            ]
    known = {
        name: one for one in found if isinstance(name := one.get("@id"), str) and "name" in one
    }
    return [_with_people(one, known) for one in found]


def _with_people(item: dict[str, Any], known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return ``item`` with the ``known`` objects in place of what only refers to them."""

    def whole(value: Any) -> Any:
        if isinstance(value, list):
            return [whole(one) for one in value]
        named = value.get("@id") if isinstance(value, dict) and "name" not in value else None
        return known.get(named, value) if isinstance(named, str) else value

    return item | {key: whole(item[key]) for key in _PEOPLE if key in item}


def _rank(item: dict[str, Any]) -> int | None:
    named = str(item.get("@type", ""))
    return next((rank for rank, name in enumerate(_ARTICLES) if name in named), None)
