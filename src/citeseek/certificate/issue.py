"""Making certificates: of an answer whose citations were checked, and of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

from citeseek.certificate.page_reads import PageRead, PageReads, now
from citeseek.certificate.record import (
    Certificate,
    CertifiedQuote,
    CertifiedSource,
    CertifiedVerdict,
    pack,
    rules_sha256,
    sha256,
)
from citeseek.citations import Source
from citeseek.fetching.source_text import text_of_page, text_of_summary
from citeseek.locators import join_pieces
from citeseek.research import Report
from citeseek.text import encodable
from citeseek.trace.redaction import Redactor
from citeseek.verification import CitationCheck, SourceText, check_answer
from citeseek.verification.passages import single
from citeseek.version import VERSION

# Of the pages of one certificate, packed: what is more is kept as a hash.
_MAX_PACKED_CHARS = 40_000_000


def certify_answer(
    question: str,
    answer: str,
    *,
    judged: str,
    model: str,
    sources: Iterable[Source],
    checks: Sequence[CitationCheck],
    reads: PageReads,
    redactor: Redactor,
    hashes_only: bool = False,
) -> Certificate:
    """Return the certificate of an answer whose citations are ``checks``.

    ``judged`` is the part of ``answer`` that they are in. Sources that are cited have the page that
    ``reads`` kept, others what the search said of them. ``redactor`` knows what must not be in it.
    With ``hashes_only`` it holds no pages: their hashes, and the sentences around what is quoted.
    """
    cited = {check.number for check in checks}
    known = {source.number: source for source in sources}
    return _certify(
        Certificate(
            kind="answer",
            question=question,
            answer=answer,
            judged=judged,
            model=model,
            made_at=now(),
            citeseek=VERSION,
            rules_sha256=rules_sha256(),
            sources=tuple(
                _of_search(known[number], reads.of(known[number].url) if number in cited else None)
                for number in sorted(known)
            ),
            verdicts=tuple(map(CertifiedVerdict.of, checks)),
            quotes=(),
        ),
        redactor,
        hashes_only=hashes_only,
    )


def certify_report(
    question: str,
    report: Report,
    *,
    model: str,
    reads: PageReads,
    redactor: Redactor,
    hashes_only: bool = False,
) -> Certificate:
    """Return the certificate of ``report``: its quotes, and the citations of its summary.

    See :func:`certify_answer`.
    """
    quotes = [
        CertifiedQuote(source=quote.source_index, start=quote.start, text=quote.quote)
        for quote in report.evidence
    ]
    quotes += [
        CertifiedQuote(source=number, start=None, text=said.text)
        for versions in report.disagreements
        for said in versions
        for number in said.sources
    ]
    return _certify(
        Certificate(
            kind="report",
            question=question,
            answer=report.text,
            judged=report.summary,
            model=model,
            made_at=now(),
            citeseek=VERSION,
            rules_sha256=rules_sha256(),
            sources=tuple(
                _source(
                    source.number,
                    source.found_as,
                    SourceText(text, title=source.title, url=source.url, pages=pages),
                    reads.of(source.found_as),
                    was_read=True,
                )
                for source, text, pages in zip(
                    report.sources, report.pages, report.page_starts, strict=True
                )
            ),
            verdicts=tuple(map(CertifiedVerdict.of, report.checks)),
            quotes=tuple(quotes),
        ),
        redactor,
        hashes_only=hashes_only,
    )


def _of_search(source: Source, read: PageRead | None) -> CertifiedSource:
    text = text_of_page(read.response, source.title) if read else text_of_summary(source)
    return _source(source.number, source.url, text, read, was_read=source.was_read)


def _source(
    number: int, url: str, text: SourceText, read: PageRead | None, *, was_read: bool
) -> CertifiedSource:
    page = read.page if read else None
    return CertifiedSource(
        number=number,
        title=text.title,
        url=url,
        final_url=text.url,
        was_read=was_read,
        read_at=read.at if read else "",
        is_whole_page=text.is_whole_page,
        is_excerpt=False,
        is_redacted=False,
        text=text.text,
        text_sha256=sha256(text.text),
        pages=text.pages,
        content_type=page.headers.get("content-type", "") if page else "",
        page_sha256=sha256(page.body) if page else "",
        page=pack(page.body) if page else "",
    )


def _certify(whole: Certificate, redactor: Redactor, *, hashes_only: bool) -> Certificate:
    certificate = _without_secrets(whole, redactor)
    if hashes_only:
        return _with_excerpts(certificate)
    sources, room = [], _MAX_PACKED_CHARS
    for source in certificate.sources:
        room -= len(source.page)
        sources.append(source if room >= 0 else structs.replace(source, page=""))
    return structs.replace(certificate, sources=tuple(sources))


def _redact(text: str, redactor: Redactor) -> str:
    return redactor.data(encodable(text).encode()).decode()


def _without_secrets(whole: Certificate, redactor: Redactor) -> Certificate:
    """Return the certificate without what is secret; what was judged is then judged again."""
    redactor.learn(whole.question)
    for source in whole.sources:
        redactor.learn(source.url)
        redactor.learn(source.final_url)

    sources = tuple(_source_without_secrets(source, redactor) for source in whole.sources)
    changed = {source.number for source in sources if source.is_redacted}
    clean = structs.replace(
        whole,
        question=_redact(whole.question, redactor),
        answer=_redact(whole.answer, redactor),
        judged=_redact(whole.judged, redactor),
        model=_redact(whole.model, redactor),
        sources=sources,
        quotes=tuple(
            structs.replace(quote, text=_redact(quote.text, redactor), start=None)
            if quote.source in changed
            else quote
            for quote in whole.quotes
        ),
    )
    if not changed and clean.judged == whole.judged:
        return clean
    checks = check_answer(clean.judged, clean.texts)
    return structs.replace(clean, verdicts=tuple(map(CertifiedVerdict.of, checks)))


def _source_without_secrets(source: CertifiedSource, redactor: Redactor) -> CertifiedSource:
    body = source.body if source.page else b""
    shown, text, title = (
        redactor.data(body),
        _redact(source.text, redactor),
        _redact(source.title, redactor),
    )
    return structs.replace(
        source,
        title=title,
        url=_redact(redactor.text(source.url), redactor),
        final_url=_redact(redactor.text(source.final_url), redactor),
        text=text,
        text_sha256=sha256(text),
        # What was taken out was as long as nobody is to know.
        pages=source.pages if text == source.text else (),
        page=source.page if shown == body else pack(shown),
        is_redacted=(shown, text, title) != (body, source.text, source.title),
    )


def _with_excerpts(certificate: Certificate) -> Certificate:
    """Return the certificate with hashes of the pages, and the sentences around what is quoted."""
    sources = tuple(
        _excerpt(source, certificate) if source.is_whole_page or source.read_at else source
        for source in certificate.sources
    )
    short = structs.replace(certificate, sources=sources)
    again = {
        check.place: CertifiedVerdict.of(check) for check in check_answer(short.judged, short.texts)
    }
    return structs.replace(
        short,
        verdicts=tuple(
            structs.replace(
                one, repeats=one.place in again and one.outcome == again[one.place].outcome
            )
            for one in certificate.verdicts
        ),
    )


def _excerpt(source: CertifiedSource, certificate: Certificate) -> CertifiedSource:
    quoted = [one.quote for one in certificate.verdicts if one.number == source.number]
    quoted += [quote.text for quote in certificate.quotes if quote.source == source.number]
    pieces = _around(source.text, filter(None, quoted))
    text, pages = join_pieces(pieces, source.pages, "\n\n")
    return structs.replace(source, text=text, is_excerpt=True, pages=pages, page="")


def _around(text: str, quotes: Iterable[str]) -> list[tuple[int, str]]:
    """Return the sentences that ``quotes`` stand in with their neighbours, each with its place."""
    every = single(text)
    kept: set[int] = set()
    for quote in quotes:
        start = text.find(quote)
        for place, one in enumerate(every):
            if start >= 0 and one.start < start + len(quote) and one.end > start:
                kept.update((place - 1, place, place + 1))
    groups: list[tuple[int, int]] = []
    for place in sorted(kept & set(range(len(every)))):
        start, end = every[place].start, every[place].end
        if place - 1 in kept and groups:
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
    return [(start, text[start:end]) for start, end in groups]
