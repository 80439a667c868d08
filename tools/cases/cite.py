"""Citations: marks made into links, as a whole and in a stream, and the list of references."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations
from typing import Any
from urllib.parse import unquote, urlsplit

from citeseek.citations import CitationRegistry, CitationStream, Source, convert, references
from citeseek.urls import domain
from tools.cases import Case
from tools.cases.expectations import Checks, differences, missing, unequal, unwanted
from tools.cases.rendered import Rendered


def check(case: Case) -> list[str]:
    """Check ``cite.convert``, ``cite.references`` and ``cite.stream``."""
    given = case["input"]
    sources = (
        Source(source["n"], source["title"], source["url"], domain(source["url"]))
        for source in given["sources"]
    )
    registry = CitationRegistry.of(sources)
    if given["op"] == "cite.stream":
        return _stream(given, case["expect"], registry)
    work = convert if given["op"] == "cite.convert" else references
    began = time.perf_counter()
    output = work(given["text"], registry)
    took_ms = (time.perf_counter() - began) * 1000
    return _differences(case["expect"], output, took_ms)


def _differences(expect: dict[str, Any], output: str, took_ms: float) -> list[str]:
    rendered = Rendered(output)
    links, citations = rendered.links, rendered.citations
    pairs = _pairs([link.number, link.href] for link in citations)
    entries = _pairs([number, href] for number, href in rendered.entries)
    seen = {
        "output": output,
        "output_chars": len(output),
        "rendered": rendered.text.strip(),
        "table_cells": rendered.cells,
        "list_rows": rendered.list_rows,
        "ms": took_ms,
    }
    addresses = [unquote(link.href) for link in citations]
    attributes = sorted({name for link in links for name in link.attributes})
    checks: Checks = {
        "keeps": lambda want: missing("to keep", want, output),
        "lacks": lambda want: unwanted("text", want, output),
        "html_lacks": lambda want: unwanted("tag", [t.strip("</>") for t in want], rendered.tags),
        "entries": lambda want: unequal("entries", _pairs(want), entries),
        "links": lambda want: unequal("links", _pairs(want), pairs),
        "links_include": lambda want: missing("link", _pairs(want), pairs),
        "min_links": lambda want: differences({"min_links": want}, {"links": pairs}),
        "max_links": lambda want: differences({"max_links": want}, {"links": pairs}),
        "hrefs_only": lambda want: missing("only", addresses, [unquote(url) for url in want]),
        "hrefs_include": lambda want: missing(
            "href", [unquote(url) for url in want], [unquote(link.href) for link in links]
        ),
        "href_schemes": lambda want: missing(
            "only scheme", [urlsplit(link.href).scheme for link in links], want
        ),
        "link_attributes_only": lambda want: missing("only attribute", attributes, want),
    }
    return differences(expect, seen, checks)


def _stream(given: dict[str, Any], expect: dict[str, Any], registry: CitationRegistry) -> list[str]:
    found: list[str] = []
    whole = convert("".join(given.get("chunks", [given.get("text", "")])), registry)
    for chunks in [given["chunks"]] if "chunks" in given else _cuts(given["text"]):
        stream = CitationStream(registry)
        emitted = [stream.feed(chunk) for chunk in chunks]
        ends = [stream.finish() for _ in range(given.get("finish_calls", 1))]
        joined = "".join(emitted + ends)
        seen = {"joined": joined, "joined_same_as_whole": joined == whole}
        checks = {"emitted_after": partial(_emitted, emitted)}
        found += [f"{wrong} for {chunks}" for wrong in differences(expect, seen, checks)]
    return found


def _emitted(emitted: list[str], moments: list[dict[str, Any]]) -> list[str]:
    """Look at what was given out when so many pieces had been fed."""
    found: list[str] = []
    for moment in moments:
        rest = {name: value for name, value in moment.items() if name != "chunk"}
        so_far = "".join(emitted[: moment["chunk"] + 1])
        starts = {"starts_with": partial(_starts, so_far)}
        found += differences(rest, {"chars": len(so_far)}, starts)
    return found


def _starts(text: str, start: str) -> list[str]:
    return unequal("start", start, text[: len(start)])


def _cuts(text: str) -> Iterator[list[str]]:
    places = range(1, len(text))
    for cut in places:
        yield [text[:cut], text[cut:]]
    for first, second in combinations(places, 2):
        yield [text[:first], text[first:second], text[second:]]


def _pairs(links: Iterable[list[Any]]) -> list[list[Any]]:
    """Return numbers and addresses as they are compared."""
    return [[number, unquote(url)] for number, url in links]
