"""A report in Markdown: what was found, by whom it is said, and in which words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote as percent_encoded

import msgspec

from citeseek.citations import Source, escape_line, link_target, source_row
from citeseek.i18n import Catalogue, catalogue
from citeseek.locators import Locator, mark
from citeseek.observing.receipt import EgressReceipt
from citeseek.research.result import Evidence, ReportSource, SaidBy
from citeseek.text import byte_size, day_of, shorten
from citeseek.verification import CitationCheck

# A quote up to this length is named whole, a longer one by its beginning and end.
WHOLE_CHARS = 60
END_CHARS = 24
_BEGINNING = re.compile(rf".{{8,{END_CHARS}}}(?=\s)|.{{1,{END_CHARS}}}", re.DOTALL)


def quote_address(url: str, quote: str) -> str:
    """Return ``url`` with the text fragment of ``quote``; an own fragment of it is kept."""
    line = quote.strip()
    if len(line) <= WHOLE_CHARS:
        text = _escape(line)
    else:
        text = f"{_escape(_beginning(line))},{_escape(_beginning(line[::-1])[::-1])}"
    return f"{url}{':~:' if '#' in url else '#:~:'}text={text}"


def _beginning(line: str) -> str:
    match = _BEGINNING.match(line)
    return match[0].strip() if match else line


def _escape(text: str) -> str:
    return percent_encoded(text, safe="").replace("-", "%2D")


def closing(egress: EgressReceipt, say: Catalogue) -> str:
    """Return the end of a report in Markdown; ``artifacts.egress`` names the hosts."""
    return f"\n---\n\n{' · '.join(_parts(egress, say))}\n"


def _parts(egress: EgressReceipt, say: Catalogue) -> Iterator[str]:
    yield say(
        "research.sent",
        requests=egress.requests,
        hosts=len(egress.hosts),
        sent=byte_size(egress.sent_bytes),
        received=byte_size(egress.received_bytes),
    )
    if egress.refused:
        yield say("research.refused", hosts=escape_line(", ".join(egress.refused)))
    if egress.over_budget:
        hosts = dict.fromkeys(each.host for each in egress.over_budget)
        yield say("egress.over_budget", told=escape_line(", ".join(hosts)))
    if model := egress.model:
        yield say("research.asked_model", name=escape_line(model.name), calls=model.calls)
        if model.cost is not None:
            yield say("research.cost", cost=f"{model.cost:.4f}")
    if egress.resumed:
        yield say("research.resumed", count=egress.resumed)


EXCERPT_CHARS = 200
_ADDRESS = re.compile(r"(https?://[^\s：，。；]+[^\s：，。；:,.;!?])")


class CitedSentence(msgspec.Struct, frozen=True):
    """A sentence of a source, the source's number, and the page of a document it stands on."""

    text: str
    number: int
    pages: tuple[Locator, ...] = ()


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """What goes into a report. ``summary`` is Markdown; without one, ``findings`` are shown."""

    question: str
    sources: Sequence[ReportSource]
    evidence: Sequence[Evidence]
    findings: Sequence[CitedSentence]
    disagreements: Sequence[Sequence[SaidBy]]
    html: frozenset[int]
    notes: Sequence[str]
    summary: str = ""
    writer: str = ""
    checks: Sequence[CitationCheck] = ()


def write_report(contents: Contents, say: Catalogue) -> str:
    """Return the report; every address in it comes from ``contents.sources``."""
    parts = [f"# {escape_line(contents.question)}"]
    if contents.sources:
        parts.append(f"> {_origin(contents, say)}")
    parts += _answer(contents, say)
    if contents.disagreements:
        versions = "\n".join(_differing(one, contents, say) for one in contents.disagreements)
        parts += [f"## {say('research.differ')}", versions]
    if contents.sources:
        rows = "\n".join(_source(source, contents, say) for source in contents.sources)
        parts += [f"## {say('research.sources')}", rows]
    if contents.evidence:
        quotes = "\n".join(_quote(quote, contents, say) for quote in contents.evidence)
        parts += [f"## {say('research.evidence')}", quotes]
    if contents.notes:
        notes = "\n".join(f"- {_note(note)}" for note in contents.notes)
        parts += [f"## {say('research.notes')}", notes]
    return "\n\n".join(parts) + "\n"


