"""From a query to an engine's request, and to what that request leaves out of the query."""

from __future__ import annotations

from functools import lru_cache

from msgspec import structs

from citeseek.engine import Engine, EngineOptions
from citeseek.models import Request
from citeseek.query import Query

PROBE = Query.of("tea")


def prepare(
    engine: Engine, query: Query, options: EngineOptions
) -> tuple[Request, tuple[str, ...]]:
    """Return the request of ``engine`` and the names of what it leaves out of ``query``.

    A filter is left out when the request is the same without it, as for a country that the engine
    does not know; a category, when the engine has none of that name. A query longer than the engine
    takes is cut at a word: ``query_length``.
    """
    room = engine.max_chars and engine.max_chars - len(query.text_with_site) + len(query.text)
    shortened = _shorten(query.text, room, engine.max_words)
    ignored = {"query_length"} if shortened != query.text else set()
    if ignored:
        query = structs.replace(query, text=shortened)
    base_url = base_address(engine, options.base_url)
    if base_url != options.base_url:
        options = structs.replace(options, base_url=base_url)
    if not engine.has(query.category):
        ignored.add("category")
        query = query.without("category")
    request = engine.request(query, options)
    for name in query.filters() - {"category"}:
        plain = query.without(name)
        if name not in engine.supports or engine.request(plain, options) == request:
            ignored.add(name)
    return request, tuple(sorted(ignored))


@lru_cache(maxsize=256)
def base_address(engine: Engine, address: str) -> str:
    """Return ``address`` without what the engine adds to it and somebody wrote down already.

    ``https://api.tavily.com/search`` is the address that Tavily's own pages name; the engine adds
    ``/search`` to ``https://api.tavily.com``.
    """
    root = f"http://{engine.id}.invalid"
    try:
        url = engine.request(PROBE, EngineOptions(base_url=root)).url
    except Exception:  # noqa: BLE001 - what is wrong with it is told when it is asked
        return address
    added = _segments(url.removeprefix(root)) if url.startswith(root) else []
    scheme, separator, rest = address.partition("://")
    host, _, path = rest.partition("/")
    has = _segments(path)
    twice = next((n for n in range(len(added), 0, -1) if has[-n:] == added[:n]), 0)
    if not twice:
        return address
    return "/".join((f"{scheme}{separator}{host}", *has[:-twice]))


def _segments(path: str) -> list[str]:
    return [part for part in path.partition("?")[0].split("/") if part]


def _shorten(text: str, max_chars: int | None, max_words: int | None) -> str:
    if max_words and text.count(" ") >= max_words:
        text = " ".join(text.split(" ")[:max_words])
    if max_chars and len(text) > max_chars:
        head, space, _ = text[: max_chars + 1].rpartition(" ")
        text = head if space else text[:max_chars]
    return text
