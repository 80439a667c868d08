"""The text of articles: how well it is taken out of their pages, and how fast, beside others.

    python -m benchmarks.extraction [DIR]

The set is our own (tests/extraction/corpus.py), in Chinese and English. Our plain reading of short
pages was written with it in view, so it favours us. ``DIR`` adds a set of others: pages in
``html/NAME.html`` (UTF-8), their texts in ``txt/NAME.txt``, as the source archive of newspaper4k on
PyPI has in ``tests/data``; or in ``NAME/source.html`` with the wanted part of each in
``NAME/expected.html``, as mozilla/readability has in ``test/test-pages``. The measure is the mean
over pages of the F1 of runs of four words, and of single words where the wanted part is HTML.
First comes what our 168 pages in 12 languages (tests/extraction/dated_pages.py) are read to say of
themselves.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks.peers import require
from benchmarks.report import GOAL_HEADER, Goal, table
from tests.extraction.corpus import URL, samples
from tests.extraction.dated_pages import WORDS, DatedPage, pages
from tests.extraction.shingles import scores

from citeseek.errors import SearchFailed
from citeseek.extraction import Document, extract
from citeseek.models import Page

ROUNDS = 3
GOALS = {
    "f1": Goal("F1 less that of trafilatura alone", "at least", 0.0),
    "speed": Goal("pages a second, share of trafilatura's", "at least", 0.5),
}

Reader = Callable[[str], str]


class Case(NamedTuple):
    """A page, and the text that has to come out; ``run`` words are compared at a time."""

    html: str
    text: str
    title: str
    run: int = 4


def citeseek(html: str) -> str:
    headers = {"content-type": "text/html; charset=utf-8"}
    try:
        return extract(Page(url=URL, headers=headers, body=html.encode())).text
    except SearchFailed:
        return ""


def readers() -> Iterator[tuple[str, Reader]]:
    """Yield the name and the function of everyone who is measured."""
    import trafilatura
    from readability import Document
    from resiliparse.extract.html2text import extract_plain_text

    def readability(html: str) -> str:
        return text_of(Document(html).summary(), "\n")

    yield "citeseek", citeseek
    yield "trafilatura", lambda html: trafilatura.extract(html, url=URL) or ""
    yield (
        "trafilatura, no comments",
        lambda html: trafilatura.extract(html, url=URL, include_comments=False) or "",
    )
    yield "readability-lxml", readability
    yield "resiliparse", lambda html: extract_plain_text(html, main_content=True)


def own() -> list[Case]:
    return [Case(one.html, one.article.text, one.article.title) for one in samples()]


def others(folder: Path) -> list[Case]:
    """Return the pages under ``folder`` that have a text, in either layout."""
    found = []
    for text in sorted((folder / "txt").glob("*.txt")):
        html = folder / "html" / f"{text.stem}.html"
        if html.exists() and (wanted := text.read_text(errors="replace")).strip():
            found.append(Case(html.read_text(errors="replace"), wanted, ""))
    for page in sorted(folder.glob("*/source.html")):
        wanted = text_of((page.parent / "expected.html").read_text(errors="replace"), " ")
        found.append(Case(page.read_text(errors="replace"), wanted, "", run=1))
    return found


def text_of(html: str, separator: str) -> str:
    from selectolax.lexbor import LexborHTMLParser

    body = LexborHTMLParser(html).body
    return body.text(separator=separator) if body is not None else ""


def measured(read: Reader, cases: list[Case]) -> tuple[float, float, float, float]:
    """Return F1, precision, recall and pages a second of one core, the best of several rounds."""
    read(cases[0].html)  # imports and first use
    seconds, rows = float("inf"), []
    for _ in range(ROUNDS):
        began = time.process_time()
        texts = [_safely(read, case.html) for case in cases]
        seconds = min(seconds, time.process_time() - began)
        rows = [
            scores(case.text, text, case.title, case.run)
            for case, text in zip(cases, texts, strict=True)
        ]
    f1, precision, recall = (fmean(column) for column in zip(*rows, strict=True))
    return f1, precision, recall, len(cases) / seconds


def _safely(read: Reader, html: str) -> str:
    try:
        return read(html)
    except Exception as error:  # noqa: BLE001 - whoever fails on a page has no text of it
        print(f"{type(error).__name__} on a page", file=sys.stderr)
        return ""


def report(name: str, cases: list[Case]) -> None:
    """Measure everyone on ``cases`` and print the tables."""
    results = {reader: measured(read, cases) for reader, read in readers()}
    print(f"{name}: {len(cases)} pages\n")
    rows = [
        (reader, f"{f1:.3f}", f"{precision:.3f}", f"{recall:.3f}", f"{speed:,.0f}")
        for reader, (f1, precision, recall, speed) in results.items()
    ]
    print(table(("reader", "F1", "precision", "recall", "pages/s/core"), rows))
    ours, theirs = results["citeseek"], results["trafilatura, no comments"]
    values = {"f1": ours[0] - theirs[0], "speed": ours[3] / theirs[3]}
    print(f"\n{table(GOAL_HEADER, [goal.row(values[key]) for key, goal in GOALS.items()])}\n")


def report_facts() -> None:
    """Print what the pages of our set of titles and dates are read to say of themselves."""
    read = [(one, extract(_page(one))) for one in pages()]
    wanted: dict[str, Callable[[Document], str]] = {
        "title": lambda document: document.title,
        "author": lambda document: document.author or "",
        "published": lambda document: (document.published_at or "")[:10],
        "updated": lambda document: (document.updated_at or "")[:10],
    }
    rows = []
    for fact, of in wanted.items():
        pairs = [(getattr(one, fact), of(document)) for one, document in read]
        right = sum(known == found for known, found in pairs) / len(pairs)
        wrong = sum(bool(found) and known != found for known, found in pairs) / len(pairs)
        rows.append((fact, f"{right:.1%}", f"{wrong:.1%}"))
    print(f"Titles, authors and dates: {len(read)} pages in {len(WORDS)} languages\n")
    print(f"{table(('fact', 'right', 'wrong'), rows)}\n")


def _page(one: DatedPage) -> Page:
    return Page(url=one.url, headers={"content-type": "text/html"}, body=one.html.encode())


def main(folders: list[str]) -> None:
    """Measure our own set and those in ``folders``."""
    require("readability", "resiliparse", "trafilatura")
    logging.disable()
    report_facts()
    report("Our own set", own())
    for folder in folders:
        report(folder, others(Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
