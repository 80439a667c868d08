"""Citations: marks made into links, as a whole and in a stream, and the list of references."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any
from urllib.parse import unquote, urlsplit

from citeseek.citations import CitationRegistry, CitationStream, Source, convert, references
from citeseek.urls import domain
from tools.cases import Case, unequal, unknown_keys
from tools.cases.rendered import Link, Rendered

Expectation = Callable[[Any, str, Rendered], list[str]]


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
    found = unknown_keys(expect, {*_EXPECTATIONS, "any_of", "max_ms"})
    for key, expected in expect.items():
        if key == "any_of":
            choices = [_differences(choice, output, took_ms) for choice in expected]
            found += [] if not all(choices) else [f"none of {expected} holds: {choices}"]
        elif key == "max_ms" and took_ms > expected:
            found.append(f"expected at most {expected} ms, got {took_ms:.0f}")
        elif key in _EXPECTATIONS:
            found += _EXPECTATIONS[key](expected, output, rendered)
    return found


def _stream(given: dict[str, Any], expect: dict[str, Any], registry: CitationRegistry) -> list[str]:
    found = unknown_keys(expect, {"joined", "joined_same_as_whole", "emitted_after"})
    whole = convert("".join(given.get("chunks", [given.get("text", "")])), registry)
    for chunks in [given["chunks"]] if "chunks" in given else _cuts(given["text"]):
        stream = CitationStream(registry)
        emitted = [stream.feed(chunk) for chunk in chunks]
        ends = [stream.finish() for _ in range(given.get("finish_calls", 1))]
        joined = "".join(emitted + ends)
        if "joined" in expect:
            found += unequal("joined", expect["joined"], joined)
        if "joined_same_as_whole" in expect:
            same = unequal("joined_same_as_whole", expect["joined_same_as_whole"], joined == whole)
            found += [f"{difference} for {chunks}: {joined!r}" for difference in same]
        for moment in expect.get("emitted_after", []):
            found += _emitted(moment, "".join(emitted[: moment["chunk"] + 1]))
    return found


def _emitted(moment: dict[str, Any], so_far: str) -> list[str]:
    found = unknown_keys(moment, {"chunk", "starts_with", "min_chars"})
    if not so_far.startswith(moment.get("starts_with", "")):
        found.append(f"expected {moment}, got {so_far!r}")
    if len(so_far) < moment.get("min_chars", 0):
        found.append(f"expected {moment}, got {len(so_far)} characters")
    return found


def _cuts(text: str) -> Iterator[list[str]]:
    places = range(1, len(text))
    for cut in places:
        yield [text[:cut], text[cut:]]
    for first, second in combinations(places, 2):
        yield [text[:first], text[first:second], text[second:]]


def _address(href: str) -> str:
    return unquote(href)


def _pairs(links: list[Link]) -> list[list[Any]]:
    return [[link.number, _address(link.href)] for link in links]


def _expected_pairs(expected: list[list[Any]]) -> list[list[Any]]:
    return [[number, _address(url)] for number, url in expected]


def _missing(name: str, wanted: list[Any], present: list[Any] | str) -> list[str]:
    return [f"expected {name} {one!r}, got {present!r}" for one in wanted if one not in present]


def _unwanted(name: str, unwanted: list[Any], present: list[Any] | str) -> list[str]:
    return [f"expected no {name} {one!r}, got {present!r}" for one in unwanted if one in present]


def _limit(name: str, got: int, *, least: int = 0, most: int | None = None) -> list[str]:
    within = got >= least and (most is None or got <= most)
    return [] if within else [f"expected {name} from {least} to {most}, got {got}"]


_EXPECTATIONS: dict[str, Expectation] = {
    "output": lambda want, output, _: unequal("output", want, output),
    "output_any": lambda want, output, _: _missing("one output", [output], want),
    "keeps": lambda want, output, _: _missing("to keep", want, output),
    "lacks": lambda want, output, _: _unwanted("text", want, output),
    "max_output_chars": lambda want, output, _: _limit("characters", len(output), most=want),
    "rendered": lambda want, _, seen: unequal("rendered", want, seen.text.strip()),
    "rendered_keeps": lambda want, _, seen: _missing("rendered", want, seen.text),
    "rendered_lacks": lambda want, _, seen: _unwanted("rendered", want, seen.text),
    "html_lacks": lambda want, _, seen: _unwanted("tag", [t.strip("</>") for t in want], seen.tags),
    "table_cells": lambda want, _, seen: unequal("table_cells", want, seen.cells),
    "list_rows": lambda want, _, seen: unequal("list_rows", want, seen.list_rows),
    "entries": lambda want, _, seen: unequal(
        "entries", _expected_pairs(want), [[n, _address(href)] for n, href in seen.entries]
    ),
    "links": lambda want, _, seen: unequal("links", _expected_pairs(want), _pairs(seen.citations)),
    "links_include": lambda want, _, seen: _missing(
        "link", _expected_pairs(want), _pairs(seen.citations)
    ),
    "min_links": lambda want, _, seen: _limit("links", len(seen.citations), least=want),
    "max_links": lambda want, _, seen: _limit("links", len(seen.citations), most=want),
    "hrefs_only": lambda want, _, seen: _missing(
        "only", [_address(link.href) for link in seen.citations], [_address(url) for url in want]
    ),
    "hrefs_include": lambda want, _, seen: _missing(
        "href", [_address(url) for url in want], [_address(link.href) for link in seen.links]
    ),
    "href_schemes": lambda want, _, seen: _missing(
        "only scheme", [urlsplit(link.href).scheme for link in seen.links], want
    ),
    "link_attributes_only": lambda want, _, seen: _missing(
        "only attribute", sorted({name for link in seen.links for name in link.attributes}), want
    ),
}
