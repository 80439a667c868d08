"""Registries with made-up sources, and what a Markdown reader makes of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citeseek.citations import CitationRegistry, CitationStream, Source, Span, linked_numbers
from citeseek.models import SearchItem
from citeseek.urls import same_page_key


def source(number: int, *, url: str | None = None, title: str | None = None) -> Source:
    host = f"s{number}.example"
    url = f"https://{host}/p" if url is None else url
    title = f"Title {number}" if title is None else title
    return Source(number, title, url, host)


def numbered(count: int) -> CitationRegistry:
    """Return a registry with the sources 1 to ``count``."""
    return CitationRegistry.of(source(number) for number in range(1, count + 1))


def single(url: str = "https://s1.example/p", title: str = "Title 1") -> CitationRegistry:
    return CitationRegistry.of([source(1, url=url, title=title)])


def empty() -> CitationRegistry:
    return CitationRegistry(same_page_key=same_page_key)


def items(*urls: str) -> list[SearchItem]:
    return [
        SearchItem(title=f"About {url}", url=url, snippet="words", provider="stub", rank=rank)
        for rank, url in enumerate(urls, start=1)
    ]


def link(number: int) -> str:
    return f"[[{number}]](https://s{number}.example/p)"


def streamed(chunks: Iterable[str], registry: CitationRegistry) -> str:
    stream = CitationStream(registry)
    return "".join([*map(stream.feed, chunks), stream.finish()])


def converted(answer: str, registry: CitationRegistry) -> tuple[str, Sequence[Span]]:
    """Return ``answer`` with its marks as links, and where these stand."""
    stream = CitationStream(registry)
    return stream.feed(answer) + stream.finish(), stream.spans


def linked_pieces(text: str, size: int) -> list[tuple[str, list[Span]]]:
    """Return ``text`` in pieces of ``size`` that cut no link in two, each with its links."""
    spans = linked_numbers(text)
    found: list[tuple[str, list[Span]]] = []
    start = 0
    while start < len(text):
        end = max([start + size, *(s.end for s in spans if s.start < start + size < s.end)])
        own = [span.move(-start) for span in spans if start <= span.start < end]
        found.append((text[start:end], own))
        start = end
    return found


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def fragments(table: str) -> list[str]:
    """Return the words of ``table``, in which ␣, ␉, ␤ and ␍ stand for white space."""
    white_space = str.maketrans("␣␉␤␍", " \t\n\r")
    return [word.translate(white_space) for word in table.split()]