def _origin(contents: Contents, say: Catalogue) -> str:
    """Return who wrote the report, and what its citations came to."""
    name = escape_line(contents.writer)
    if not contents.writer:
        return say("research.extractive")
    if not contents.summary:
        return say("research.no_writer", name=name)
    verdicts = [check.verdict for check in contents.checks]
    checked = say(
        "research.checked",
        all=len(verdicts),
        supported=verdicts.count("supported"),
        contradicted=verdicts.count("contradicted"),
        absent=verdicts.count("absent"),
    )
    by_judge = sum(check.by == "judge" for check in contents.checks)
    told = [say("research.written_by", name=name), checked]
    return " ".join([*told, say("research.by_judge", count=by_judge)] if by_judge else told)


def _note(note: str) -> str:
    """Return ``note`` as Markdown, its addresses whole."""
    pieces = _ADDRESS.split(note)
    return "".join(
        f"<{target}>" if at % 2 and (target := link_target(piece)) else _keep_apart(piece)
        for at, piece in enumerate(pieces)
    )


def _keep_apart(piece: str) -> str:
    before, after = (" " if end.isspace() else "" for end in (piece[:1], piece[-1:]))
    return f"{before}{escape_line(piece)}{after}" if piece.strip() else " " * bool(piece)


def _answer(contents: Contents, say: Catalogue) -> Iterator[str]:
    if contents.summary:
        yield f"## {say('research.summary')}"
        yield contents.summary
    elif contents.findings:
        yield f"## {say('research.findings')}"
        yield "\n".join(
            f"- {escape_line(finding.text)} "
            + _mark(finding.number, contents, finding.pages, say.lang)
            for finding in contents.findings
        )
    else:
        yield say("research.no_quotes") if contents.sources else say("research.nothing_found")


def _differing(versions: Sequence[SaidBy], contents: Contents, say: Catalogue) -> str:
    told = " ↔ ".join(_version(said, contents, say) for said in versions)
    are_apart = all(said.about for said in versions)
    return f"- {told}. {say('research.apart')}" if are_apart else f"- {told}"


def _version(said: SaidBy, contents: Contents, say: Catalogue) -> str:
    marks = [_mark(number, contents) for number in said.sources]
    # Others than the first give the value in words of their own.
    behind_quote = 1 if said.value else len(marks)
    days = [day_of(contents.sources[number - 1].published_at) for number in said.sources]
    voices = say("research.voices", pages=said.pages, origins=said.origins)
    notes = [
        *([f"**{escape_line(said.value)}**"] if said.value else []),
        *(["".join(marks[behind_quote:])] if marks[behind_quote:] else []),
        *([escape_line(said.about)] if said.about else []),
        *([voices] if said.pages > 1 else []),
        *([_span(sorted(filter(None, days)))] if any(days) else []),
    ]
    behind = f" ({'; '.join(notes)})" if notes else ""
    return f"“{escape_line(said.text)}” {''.join(marks[:behind_quote])}{behind}"


def _span(days: Sequence[str]) -> str:
    """Return the first of ``days`` and the last."""
    first, last = escape_line(days[0]), escape_line(days[-1])
    return first if first == last else f"{first} – {last}"


def _mark(number: int, contents: Contents, pages: Sequence[Locator] = (), lang: str = "en") -> str:
    url = link_target(contents.sources[number - 1].url)
    said = escape_line(mark(number, pages, catalogue(lang))[1:-1])
    return f"[[{said}]]({url})" if url else f"[{said}]"


def _source(source: ReportSource, contents: Contents, say: Catalogue) -> str:
    row = source_row(Source(source.number, source.title, source.url, source.domain))
    if source.published_at:
        row += f" · {escape_line(source.published_at)}"
    excerpt = source.snippet or next(
        (quote.quote for quote in contents.evidence if quote.source_index == source.number), ""
    )
    lines = [row]
    if excerpt:
        lines.append(f"   > {escape_line(shorten(excerpt, EXCERPT_CHARS))}")
    if source.copies:
        urls = ", ".join(f"<{url}>" for url in map(link_target, source.copies) if url)
        lines += ["", f"   {say('research.copies', urls=urls)}"]
    return "\n".join(lines)


def _quote(evidence: Evidence, contents: Contents, say: Catalogue) -> str:
    url = evidence.source_url
    if evidence.source_index in contents.html:
        url = quote_address(url, evidence.quote)
    elif evidence.page and evidence.page.kind == "page" and "#" not in url:
        url = f"{url}#page={evidence.page.number}"
    place = f" [{say('research.on_page')}]({target})" if (target := link_target(url)) else ""
    pages = (evidence.page,) if evidence.page else ()
    cited = _mark(evidence.source_index, contents, pages, say.lang)
    return f"- “{escape_line(evidence.quote)}” {cited}{place}"
