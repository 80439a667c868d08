"""A report in Markdown: what was found, by whom it is said, and in which words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from citeseek.citations import Source, escaped, link_target, source_row
from citeseek.research.fragment import quote_address
from citeseek.research.outcome import Evidence, ReportSource, SaidBy
from citeseek.research.wording import Words
from citeseek.text import shorten

EXCERPT_CHARS = 200


class Finding(msgspec.Struct, frozen=True):
    """A sentence of a source, and the source's number."""

    text: str
    number: int


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """What goes into a report. ``summary`` is Markdown; without one, ``findings`` are shown."""

    question: str
    sources: Sequence[ReportSource]
    evidence: Sequence[Evidence]
    findings: Sequence[Finding]
    disagreements: Sequence[Sequence[SaidBy]]
    html: frozenset[int]
    notes: Sequence[str]
    summary: str = ""
    writer: str = ""


def written(contents: Contents, words: Words) -> str:
    """Return the report; every address in it comes from ``contents.sources``."""
    parts = [f"# {escaped(contents.question)}"]
    if contents.sources:
        by = words.written_by.format(name=escaped(contents.writer))
        parts.append(f"> {by if contents.summary else words.extractive}")
    parts += _answer(contents, words)
    if contents.disagreements:
        versions = "\n".join(_differing(one, contents) for one in contents.disagreements)
        parts += [f"## {words.differ}", versions]
    if contents.sources:
        rows = "\n".join(_source(source, contents, words) for source in contents.sources)
        parts += [f"## {words.sources}", rows]
    if contents.evidence:
        quotes = "\n".join(_quote(quote, contents, words) for quote in contents.evidence)
        parts += [f"## {words.evidence}", quotes]
    if contents.notes:
        parts += [f"## {words.notes}", "\n".join(f"- {escaped(note)}" for note in contents.notes)]
    return "\n\n".join(parts) + "\n"


def _answer(contents: Contents, words: Words) -> Iterator[str]:
    if contents.summary:
        yield f"## {words.summary}"
        yield contents.summary
    elif contents.findings:
        yield f"## {words.findings}"
        yield "\n".join(
            f"- {escaped(finding.text)} {_mark(finding.number, contents)}"
            for finding in contents.findings
        )
    else:
        yield words.no_quotes if contents.sources else words.nothing_found


def _differing(versions: Sequence[SaidBy], contents: Contents) -> str:
    return "- " + " ↔ ".join(
        f"“{escaped(said.text)}” {''.join(_mark(number, contents) for number in said.sources)}"
        for said in versions
    )


def _mark(number: int, contents: Contents) -> str:
    url = link_target(contents.sources[number - 1].url)
    return f"[[{number}]]({url})" if url else f"[{number}]"


def _source(source: ReportSource, contents: Contents, words: Words) -> str:
    row = source_row(Source(source.number, source.title, source.url, source.domain))
    if source.published_at:
        row += f" · {escaped(source.published_at)}"
    excerpt = source.snippet or next(
        (quote.quote for quote in contents.evidence if quote.source_index == source.number), ""
    )
    lines = [row]
    if excerpt:
        lines.append(f"   > {escaped(shorten(excerpt, EXCERPT_CHARS))}")
    if source.copies:
        urls = ", ".join(f"<{url}>" for url in map(link_target, source.copies) if url)
        lines += ["", f"   {words.copies.format(urls=urls)}"]
    return "\n".join(lines)


def _quote(evidence: Evidence, contents: Contents, words: Words) -> str:
    url = evidence.source_url
    if evidence.source_index in contents.html:
        url = quote_address(url, evidence.quote)
    place = f" [{words.on_page}]({target})" if (target := link_target(url)) else ""
    return f"- “{escaped(evidence.quote)}” {_mark(evidence.source_index, contents)}{place}"
